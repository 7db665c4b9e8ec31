/** Rows of `deploy_tokens`. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { DeployToken } from '../../../kernel/db/rows.ts';
import type { DeployTokensTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

/** Whose tokens: those of one project, of one group, or of all. */
export type DeployTokenPlace = { readonly project_id: number } | { readonly namespace_id: number };

export async function insertDeployToken(db: Db, token: Insertable<DeployTokensTable>): Promise<DeployToken> {
  return await db.insertInto('deploy_tokens').values(token).returningAll().executeTakeFirstOrThrow();
}

export async function renameDeployToken(db: Db, id: number, username: string): Promise<void> {
  await db.updateTable('deploy_tokens').set({ username }).where('id', '=', id).execute();
}

const usable = sql<boolean>`(revoked_at is null and (expires_at is null or expires_at > now()))`;

function filtered(db: Db, place: DeployTokenPlace | null, active: boolean | undefined) {
  let query = db.selectFrom('deploy_tokens');
  if (place && 'project_id' in place) query = query.where('project_id', '=', place.project_id);
  if (place && 'namespace_id' in place) query = query.where('namespace_id', '=', place.namespace_id);
  if (active !== undefined) query = query.where(active ? usable : sql<boolean>`not ${usable}`);
  return query;
}

export async function listDeployTokens(
  db: Db,
  place: DeployTokenPlace | null,
  active: boolean | undefined,
  window: { readonly limit: number; readonly offset: number },
): Promise<DeployToken[]> {
  return await filtered(db, place, active)
    .selectAll()
    .orderBy('id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
}

export const countDeployTokens = (
  db: Db,
  place: DeployTokenPlace | null,
  active: boolean | undefined,
): Promise<number> => countUpTo(db, filtered(db, place, active).select('id'));

export async function findDeployTokenOf(db: Db, place: DeployTokenPlace, id: number): Promise<DeployToken | undefined> {
  return await filtered(db, place, undefined).selectAll().where('id', '=', id).executeTakeFirst();
}

/** One that works, of the project before one of its group, the oldest first. */
export async function readableDeployToken(
  db: Db,
  name: string,
  project: { readonly id: number; readonly namespace_id: number },
): Promise<{ username: string; token_encrypted: Buffer } | undefined> {
  return await db
    .selectFrom('deploy_tokens')
    .select(['username', 'token_encrypted'])
    .where('name', '=', name)
    .where(({ eb, or }) => or([eb('project_id', '=', project.id), eb('namespace_id', '=', project.namespace_id)]))
    .where('token_encrypted', 'is not', null)
    .where(usable)
    .orderBy('namespace_id', (order) => order.asc().nullsFirst())
    .orderBy('id')
    .limit(1)
    .$narrowType<{ token_encrypted: Buffer }>()
    .executeTakeFirst();
}

/** Removes a token. False when it was gone. */
export async function deleteDeployToken(tx: Db, id: number): Promise<boolean> {
  const row = await tx.deleteFrom('deploy_tokens').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}
