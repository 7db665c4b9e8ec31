/** Numbers within a project of what an import brings. */
import type { Db } from '../../../kernel/db/index.ts';
import { lowerCounter, raiseCounter } from '../access/counters.queries.ts';
import { lastNumber, type Numbered } from './numbers.queries.ts';
import type { ImportTarget } from './relation.ts';

/** A counter that one transaction raises row by row becomes slower with each. */
const atOnce = 1000;

/** Reserves numbers up to that of a row, many at once; `settlingNumbers` returns those left over when all rows are there. */
export function reserving(kind: string): (tx: Db, number: number, target: ImportTarget) => Promise<void> {
  /** Up to which number each import has reserved them. */
  const reserved = new WeakMap<ImportTarget, number>();
  return async (tx, number, target) => {
    if (number <= (reserved.get(target) ?? 0)) return;
    const last = Math.ceil(number / atOnce) * atOnce;
    await raiseCounter(tx, target.projectId, kind, last);
    reserved.set(target, last);
  };
}

/** Returns the numbers of a kind that were reserved beyond the last row of the table. */
export const settlingNumbers =
  (table: Numbered, kind: string) =>
  async (tx: Db, projectId: number): Promise<void> =>
    await lowerCounter(tx, projectId, kind, await lastNumber(tx, table, projectId));
