/** The built-in runner as a child process: started with the first job that it may take, gone when idle, back when wanted. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface RunnerChildOptions {
  /** How the server is reached from this machine. */
  readonly url: () => string;
  /** The built-in runner's token. */
  readonly token: () => Promise<string>;
  readonly workDirectory: string;
  readonly slots: number;
  readonly executor: 'auto' | 'shell' | 'bubblewrap' | 'container';
  /** What one job may use, and how containers are made: see `RunnerOptions` of the runner. */
  /** Bytes of a log. */
  readonly outputLimit?: number | undefined;
  readonly limits?: Readonly<Record<string, number | undefined>>;
  readonly containers?: Readonly<Record<string, unknown>>;
  /** Directories that jobs in namespaces of their own do not see. */
  readonly hidden: readonly string[];
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void };
  /** Seconds without a job after which it leaves; default 60. */
  readonly idleSeconds?: number;
}

export interface RunnerChild {
  /** Its process id; null while it is not needed. */
  readonly pid: number | null;
  /** A job waits that it may take. */
  wanted(): void;
  stop(): Promise<void>;
}

const firstRestart = 500;
const longestRestart = 30_000;
const drainMilliseconds = 0;
const stopMilliseconds = 2500;

/** The bundle beside ours when built, the source otherwise. */
function entry(): string {
  const built = ['runner.mjs', '../runner.mjs'].map((file) => path.join(import.meta.dirname, file));
  return (
    built.find((file) => existsSync(file)) ?? path.join(import.meta.dirname, '../../../../packages/runner/src/main.ts')
  );
}

/** Log lines of the runner in ours. */
function relay(child: ChildProcess, log: RunnerChildOptions['log']): void {
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      try {
        const { level, message } = JSON.parse(line) as { level?: string; message?: string };
        if (level === 'warn') log.warn({ part: 'runner' }, String(message));
        else log.info({ part: 'runner' }, String(message));
      } catch {
        log.info({ part: 'runner' }, line.slice(0, 2000));
      }
    });
  }
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log.warn({ part: 'runner' }, text.trim().slice(0, 2000));
  });
}

/** Makes the keeper of the child; nothing runs before `wanted`. */
export function createRunnerChild(options: RunnerChildOptions): RunnerChild {
  const { log } = options;
  let child: ChildProcess | null = null;
  let starting = false;
  let stopped = false;
  /** A job came while it was there, perhaps on its way out. */
  let again = false;
  let delay = firstRestart;

  function ended(which: ChildProcess, code: number | null): void {
    if (child !== which) return;
    child = null;
    if (stopped) return;
    if (code === 0) delay = firstRestart;
    else log.warn({ code, part: 'runner' }, 'the built-in runner ended unexpectedly');
    if (code === 0 && !again) return;
    setTimeout(wanted, code === 0 ? 0 : delay).unref();
    if (code !== 0) delay = Math.min(delay * 2, longestRestart);
  }

  async function start(): Promise<void> {
    const settings = {
      url: options.url(),
      token: await options.token(),
      systemId: `built-in-${os.hostname()}`,
      workDir: options.workDirectory,
      slots: options.slots,
      executor: options.executor,
      hidden: options.hidden,
      limits: options.limits,
      outputLimit: options.outputLimit,
      containers: options.containers,
      cloneUrl: options.url(),
      exitWhenIdleSeconds: options.idleSeconds ?? 60,
      drainMilliseconds,
    };
    if (stopped) return;
    const started = spawn(process.execPath, ['--max-old-space-size=256', '--max-semi-space-size=2', entry()], {
      // Nothing of the server's environment reaches the runner, and through it a job.
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A signal to the terminal's group reaches us; we stop it in our order.
      detached: true,
    });
    child = started;
    started.once('exit', (code) => ended(started, code));
    started.once('error', (error) => {
      log.warn({ err: error }, 'the built-in runner could not be started');
      ended(started, -1);
    });
    // Its input stays open: when this process dies, the runner notices and leaves too.
    started.stdin?.on('error', () => undefined);
    started.stdin?.write(`${JSON.stringify(settings)}\n`);
    relay(started, log);
  }

  function wanted(): void {
    if (stopped) return;
    if (child || starting) {
      again = true;
      return;
    }
    starting = true;
    again = false;
    start()
      .catch((error: unknown) => log.warn({ err: error }, 'the built-in runner could not be started'))
      .finally(() => {
        starting = false;
      });
  }

  return {
    get pid() {
      return child?.pid ?? null;
    },
    wanted,
    stop: async () => {
      stopped = true;
      const last = child;
      if (!last) return;
      const exited = new Promise<void>((resolve) => last.once('exit', () => resolve()));
      last.kill('SIGTERM');
      const timer = setTimeout(() => last.kill('SIGKILL'), stopMilliseconds);
      await exited;
      clearTimeout(timer);
    },
  };
}
