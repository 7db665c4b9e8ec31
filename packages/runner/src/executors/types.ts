/** What an executor is: the one interface between the stages of a job and where their commands run. */

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
};

/** Directories of one job; the job may read and write these and nothing else of ours. */
export type JobDirectories = {
  workspace: string;
  private: string;
  /** Marks processes of all jobs below one work directory, for a runner that cannot give them uids of their own. */
  mark: string;
};

export type Sandbox = {
  /** Runs a stage to its end and resolves with its exit code; on abort everything it started is killed first. */
  run(stage: Stage, output: (chunk: Buffer) => void, signal: AbortSignal): Promise<number>;
  /** Kills whatever the job left running; afterwards its files belong to us alone. */
  settle(): Promise<void>;
};

export type Executor = {
  name: string;
  /** False when stages are emulated: then there is no git and no shell, and sources are not fetched. */
  hasShell: boolean;
  /** Prepares to run a job's stages. `account` is the uid that its processes get. */
  open(directories: JobDirectories, account: Account | undefined): Promise<Sandbox>;
};
