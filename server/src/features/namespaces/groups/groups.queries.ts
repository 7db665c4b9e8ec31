/** Rows of `namespaces` that are groups, and personal namespaces. */
import { type Insertable, sql, type Updateable } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import type { NamespacesTable } from '../../../kernel/db/tables.ts';
import { pictureKey } from '../../../kernel/images/index.ts';
import { grantHolds, groupScope, withTables } from '../access/access.queries.ts';
import { below as idsBelow, lockTreeShared, moveNamespace, namespaceAt } from '../access/hierarchy.queries.ts';
import type { SharedGroup } from '../projects/projects.entity.ts';

export type GroupColumns = Updateable<
  Omit<NamespacesTable, 'id' | 'kind' | 'traversal_ids' | 'full_path' | 'full_name'>
>;
type NewNamespace = Omit<Insertable<NamespacesTable>, 'id' | 'traversal_ids' | 'full_path' | 'full_name'>;

/** Inserts a namespace below its parent, null for the top. */
export async function insertNamespace(tx: Db, values: NewNamespace, below: Namespace | null): Promise<Namespace> {
  await lockTreeShared(tx);
  // It may have moved since it was loaded.
  const parent = below
    ? await tx.selectFrom('namespaces').selectAll().where('id', '=', below.id).executeTakeFirstOrThrow()
    : null;
  const next = sql<{ id: number }>`select nextval(pg_get_serial_sequence('namespaces', 'id')) as id`;
  const id = (await next.execute(tx)).rows[0]?.id ?? 0;
  return await tx
    .insertInto('namespaces')
    .values({
      ...values,
      id,
      parent_id: parent?.id ?? null,
      full_path: parent ? `${parent.full_path}/${values.path}` : values.path,
      full_name: parent ? `${parent.full_name} / ${values.name}` : values.name,
      traversal_ids: [...(parent?.traversal_ids ?? []), id],
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Which of path and name are taken among the children of a parent, projects included for the path. */
export async function takenBelow(
  tx: Db,
  parentId: number | null,
  wanted: { readonly path: string; readonly name: string },
  exceptId: number | null,
): Promise<{ path: boolean; name: boolean }> {
  const { rows } = await sql<{ path: boolean; name: boolean }>`
    select exists (select 1 from namespaces n where coalesce(n.parent_id, 0) = ${parentId ?? 0}::bigint
        and n.id is distinct from ${exceptId}::bigint and lower(n.path) = lower(${wanted.path}))
      or exists (select 1 from projects p where p.namespace_id = ${parentId}::bigint
        and lower(p.path) = lower(${wanted.path})) as path,
      exists (select 1 from namespaces n where n.parent_id = ${parentId}::bigint and n.kind = 'group'
        and n.id is distinct from ${exceptId}::bigint and n.name = ${wanted.name}) as name`.execute(tx);
  return rows[0] ?? { path: false, name: false };
}

/** Another picture, as the storage has it. */
export async function setGroupPicture(db: Db, id: number, stored: string | null): Promise<void> {
  await db.updateTable('namespaces').set({ avatar_object_key: stored }).where('id', '=', id).execute();
}

export async function updateGroup(tx: Db, id: number, changes: GroupColumns): Promise<Namespace | undefined> {
  return await tx
    .updateTable('namespaces')
    .set({ ...changes, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Gives a group another path or name (and other columns), and with it everything below it another full path. */
export async function moveGroup(
  tx: Db,
  group: Namespace,
  { path, name, ...changes }: GroupColumns & { readonly path: string; readonly name: string },
): Promise<void> {
  await moveNamespace(tx, group.id, { path, name });
  await updateGroup(tx, group.id, changes);
}

/** Ids of the projects of a group and everything below it. */
export async function projectsBelow(db: Db, groupId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select p.id from projects p join namespaces n on n.id = p.namespace_id
    where n.id in ${idsBelow(groupId)} order by p.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Removes a group and the groups below it, the deepest first. They must be without projects. */
export async function deleteGroup(tx: Db, groupId: number): Promise<void> {
  const { rows } = await sql<{ id: number; avatar_object_key: string | null }>`
    select id, avatar_object_key from namespaces where id in ${idsBelow(groupId)}
    order by cardinality(traversal_ids) desc for update`.execute(tx);
  for (const row of rows) {
    if (row.avatar_object_key !== null)
      await sql`insert into object_deletions (object_key) values (${pictureKey(row.avatar_object_key)})
        on conflict do nothing`.execute(tx);
    await tx.deleteFrom('namespaces').where('id', '=', row.id).execute();
  }
}

/** Groups whose days of grace are over. */
export async function groupsToRemove(db: Db, days: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from namespaces where marked_for_deletion_on is not null
      and marked_for_deletion_on + ${days}::int <= current_date order by id limit 1000`.execute(db);
  return rows.map(({ id }) => id);
}

/** Groups that would be without an owner: nobody else owns them or a group above them. */
export async function soleOwnedGroups(db: Db, userId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select n.id from grants g join namespaces n on n.id = g.namespace_id
    where g.user_id = ${userId} and g.level = 50 and n.kind = 'group' and ${grantHolds('g')}
      and not exists (select from grants o join users u on u.id = o.user_id
        where o.namespace_id = any(n.traversal_ids) and o.level = 50 and o.user_id <> ${userId}
          and u.deletion_requested_at is null and ${grantHolds('o')})
    order by n.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** The most open visibility below a group: of its groups and projects. */
export async function visibilitiesBelow(tx: Db, groupId: number): Promise<{ projects: string[]; groups: string[] }> {
  const { rows } = await sql<{ projects: string[]; groups: string[] }>`
    select coalesce((select array_agg(distinct p.visibility) from projects p join namespaces n on n.id = p.namespace_id
        where n.id in ${idsBelow(groupId)}), '{}') as projects,
      coalesce((select array_agg(distinct n.visibility) from namespaces n
        where n.id in ${idsBelow(groupId)} and n.id <> ${groupId}), '{}') as groups`.execute(tx);
  return rows[0] ?? { projects: [], groups: [] };
}

/** Whether somebody owns the group by a membership of its own. */
export async function hasOwner(tx: Db, groupId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from grants g where g.namespace_id = ${groupId} and g.user_id is not null
    and g.level = 50 and ${grantHolds('g')} limit 1`.execute(tx);
  return rows.length > 0;
}

/** Makes a user an owner of a namespace for good, whatever direct level they have there. */
export async function makeOwner(
  tx: Db,
  grant: { readonly userId: number; readonly namespaceId: number; readonly createdById: number | null },
): Promise<void> {
  const owner = { level: Level.owner, expires_at: null, state: 'active' } as const;
  await tx
    .insertInto('grants')
    .values({
      user_id: grant.userId,
      namespace_id: grant.namespaceId,
      created_by_id: grant.createdById,
      ...owner,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'namespace_id'])
        .where('user_id', 'is not', null)
        .where('namespace_id', 'is not', null)
        .doUpdateSet({ ...owner, updated_at: sql`now()` }),
    )
    .execute();
}

/** Groups that were invited to a group and that the caller may see. */
export async function sharedWith(db: Db, groupId: number, caller: Caller): Promise<SharedGroup[]> {
  const { tables, condition } = groupScope(caller, { minimum: null });
  const { rows } = await sql<SharedGroup>`${withTables(tables)}
    select n.id as group_id, n.name as group_name, n.full_path as group_full_path, s.level as group_access_level,
      s.expires_at from grants s join namespaces n on n.id = s.group_id
    where s.group_id is not null and s.namespace_id = ${groupId} and ${grantHolds('s')} and ${condition}
    order by s.id`.execute(db);
  return rows;
}

/** Groups of these full paths, in any case, that the caller may see. */
export async function groupsMentioned(
  db: Db,
  paths: readonly string[],
  caller: Caller,
): Promise<Pick<Namespace, 'name' | 'full_path'>[]> {
  const { tables, condition } = groupScope(caller, { minimum: null });
  const { rows } = await sql<Pick<Namespace, 'name' | 'full_path'>>`${withTables(tables)}
    select n.name, n.full_path from namespaces n
    where n.id in (select ${namespaceAt(sql`asked.path`)} from unnest(${[...paths]}::text[]) asked (path))
      and n.kind = 'group' and ${condition}`.execute(db);
  return rows;
}
