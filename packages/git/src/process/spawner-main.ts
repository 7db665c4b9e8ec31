/**
 * The program of the spawner: a small process that starts git for a large server. It listens for commands of the server
 * that started it, connects each stream of a command to the server's socket, hands these connections to the new process
 * and reports how it ended. It ends with the server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { FromSpawner, ToSpawner } from './spawner-messages.ts';

const running = new Map<number, ChildProcess>();
const say = (message: FromSpawner) => process.send?.(message);

/** A connection of its own for one stream: the first line says whose it is. */
function stream(socket: string, name: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const made = connect(socket);
    made.once('error', reject);
    // Written, and not only asked for: what the process writes comes after it.
    made.write(`${name}\n`, () => resolve(made));
  });
}

async function start({ id, socket, program, args, env, input }: ToSpawner & { kind: 'start' }): Promise<void> {
  const names = [`${id} out`, `${id} err`, ...(input ? [`${id} in`] : [])];
  const streams = await Promise.all(names.map((name) => stream(socket, name)));
  const [out, err, stdin] = streams as [Socket, Socket, Socket | undefined];
  const child = spawn(program, args, { cwd: '/', env, stdio: [stdin ?? 'ignore', out, err], shell: false });
  running.set(id, child);
  // The process has them now: they end with it.
  for (const each of streams) each.destroy();
  child.once('error', ({ message }) => say({ kind: 'failed', id, message }));
  child.once('exit', (code, signal) => {
    running.delete(id);
    say({ kind: 'ended', id, code, signal });
  });
}

process.on('message', (message: ToSpawner) => {
  if (message.kind === 'kill') running.get(message.id)?.kill(message.signal);
  else start(message).catch((error: Error) => say({ kind: 'failed', id: message.id, message: error.message }));
});
process.on('disconnect', () => {
  const [, , directory] = process.argv;
  // The server may be gone for good: nobody else removes its socket.
  if (directory) rmSync(directory, { recursive: true, force: true });
  process.exit();
});
// A signal to the whole group is the server's to answer: it lets its work end first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
say({ kind: 'ready' });
