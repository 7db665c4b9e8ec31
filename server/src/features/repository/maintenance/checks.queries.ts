/** Rows of `repository_checks`. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** Whose repository is checked: a project with its wiki, the wiki of a group, or a snippet. */
export interface CheckedPlace {
  readonly kind: 'project' | 'wiki' | 'snippet';
  readonly id: number;
}

const tables = {
  project: sql`projects`,
  wiki: sql`wikis`,
  snippet: sql`snippets`,
} as const;
const columns = {
  project: sql`project_id`,
  wiki: sql`wiki_id`,
  snippet: sql`snippet_id`,
} as const;

/** Those of a kind that exist for a day and were never checked. */
const unchecked = (kind: CheckedPlace['kind'], limit: number): RawBuilder<unknown> => sql`
  (select ${kind} as kind, r.id from ${tables[kind]} r
    where r.refs_generation > 0 and r.created_at < now() - interval '1 day'
      and not exists (select from repository_checks c where c.${columns[kind]} = r.id)
      ${kind === 'wiki' ? sql`and r.namespace_id is not null` : sql``}
    order by r.id limit ${limit})`;

/** Places with a repository that was not checked for a month, or never since it was made a day ago; the longest ago first. */
export async function checksDue(db: Db, limit: number): Promise<CheckedPlace[]> {
  const { rows } = await sql<CheckedPlace>`
    (select case when c.project_id is not null then 'project' when c.wiki_id is not null then 'wiki' else 'snippet' end as kind,
        coalesce(c.project_id, c.wiki_id, c.snippet_id) as id from repository_checks c
      where c.checked_at < now() - interval '1 month' order by c.checked_at, c.id limit ${limit})
    union all ${unchecked('project', limit)} union all ${unchecked('wiki', limit)} union all ${unchecked('snippet', limit)}
    limit ${limit}`.execute(db);
  return rows;
}

/** Nothing where the place was removed meanwhile. */
export async function recordCheck(db: Db, { kind, id }: CheckedPlace, problems: readonly string[]): Promise<void> {
  const column = columns[kind];
  await sql`insert into repository_checks (${column}, checked_at, problems)
    select id, now(), ${[...problems]}::text[] from ${tables[kind]} where id = ${id}
    on conflict (${column}) do update set checked_at = excluded.checked_at, problems = excluded.problems, told_at = null`.execute(
    db,
  );
}

export interface FailedCheck {
  readonly id: number;
  /** Null for wikis of groups and for snippets. */
  readonly project_id: number | null;
  readonly path: string;
  readonly problem: string;
  readonly checked_at: Date;
}

/** Repositories that are damaged, by the paths of their pages; of the untold ones alone those that nobody was told of. */
export async function failedChecks(db: Db, limit: number, untold = false): Promise<readonly FailedCheck[]> {
  const { rows } = await sql<FailedCheck>`
    select c.id, c.project_id, c.problems[1] as problem, c.checked_at,
        case when c.wiki_id is not null then 'groups/' || g.full_path || '/-/wikis'
          else concat_ws('/', n.full_path, p.path, '-/snippets/' || c.snippet_id) end as path
      from repository_checks c
      left join wikis w on w.id = c.wiki_id left join namespaces g on g.id = w.namespace_id
      left join snippets s on s.id = c.snippet_id
      left join projects p on p.id = coalesce(c.project_id, s.project_id) left join namespaces n on n.id = p.namespace_id
      where cardinality(c.problems) > 0 and (not ${untold} or c.told_at is null) order by path limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Nobody is told of these again. */
export async function noteTold(tx: Db, ids: readonly number[]): Promise<void> {
  await sql`update repository_checks set told_at = now() where id = any(${[...ids]}::bigint[])`.execute(tx);
}

/** How many repositories were checked, and how many of them are damaged. */
export async function countChecks(db: Db): Promise<{ readonly checked: number; readonly failed: number }> {
  const { rows } = await sql<{ checked: number; failed: number }>`
    select count(*) as checked, count(*) filter (where cardinality(problems) > 0) as failed from repository_checks`.execute(
    db,
  );
  return rows[0] ?? { checked: 0, failed: 0 };
}
