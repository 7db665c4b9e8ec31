/** Freeze periods: when jobs are told not to deploy. */
import type { Db } from '../../../kernel/db/index.ts';
import { freezePeriodsOf } from './freeze-periods.queries.ts';
import { isFrozen } from './freezing.ts';

export { freezePeriodRoutes } from './freeze-periods.routes.ts';

export async function frozen(db: Db, projectId: number): Promise<boolean> {
  const now = new Date();
  return (await freezePeriodsOf(db, projectId)).some((period) => isFrozen(period, now));
}
