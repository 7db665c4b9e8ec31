/** Labels, milestones and iterations that an archive names by their titles or numbers. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../kernel/db/index.ts';

/** What an archive is read into. */
export type Within = { readonly projectId: number } | { readonly groupId: number };

/** Groups whose labels, milestones and iterations hold in a place, from the top. */
const above = (place: Within) =>
  'projectId' in place
    ? sql`(select n.traversal_ids from projects p join namespaces n on n.id = p.namespace_id where p.id = ${place.projectId})::bigint[]`
    : sql`(select n.traversal_ids from namespaces n where n.id = ${place.groupId})::bigint[]`;

/** Ids of those that hold in a place: of several with a title the nearest is meant. Null and none mean nothing. */
export const meantBy = (
  table: 'labels' | 'milestones',
  place: Within,
  titles: readonly (string | null | undefined)[],
): RawBuilder<{ id: number; title: string }> => sql`
  select distinct on (t.title) t.id, t.title from ${sql.table(table)} t
  where (${'projectId' in place ? sql`t.project_id = ${place.projectId} or` : sql``} t.namespace_id = any(${above(place)}))
    and t.title = any(${titles.filter((title) => title)}::text[])
  order by t.title, t.project_id nulls last,
    (select cardinality(a.traversal_ids) from namespaces a where a.id = t.namespace_id) desc`;

/** An iteration in an archive: its number in its group, and the day that tells it from one that is there by chance. */
export interface IterationName {
  readonly iid: number;
  readonly start_date: string;
}

/** The same of iterations. */
export const meantIterations = (
  place: Within,
  names: readonly (IterationName | null | undefined)[],
): RawBuilder<{ id: number; iid: number; start_date: string }> => sql`
  select distinct on (i.iid, i.start_date) i.id, i.iid, i.start_date
  from unnest(${names.flatMap((name) => (name ? [name.iid] : []))}::bigint[],
      ${names.flatMap((name) => (name ? [name.start_date] : []))}::date[]) w (iid, start_date)
    join iterations i on i.iid = w.iid and i.start_date = w.start_date and i.namespace_id = any(${above(place)})
  order by i.iid, i.start_date, (select cardinality(a.traversal_ids) from namespaces a where a.id = i.namespace_id) desc`;

/** Ids by title of the milestones and labels that lines of an archive name. */
export async function meantPlans(
  tx: Db,
  place: Within,
  lines: readonly { readonly milestone?: string | null | undefined; readonly labels?: readonly string[] | undefined }[],
) {
  const ids = async (table: 'labels' | 'milestones', titles: readonly (string | null | undefined)[]) => {
    const wanted = [...new Set(titles)];
    if (!wanted.some(Boolean)) return new Map<string, number>();
    const { rows } = await meantBy(table, place, wanted).execute(tx);
    return new Map(rows.map(({ id, title }) => [title, id]));
  };
  return {
    milestones: await ids(
      'milestones',
      lines.map(({ milestone }) => milestone),
    ),
    labels: await ids(
      'labels',
      lines.flatMap(({ labels = [] }) => labels),
    ),
  };
}
