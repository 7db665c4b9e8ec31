/** Background work as features declare it. */
import type { Static, TSchema } from 'typebox';
import Value from 'typebox/value';

/** Somebody outside of the instance did not answer: the task is tried again, and nobody on call is woken for it. */
export class Unreached extends Error {
  override readonly name = 'Unreached';
}

/** What a running task gets besides its payload. */
export interface TaskRun {
  /** Aborted when the task's time is over or the process stops. Long tasks look at it. */
  readonly signal: AbortSignal;
  readonly jobId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly maxAttempts: number;
}

interface TaskOptions {
  /** Attempts in all, with exponential back-off between them (1 s, 7 s, 20 s, ... about e^n); default 10. */
  readonly maxAttempts?: number;
  /** Milliseconds that one attempt may take; default 60,000. */
  readonly timeout?: number;
}

/** What identifies a task to whoever adds work for it. The type parameter is its payload. */
export interface TaskReference<P> {
  readonly name: string;
  readonly maxAttempts?: number;
  /** Types only. */
  readonly payloadType?: P;
}

/** A declared task, its payload type erased for the list that the queue runs. */
export interface Task {
  readonly name: string;
  readonly maxAttempts: number;
  readonly timeout: number;
  /** Checks the payload and runs the handler. */
  run(payload: unknown, run: TaskRun): Promise<void>;
}

/** Work that is added again and again. */
export interface CronItem {
  /** A declared task's name. */
  readonly task: string;
  /** Five fields, UTC: `minute hour day month weekday`. */
  readonly schedule: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Tells two items of one task apart; default is the task's name. */
  readonly identifier?: string;
}

/** A job was added with a payload that its task does not declare. */
class PayloadError extends Error {
  override readonly name = 'PayloadError';
}

/** Declares a task. A payload that does not match the schema fails without reaching the handler. */
export function defineTask<S extends TSchema>(
  name: string,
  payload: S,
  handler: (payload: Static<S>, run: TaskRun) => Promise<unknown>,
  options: TaskOptions = {},
): Task & TaskReference<Static<S>> {
  return {
    name,
    maxAttempts: options.maxAttempts ?? 10,
    timeout: options.timeout ?? 60_000,
    run: async (given, run) => {
      if (!Value.Check(payload, given)) throw new PayloadError(`task ${name}: the payload is not what it declares`);
      await handler(given as Static<S>, run);
    },
  };
}

/**
 * Does work about something that may be removed meanwhile: what fails then has nothing left to be done and ends quietly.
 * `there` is asked after a failure; while it finds something, the failure is thrown.
 */
export async function unlessGone(there: () => Promise<unknown>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (await there()) throw error;
  }
}
