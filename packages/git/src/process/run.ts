/** Runs one git command within its budget: bounded time, output and stderr, ended when the caller goes away. */
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { Git, Repo } from '../context.ts';
import { codeFromStderr, GitError, storageMessage } from '../errors.ts';
import { type Guard, inVain } from './guard.ts';
import { budgetName, type Caller, type WorkClass } from './limiter.ts';
import { type GitProcess, startGit } from './spawn.ts';

const STDERR_LIMIT = 16 * 1024;
/** Time between the polite signal (git removes its lock files) and the other one. */
const KILL_AFTER_MS = 2_000;

export type Input = string | Buffer | AsyncIterable<Buffer | string>;

export interface RunOptions {
  work: WorkClass;
  input?: Input;
  /** Longest run in milliseconds; default that of the class. */
  timeoutMs?: number;
  /** Most bytes of stdout; beyond it the process is ended and the error is `limit`. Default 64 MiB. */
  maxBytes?: number;
  /** Exit codes that are an answer, not a failure; default [0]. */
  okCodes?: readonly number[];
  config?: readonly string[];
  env?: Record<string, string>;
  /** Held while it runs: see guard.ts. */
  guard?: Guard;
  /** Receives stderr as it comes (progress of long commands). */
  onStderr?: (text: string) => void;
}

export interface RunResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

export interface GitStream {
  stdin: Writable | null;
  stdout: Readable;
  /** Resolves when git ended well; rejects with a GitError otherwise. Always awaited or caught by the caller. */
  done: Promise<{ code: number; stderr: string }>;
  /** Ends the process; `done` rejects with this error, or resolves when none is given. */
  stop(error?: GitError): void;
}

/** Where a command runs: a repository, or the shared context for commands that need none. */
export type Place = Repo | { git: Git; path: null; caller: Caller; signal?: AbortSignal };

function placeOptions(place: Place) {
  if (place.path === null) return { gitDir: null };
  const quarantine = place.quarantine;
  if (!quarantine) return { gitDir: place.path };
  return { gitDir: place.path, directories: { objects: quarantine.path, alternate: `${place.path}/objects` } };
}

const walks: ReadonlySet<string | undefined> = new Set(['rev-list', 'merge-base', 'for-each-ref']);

/** How long a process may run, and what says so. */
function longestRun(
  { git, caller }: Place,
  [command]: readonly string[],
  { work, timeoutMs }: RunOptions,
): { readonly milliseconds: number; readonly reason: string } {
  const budget = budgetName(work, caller);
  const milliseconds = timeoutMs ?? git.limits[budget].timeoutMs;
  const reason = `the git budget ${budget}`;
  const waitedFor = caller !== 'system' && (work === 'read' || work === 'heavy' || command === 'merge-tree');
  if (!git.timeouts || !waitedFor) return { milliseconds, reason };
  const kind = work === 'read' ? 'fast' : walks.has(command) ? 'medium' : 'other';
  const shorter = git.timeouts()[kind];
  return shorter < milliseconds
    ? { milliseconds: shorter, reason: 'a timeout of the settings' }
    : { milliseconds, reason };
}

/** Starts git within its budget and hands out its streams. */
export async function streamGit(place: Place, args: readonly string[], options: RunOptions): Promise<GitStream> {
  const { git, caller, signal } = place;
  if (place.path !== null && place.quarantine) {
    place.quarantine.overlay.touch();
    await place.quarantine.overlay.settle();
  }
  const budget = budgetName(options.work, caller);
  const { memoryBytes } = git.limits[budget];
  const release = await git.limiter.acquire(options.work, caller, signal);
  let started: GitProcess;
  try {
    started = await startGit(git, {
      ...placeOptions(place),
      args,
      memoryBytes,
      writer: options.work === 'write' || options.work === 'maintenance',
      stdin: options.input === undefined ? 'ignore' : 'pipe',
      ...(options.config ? { config: options.config } : {}),
      ...(options.env ? { env: options.env } : {}),
      ...(options.guard ? { guard: options.guard } : {}),
      ...(options.work === 'maintenance' ? { mortal: true } : {}),
    });
  } catch (error) {
    release();
    throw new GitError('unavailable', 'git could not be started', { cause: error });
  }
  const { child, stdin, stdout, stderr } = started;
  let stderrText = '';
  let stopError: GitError | undefined;
  let stopped = false;
  let spawnError: Error | undefined;

  function stop(error?: GitError): void {
    if (stopped) return;
    stopped = true;
    stopError = error;
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
  }

  const { milliseconds, reason } = longestRun(place, args, options);
  const timer = setTimeout(
    () => stop(new GitError('timeout', `git ${args[0]} took longer than ${milliseconds / 1000} s, ${reason}`)),
    milliseconds,
  );
  timer.unref();
  const onAbort = () => stop(new GitError('aborted', 'the caller went away'));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });

  stderr.setEncoding('utf8');
  stderr.on('data', (text: string) => {
    if (stderrText.length < STDERR_LIMIT) stderrText = (stderrText + text).slice(0, STDERR_LIMIT);
    options.onStderr?.(text);
  });
  child.on('error', (error) => {
    spawnError = error;
  });
  // git may end before it read everything: EPIPE is told by the exit code.
  stdin?.on('error', () => {});

  const allowed = options.okCodes ?? [0];
  const done = new Promise<{ code: number; stderr: string }>((resolve, reject) => {
    child.on('close', (code, killedBy) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      release();
      if (spawnError) reject(new GitError('unavailable', `git could not be started: ${spawnError.message}`));
      else if (stopped) {
        if (stopError) reject(stopError);
        else resolve({ code: code ?? 0, stderr: stderrText });
      } else if (code !== null && allowed.includes(code)) resolve({ code, stderr: stderrText });
      else {
        const message = `git ${args[0]} failed (${code ?? 'ended by a signal'})`;
        const tooMuchMemory = `git ${args[0]} needs more memory than ${memoryBytes} bytes, the git budget ${budget}`;
        const waited = options.guard ? inVain(code) : null;
        // The limit of a file's size ends a program like a full disk does.
        const failure = killedBy === 'SIGXFSZ' ? 'storage_full' : codeFromStderr(stderrText);
        const told = failure === 'memory' ? tooMuchMemory : (storageMessage(failure) ?? message);
        reject(waited ?? new GitError(failure, told, { stderr: stderrText, exitCode: code }));
      }
    });
  });
  done.catch(() => {});
  if (stdin && options.input !== undefined) {
    // A source that fails (client gone, over its limit) must not look like the end of the input.
    feed(stdin, options.input).catch((error: unknown) => {
      stop(
        error instanceof GitError ? error : new GitError('aborted', 'the input ended with an error', { cause: error }),
      );
    });
  }
  return { stdin, stdout, done, stop };
}

/** Writes everything with back-pressure and ends; stops early, without an error, when git no longer reads. */
async function feed(stdin: Writable, input: Input): Promise<void> {
  if (typeof input === 'string' || Buffer.isBuffer(input)) {
    stdin.end(input);
    return;
  }
  for await (const chunk of input) {
    if (stdin.destroyed || stdin.writableEnded) return;
    if (!stdin.write(chunk)) await movesOn(stdin);
  }
  stdin.end();
}

/** Until a stream takes more, or never will. Leaves no listener behind: one input waits thousands of times. */
function movesOn(stream: Writable): Promise<void> {
  if (stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.once('drain', done);
    stream.once('close', done);
  });
}

/** Runs git to its end and collects its output. */
export async function runGit(place: Place, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const stream = await streamGit(place, args, options);
  const maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
  const chunks: Buffer[] = [];
  let size = 0;
  stream.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) {
      chunks.length = 0;
      stream.stop(new GitError('limit', `git ${args[0]} printed more than ${maxBytes} bytes`));
    } else chunks.push(chunk);
  });
  const { code, stderr } = await stream.done;
  return { code, stdout: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), stderr };
}

/** Runs git and gives its output as text. */
export async function gitText(place: Place, args: readonly string[], options: RunOptions): Promise<string> {
  return (await runGit(place, args, options)).stdout.toString('utf8');
}

/**
 * The output of a started git as a stream of its own life: destroying it ends the process, a failing process destroys
 * it with a GitError. `tolerate` keeps failures that the output itself already tells.
 */
export function ownedOutput(stream: GitStream, tolerate?: (error: GitError) => boolean): Readable {
  const { stdout, done, stop } = stream;
  // Node throws away what nobody reads of a process's output once the process has ended: it is taken over at once, so
  // that a short output waits for a reader who comes late.
  const output = stdout.pipe(new PassThrough(), { end: false });
  stdout.once('error', (error) => output.destroy(error));
  output.once('close', () => {
    // Closed before its end: the reader went away.
    if (!output.readableEnded) stop();
    stdout.destroy();
  });
  done.then(
    () => output.end(),
    (error: GitError) => (tolerate?.(error) ? output.end() : output.destroy(error)),
  );
  return output;
}
