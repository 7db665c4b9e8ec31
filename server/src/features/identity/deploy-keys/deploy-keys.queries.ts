/** Rows of `ssh_keys` that are deploy keys, and which projects they are for. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { SshKey } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

type Window = Pick<Page, 'limit' | 'offset'>;

export type DeployKey = SshKey & { readonly can_push: boolean };

const ofProject = (db: Db, projectId: number) =>
  db
    .selectFrom('project_deploy_keys as p')
    .innerJoin('ssh_keys as k', 'k.id', 'p.key_id')
    .where('p.project_id', '=', projectId);

export async function listDeployKeys(db: Db, projectId: number, window: Window): Promise<DeployKey[]> {
  return await ofProject(db, projectId)
    .selectAll('k')
    .select('p.can_push')
    .orderBy('k.id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
}

export const countDeployKeys = (db: Db, projectId: number): Promise<number> =>
  countUpTo(db, ofProject(db, projectId).select('k.id'));

export async function findDeployKey(db: Db, projectId: number, id: number): Promise<DeployKey | undefined> {
  return await ofProject(db, projectId).selectAll('k').select('p.can_push').where('k.id', '=', id).executeTakeFirst();
}

/** Whether a key may push to a project; undefined when the project does not have it. */
export async function pushRight(db: Db, projectId: number, keyId: number): Promise<boolean | undefined> {
  const row = await db
    .selectFrom('project_deploy_keys')
    .select('can_push')
    .where('project_id', '=', projectId)
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  return row?.can_push;
}

/** Of all projects, for administrators. */
const everywhere = (db: Db, onlyPublic: boolean) => {
  const all = db.selectFrom('ssh_keys').where('kind', '=', 'deploy');
  return onlyPublic ? all.where('public', '=', true) : all;
};

export async function listAllDeployKeys(db: Db, onlyPublic: boolean, window: Window): Promise<SshKey[]> {
  return await everywhere(db, onlyPublic).selectAll().orderBy('id').limit(window.limit).offset(window.offset).execute();
}

export const countAllDeployKeys = (db: Db, onlyPublic: boolean): Promise<number> =>
  countUpTo(db, everywhere(db, onlyPublic).select('id'));

export interface KeyProject {
  readonly key_id: number;
  readonly can_push: boolean;
  readonly id: number;
  readonly description: string | null;
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
  readonly full_name: string;
  readonly created_at: Date;
}

/** The projects of keys. */
export async function projectsOfKeys(db: Db, keyIds: readonly number[]): Promise<KeyProject[]> {
  const { rows } = await sql<KeyProject>`
    select d.key_id, d.can_push, p.id, p.description, p.name, p.path, n.full_path, n.full_name, p.created_at
    from project_deploy_keys d join projects p on p.id = d.project_id join namespaces n on n.id = p.namespace_id
    where d.key_id = any(${[...keyIds]}::bigint[]) order by p.id`.execute(db);
  return rows;
}

/** Whether somebody maintains the project `p` of the namespace `n`. */
const maintains = (userId: number) => sql<boolean>`exists (
  select from grants g where g.user_id = ${userId} and g.level >= 40 and g.state = 'active'
    and (g.expires_at is null or g.expires_at > current_date)
    and (g.project_id = p.id or g.namespace_id = any(n.traversal_ids)))`;

/** Projects that all of these people maintain. */
const maintainedBy = (userIds: readonly number[]) => sql`
  select p.id from projects p join namespaces n on n.id = p.namespace_id
  where ${sql.join(userIds.map(maintains), sql` and `)}`;

export async function maintainTogether(db: Db, userIds: readonly number[]): Promise<boolean> {
  const { rows } = await sql`${maintainedBy(userIds)} limit 1`.execute(db);
  return rows.length > 0;
}

/** Keys of the projects that all of these people maintain. */
export async function listKeysOfMaintained(
  db: Db,
  userIds: readonly number[],
  window: Window,
): Promise<{ rows: SshKey[]; total: number }> {
  const keys = db
    .selectFrom('ssh_keys')
    .where('kind', '=', 'deploy')
    .where(
      sql<boolean>`id in (select d.key_id from project_deploy_keys d where d.project_id in (${maintainedBy(userIds)}))`,
    );
  const [rows, total] = await Promise.all([
    keys.selectAll().orderBy('id').limit(window.limit).offset(window.offset).execute(),
    countUpTo(db, keys.select('id')),
  ]);
  return { rows, total };
}

/** A deploy key with this fingerprint that the user may take: a public one, their own, or one of a project they maintain. */
export async function usableKey(
  db: Db,
  wanted: { readonly id: number } | { readonly sha256: string },
  user: { readonly id: number; readonly admin: boolean },
): Promise<SshKey | undefined> {
  const { rows } = await sql<SshKey>`select k.* from ssh_keys k
    where k.kind = 'deploy' and ${'id' in wanted ? sql`k.id = ${wanted.id}` : sql`k.fingerprint_sha256 = ${wanted.sha256}`}
      and (${user.admin} or k.public or k.created_by_id = ${user.id} or exists (
        select 1 from project_deploy_keys d join projects p on p.id = d.project_id
          join namespaces n on n.id = p.namespace_id
        where d.key_id = k.id and ${maintains(user.id)}))`.execute(db);
  return rows[0];
}

/** Adds a key to a project, or changes what it may do there. */
export async function joinProject(
  tx: Db,
  projectId: number,
  keyId: number,
  canPush: boolean | undefined,
): Promise<void> {
  await tx
    .insertInto('project_deploy_keys')
    .values({ project_id: projectId, key_id: keyId, can_push: canPush ?? false })
    .onConflict((conflict) =>
      canPush === undefined
        ? conflict.columns(['project_id', 'key_id']).doNothing()
        : conflict.columns(['project_id', 'key_id']).doUpdateSet({ can_push: canPush, updated_at: sql<Date>`now()` }),
    )
    .execute();
}

export async function renameKey(tx: Db, id: number, title: string): Promise<void> {
  await tx.updateTable('ssh_keys').set({ title }).where('id', '=', id).execute();
}

/** Takes a key from a project; one that no project has and that is not for all is removed. */
export async function leaveProject(tx: Db, projectId: number, keyId: number): Promise<boolean> {
  const left = await tx
    .deleteFrom('project_deploy_keys')
    .where('project_id', '=', projectId)
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  if (left.numDeletedRows === 0n) return false;
  await sql`delete from ssh_keys k where k.id = ${keyId} and k.kind = 'deploy' and not k.public
    and not exists (select 1 from project_deploy_keys d where d.key_id = k.id)`.execute(tx);
  return true;
}
