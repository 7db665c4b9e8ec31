/** The common part of executors on this host: script files, a child process, its output, its end by force. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobLimits } from '../limits.ts';
import { onTerminal, scriptProgram, shellCommand, terminalOf } from '../terminal/pty.ts';
import type { Size, Terminal } from '../terminal/types.ts';
import { writeForJob } from '../workspace.ts';
import { type JobMark, killProcesses, MARK, memoryOf, momentNow, signalProcesses } from './processes.ts';
import { exportsOf, findShell, limitsText, quote, shellScript } from './script.ts';
import type { Account, JobDirectories, Sandbox, Stage } from './types.ts';

/** From SIGTERM to SIGKILL, in milliseconds. */
const TERMINATION_GRACE = 3000;
/** How long output of processes that a finished stage left behind is waited for. */
const TRAILING_OUTPUT = 100;

/** `wrapped`: the process that we start only watches over the job's, so a polite signal goes past it. */
export type Launch = { command: string[]; account: Account | undefined; wrapped?: boolean };

/** A sandbox whose stages are started by `wrap`, which turns `[shell, script file]` into the real command line. */
export function localSandbox(
  name: string,
  directories: JobDirectories,
  account: Account | undefined,
  limits: JobLimits,
  wrap: (command: string[], cwd: string) => Launch,
): Sandbox {
  const shell = findShell();
  const mark: JobMark = {
    account,
    variable: `${directories.mark}-${randomBytes(12).toString('hex')}`,
    roots: new Set(),
    since: momentNow(),
  };
  // Nothing that the job names may be there before its privileges are dropped: LD_PRELOAD would be obeyed as root.
  const environment = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', [MARK]: mark.variable };
  let count = 0;
  /** How many of these were seen to have ended, with all that they left. */
  let settled = -1;

  async function run(stage: Stage, output: (chunk: Buffer) => void, signal: AbortSignal): Promise<number> {
    const file = join(directories.private, `script-${count++}.sh`);
    const env = stage.tools ? { ...stage.env, PATH: `${stage.env.PATH}:${stage.tools}` } : stage.env;
    const text = shellScript(shell, stage.commands, stage.cwd, stage.echo);
    writeForJob(file, `${limitsText(shell, limits, account)}${exportsOf(env)}${text}`, account, 0o500);
    try {
      return await execute(wrap([shell.path, file], stage.cwd), output, signal);
    } finally {
      forget(file);
    }
  }

  async function execute(launch: Launch, output: (chunk: Buffer) => void, signal: AbortSignal): Promise<number> {
    const [program, ...args] = launch.command;
    const child = spawn(program!, args, {
      cwd: '/',
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...launch.account,
    });
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const exited = new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, name) => resolve(code ?? 128 + (signalNumbers[name ?? ''] ?? 0)));
    });
    child.stdout.on('data', output);
    child.stderr.on('data', output);
    if (child.pid === undefined) return await exited;
    mark.roots.add(child.pid);
    const end = () => void terminate(exited, launch.wrapped === true);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      const code = await exited;
      if (signal.aborted) await killProcesses(mark);
      // A process in the background keeps the pipe open after its shell ended.
      if (!(await Promise.race([closed.then(() => true), sleep(TRAILING_OUTPUT, false)]))) {
        await killProcesses(mark);
        await Promise.race([closed, sleep(1000)]);
        child.stdout.destroy();
        child.stderr.destroy();
      }
      return code;
    } finally {
      signal.removeEventListener('abort', end);
      mark.roots.delete(child.pid);
    }
  }

  /** A shell with the uid, namespaces and limits of the job; it ends with it, as any process of the job does. */
  async function terminal(program: string, { env, cwd }: Pick<Stage, 'env' | 'cwd'>, size: Size): Promise<Terminal> {
    const file = join(directories.private, `terminal-${count++}.sh`);
    const command = shellCommand(shell.path, shell.name === 'bash');
    const whole = { TERM: 'xterm-256color', PS1: '\\w \\$ ', ...env };
    const sh = { path: '/bin/sh', name: 'sh' } as const;
    const text = `cd ${quote(cwd)}\n${onTerminal(program, command, size)}`;
    writeForJob(file, `${limitsText(sh, limits, account)}${exportsOf(whole)}${text}`, account, 0o500);
    const launch = wrap(['/bin/sh', file], cwd);
    const [first, ...args] = launch.command;
    const child = spawn(first!, args, {
      cwd: '/',
      env: environment,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      ...launch.account,
    });
    const { pid } = child;
    if (pid !== undefined) mark.roots.add(pid);
    child.once('close', () => {
      if (pid !== undefined) mark.roots.delete(pid);
      forget(file);
    });
    return terminalOf(child, () => {
      if (pid !== undefined && child.exitCode === null) hangUp(pid);
    });
  }

  async function terminate(exited: Promise<unknown>, wrapped: boolean): Promise<void> {
    signalProcesses(mark, 'SIGTERM', wrapped);
    const ended = await Promise.race([
      exited.then(
        () => true,
        () => true,
      ),
      sleep(TERMINATION_GRACE, false, { ref: false }),
    ]);
    if (!ended) await killProcesses(mark);
  }

  const program = scriptProgram();
  const terminals = program
    ? { terminal: (stage: Pick<Stage, 'env' | 'cwd'>, size: Size) => terminal(program, stage, size) }
    : {};

  return {
    name,
    run,
    ...terminals,
    memoryBytes: (suspicious) => memoryOf(mark, suspicious),
    settle: async (elsewhere = false) => {
      if (settled === count && !elsewhere) return;
      const now = count;
      if (!(await killProcesses(mark))) throw new Error('a process of the job could not be killed');
      settled = now;
    },
  };
}

/** Removes a script. Its directory is the job's: whatever it put in its place goes with that. */
function forget(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Not a file any more.
  }
}

/** Ends a shell as losing its line would: `script` passes it on. */
function hangUp(pid: number): void {
  for (const name of ['SIGHUP', 'SIGTERM'] as const) {
    try {
      process.kill(-pid, name);
    } catch {
      // Gone already.
    }
  }
}

const signalNumbers: Record<string, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};
