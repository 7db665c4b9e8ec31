/** Finding and ending the processes of a job, whatever they did to their process group, parent or session. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { procText } from './proc.ts';
import type { Account } from './types.ts';

/** Names a job's processes: by uid when it has one of its own, else by descent and what a variable in their environment begins with. */
export type JobMark = {
  account: Account | undefined;
  variable: string;
  roots: Set<number>;
  /** Before the first of them was started, where they have no uid of their own. */
  since?: Moment | undefined;
};

/** The environment variable that marks a job's processes for us. */
export const MARK = 'MILLRACE_JOB_MARK';

/** A moment in the kernel's count of processes: the number that it gave last, and how many it had started. */
export type Moment = { lastPid: number; forks: number };

/** When each uid of jobs was last seen without a process. */
const quietSince = new Map<number, Moment | undefined>();

/** This moment; undefined where the system does not tell. */
export function momentNow(): Moment | undefined {
  try {
    const lastPid = Number(procText('/proc/loadavg').trim().split(' ').at(-1));
    const forks = Number(/^processes (\d+)$/m.exec(procText('/proc/stat'))?.[1]);
    return lastPid > 0 && forks > 0 ? { lastPid, forks } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The number below which no process was started since the moment. Numbers are given in ascending order until the largest,
 * then again from the first: as long as that cannot have happened, only larger ones are new. A look at each process of
 * the host would take longer than a short job.
 */
export function firstNewPid(
  since: Moment | undefined,
  now: Moment | undefined,
  alive: number,
  largest: number,
): number {
  if (!since || !now) return 0;
  // Each start takes one number, and may have to pass over those in use: by processes, their threads and groups.
  const wrapped = now.lastPid < since.lastPid || since.lastPid + (now.forks - since.forks) + alive >= largest;
  return wrapped ? 0 : since.lastPid + 1;
}

function largestPid(): number {
  try {
    return Number(procText('/proc/sys/kernel/pid_max'));
  } catch {
    return 0;
  }
}

// Running and all tasks, threads included: `2/615`.
function tasksAlive(): number {
  return Number(/ \d+\/(\d+) /.exec(procText('/proc/loadavg'))?.[1] ?? Number.POSITIVE_INFINITY);
}

type Entry = { pid: number; parent: number; zombie: boolean; uids: string[] };

/** What the kernel says of a process. A name in it has no line breaks. */
function entryOf(pid: number): Entry {
  const status = procText(`/proc/${pid}/status`);
  const field = (pattern: RegExp) => pattern.exec(status)?.[1] ?? '';
  return {
    pid,
    parent: Number(field(/^PPid:\s+(\d+)/m)),
    zombie: 'ZX'.includes(field(/^State:\s+(\w)/m) || '?'),
    uids: field(/^Uid:\s+(.+)/m).split('\t'),
  };
}

function table(since: Moment | undefined): Entry[] {
  const entries: Entry[] = [];
  const first = since ? firstNewPid(since, momentNow(), 2 * tasksAlive(), largestPid()) : 0;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid < first) continue;
    try {
      entries.push(entryOf(pid));
    } catch {
      // It ended meanwhile.
    }
  }
  return entries;
}

function hasMark(pid: number, variable: string): boolean {
  try {
    return procText(`/proc/${pid}/environ`)
      .split('\0')
      .some((text) => text.startsWith(`${MARK}=${variable}`));
  } catch {
    return false;
  }
}

/** Live processes of the job. Without /proc (macOS) none are found, and only process groups are signalled. */
function findProcesses(mark: JobMark): number[] {
  if (process.platform !== 'linux') return [];
  const all = table(mark.account ? quietSince.get(mark.account.uid) : mark.since);
  const family = new Set(mark.roots);
  // Parents come before children except after a wrap of the numbers: a few rounds settle it.
  for (let before = -1; before !== family.size; ) {
    before = family.size;
    for (const entry of all) if (family.has(entry.parent)) family.add(entry.pid);
  }
  // Real, effective or saved: whatever of it is the job's.
  const uid = mark.account && String(mark.account.uid);
  return all
    .filter((entry) => !entry.zombie && entry.pid !== process.pid)
    .filter(({ pid, uids }) => family.has(pid) || (uid ? uids.includes(uid) : hasMark(pid, mark.variable)))
    .map((entry) => entry.pid);
}

/** Sends a signal to every process of the job (without those that we started ourselves) and returns how many there were. */
export function signalProcesses(mark: JobMark, signal: NodeJS.Signals, exceptRoots = false): number {
  const pids = findProcesses(mark).filter((pid) => !(exceptRoots && mark.roots.has(pid)));
  if (!exceptRoots) for (const pid of mark.roots) signalOne(-pid, signal);
  for (const pid of pids) signalOne(pid, signal);
  return pids.length;
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

/** Kills until nothing is left; false when something survives for `milliseconds` (uninterruptible sleep). */
export async function killProcesses(mark: JobMark, milliseconds = 5000): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  for (let round = 0; ; round++) {
    const moment = momentNow();
    if (signalProcesses(mark, 'SIGKILL') === 0) {
      if (mark.account) quietSince.set(mark.account.uid, moment);
      return true;
    }
    if (performance.now() > deadline) return false;
    // One call that the kernel carries out for the whole uid overtakes a fork bomb; a list of pids cannot.
    if (round > 0 && mark.account) await killAllOf(mark.account);
    await sleep(Math.min(5 * (round + 1), 50));
  }
}

/** Memory of the job's processes; what they share counts once. */
export function memoryOf(mark: JobMark, suspicious: number): number {
  const pids = findProcesses(mark);
  const resident = sum(pids, (pid) => Number(procText(`/proc/${pid}/statm`).split(' ')[1]) * PAGE);
  // Adding up the shares of each page is slow: only where it matters.
  if (resident <= suspicious) return resident;
  return sum(pids, (pid) => {
    const match = /^Pss:\s+(\d+)/m.exec(procText(`/proc/${pid}/smaps_rollup`));
    return Number(match?.[1] ?? 0) * 1024;
  });
}

const PAGE = 4096;

function sum(pids: number[], of: (pid: number) => number): number {
  return pids.reduce((total, pid) => {
    try {
      return total + of(pid);
    } catch {
      return total;
    }
  }, 0);
}

async function killAllOf(account: Account): Promise<void> {
  const child = spawn('/bin/sh', ['-c', 'kill -KILL -1'], { stdio: 'ignore', env: {}, cwd: '/', ...account });
  await once(child, 'exit').catch(() => undefined);
}
