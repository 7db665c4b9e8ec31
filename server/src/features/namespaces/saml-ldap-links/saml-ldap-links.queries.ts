/** Rows of links between groups and groups of SAML and LDAP directories. */
import type { Selectable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { LdapGroupLinksTable, SamlGroupLinksTable } from '../../../kernel/db/tables.ts';

export type SamlGroupLink = Selectable<SamlGroupLinksTable>;
export type LdapGroupLink = Selectable<LdapGroupLinksTable>;

interface Window {
  readonly limit: number;
  readonly offset: number;
}

export async function listSamlLinks(db: Db, groupId: number, window: Window): Promise<SamlGroupLink[]> {
  return await db
    .selectFrom('saml_group_links')
    .selectAll()
    .where('namespace_id', '=', groupId)
    .orderBy('id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
}

export async function listLdapLinks(db: Db, groupId: number, window: Window): Promise<LdapGroupLink[]> {
  return await db
    .selectFrom('ldap_group_links')
    .selectAll()
    .where('namespace_id', '=', groupId)
    .orderBy('id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
}

export async function countLinks(db: Db, table: 'saml_group_links' | 'ldap_group_links', id: number): Promise<number> {
  const row = await db
    .selectFrom(table)
    .select((count) => count.fn.countAll<number>().as('count'))
    .where('namespace_id', '=', id)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** The links with a name; several where providers differ. */
export async function findSamlLinks(
  db: Db,
  groupId: number,
  name: string,
  provider: string | undefined,
): Promise<SamlGroupLink[]> {
  const named = db
    .selectFrom('saml_group_links')
    .selectAll()
    .where('namespace_id', '=', groupId)
    .where('name', '=', name);
  return await (provider === undefined ? named : named.where('provider', '=', provider)).orderBy('id').execute();
}

/** Undefined when there is such a link. */
export async function insertSamlLink(
  tx: Db,
  values: Pick<SamlGroupLink, 'namespace_id' | 'name' | 'access_level' | 'provider'>,
): Promise<SamlGroupLink | undefined> {
  return await tx
    .insertInto('saml_group_links')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Undefined when there is such a link. */
export async function insertLdapLink(
  tx: Db,
  values: Pick<LdapGroupLink, 'namespace_id' | 'cn' | 'filter' | 'access_level' | 'provider'>,
): Promise<LdapGroupLink | undefined> {
  return await tx
    .insertInto('ldap_group_links')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

export interface LdapLinkName {
  readonly cn?: string | undefined;
  readonly filter?: string | undefined;
  readonly provider?: string | undefined;
}

/** The first link that fits everything that is given. */
export async function findLdapLink(db: Db, groupId: number, name: LdapLinkName): Promise<LdapGroupLink | undefined> {
  let query = db.selectFrom('ldap_group_links').selectAll().where('namespace_id', '=', groupId);
  for (const column of ['cn', 'filter', 'provider'] as const) {
    const wanted = name[column];
    if (wanted !== undefined) query = query.where(column, '=', wanted);
  }
  return await query.orderBy('id').executeTakeFirst();
}

/** False when it was removed meanwhile. */
export async function deleteLink(tx: Db, table: 'saml_group_links' | 'ldap_group_links', id: number): Promise<boolean> {
  return (await tx.deleteFrom(table).where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}
