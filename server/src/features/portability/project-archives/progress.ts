/** How far an import is: its stages and counts are kept with its rows, so that people see them and another process goes on. */
import type { Db } from '../../../kernel/db/index.ts';
import { setProgress } from './progress.queries.ts';
import type { Outcome } from './taking.ts';
import type { Failure, ImportRow } from './transfers.queries.ts';

/** The stage that brings the code; all others are relations. */
export const codeStage = 'repository';

export interface Progress {
  readonly outcome: Outcome;
  /** Whether a stage is done. */
  has(stage: string): boolean;
  /** What an interrupted attempt counted of the stage is forgotten. */
  begin(tx: Db, projectId: number, stage: string): Promise<void>;
  /** Keeps the counts so far. */
  keep(tx: Db, projectId: number): Promise<void>;
  end(tx: Db, projectId: number, stage: string): Promise<void>;
}

/** Those of an attempt before this one go on. */
export function progressOf(
  row: Pick<ImportRow, 'stats' | 'failures' | 'done_stages'>,
  stages: readonly string[],
): Progress {
  const before = row.stats as Partial<Pick<Outcome, 'fetched' | 'imported'>>;
  const done = new Set(row.done_stages);
  const outcome: Outcome = {
    failures: done.size === 0 ? [] : [...(row.failures as unknown as readonly Failure[])],
    fetched: done.size === 0 ? {} : { ...before.fetched },
    imported: done.size === 0 ? {} : { ...before.imported },
  };
  const keep = (tx: Db, projectId: number) => setProgress(tx, projectId, { stages, done: [...done], outcome });
  return {
    outcome,
    has: (stage) => done.has(stage),
    async begin(tx, projectId, stage) {
      const others = outcome.failures.filter(({ relation }) => relation !== stage);
      outcome.failures.splice(0, outcome.failures.length, ...others);
      delete outcome.fetched[stage];
      delete outcome.imported[stage];
      await keep(tx, projectId);
    },
    keep,
    async end(tx, projectId, stage) {
      done.add(stage);
      await keep(tx, projectId);
    },
  };
}
