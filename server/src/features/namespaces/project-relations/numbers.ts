/** Numbers within a project of what an import brings. */
import type { Db } from '../../../kernel/db/index.ts';
import { raiseCounter } from '../access/counters.queries.ts';
import type { ImportTarget } from './relation.ts';

/** A counter that one transaction raises row by row becomes slower with each. */
const atOnce = 1000;

/** Reserves numbers up to that of a row, many at once; `lowerCounter` returns those left over when all rows are there. */
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
