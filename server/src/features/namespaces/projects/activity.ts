/** When something last happened in projects: kept to the hour, so that events of a busy one do not write its row each time. */
import type { Db } from '../../../kernel/db/index.ts';
import { recordActivity } from './projects.queries.ts';

/** Milliseconds. */
const hour = 3_600_000;
/** Projects that are remembered; more are asked about again. */
const most = 10_000;

export type ProjectsActive = (projectIds: readonly number[]) => Promise<void>;

export function projectActivity(db: Db, now: () => number = Date.now): ProjectsActive {
  const told = new Map<number, number>();
  return async (projectIds) => {
    const at = now();
    const due = [...new Set(projectIds)].filter((id) => (told.get(id) ?? 0) <= at - hour);
    if (due.length === 0) return;
    await recordActivity(db, due);
    if (told.size + due.length > most) told.clear();
    for (const id of due) told.set(id, at);
  };
}
