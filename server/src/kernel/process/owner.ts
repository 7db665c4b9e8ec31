/**
 * Who owns a data directory. The file says it early and in words; the lock in the embedded database, which ends with its
 * holder's connection, decides.
 */
import { randomBytes } from 'node:crypto';
import { readFile, rename, unlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** The data directory belongs to another process. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

interface Owner {
  readonly pid: number;
  /** When the process started, in the kernel's ticks: a process id alone comes again. */
  readonly started: string;
  readonly host: string;
}

const fileIn = (directory: string) => path.join(directory, 'millrace.pid');

async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name in parentheses may hold anything; the start is the 20th field after it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function lives(owner: Owner): Promise<boolean> {
  if (owner.pid === process.pid || !exists(owner.pid)) return false;
  return owner.started === '' || (await startOf(owner.pid)) === owner.started;
}

async function readOwner(file: string): Promise<Owner | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const { pid, started, host } = JSON.parse(text) as Partial<Owner>;
    return { pid: Number(pid), started: String(started), host: String(host) };
  } catch {
    return { pid: 0, started: '', host: '' };
  }
}

/** The error that a second process ends with. */
export function inUse(directory: string, owner: Pick<Owner, 'pid' | 'host'> | null): DirectoryInUse {
  const who = owner?.pid ? `process ${owner.pid} on ${owner.host}` : 'another process';
  return new DirectoryInUse(
    `the data directory ${directory} is in use by ${who}: stop it, or give this one another MILLRACE_DATA`,
  );
}

/** The process that says it owns the directory and lives; null when there is none. */
export async function currentOwner(directory: string): Promise<Owner | null> {
  const owner = await readOwner(fileIn(directory));
  return owner && owner.pid > 0 && (await lives(owner)) ? owner : null;
}

/** Writes this process down as the owner; answers how to take it back. Throws DirectoryInUse. */
export async function claimDirectory(directory: string): Promise<() => Promise<void>> {
  const file = fileIn(directory);
  const mine: Owner = { pid: process.pid, started: await startOf(process.pid), host: os.hostname() };
  for (;;) {
    try {
      await writeFile(file, `${JSON.stringify(mine)}\n`, { flag: 'wx', mode: 0o644 });
      return async () => {
        const owner = await readOwner(file);
        if (owner?.pid === mine.pid && owner.started === mine.started) await unlink(file);
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = await currentOwner(directory);
    if (owner) throw inUse(directory, owner);
    // Only one of several that find the same leftover can move it away.
    const aside = `${file}.${randomBytes(6).toString('hex')}`;
    const moved = await rename(file, aside).then(
      () => true,
      () => false,
    );
    if (!moved) continue;
    const found = await readOwner(aside);
    if (found && found.pid > 0 && (await lives(found))) {
      // Another was faster between our look and our move, and it is its file that we hold.
      await rename(aside, file);
      throw inUse(directory, found);
    }
    await unlink(aside);
  }
}
