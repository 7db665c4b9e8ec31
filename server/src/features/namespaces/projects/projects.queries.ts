/** Rows of `projects`. */
import { type Insertable, sql, type Updateable } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';
import type { ProjectsTable } from '../../../kernel/db/tables.ts';
import { lockTreeShared } from '../access/hierarchy.queries.ts';

export type NewProject = Insertable<ProjectsTable>;
export type ProjectChanges = Updateable<ProjectsTable>;

export async function insertProject(tx: Db, project: NewProject): Promise<Project> {
  return await tx.insertInto('projects').values(project).returningAll().executeTakeFirstOrThrow();
}

export async function updateProject(db: Db, id: number, changes: ProjectChanges): Promise<Project | undefined> {
  return await db
    .updateTable('projects')
    .set({ ...changes, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function findProject(db: Db, id: number): Promise<Project | undefined> {
  return await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Locks a namespace's row until the transaction ends, so that what is put into it is put one after the other: a group
 * and a project may not share a path, which no index can say.
 */
export async function lockNamespace(tx: Db, id: number): Promise<Namespace | undefined> {
  await lockTreeShared(tx);
  return await tx.selectFrom('namespaces').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** Which of the names are taken in a namespace by other projects or groups than `exceptId`. */
export async function takenInNamespace(
  tx: Db,
  namespace: Pick<Namespace, 'id' | 'full_path'>,
  wanted: { readonly path: string; readonly name: string },
  exceptId: number | null,
): Promise<{ path: boolean; name: boolean }> {
  const { rows } = await sql<{ path: boolean; name: boolean }>`
    select exists (select 1 from projects where namespace_id = ${namespace.id} and lower(path) = lower(${wanted.path})
        and id is distinct from ${exceptId}::bigint)
      or exists (select 1 from namespaces where coalesce(parent_id, 0) = ${namespace.id} and lower(path) = lower(${wanted.path}))
        as path,
      exists (select 1 from projects where namespace_id = ${namespace.id} and name = ${wanted.name}
        and id is distinct from ${exceptId}::bigint) as name`.execute(tx);
  return rows[0] ?? { path: false, name: false };
}

export async function countPersonalProjects(db: Db, namespaceId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from projects where namespace_id = ${namespaceId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Whether somebody is a guest at most wherever they are a member, and owns no project. */
export async function isGuestAtMost(db: Db, userId: number): Promise<boolean> {
  const { rows } = await sql<{ more: boolean }>`
    select exists (select from grants g where g.user_id = ${userId} and g.level > ${Level.guest} and g.state = 'active'
        and (g.expires_at is null or g.expires_at > current_date)
        and not exists (select from namespaces n where n.id = g.namespace_id and n.kind = 'user'))
      or exists (select from projects p join namespaces n on n.id = p.namespace_id
        where n.kind = 'user' and n.owner_id = ${userId}) as more`.execute(db);
  return rows[0]?.more === false;
}

/** The personal namespace of a user by id or name. */
export async function findPersonalNamespace(db: Db, idOrUsername: number | string): Promise<Namespace | undefined> {
  const query = db.selectFrom('namespaces').selectAll().where('kind', '=', 'user');
  return typeof idOrUsername === 'number'
    ? await query.where('owner_id', '=', idOrUsername).executeTakeFirst()
    : await query
        .where(sql`coalesce(parent_id, 0)`, '=', 0)
        .where(sql`lower(path)`, '=', idOrUsername.toLowerCase())
        .executeTakeFirst();
}

/** Whether a user's details are for nobody else. */
export async function hidesProfile(db: Db, userId: number): Promise<boolean> {
  const row = await db.selectFrom('users').select('private_profile').where('id', '=', userId).executeTakeFirst();
  return row?.private_profile ?? false;
}

/** Gives a user a direct level on a new project. */
export async function insertProjectGrant(
  tx: Db,
  grant: { readonly userId: number; readonly projectId: number; readonly level: number; readonly createdById: number },
): Promise<void> {
  await tx
    .insertInto('grants')
    .values({
      user_id: grant.userId,
      project_id: grant.projectId,
      level: grant.level,
      created_by_id: grant.createdById,
    })
    .execute();
}

/** Marks the files of a project's jobs for deletion and removes its row with everything that belongs to it. */
export async function deleteProject(tx: Db, id: number): Promise<Project | undefined> {
  await sql`insert into object_deletions (object_key)
    select object_key from job_artifacts where project_id = ${id}
    union select trace_object_key from jobs where project_id = ${id} and trace_object_key is not null
    union select split_part(avatar_object_key, '/', 1) from projects where id = ${id} and avatar_object_key is not null
    on conflict do nothing`.execute(tx);
  return await tx.deleteFrom('projects').where('id', '=', id).returningAll().executeTakeFirst();
}

/** Something happened in projects; what was noted within an hour stays. */
export async function recordActivity(db: Db, ids: readonly number[]): Promise<void> {
  await db
    .updateTable('projects')
    .set({ last_activity_at: sql`now()` })
    .where('id', 'in', [...ids])
    .where('last_activity_at', '<', sql<Date>`now() - interval '1 hour'`)
    .execute();
}

/** Projects whose days of grace are over. */
export async function projectsToRemove(db: Db, days: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from projects where marked_for_deletion_on is not null
      and marked_for_deletion_on + ${days}::int <= current_date order by id limit 1000`.execute(db);
  return rows.map(({ id }) => id);
}

/** How many approvals merge requests of the project need whatever its rules say. */
export async function setApprovalsBeforeMerge(tx: Db, projectId: number, count: number): Promise<void> {
  await tx
    .updateTable('projects')
    .set({ approvals_before_merge: count, updated_at: new Date() })
    .where('id', '=', projectId)
    .execute();
}

/** Merge requests of the project merge once all their discussions are resolved. */
export async function requireResolvedDiscussions(tx: Db, projectId: number): Promise<void> {
  await tx
    .updateTable('projects')
    .set({ only_allow_merge_if_all_discussions_are_resolved: true, updated_at: new Date() })
    .where('id', '=', projectId)
    .execute();
}
