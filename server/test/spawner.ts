/**
 * Processes of tests are started from a small one beside the worker. A worker that has run many files is large, and each
 * fork of it copies its page tables (docs/adr/0037-spawner.md): a fifth of what its main thread had to do.
 */
import { spawn } from 'node:child_process';
import { createSpawner, type SpawnCommand, type Spawned, type Spawner } from '@millrace/git';

// Files of a worker share its modules, and this one with them; it ends with the worker.
let shared: Spawner | undefined;

export const sharedSpawner = (): Spawner => {
  shared ??= createSpawner();
  return shared;
};

/** A process without input. */
export async function startProcess(command: Omit<SpawnCommand, 'input'>): Promise<Omit<Spawned, 'stdin'>> {
  const started = await sharedSpawner().start({ ...command, input: false });
  if (started) return started;
  const child = spawn(command.program, command.args, { env: command.env, stdio: ['ignore', 'pipe', 'pipe'] });
  return { child, stdout: child.stdout, stderr: child.stderr };
}
