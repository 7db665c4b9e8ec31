/** The history of things as archives hold it: labels, milestones and iterations by what they are called. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { ResourceEvent } from '../../../kernel/db/rows.ts';
import { type IterationName, meantBy, meantIterations, type Within } from '../meant.queries.ts';
import type { Noteable } from '../notes/index.ts';

type Maybe<T> = T | null | undefined;

export interface HistoryLine {
  readonly kind: ResourceEvent['kind'];
  readonly action?: Maybe<'add' | 'remove'>;
  /** Titles. */
  readonly label?: Maybe<string>;
  readonly milestone?: Maybe<string>;
  readonly iteration?: Maybe<IterationName>;
  readonly state?: ResourceEvent['state'] | undefined;
  readonly weight?: Maybe<number>;
  readonly commit?: Maybe<string>;
  readonly created_at: Date;
}

/** All changes of a thing, the oldest first, as one JSON value. `id` is a column of the query around it, of no row `change`. */
export const historyJson = (type: Noteable['type'], id: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  coalesce((select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('kind', change.kind, 'action', change.action,
      'label', (select title from labels where id = change.label_id),
      'milestone', (select title from milestones where id = change.milestone_id),
      'iteration', (select jsonb_build_object('iid', t.iid, 'start_date', t.start_date) from iterations t
        where t.id = change.iteration_id),
      'state', change.state, 'weight', change.weight, 'commit', change.source_commit, 'created_at', change.created_at,
      'by', (select username from users where id = change.user_id))) order by change.id)
    from resource_events change where change.noteable_type = ${type} and change.noteable_id = ${id}), '[]')`;

/** Puts changes in; those of a milestone or iteration that is not there are left out, as when it is deleted. */
export async function insertHistory(
  tx: Db,
  type: Noteable['type'],
  place: Within,
  lines: readonly (HistoryLine & { readonly noteable_id: number; readonly user_id: number | null })[],
): Promise<void> {
  if (lines.length === 0) return;
  const rows = lines.map(({ iteration, ...line }, at) => ({
    ...line,
    at,
    iteration_iid: iteration?.iid,
    iteration_day: iteration?.start_date,
  }));
  const titles = (key: 'label' | 'milestone') => [...new Set(lines.flatMap((line) => line[key] ?? []))];
  await sql`
    insert into resource_events (kind, noteable_type, noteable_id, user_id, action, label_id, milestone_id, iteration_id,
      state, weight, source_commit, created_at)
    select e.kind, ${type}, e.noteable_id, e.user_id, e.action, l.id, m.id, i.id, e.state, e.weight, e.commit, e.created_at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) e (at integer, noteable_id bigint, kind text, user_id bigint, action text, label text,
        milestone text, iteration_iid bigint, iteration_day date, state text, weight integer, commit text, created_at timestamptz)
      left join (${meantBy('labels', place, titles('label'))}) l on l.title = e.label and e.kind = 'label'
      left join (${meantBy('milestones', place, titles('milestone'))}) m on m.title = e.milestone and e.kind = 'milestone'
      left join (${meantIterations(
        place,
        lines.map(({ iteration }) => iteration),
      )}) i on i.iid = e.iteration_iid and i.start_date = e.iteration_day and e.kind = 'iteration'
    where not (e.kind = 'milestone' and m.id is null) and not (e.kind = 'iteration' and i.id is null)
    order by e.at`.execute(tx);
}
