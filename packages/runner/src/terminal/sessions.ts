/**
 * Terminals in running jobs. Before a job is known the runner offers an address and a secret of its own for it; whoever
 * knows the secret gets a shell in the job's sandbox for as long as the job runs. Listens on a socket of this machine.
 */
import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { attach } from './attach.ts';
import type { OpenTerminal } from './types.ts';

/** What jobs/request says of it. */
export type SessionOffer = { url: string; certificate: string; authorization: string };

/** Terminals of one job. */
export type Session = {
  offer: SessionOffer;
  /** Lets terminals be opened. */
  serve(open: OpenTerminal): void;
  /** Lets none be opened any more, and tells those that are open why they end. */
  stop(why: string): void;
  /** How many are open. */
  readonly open: number;
  /** Resolves when none is open any more. */
  idle(): Promise<void>;
  /** Forgets the address. */
  close(): void;
};

export type Sessions = { create(): Session; close(): Promise<void> };

const MAX_MESSAGE = 256 * 1024;
const MAX_TERMINALS = 10;
/** Longest path of a socket that every system takes. */
const LONGEST_PATH = 100;

type Entry = {
  authorization: Buffer;
  open: OpenTerminal | null;
  ends: Set<(why: string) => void>;
  waiting: Set<() => void>;
};

/** Starts to listen below `workDir`, or in the system's temporary directory where that path is too long. */
export async function listenForTerminals(workDir: string): Promise<Sessions> {
  const below = workDir.length + 30 < LONGEST_PATH ? workDir : tmpdir();
  await mkdir(below, { recursive: true, mode: 0o711 });
  const directory = await mkdtemp(join(below, 'terminal-'));
  await chmod(directory, 0o700);
  const path = join(directory, 'socket');
  const entries = new Map<string, Entry>();
  const acceptor = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE,
    handleProtocols: (names) => (names.has('terminal.millrace') ? 'terminal.millrace' : false),
  });
  const server = createServer((_request, response) => response.writeHead(404).end());

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const lost = () => socket.destroy();
    socket.on('error', lost);
    const refuse = (status: string) => socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    const id = /^\/session\/([0-9a-f-]{36})\/exec$/.exec(request.url ?? '')?.[1] ?? '';
    const entry = entries.get(id);
    if (!entry) return void refuse('404 Not Found');
    const given = Buffer.from(request.headers.authorization ?? '');
    if (given.length !== entry.authorization.length || !timingSafeEqual(given, entry.authorization))
      return void refuse('401 Unauthorized');
    const { open, ends, waiting } = entry;
    if (!open) return void refuse('503 Service Unavailable');
    if (ends.size >= MAX_TERMINALS) return void refuse('429 Too Many Requests');
    acceptor.handleUpgrade(request, socket, head, (connection) => {
      socket.off('error', lost);
      const end = attach(connection, open, () => {
        ends.delete(end);
        if (ends.size === 0) for (const wake of [...waiting]) wake();
      });
      ends.add(end);
    });
  }
  server.on('upgrade', upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();

  function create(): Session {
    const id = randomUUID();
    const secret = randomBytes(32).toString('base64url');
    const entry: Entry = { authorization: Buffer.from(secret), open: null, ends: new Set(), waiting: new Set() };
    entries.set(id, entry);
    const stop = (why: string) => {
      entry.open = null;
      for (const end of [...entry.ends]) end(why);
    };
    return {
      offer: { url: `ws+unix:${path}:/session/${id}`, certificate: '', authorization: secret },
      serve(open) {
        entry.open = open;
      },
      stop,
      get open() {
        return entry.ends.size;
      },
      idle: () =>
        new Promise((resolve) => {
          if (entry.ends.size === 0) return resolve();
          const wake = () => {
            entry.waiting.delete(wake);
            resolve();
          };
          entry.waiting.add(wake);
        }),
      close() {
        stop('The job ended');
        entries.delete(id);
      },
    };
  }

  return {
    create,
    async close() {
      for (const entry of entries.values()) for (const end of [...entry.ends]) end('The runner is stopping');
      server.close();
      server.closeAllConnections();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
