/** Rows that say whose jobs may reach a project with their tokens. */
import { sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import type { Settings } from '../../../kernel/settings/index.ts';

/**
 * Whether a job of one project may reach another one: the first must not keep its tokens in, the second must let them.
 * `enforced`: its allowlist counts, whatever it says.
 */
async function jobMayReach(db: Db, fromProjectId: number, projectId: number, enforced: boolean): Promise<boolean> {
  const { rows } = await sql<{ allowed: boolean }>`
    select not source.ci_job_token_scope_enabled and (
        (not ${enforced} and not target.ci_inbound_job_token_scope_enabled)
        or exists (select 1 from job_token_scope_projects s
          where s.project_id = target.id and s.target_project_id = source.id)
        or exists (select 1 from job_token_scope_groups s
          where s.project_id = target.id and s.target_group_id = any(space.traversal_ids))
      ) as allowed
    from projects source join namespaces space on space.id = source.namespace_id, projects target
    where source.id = ${fromProjectId} and target.id = ${projectId}`.execute(db);
  return rows[0]?.allowed ?? false;
}

export async function limitInbound(tx: Db, projectId: number, enabled: boolean): Promise<void> {
  await tx
    .updateTable('projects')
    .set({ ci_inbound_job_token_scope_enabled: enabled })
    .where('id', '=', projectId)
    .execute();
}

/** False when it was there. */
export async function allowProject(tx: Db, projectId: number, targetId: number, byId: number | null): Promise<boolean> {
  const row = await tx
    .insertInto('job_token_scope_projects')
    .values({ project_id: projectId, target_project_id: targetId, added_by_id: byId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('project_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function allowGroup(tx: Db, projectId: number, targetId: number, byId: number | null): Promise<boolean> {
  const row = await tx
    .insertInto('job_token_scope_groups')
    .values({ project_id: projectId, target_group_id: targetId, added_by_id: byId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('project_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function removeProject(tx: Db, projectId: number, targetId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('job_token_scope_projects')
    .where('project_id', '=', projectId)
    .where('target_project_id', '=', targetId)
    .returning('project_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function removeGroup(tx: Db, projectId: number, targetId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('job_token_scope_groups')
    .where('project_id', '=', projectId)
    .where('target_group_id', '=', targetId)
    .returning('project_id')
    .executeTakeFirst();
  return row !== undefined;
}

interface Window {
  readonly limit: number;
  readonly offset: number;
}

/** Ids of the allowed projects. */
export async function allowedProjects(db: Db, projectId: number, window: Window): Promise<number[]> {
  const rows = await db
    .selectFrom('job_token_scope_projects')
    .select('target_project_id')
    .where('project_id', '=', projectId)
    .orderBy('target_project_id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  return rows.map((row) => row.target_project_id);
}

export async function allowedGroups(db: Db, projectId: number, window: Window): Promise<Namespace[]> {
  return await db
    .selectFrom('job_token_scope_groups')
    .innerJoin('namespaces', 'namespaces.id', 'job_token_scope_groups.target_group_id')
    .selectAll('namespaces')
    .where('job_token_scope_groups.project_id', '=', projectId)
    .orderBy('namespaces.id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
}

export const countAllowed = (
  db: Db,
  table: 'job_token_scope_projects' | 'job_token_scope_groups',
  projectId: number,
): Promise<number> => countUpTo(db, db.selectFrom(table).select('project_id').where('project_id', '=', projectId));

/** What the loader of parents asks: nothing is asked for callers that are no jobs, or of the job's own project. */
export async function jobTokenAllowed(
  db: Db,
  settings: Pick<Settings, 'read'>,
  caller: Caller,
  projectId: number,
): Promise<boolean | undefined> {
  if (caller.credential.kind !== 'job' || caller.credential.job.project_id === projectId) return undefined;
  const { enforce_ci_inbound_job_token_scope_enabled: enforced } = await settings.read();
  return await jobMayReach(db, caller.credential.job.project_id, projectId, enforced);
}
