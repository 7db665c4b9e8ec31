/** What the artifacts of a project take, and what the clean-up removed. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface ArtifactUsage {
  readonly count: number;
  readonly size: number;
  /** Bytes that the project may have; null for any. */
  readonly quota: number | null;
  /** Of those that the clean-up will remove one day. */
  readonly expiring: number;
}

export async function artifactUsage(db: Db, projectId: number): Promise<ArtifactUsage> {
  const found = await sql<{ count: number; size: number; quota: number | null; expiring: number }>`
    select count(job_artifacts.id)::integer as count, coalesce(sum(job_artifacts.size), 0)::bigint as size,
      projects.artifacts_quota as quota,
      coalesce(sum(job_artifacts.size) filter (where job_artifacts.expire_at is not null), 0)::bigint as expiring
    from projects left join job_artifacts on job_artifacts.project_id = projects.id
    where projects.id = ${projectId} group by projects.id
  `.execute(db);
  const row = found.rows[0];
  return {
    count: row?.count ?? 0,
    size: Number(row?.size ?? 0),
    quota: row?.quota == null ? null : Number(row.quota),
    expiring: Number(row?.expiring ?? 0),
  };
}

/** Bytes that are left for more artifacts, and the quota; null where there is none. */
export async function artifactRoom(db: Db, projectId: number): Promise<{ left: number; quota: number } | null> {
  const found = await sql<{ quota: number | null; used: number }>`
    select projects.artifacts_quota as quota, coalesce(project_statistics.job_artifacts_size, 0) as used
    from projects left join project_statistics on project_statistics.project_id = projects.id
    where projects.id = ${projectId}
  `.execute(db);
  const row = found.rows[0];
  if (row?.quota == null) return null;
  return { left: Math.max(0, Number(row.quota) - Number(row.used)), quota: Number(row.quota) };
}

/** Lets uploads to a project with a quota be counted one after the other, until the transaction ends. */
export async function lockForArtifacts(tx: Db, projectId: number): Promise<void> {
  await tx.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
}

export interface Removal {
  readonly removed_on: string;
  readonly count: number;
  readonly size: number;
}

/** Figures of so many days, the newest first. */
export async function listRemovals(db: Db, projectId: number, days: number): Promise<Removal[]> {
  const rows = await db
    .selectFrom('job_artifact_removals')
    .select([sql<string>`to_char(removed_on, 'YYYY-MM-DD')`.as('removed_on'), 'count', 'size'])
    .where('project_id', '=', projectId)
    .orderBy('job_artifact_removals.removed_on', 'desc')
    .limit(days)
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count), size: Number(row.size) }));
}

/** Adds to the figures of today. */
export async function noteRemovals(
  tx: Db,
  removed: readonly { readonly project_id: number; readonly size: number }[],
): Promise<void> {
  const byProject = new Map<number, { count: number; size: number }>();
  for (const { project_id, size } of removed) {
    const known = byProject.get(project_id) ?? { count: 0, size: 0 };
    byProject.set(project_id, { count: known.count + 1, size: known.size + Number(size) });
  }
  // In one order: two processes that clean up never wait for each other.
  for (const [projectId, { count, size }] of [...byProject].sort(([a], [b]) => a - b))
    await sql`
      insert into job_artifact_removals as known (project_id, removed_on, count, size)
      values (${projectId}, current_date, ${count}, ${size})
      on conflict (project_id, removed_on) do update set count = known.count + ${count}, size = known.size + ${size}
    `.execute(tx);
}
