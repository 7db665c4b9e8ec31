/** Where a group can go: groups that the caller owns, which neither hold it now nor are inside it. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { accessTables, allOf, namespacesWithLevel, type Sql, withTables } from '../access/access.queries.ts';
import { below } from '../access/hierarchy.queries.ts';

function locations(caller: Caller, group: Namespace, search: string | undefined) {
  const conditions: Sql[] = [
    sql`n.kind = 'group'`,
    sql`n.marked_for_deletion_on is null`,
    sql`n.id is distinct from ${group.parent_id}::bigint`,
    sql`n.id not in ${below(group.id)}`,
  ];
  if (!caller.admin) conditions.push(sql`n.id in (${namespacesWithLevel(Level.owner)})`);
  if (search) conditions.push(sql`(n.name ilike ${containing(search)} or n.path ilike ${containing(search)})`);
  return {
    tables: caller.admin ? null : accessTables(caller.user?.id ?? 0),
    from: sql`from namespaces n where ${allOf(conditions)}`,
  };
}

export async function listTransferLocations(
  db: Db,
  caller: Caller,
  group: Namespace,
  search: string | undefined,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<Namespace[]> {
  const { tables, from } = locations(caller, group, search);
  const { rows } = await sql<Namespace>`${withTables(tables)} select n.* ${from}
    order by lower(n.name), n.id limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

export async function countTransferLocations(
  db: Db,
  caller: Caller,
  group: Namespace,
  search: string | undefined,
): Promise<number> {
  const { tables, from } = locations(caller, group, search);
  return await countUpTo(db, { limit: (rows) => sql`${withTables(tables)} select 1 ${from} limit ${rows}` });
}
