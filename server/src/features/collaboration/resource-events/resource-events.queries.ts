/** The history of labels, milestone, iteration, state and weight of things: written in the transaction of the change. */
import type { Insertable } from 'kysely';
import { type Db, insertMany } from '../../../kernel/db/index.ts';
import type { ResourceEvent } from '../../../kernel/db/rows.ts';
import type { ResourceEventsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import type { Noteable } from '../notes/index.ts';

/** A thing; `at` is when it changed, where that is not now. */
type What = Pick<Noteable, 'type' | 'id'> & { readonly at?: Date | undefined };
export type ResourceEventKind = ResourceEvent['kind'];

async function record(
  tx: Db,
  { type, id, at }: What,
  userId: number | null,
  rows: readonly Omit<Insertable<ResourceEventsTable>, 'noteable_type' | 'noteable_id' | 'user_id'>[],
): Promise<void> {
  if (rows.length === 0 || id === null) return;
  const time = at ? { created_at: at } : {};
  const values = rows.map((row) => ({ ...row, ...time, noteable_type: type, noteable_id: id, user_id: userId }));
  await tx.insertInto('resource_events').values(values).execute();
}

/** Labels, by id, before and after a change. */
export async function recordLabels(
  tx: Db,
  what: What,
  userId: number | null,
  { before, after }: { readonly before: readonly number[]; readonly after: readonly number[] },
): Promise<void> {
  const added = after.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !after.includes(id));
  await record(tx, what, userId, [
    ...added.map((id) => ({ kind: 'label' as const, action: 'add' as const, label_id: id })),
    ...removed.map((id) => ({ kind: 'label' as const, action: 'remove' as const, label_id: id })),
  ]);
}

/** The labels that new things of one kind begin with. */
export async function recordFirstLabels(
  tx: Db,
  type: Noteable['type'],
  things: readonly {
    readonly id: number;
    readonly at: Date;
    readonly userId: number;
    readonly labels: readonly number[];
  }[],
): Promise<void> {
  const rows = things.flatMap(({ id, at, userId, labels }) =>
    labels.map((label_id) => ({
      ...{ kind: 'label', action: 'add', label_id, created_at: at },
      ...{ noteable_type: type, noteable_id: id, user_id: userId },
    })),
  );
  await insertMany(tx, 'resource_events', rows);
}

/** A milestone that was set, changed or taken away; nothing where it is the same. */
export async function recordMilestone(
  tx: Db,
  what: What,
  userId: number | null,
  { before, after }: { readonly before: number | null; readonly after: number | null },
): Promise<void> {
  if (before === after) return;
  await record(tx, what, userId, [
    after === null
      ? { kind: 'milestone', action: 'remove', milestone_id: before }
      : { kind: 'milestone', action: 'add', milestone_id: after },
  ]);
}

/** An iteration that was set, changed or taken away; nothing where it is the same. */
export async function recordIteration(
  tx: Db,
  what: What,
  userId: number | null,
  { before, after }: { readonly before: number | null; readonly after: number | null },
): Promise<void> {
  if (before === after) return;
  await record(tx, what, userId, [
    after === null
      ? { kind: 'iteration', action: 'remove', iteration_id: before }
      : { kind: 'iteration', action: 'add', iteration_id: after },
  ]);
}

/** A commit that names what it closes, or a merge request that closes it. */
export interface StateCause {
  readonly commit?: string;
  readonly mergeRequestId?: number;
}

/** A change of state, with what caused it. */
export async function recordState(
  tx: Db,
  what: What,
  userId: number | null,
  state: NonNullable<ResourceEvent['state']>,
  source: StateCause = {},
): Promise<void> {
  const { commit = null, mergeRequestId = null } = source;
  const row = { kind: 'state' as const, state, source_commit: commit, source_merge_request_id: mergeRequestId };
  await record(tx, what, userId, [row]);
}

export async function recordWeight(tx: Db, what: What, userId: number | null, weight: number | null): Promise<void> {
  await record(tx, what, userId, [{ kind: 'weight', weight }]);
}

const of = (db: Db, kind: ResourceEventKind, { type, id }: What) =>
  db
    .selectFrom('resource_events')
    .where('noteable_type', '=', type)
    .where('noteable_id', '=', id)
    .where('kind', '=', kind);

/** One page of events, the oldest first, and how many there are. */
export async function listResourceEvents(
  db: Db,
  kind: ResourceEventKind,
  what: What,
  page: Page,
): Promise<{ rows: ResourceEvent[]; total: number }> {
  const query = of(db, kind, what);
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

export async function resourceEventOf(
  db: Db,
  kind: ResourceEventKind,
  what: What,
  id: number,
): Promise<ResourceEvent | undefined> {
  return await of(db, kind, what).selectAll().where('id', '=', id).executeTakeFirst();
}
