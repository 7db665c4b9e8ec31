/** Labels and milestones of a project by their titles, looked up before its issues are: issues are then found by ids. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { type IssueQuery, isWord, milestonesMeant, type TitledIds } from './filter.queries.ts';

interface Found {
  readonly kind: 'label' | 'milestone';
  readonly id: number;
  readonly title: string;
  readonly own: boolean;
}

/** The same list with ids instead of titles; as it is where it has none, or is not of one project. */
export async function withTitledIds(db: Db, query: IssueQuery): Promise<IssueQuery> {
  const { place, filter } = query;
  if (place.kind !== 'project' || filter.titled) return query;
  const titles = [...new Set(filter.labels?.some(isWord) ? [] : (filter.labels ?? []))];
  const meant = milestonesMeant(filter);
  if (titles.length === 0 && !meant) return query;
  const { project, namespace } = place.subject;
  const held = sql`(t.project_id = ${project.id} or t.namespace_id = any(${[...namespace.traversal_ids]}::bigint[]))`;
  const { rows } = await sql<Found>`
    select 'label' as kind, t.id, t.title, t.project_id is not null as own from labels t
      where t.title = any(${titles}::text[]) and ${held}
    union all
    select 'milestone', t.id, t.title, t.project_id is not null from milestones t where ${meant ?? sql`false`} and ${held}`.execute(
    db,
  );
  const milestones = rows.filter(({ kind }) => kind === 'milestone');
  const titled: TitledIds = {
    labels: titles.map((title) => rows.filter((row) => row.kind === 'label' && row.title === title)),
    milestones: meant ? milestones.map(({ id }) => id) : undefined,
    ownMilestones: meant !== undefined && milestones.every(({ own }) => own),
  };
  const { labels, milestone, milestoneId, ...others } = filter;
  return {
    ...query,
    filter: {
      ...others,
      titled,
      ...(titles.length === 0 && labels ? { labels } : {}),
      ...(meant ? {} : { milestone, milestoneId }),
    },
  };
}
