/**
 * Starts processes from a small one beside the server. Node starts a process by fork, which copies the page tables of the
 * whole server on its main thread: milliseconds for hundreds of megabytes (docs/adr/0037-spawner.md). The spawner begins
 * with the first process that is wanted and ends when none was for a while; until it is there, and when it fails,
 * processes are started directly.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { FromSpawner, ToSpawner } from './spawner-messages.ts';

export interface SpawnCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: boolean;
}

/** A process that may be another's child: like Node's, `close` comes when it has ended and its output was read. */
export interface StartedProcess {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'close', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  kill(signal: NodeJS.Signals): unknown;
}

export interface Spawned {
  readonly child: StartedProcess;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

export interface Spawner {
  /** Null where the spawner is not there (yet): the caller starts the process itself. */
  start(command: SpawnCommand): Promise<Spawned> | null;
  close(): void;
}

const IDLE_MS = 60_000;
/** After a failure the next one is not tried at once. */
const RETRY_MS = 60_000;
const LONGEST_NAME = 64;
/** Whoever asked for a process has begun to read by then. */
const UNREAD_MS = 100;

const names = ['out', 'err', 'in'] as const;
type Name = (typeof names)[number];

interface Command {
  readonly child: EventEmitter;
  readonly streams: Map<Name, Socket>;
  readonly started: PromiseWithResolvers<Spawned>;
  readonly input: boolean;
  /** Whether its streams are with whoever asked for it. */
  handed: boolean;
  /** Of the process and its two outputs, how many have not ended. */
  left: number;
  end: readonly [number | null, NodeJS.Signals | null] | null;
}

interface Running {
  readonly process: ChildProcess;
  readonly server: Server;
  readonly socket: string;
  ready: boolean;
}

/** The program beside the bundle, or the source while developing. */
function programPath(): string {
  const built = join(import.meta.dirname, 'spawner-main.mjs');
  return existsSync(built) ? built : join(import.meta.dirname, 'spawner-main.ts');
}

export function createSpawner(): Spawner {
  const commands = new Map<number, Command>();
  let last = 0;
  let running: Running | null = null;
  let beginning = false;
  let closed = false;
  let notBefore = 0;
  let idle: NodeJS.Timeout | undefined;

  function fail(id: number, error: Error): void {
    const command = commands.get(id);
    if (!command) return;
    commands.delete(id);
    command.started.reject(error);
    for (const stream of command.streams.values()) stream.destroy();
    if (command.child.listenerCount('error') > 0) command.child.emit('error', error);
    command.child.emit('close', null, null);
  }

  function ended(id: number, command: Command): void {
    command.left -= 1;
    if (command.left > 0) return;
    commands.delete(id);
    command.streams.get('in')?.destroy();
    command.child.emit('close', ...(command.end ?? [null, null]));
  }

  /** As Node does: what nobody reads of a process that has ended is thrown away, so that it can close. */
  function flush({ streams, handed, end }: Command): void {
    if (!handed || !end) return;
    const unread = () => {
      for (const name of ['out', 'err'] as const) {
        const output = streams.get(name);
        if (output?.readableFlowing === null && output.listenerCount('readable') === 0) output.resume();
      }
    };
    setTimeout(unread, UNREAD_MS).unref();
  }

  /** Reads whose stream a connection is, and gives it to its command. */
  function take(socket: Socket): void {
    let head = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    const read = () => {
      for (let byte: Buffer | null = socket.read(1); byte; byte = socket.read(1)) {
        if (byte[0] !== 10) head = Buffer.concat([head, byte]);
        else {
          socket.off('readable', read);
          given(socket, head.toString('latin1'));
          return;
        }
        if (head.length > LONGEST_NAME) socket.destroy();
      }
    };
    socket.on('readable', read);
    socket.once('end', () => socket.listeners('readable').includes(read) && socket.destroy());
  }

  function given(socket: Socket, line: string): void {
    const [number, word] = line.split(' ');
    const id = Number(number);
    const command = commands.get(id);
    const name = names.find((each) => each === word);
    if (!command || !name) {
      socket.destroy();
      return;
    }
    command.streams.set(name, socket);
    // An output is over when it was read to its end, or when nobody wants it any more.
    if (name !== 'in') socket.once('close', () => ended(id, command));
    const stdout = command.streams.get('out');
    const stderr = command.streams.get('err');
    const stdin = command.streams.get('in') ?? null;
    if (!stdout || !stderr || (command.input && !stdin)) return;
    for (const output of [stdout, stderr]) output.end();
    const child = Object.assign(command.child, {
      kill: (signal: NodeJS.Signals) => tell({ kind: 'kill', id, signal }),
    });
    command.handed = true;
    command.started.resolve({ child, stdin, stdout, stderr });
    flush(command);
  }

  const tell = (message: ToSpawner) => running?.process.send(message);

  function hear(message: FromSpawner): void {
    if (message.kind === 'failed') fail(message.id, new Error(message.message));
    else if (message.kind === 'ended') {
      const command = commands.get(message.id);
      if (!command) return;
      command.end = [message.code, message.signal];
      flush(command);
      ended(message.id, command);
    }
  }

  async function begin(): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), 'millrace-spawner-'));
    const socket = join(directory, randomBytes(8).toString('hex'));
    const server = createServer({ allowHalfOpen: true }, take);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socket, resolve);
    });
    server.unref();
    const execArgv = ['--max-semi-space-size=1'];
    const child = fork(programPath(), [directory], { execArgv, env: {}, stdio: 'ignore', cwd: '/' });
    child.unref();
    child.channel?.unref();
    const made: Running = { process: child, server, socket, ready: false };
    running = made;
    const gone = () => {
      server.close();
      // One that was killed leaves it behind.
      rm(directory, { recursive: true, force: true }).catch(() => undefined);
      if (running !== made) return;
      running = null;
      notBefore = Date.now() + RETRY_MS;
      failAll('the spawner has ended');
    };
    // Each message that no longer reaches it is an error of its own.
    child.on('error', gone);
    child.once('exit', gone);
    child.on('message', (message: FromSpawner) => {
      if (message.kind === 'ready') made.ready = true;
      else hear(message);
    });
    if (closed) stop();
  }

  const failAll = (why: string) => {
    for (const id of commands.keys()) fail(id, new Error(why));
  };

  function stop(): void {
    clearTimeout(idle);
    idle = undefined;
    if (commands.size > 0 && !closed) {
      restIn();
      return;
    }
    const last = running;
    running = null;
    if (last?.process.connected) last.process.disconnect();
    failAll('git was closed');
  }

  function restIn(): void {
    if (idle) idle.refresh();
    else idle = setTimeout(stop, IDLE_MS).unref();
  }

  return {
    start({ program, args, env, input }) {
      if (closed) return null;
      if (!running?.ready) {
        if (!running && !beginning && Date.now() >= notBefore) {
          beginning = true;
          begin()
            .catch(() => {
              notBefore = Date.now() + RETRY_MS;
            })
            .finally(() => {
              beginning = false;
            });
        }
        return null;
      }
      restIn();
      last += 1;
      const id = last;
      const command: Command = {
        child: new EventEmitter(),
        streams: new Map(),
        started: Promise.withResolvers(),
        input,
        handed: false,
        left: 3,
        end: null,
      };
      commands.set(id, command);
      tell({ kind: 'start', id, socket: running.socket, program, args: [...args], env: { ...env }, input });
      return command.started.promise;
    },
    close() {
      closed = true;
      stop();
    },
  };
}
