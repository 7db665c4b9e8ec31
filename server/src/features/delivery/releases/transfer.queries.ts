/** Releases as archives of projects hold them, and the way back into a project that is being imported. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { ReleaseEvidencesTable, ReleasesTable } from '../../../kernel/db/tables.ts';
import type { LinkValues } from './links.ts';
import { setMilestones } from './milestones.queries.ts';

const batch = 200;

/** In batches, the oldest first. */
export async function* releasesOf(db: Db, projectId: number): AsyncGenerator<object[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number }>`
      select r.id, r.tag, r.sha, r.name, r.description, r.released_at, r.created_at,
        (select username from users where id = r.author_id) as author,
        coalesce((select jsonb_agg(m.title order by m.id) from release_milestones k
          join milestones m on m.id = k.milestone_id where k.release_id = r.id), '[]') as milestones,
        coalesce((select jsonb_agg(jsonb_build_object('name', l.name, 'url', l.url, 'filepath', l.filepath,
            'link_type', l.link_type) order by l.id)
          from release_links l where l.release_id = r.id), '[]') as links,
        coalesce((select jsonb_agg(jsonb_build_object('sha', e.sha, 'summary', e.summary, 'collected_at', e.collected_at)
            order by e.id) from release_evidences e where e.release_id = r.id), '[]') as evidences
      from releases r where r.project_id = ${projectId} and r.id > ${after} order by r.id limit ${batch}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ id: _, ...row }) => row);
    after = last.id;
  }
}

/** False where the tag has a release already. */
export async function insertArchived(
  tx: Db,
  projectId: number,
  row: Omit<Insertable<ReleasesTable>, 'project_id'>,
  links: readonly LinkValues[],
  milestones: readonly string[],
  evidences: ReadonlyArray<Omit<Insertable<ReleaseEvidencesTable>, 'release_id'>>,
): Promise<boolean> {
  const made = await tx
    .insertInto('releases')
    .values({ ...row, project_id: projectId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) return false;
  if (links.length > 0)
    await tx
      .insertInto('release_links')
      .values(links.map((link) => ({ ...link, release_id: made.id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  if (evidences.length > 0)
    await tx
      .insertInto('release_evidences')
      .values(evidences.map((evidence) => ({ ...evidence, release_id: made.id })))
      .execute();
  if (milestones.length > 0) await setMilestones(tx, made.id, await milestonesCalled(tx, projectId, milestones));
  return true;
}

/** The nearest of each title: the project's, or that of the closest group above. */
async function milestonesCalled(tx: Db, projectId: number, titles: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct on (t.title) t.id from projects p join namespaces n on n.id = p.namespace_id
      join milestones t on t.project_id = p.id or t.namespace_id = any(n.traversal_ids)
    where p.id = ${projectId} and t.title = any(${[...titles]}::text[])
    order by t.title, t.project_id nulls last,
      (select cardinality(a.traversal_ids) from namespaces a where a.id = t.namespace_id) desc`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function removeReleases(tx: Db, projectId: number): Promise<void> {
  await tx.deleteFrom('releases').where('project_id', '=', projectId).execute();
}
