/** Iterations as the API shows them. */
import type { Static } from 'typebox';
import type { IterationCadence as CadenceRow, Iteration as IterationRow } from '../../../kernel/db/rows.ts';
import { Count, Day, Entity, Flag, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';

export const IterationReference = Entity('Iteration', {
  id: Id(),
  iid: Id({ description: 'Number within the group' }),
  sequence: Count({ description: 'Number within the cadence' }),
  group_id: Id({ description: 'Id of the group' }),
  title: Nullable(Text({ description: 'Null for one that its cadence scheduled' })),
  description: Nullable(Text()),
  state: Count({ description: '1 before it begins, 2 while it lasts, 3 when it is over' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  start_date: Day(),
  due_date: Day(),
  web_url: Text(),
});

const iterationStates = { upcoming: 1, current: 2, closed: 3 } as const;

/** By the days; those of UTC, as the database's. */
function iterationState(
  { start_date, due_date }: Pick<IterationRow, 'start_date' | 'due_date'>,
  now = new Date(),
): number {
  const today = now.toISOString().slice(0, 10);
  if (start_date > today) return iterationStates.upcoming;
  return due_date < today ? iterationStates.closed : iterationStates.current;
}

export const iterationJson = (
  row: IterationRow & { readonly group_path: string },
  base: string,
): Static<typeof IterationReference> => ({
  id: row.id,
  iid: row.iid,
  sequence: row.sequence,
  group_id: row.namespace_id,
  title: row.title,
  description: row.description,
  state: iterationState(row),
  created_at: row.created_at,
  updated_at: row.updated_at,
  start_date: row.start_date,
  due_date: row.due_date,
  web_url: `${base}/groups/${row.group_path}/-/iterations/${row.id}`,
});

export const IterationCadence = Entity('IterationCadence', {
  id: Id(),
  group_id: Id({ description: 'Id of the group' }),
  title: Text(),
  description: Nullable(Text()),
  active: Flag({ description: 'Whether it schedules iterations' }),
  automatic: Flag({ description: 'Whether iterations are scheduled, not created by users' }),
  start_date: Nullable(Day({ description: 'First day of the first iteration' })),
  duration_in_weeks: Nullable(Count({ description: 'How long each iteration lasts' })),
  iterations_in_advance: Nullable(Count({ description: 'How many upcoming iterations there are' })),
  roll_over: Flag({ description: 'Whether open issues of a closed iteration move to the current one' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});

export const cadenceJson = ({ namespace_id, ...row }: CadenceRow): Static<typeof IterationCadence> => ({
  id: row.id,
  group_id: namespace_id,
  title: row.title,
  description: row.description,
  active: row.active,
  automatic: row.automatic,
  start_date: row.start_date,
  duration_in_weeks: row.duration_in_weeks,
  iterations_in_advance: row.iterations_in_advance,
  roll_over: row.roll_over,
  created_at: row.created_at,
  updated_at: row.updated_at,
});
