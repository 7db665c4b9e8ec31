/** The server process: what postmaster.pid says about a running one, launch, signals, waiting for its end. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';

/** A line of postmaster.pid each; `status` is `starting`, `stopping`, `ready` or `standby`. */
export type PidFile = { pid: number; socketDirectory: string; status: string };

/** A started or found server; `ended` resolves with the reason once we know that the process is gone. */
export type Postmaster = { pid: number; hasEnded(): boolean };

/** Reads postmaster.pid; undefined when it is absent or still incomplete. */
export function readPidFile(dataDirectory: string): PidFile | undefined {
  let text: string;
  try {
    text = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8');
  } catch {
    return undefined;
  }
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  return { pid, socketDirectory: lines[4] ?? '', status: (lines[7] ?? '').trim() };
}

/** Whether a process of this id exists (another uid's counts). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

// A server whose parent lives but does not reap has ended all the same.
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat[stat.lastIndexOf(')') + 2] === 'Z';
  } catch {
    return false;
  }
}

/** Whether `pid` is a server of exactly this data directory, and not a stranger that got a stale file's number. */
export function servesDirectory(pid: number, dataDirectory: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    // The server's working directory is its data directory.
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDirectory);
    return execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }).includes(dataDirectory);
  } catch {
    return false;
  }
}

/** Starts the server in a session of its own: a signal to our process group must not shut it down before we drained. */
export async function launch(
  binaries: Binaries,
  dataDirectory: string,
  args: string[],
  account: Account | undefined,
  logFile: string,
): Promise<Postmaster> {
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(binaries.postgres, ['-D', dataDirectory, ...args], {
      detached: true,
      cwd: '/',
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      stdio: ['ignore', log, log],
      ...account,
    });
    let ended = false;
    child.on('exit', () => {
      ended = true;
    });
    await once(child, 'spawn');
    child.unref();
    return { pid: child.pid!, hasEnded: () => ended };
  } finally {
    closeSync(log);
  }
}

/** A handle for a server that another process started. */
export function foundPostmaster(pid: number): Postmaster {
  return { pid, hasEnded: () => !isAlive(pid) };
}

/** Waits until the server has ended; false when it is still there after `milliseconds`. */
export async function waitForEnd(postmaster: Postmaster, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (!postmaster.hasEnded()) {
    if (performance.now() > deadline) return false;
    await sleep(5);
  }
  return true;
}

/** Fast shutdown (SIGINT: sessions are ended, a checkpoint is written); after `milliseconds` an immediate one. */
export async function shutDown(postmaster: Postmaster, milliseconds: number): Promise<'clean' | 'forced'> {
  signal(postmaster, 'SIGINT');
  if (await waitForEnd(postmaster, milliseconds)) return 'clean';
  // Crash recovery at the next start makes up for the missing checkpoint.
  signal(postmaster, 'SIGQUIT');
  if (!(await waitForEnd(postmaster, 2000))) signal(postmaster, 'SIGKILL');
  await waitForEnd(postmaster, 2000);
  return 'forced';
}

function signal(postmaster: Postmaster, name: NodeJS.Signals): void {
  if (postmaster.hasEnded()) return;
  try {
    process.kill(postmaster.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
