/** Processes of the bench: the built product, git, and what a tree of processes uses. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
export const rootPassword = 'bench-password-1843';
export const token = `glpat-bench${'0123456789'.repeat(2)}`;

export interface Instance {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its ready line, in milliseconds. */
  readonly ready: number;
  /** SIGTERM, and until it has gone. */
  stop(): Promise<void>;
  /** SIGKILL to the server process alone, as a crash does; resolves when it has gone. */
  kill(): Promise<void>;
  /** Last lines of its log. */
  log(): string;
}

/** Starts the built product on a data directory. */
export async function startInstance(data: string, env: Readonly<Record<string, string>> = {}): Promise<Instance> {
  mkdirSync(data, { recursive: true });
  // The embedded database and jobs run under other uids and must be able to pass.
  chmodSync(data, 0o711);
  const begin = performance.now();
  const child: ChildProcess = spawn(process.execPath, [join(root, 'dist/millrace.mjs'), 'serve'], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: data,
      MILLRACE_DATA: join(data, 'millrace'),
      MILLRACE_PORT: '0',
      MILLRACE_SSH_PORT: 'off',
      MILLRACE_ROOT_PASSWORD: rootPassword,
      MILLRACE_ROOT_TOKEN: token,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-20_000);
      const ready = /^millrace ready (http:\S+)/m.exec(output);
      if (ready?.[1]) resolve(ready[1]);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    void gone.then(() => reject(new Error(`the server ended before it was ready:\n${output}`)));
  });
  const ready = performance.now() - begin;
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await gone;
  };
  return {
    url,
    pid: child.pid ?? 0,
    ready,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    log: () => output,
  };
}

/** Runs git without any configuration of this machine; answers its standard output. Fails with what it said. */
export function git(directory: string, args: readonly string[], input?: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      cwd: directory,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: directory,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_AUTHOR_NAME: 'Bench',
        GIT_AUTHOR_EMAIL: 'bench@example.com',
        GIT_COMMITTER_NAME: 'Bench',
        GIT_COMMITTER_EMAIL: 'bench@example.com',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('latin1');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(stdout.trim());
      else reject(new Error(`git ${args.join(' ')} ended with ${code}\n${stderr.slice(-2000)}`));
    });
  });
}

export interface Share {
  readonly pid: number;
  /** `millrace`, `runner`, or the name of the program. */
  readonly program: string;
  readonly megabytes: number;
}

/** PSS of a process and all below it; Linux only. */
export function memoryOfTree(pid: number): Share[] {
  const read = (path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  const shares: Share[] = [];
  const visit = (id: number) => {
    const pss = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${id}/smaps_rollup`))?.[1];
    const words = read(`/proc/${id}/cmdline`).split('\0').filter(Boolean);
    const text = words.join(' ');
    const script = /(millrace|runner)(-main)?\.mjs/.exec(text)?.[1];
    const program = script ?? words[0]?.split(/[/:]/).at(words[0].startsWith('postgres:') ? 0 : -1) ?? '?';
    if (pss) shares.push({ pid: id, program, megabytes: Number(pss) / 1024 });
    const threads = read(`/proc/${id}/task/${id}/children`).trim();
    for (const child of threads.split(' ')) if (child) visit(Number(child));
  };
  visit(pid);
  return shares;
}

/** Milliseconds of processor time that a process and all below it have used, those that ended and were waited for too; Linux only. */
export function processorTime(pid: number): number {
  const read = (path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  const used = (id: number): number => {
    const fields = read(`/proc/${id}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    // utime, stime, and those of children, in hundredths of a second.
    const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
    const children = read(`/proc/${id}/task/${id}/children`).trim().split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + used(Number(child)), own);
  };
  return used(pid);
}
