/** Which milestones a release ends. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { milestonesById, type PlacedMilestone, type Replacement } from '../../collaboration/index.ts';

/** Milestones by the id of their release, those due first before the others. */
export async function milestonesOf(db: Db, releaseIds: readonly number[]): Promise<Map<number, PlacedMilestone[]>> {
  const found = new Map<number, PlacedMilestone[]>();
  if (releaseIds.length === 0) return found;
  const links = await db
    .selectFrom('release_milestones as k')
    .innerJoin('milestones as m', 'm.id', 'k.milestone_id')
    .select(['k.release_id', 'k.milestone_id'])
    .where('k.release_id', 'in', [...releaseIds])
    .orderBy('m.due_date')
    .orderBy('m.id')
    .execute();
  const rows = await milestonesById(db, [...new Set(links.map(({ milestone_id }) => milestone_id))]);
  for (const { release_id, milestone_id } of links) {
    const row = rows.find(({ id }) => id === milestone_id);
    if (row) found.set(release_id, [...(found.get(release_id) ?? []), row]);
  }
  return found;
}

/** Gives a release these milestones and no others; what was removed meanwhile is left out. */
export async function setMilestones(tx: Db, releaseId: number, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('release_milestones').where('release_id', '=', releaseId).execute();
  await sql`insert into release_milestones (release_id, milestone_id)
    select ${releaseId}, m.id from milestones m where m.id = any(${[...ids]}::bigint[]) for key share
    on conflict do nothing`.execute(tx);
}

/** Releases of one of the milestones are of the other one. */
export async function replaceMilestonesOfReleases(tx: Db, { from, to, projectId }: Replacement): Promise<void> {
  const of = sql`k.milestone_id = any(${[...from]}::bigint[]) and r.id = k.release_id
    and (${projectId ?? null}::bigint is null or r.project_id = ${projectId ?? null})`;
  await sql`insert into release_milestones (release_id, milestone_id)
    select distinct k.release_id, ${to}::bigint from release_milestones k, releases r where ${of}
    on conflict do nothing`.execute(tx);
  await sql`delete from release_milestones k using releases r where ${of}`.execute(tx);
}
