/** The one place that starts git (and the two fixed helper programs): no shell, fixed environment, dies with us. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Git } from '../context.ts';
import { environment, type ObjectDirectories, settings } from './environment.ts';

export interface SpawnOptions {
  /** Repository directory, or null for commands without one. */
  gitDir: string | null;
  args: readonly string[];
  /** Adds the durability settings and, outside of a quarantine, ties the process to our life. */
  writer?: boolean;
  directories?: ObjectDirectories;
  /** Extra `-c` settings, fixed text from this package. */
  config?: readonly string[];
  env?: Record<string, string>;
  stdin?: 'pipe' | 'ignore';
}

/** A started git: stdin is null when ignored. */
export interface GitProcess {
  child: ChildProcess;
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
}

let setprivWorks: boolean | undefined;

/** Whether util-linux `setpriv --pdeathsig` can be used here; asked once. */
function canSetDeathSignal(path: string): boolean {
  setprivWorks ??=
    spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true'], { env: { PATH: path }, stdio: 'ignore' }).status === 0;
  return setprivWorks;
}

/** Starts git. Callers go through run.ts or a coprocess, which bound time and output. */
export function spawnGit(git: Git, options: SpawnOptions): GitProcess {
  const args = [...settings(options.writer ?? false, options.config), ...options.args];
  // A writer that outlives a killed server could still move references during the repair. In a quarantine it harms
  // nothing, and setpriv costs as much again as the process itself.
  const guarded = options.writer === true && !options.directories && canSetDeathSignal(git.path);
  const child = spawn(guarded ? 'setpriv' : git.binary, guarded ? ['--pdeathsig', 'KILL', git.binary, ...args] : args, {
    cwd: '/',
    env: environment(git, options.gitDir, options.directories, options.env),
    stdio: [options.stdin ?? 'pipe', 'pipe', 'pipe'],
    shell: false,
  });
  return { child, stdin: child.stdin, stdout: child.stdout as Readable, stderr: child.stderr as Readable };
}

/** Starts bzip2 as a filter, which git cannot do itself without a shell. */
export function spawnBzip2(git: Git): GitProcess {
  const child = spawn('bzip2', ['-c'], { cwd: '/', env: { PATH: git.path, LC_ALL: 'C' }, stdio: 'pipe', shell: false });
  return { child, stdin: child.stdin, stdout: child.stdout, stderr: child.stderr };
}
