/** Who belongs to the groups and projects that texts name. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { grantHolds } from '../../namespaces/index.ts';
import type { MailedThing, Noteable } from '../notes/index.ts';

/** Most people whom one name stands for. */
const most = 2000;

/** Those who have a role in one of the groups or in the project, and whose the personal namespace is. */
export async function membersOf(db: Db, namespaceIds: readonly number[], projectId: number | null): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select u.id from users u where u.state = 'active' and u.id in (
      select g.user_id from grants g where g.user_id is not null and g.level > 0 and ${grantHolds('g')}
        and (g.namespace_id = any(${[...namespaceIds]}::bigint[]) or g.project_id = ${projectId}::bigint)
      union select n.owner_id from namespaces n where n.id = any(${[...namespaceIds]}::bigint[]))
    order by u.id limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

/** People who commented, without what the service wrote. */
export async function commentersOf(
  db: Db,
  { type, id, projectId, commitId = null }: Pick<Noteable, 'type'> & MailedThing,
): Promise<number[]> {
  const about = id === null ? sql`project_id = ${projectId} and commit_id = ${commitId}` : sql`noteable_id = ${id}`;
  const { rows } = await sql<{ id: number }>`
    select distinct author_id as id from notes where noteable_type = ${type} and ${about} and not system
    limit ${most}`.execute(db);
  return rows.map((row) => row.id);
}

/** The description as it is, and who wrote the thing. */
export async function describedIn(db: Db, type: 'issue' | 'merge_request' | 'epic', id: number) {
  const tables = { issue: 'issues', merge_request: 'merge_requests', epic: 'epics' } as const;
  const place =
    type === 'epic'
      ? sql`null::bigint as project_id, namespace_id as group_id`
      : sql`project_id, null::bigint as group_id`;
  const { rows } = await sql<{
    id: number;
    iid: number;
    description: string | null;
    project_id: number | null;
    group_id: number | null;
  }>`select id, iid, description, ${place} from ${sql.table(tables[type])} where id = ${id}`.execute(db);
  return rows[0];
}
