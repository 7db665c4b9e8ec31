/** Who looks after a project and is told by mail of what goes wrong with it. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { grantHolds } from '../access/access.queries.ts';
import { sendsMail } from './entry.queries.ts';

export interface Caretaker {
  readonly name: string;
  readonly email: string;
}

/**
 * Maintainers and Owners of a project, by a role in it or above, unless they are to be members of the project itself;
 * nobody where people are not told by mail of it.
 */
export async function caretakersOf(
  tx: Db,
  project: Pick<Project, 'id' | 'namespace_id'>,
  which: 'all' | 'direct' = 'all',
): Promise<readonly Caretaker[]> {
  const { id, namespace_id } = project;
  const space = await tx
    .selectFrom('namespaces')
    .select('traversal_ids')
    .where('id', '=', namespace_id)
    .executeTakeFirst();
  if (!space || !(await sendsMail(tx, { kind: 'project', id, namespaceIds: space.traversal_ids }))) return [];
  const { rows } = await sql<Caretaker>`
    select distinct u.id, u.name, u.email
    from projects p join namespaces n on n.id = p.namespace_id
    join grants g on (g.project_id = p.id or (g.namespace_id = any (n.traversal_ids)
        and (${which === 'all'} or n.kind = 'user')))
      and g.level >= ${Level.maintainer} and ${grantHolds('g')}
    join users u on u.id = g.user_id and u.state = 'active' and u.user_type = 'human'
    where p.id = ${id} order by u.id limit 100`.execute(tx);
  return rows;
}

/** Owners of a group, unless they are to be members of the group itself also those of groups above. */
export async function ownersToTell(tx: Db, groupId: number, which: 'all' | 'direct'): Promise<readonly Caretaker[]> {
  const group = await tx.selectFrom('namespaces').select('traversal_ids').where('id', '=', groupId).executeTakeFirst();
  if (!group || !(await sendsMail(tx, { kind: 'group', id: groupId, namespaceIds: group.traversal_ids }))) return [];
  const places = which === 'all' ? group.traversal_ids : [groupId];
  const { rows } = await sql<Caretaker>`
    select distinct u.id, u.name, u.email from grants g
    join users u on u.id = g.user_id and u.state = 'active' and u.user_type = 'human'
    where g.namespace_id = any (${[...places]}::bigint[]) and g.level >= ${Level.owner} and ${grantHolds('g')}
    order by u.id limit 100`.execute(tx);
  return rows;
}
