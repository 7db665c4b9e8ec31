/** The one place that starts git (and the two fixed helper programs): no shell, fixed environment, dies with us. */
import { spawn, spawnSync } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Git } from '../context.ts';
import { environment, type ObjectDirectories, settings } from './environment.ts';
import { canGuard, type Guard, guardWords } from './guard.ts';
import type { SpawnCommand, Spawned } from './spawner.ts';

export interface SpawnOptions {
  /** Repository directory, or null for commands without one. */
  gitDir: string | null;
  args: readonly string[];
  /** Adds the durability settings. */
  writer?: boolean;
  /** Ties the process to our life: for what would otherwise go on for long without us. */
  mortal?: boolean;
  /** Most memory that it may allocate, and each process that it starts. */
  memoryBytes: number;
  /** Held by the process while it runs. */
  guard?: Guard;
  directories?: ObjectDirectories;
  /** Extra `-c` settings, fixed text from this package. */
  config?: readonly string[];
  env?: Record<string, string>;
  stdin?: 'pipe' | 'ignore';
}

/** A started git: stdin is null when ignored. */
export type GitProcess = Spawned;

let setprivWorks: boolean | undefined;

/** Whether util-linux `setpriv --pdeathsig` can be used here; asked once. */
function canSetDeathSignal(path: string): boolean {
  setprivWorks ??=
    spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true'], { env: { PATH: path }, stdio: 'ignore' }).status === 0;
  return setprivWorks;
}

let prlimitWorks: boolean | undefined;

/** Whether util-linux `prlimit` can set every limit here: the system may have a lower one. Asked once. */
function canLimitMemory({ path, limits }: Git): boolean {
  const most = Math.max(...Object.values(limits).map(({ memoryBytes }) => memoryBytes));
  prlimitWorks ??=
    spawnSync('prlimit', [`--data=${most}`, 'true'], { env: { PATH: path }, stdio: 'ignore' }).status === 0;
  return prlimitWorks;
}

function commandOf(git: Git, options: SpawnOptions): SpawnCommand {
  const command = [git.binary, ...settings(options.writer ?? false, options.config), ...options.args];
  // A git that outlives a killed server could still move references or packs during the repair: the guard tells when it
  // has ended. One that waits for our word (a transaction of references, a pack that arrives) ends by itself when its
  // input does; only what needs no word from us is ended by the system. Each word costs as much as a small git.
  if (options.guard && options.gitDir !== null && canGuard(git.path))
    command.unshift(...guardWords(options.gitDir, options.guard));
  if (options.mortal && canSetDeathSignal(git.path)) command.unshift('setpriv', '--pdeathsig', 'KILL');
  // What it allocates, not what it maps: a process that sends a pack of ten gigabytes needs little memory for it.
  if (canLimitMemory(git)) command.unshift('prlimit', `--data=${options.memoryBytes}`);
  const [program = '', ...args] = command;
  const env = environment(git, options.gitDir, options.directories, options.env);
  return { program, args, env, input: options.stdin !== 'ignore' };
}

function spawnHere({ program, args, env, input }: SpawnCommand): GitProcess {
  const child = spawn(program, args, {
    cwd: '/',
    env,
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    shell: false,
  });
  return { child, stdin: child.stdin, stdout: child.stdout as Readable, stderr: child.stderr as Readable };
}

/** Starts git as a child of this process, for helpers that are kept running. They bound time and output. */
export const spawnGit = (git: Git, options: SpawnOptions): GitProcess => spawnHere(commandOf(git, options));

/** Starts git from the spawner where there is one. Callers go through run.ts, which bounds time and output. */
export async function startGit(git: Git, options: SpawnOptions): Promise<GitProcess> {
  const command = commandOf(git, options);
  return (await git.spawner?.start(command)) ?? spawnHere(command);
}

/** Starts bzip2 as a filter, which git cannot do itself without a shell. */
export function spawnBzip2(git: Git): GitProcess {
  const child = spawn('bzip2', ['-c'], { cwd: '/', env: { PATH: git.path, LC_ALL: 'C' }, stdio: 'pipe', shell: false });
  return { child, stdin: child.stdin, stdout: child.stdout, stderr: child.stderr };
}
