/** What an executor is: the one interface between the stages of a job and where their commands run. */
import type { JobPayload } from '../protocol.ts';
import type { Size, Terminal } from '../terminal/types.ts';

/** Owner of a job's files; undefined when the runner is not root and everything is its own. */
export type Account = { uid: number; gid: number };

/** A piece of a job that runs in one shell. */
export type Stage = {
  name: string;
  commands: string[];
  /** Announce each command as `$ command`, as job logs do. */
  echo: boolean;
  env: Record<string, string>;
  cwd: string;
  /** Commands of the job itself, which run in its image; those of the runner (git, clean-up) run on the host. */
  inImage: boolean;
  /** A directory behind those in PATH. */
  tools?: string | undefined;
};

/** Directories of one job; the job may read and write these and nothing else of ours. */
export type JobDirectories = {
  workspace: string;
  private: string;
  /** Above the two, for jobs of this slot alone. */
  builds: string;
  /** The runner's alone: the job does not see it. */
  spool: string;
  /** Marks processes of all jobs below one work directory, for a runner that cannot give them uids of their own. */
  mark: string;
};

/** What a sandbox needs to start what the job names: images and services. */
export type StartContext = {
  get(name: string): string | undefined;
  /** Variables of the job, without those that describe this host. */
  variables: Record<string, string>;
  say(text: string): void;
  warn(text: string): void;
  signal: AbortSignal;
};

export type Sandbox = {
  /** Name of the executor that runs this job. */
  name: string;
  /** Pulls the image and starts the services of the job; absent where jobs run on the host. */
  start?(context: StartContext): Promise<void>;
  /** Runs a stage to its end and resolves with its exit code; on abort everything it started is killed first. */
  run(stage: Stage, output: (chunk: Buffer) => void, signal: AbortSignal): Promise<number>;
  /** Opens a shell on a terminal beside the job's script; absent where that is not possible. */
  terminal?(stage: Pick<Stage, 'env' | 'cwd'>, size: Size): Promise<Terminal>;
  /**
   * Kills whatever the job left running; afterwards its files belong to us alone. With `elsewhere` also where this sandbox has
   * started nothing since the last time.
   */
  settle(elsewhere?: boolean): Promise<void>;
  /** Memory of its processes, exact where it is more than `suspicious`; absent where the executor limits it. */
  memoryBytes?(suspicious: number): number;
  /** Removes what `start` made. */
  close?(): Promise<void>;
};

export type Executor = {
  name: string;
  /** False when stages are emulated: then there is no git and no shell, and sources are not fetched. */
  hasShell: boolean;
  /** Whether jobs can run in images. */
  hasImages?: boolean;
  /** Prepares to run a job's stages. `account` is the uid that its processes get. */
  open(directories: JobDirectories, account: Account | undefined, job: JobPayload): Promise<Sandbox>;
  /** Removes what a killed runner left behind: called before the first job. */
  recover?(mark: string): Promise<void>;
};
