/** What one job may use of the host, as the operator decides, and how jobs on the host are held to it. */
import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { JobFailure } from './errors.ts';

export type JobLimits = {
  /** Memory of all its processes together. */
  memoryBytes?: number | undefined;
  /** Processors, also parts of one; only containers are held to it. */
  cpus?: number | undefined;
  /** Processes and threads. */
  processes?: number | undefined;
  /** Bytes below its directories. */
  diskBytes?: number | undefined;
};

const run = promisify(execFile);

/** How often the host is looked at, and how often sizes of directories are added up, in milliseconds. */
const LOOK_EVERY = 500;
const ADD_UP_EVERY = 4;
const MOST_RESERVE = 1024 ** 3;

type Watched = {
  limits: JobLimits;
  /** Its directories. */
  directories: readonly string[];
  /** Of its processes; absent where something else holds them to the limit. */
  memoryBytes?: (() => number) | undefined;
};

/** Ends a job that uses more than it may, with the limit in the message. Call the result when the job is over. */
export function watchLimits({ limits, directories, memoryBytes }: Watched, end: (why: JobFailure) => void): () => void {
  let looking = false;
  let looks = 0;
  const fail = (message: string) => end(new JobFailure('script_failure', message, 1));

  async function look(): Promise<void> {
    const most = limits.memoryBytes;
    const used = most ? (memoryBytes?.() ?? 0) : 0;
    if (most && used > most) return fail(`the job uses more memory than MILLRACE_RUNNER_MEMORY allows, ${most} bytes`);
    const full = await nearlyFull(directories[0]!);
    if (!full && (!limits.diskBytes || looks++ % ADD_UP_EVERY !== 0)) return;
    const size = await sizeOf(directories);
    if (limits.diskBytes && size > limits.diskBytes)
      return fail(`the job uses more disk than MILLRACE_RUNNER_DISK allows, ${limits.diskBytes} bytes`);
    // Small jobs are not what fills it.
    if (full && size > full.reserve / 10) fail(`the disk is nearly full: less than ${full.reserve} bytes are free`);
  }

  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  }, LOOK_EVERY);
  return () => clearInterval(timer);
}

async function nearlyFull(directory: string): Promise<{ reserve: number } | null> {
  const { bavail, blocks, bsize } = await statfs(directory);
  const reserve = Math.min(MOST_RESERVE, (blocks * bsize) / 20);
  return bavail * bsize < reserve ? { reserve } : null;
}

/** Bytes on the disk below the directories. */
async function sizeOf(directories: readonly string[]): Promise<number> {
  // Files that vanish meanwhile make it fail, and count for nothing.
  const { stdout } = await run('du', ['-skx', '--', ...directories], { env: { PATH: '/usr/bin:/bin' } }).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  return stdout.split('\n').reduce((sum, line) => sum + (Number.parseInt(line, 10) || 0) * 1024, 0);
}
