/** What the kinds of reports have in common: each reads text into content that is stored, and numbers about it. */
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface ReadReport<T> {
  readonly content: T;
  /** Numbers that lists and widgets show without reading the content. */
  readonly summary: Readonly<Record<string, number>>;
}

export interface ReportPlace {
  /** Full path of the project: runners check it out in a directory of that name. */
  readonly projectPath: string;
}

export interface ReportKind<T = unknown> {
  /** Of the artifact. */
  readonly type: string;
  /** Throws `ReportError` where the text is not what it should be. */
  read(text: string, place: ReportPlace): Promise<ReadReport<T>>;
}

/** Why a report counts for nothing; shown to people. */
export class ReportError extends Error {}

const stepsAtOnce = 5_000;

/** Called after each step of a long read: lets others have their turn now and then. */
export function turns(): () => Promise<void> | undefined {
  let steps = 0;
  return () => (++steps % stepsAtOnce === 0 ? nextTurn() : undefined);
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ReportError('JSON parsing failed');
  }
}

export const isHash = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
