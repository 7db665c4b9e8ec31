/** Finding and ending the processes of a job, whatever they did to their process group, parent or session. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
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

const lastStarted = () => Number(procText('/proc/loadavg').trim().split(' ').at(-1));

/** This moment; undefined where the system does not tell. */
export function momentNow(): Moment | undefined {
  try {
    const lastPid = lastStarted();
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

type Entry = { pid: number; parent: number; ended: boolean; uids: string[] };

/** What the kernel says of a process; null for a thread of one, which has a number, too. A name in it has no line breaks. */
function entryOf(pid: number): Entry | null {
  const status = procText(`/proc/${pid}/status`);
  const field = (pattern: RegExp) => pattern.exec(status)?.[1] ?? '';
  if (Number(field(/^Tgid:\s+(\d+)/m)) !== pid) return null;
  return {
    pid,
    parent: Number(field(/^PPid:\s+(\d+)/m)),
    // Of a process whose first thread has ended, while others go on, the kernel says that it is a zombie.
    ended: 'ZX'.includes(field(/^State:\s+(\w)/m) || '?') && Number(field(/^Threads:\s+(\d+)/m)) <= 1,
    uids: field(/^Uid:\s+(.+)/m).split('\t'),
  };
}

/** Numbers that are tried one by one: listing all processes takes as long as some hundred of them. */
const MOST_TRIED = 256;

/**
 * Numbers of processes from `first` on in ascending order, up to the last one that was given when its turn came: a process
 * that goes on in another one, which gets a larger number, does not slip through. Some of them are of none, or of threads.
 */
export function* numbersFrom(first: number, lastGiven: () => number, listed: () => number[]): Generator<number> {
  let last = first > 0 ? lastGiven() : 0;
  if (first === 0 || last < first - 1 || last - first >= MOST_TRIED) {
    for (const pid of listed()) if (pid >= first) yield pid;
    return;
  }
  for (let pid = first; pid <= last; pid++) {
    yield pid;
    if (pid < last) continue;
    const now = lastGiven();
    // The numbers have begun again, or are too many by now.
    if (now < last || now - first >= MOST_TRIED) return yield* numbersFrom(0, lastGiven, listed);
    last = now;
  }
}

const listed = () =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid));

function table(since: Moment | undefined): Entry[] {
  const entries: Entry[] = [];
  const first = since ? firstNewPid(since, momentNow(), 2 * tasksAlive(), largestPid()) : 0;
  for (const pid of numbersFrom(first, lastStarted, listed)) {
    try {
      if (!statSync(`/proc/${pid}`, { throwIfNoEntry: false })) continue;
      const entry = entryOf(pid);
      if (entry) entries.push(entry);
    } catch {
      // It ended meanwhile.
    }
  }
  return entries;
}

/** The text of a file of a process: of the first of its threads that still has one. */
function textOf(pid: number, file: string): string {
  try {
    const own = procText(`/proc/${pid}/${file}`);
    // One that has ended has no memory: its files are empty, or there is nothing to read.
    if (own !== '' && !own.startsWith('0 0 0 ')) return own;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') return '';
  }
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`).filter((number) => number !== String(pid))) {
      const text = procText(`/proc/${pid}/task/${thread}/${file}`);
      if (text !== '') return text;
    }
  } catch {
    // They ended meanwhile.
  }
  return '';
}

const hasMark = (pid: number, variable: string): boolean =>
  textOf(pid, 'environ')
    .split('\0')
    .some((text) => text.startsWith(`${MARK}=${variable}`));

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
    .filter((entry) => !entry.ended && entry.pid !== process.pid)
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
  const resident = sum(pids, (pid) => Number(textOf(pid, 'statm').split(' ')[1] ?? 0) * PAGE);
  // Adding up the shares of each page is slow: only where it matters.
  if (resident <= suspicious) return resident;
  return sum(pids, (pid) => {
    const match = /^Pss:\s+(\d+)/m.exec(textOf(pid, 'smaps_rollup'));
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
