/** The built-in runner: speaks the runner protocol like any other; executors behind one interface. */
export { extractZip } from './archive/extract.ts';
export type { ArtifactUpload } from './client.ts';
export type { ExecutorName } from './executors/choose.ts';
export type { Executor, Sandbox, Stage } from './executors/types.ts';
export type { LocalOptions, LocalSink } from './local.ts';
export { runJobLocally } from './local.ts';
export type { JobPayload, JobResult } from './protocol.ts';
export type { RunnerOptions } from './runner.ts';
export { runRunner } from './runner.ts';
