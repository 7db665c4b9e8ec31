/** Who may approve: roles of people as they are now, members of groups, and who contributed to a merge request. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { grantHolds, levelsText } from '../../namespaces/index.ts';
import type { Person } from '../merge-requests/merge-requests.queries.ts';

export interface Voter extends Person {
  /** Effective on the project; administrators have an owner's. */
  readonly level: number;
}

/** Active people with their role on a project, by id. Who has no role has the level 0. */
export async function votersOf(db: Db, projectId: number, ids: readonly number[]): Promise<Map<number, Voter>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<Voter>`
    select u.id, u.name, u.username, u.state, u.avatar_object_key, u.locked_until, u.public_email,
      case when u.admin then 50 else levels.effective_level end as level
    from users u cross join projects p join namespaces n on n.id = p.namespace_id
      cross join ${sql.raw(levelsText('u.id', true))}
    where p.id = ${projectId} and u.id = any(${wanted}::bigint[]) and u.state = 'active'`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The roles of active people, each on a project, by the id of the project and of the person. */
export async function levelsOn(
  db: Db,
  wanted: readonly { readonly projectId: number; readonly userId: number }[],
): Promise<Map<number, Map<number, number>>> {
  const found = new Map<number, Map<number, number>>();
  if (wanted.length === 0) return found;
  const { rows } = await sql<{ project_id: number; user_id: number; level: number }>`
    select p.id as project_id, u.id as user_id, case when u.admin then 50 else levels.effective_level end as level
    from (select distinct * from unnest(${wanted.map(({ projectId }) => projectId)}::bigint[],
        ${wanted.map(({ userId }) => userId)}::bigint[])) w (project_id, user_id)
      join users u on u.id = w.user_id and u.state = 'active'
      join projects p on p.id = w.project_id join namespaces n on n.id = p.namespace_id
      cross join ${sql.raw(levelsText('u.id', true))}`.execute(db);
  for (const { project_id, user_id, level } of rows) {
    const levels = found.get(project_id) ?? new Map<number, number>();
    found.set(project_id, levels.set(user_id, level));
  }
  return found;
}

/** Active people by id, whatever their roles. */
export async function activePeople(db: Db, ids: readonly number[]): Promise<Map<number, Person>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'state', 'avatar_object_key', 'locked_until', 'public_email'])
    .where('id', 'in', [...new Set(ids)])
    .where('state', '=', 'active')
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Members of groups, those of the groups above them included. */
export async function membersOfGroups(db: Db, groupIds: readonly number[]): Promise<Map<number, number[]>> {
  const wanted = [...new Set(groupIds)];
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<{ group_id: number; user_id: number }>`
    select distinct i.id as group_id, g.user_id from namespaces i join grants g on g.namespace_id = any(i.traversal_ids)
    where i.id = any(${wanted}::bigint[]) and g.user_id is not null and g.level > 5 and ${grantHolds('g')}
    order by g.user_id`.execute(db);
  const members = new Map<number, number[]>(wanted.map((id) => [id, []]));
  for (const { group_id, user_id } of rows) members.get(group_id)?.push(user_id);
  return members;
}

/** Everybody who was given a role on the project or above it. */
export async function membersOfProject(db: Db, projectId: number): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    select distinct g.user_id from projects p join namespaces n on n.id = p.namespace_id
      join grants g on g.project_id = p.id or g.namespace_id = any(n.traversal_ids)
    where p.id = ${projectId} and g.user_id is not null and ${grantHolds('g')}
    union select n.owner_id from projects p join namespaces n on n.id = p.namespace_id
    where p.id = ${projectId} and n.kind = 'user' and n.owner_id is not null`.execute(db);
  return rows.map(({ user_id }) => user_id);
}

/** Users to whom addresses belong, as far as they have confirmed them. */
export async function usersOfAddresses(db: Db, addresses: readonly string[]): Promise<Map<string, number>> {
  const wanted = [...new Set(addresses.map((address) => address.toLowerCase()))];
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<{ email: string; id: number }>`
    select lower(u.email) as email, u.id from users u
      where lower(u.email) = any(${wanted}::text[]) and u.confirmed_at is not null
    union select lower(e.email), e.user_id from emails e
      where lower(e.email) = any(${wanted}::text[]) and e.confirmed_at is not null`.execute(db);
  return new Map(rows.map(({ email, id }) => [email, id]));
}

/** Users and groups by their names and paths, in lower case. */
export async function ownersNamed(
  db: Db,
  names: readonly string[],
): Promise<{ readonly users: ReadonlyMap<string, number>; readonly groups: ReadonlyMap<string, number> }> {
  const wanted = [...new Set(names.map((name) => name.toLowerCase()))];
  if (wanted.length === 0) return { users: new Map(), groups: new Map() };
  const { rows } = await sql<{ name: string; user_id: number | null; group_id: number | null }>`
    select w.name, u.id as user_id, g.id as group_id from unnest(${wanted}::text[]) w (name)
      left join users u on lower(u.username) = w.name
      left join namespaces g on g.id = namespace_at(w.name) and g.kind = 'group'`.execute(db);
  const found = (column: 'user_id' | 'group_id') =>
    new Map(rows.flatMap((row) => (row[column] === null ? [] : [[row.name, row[column]] as const])));
  return { users: found('user_id'), groups: found('group_id') };
}

/**
 * Who pushed commits of a merge request, by the record of pushes: names and addresses in commits are only what their
 * makers wrote there. A push that is not processed yet is known by its fact.
 */
export async function pushersOf(
  db: Db,
  projects: readonly number[],
  shas: readonly string[],
): Promise<{ readonly sha: string; readonly user_id: number }[]> {
  if (shas.length === 0) return [];
  const { rows } = await sql<{ sha: string; user_id: number }>`
    select e.commit_to as sha, e.author_id as user_id from events e
      where e.action = 'pushed' and e.commit_to = any(${[...shas]}::text[]) and e.project_id = any(${[...projects]}::bigint[])
    union select f.payload ->> 'after', f.actor_id from facts f
      where f.delivered_at is null and f.kind = 'push' and f.actor_id is not null
        and f.project_id = any(${[...projects]}::bigint[]) and f.payload ->> 'after' = any(${[...shas]}::text[])`.execute(
    db,
  );
  return rows;
}

/** Whether the coverage of a commit's newest pipeline is known and not lower than that of the target branch. */
export const coverageHolds = async (db: Db, request: { readonly id: number }, head: string): Promise<boolean> =>
  (await coverageHeldBy(db, [{ id: request.id, head }])).has(request.id);

/** The merge requests of which it is so. */
export async function coverageHeldBy(
  db: Db,
  requests: readonly { readonly id: number; readonly head: string }[],
): Promise<ReadonlySet<number>> {
  if (requests.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    select m.id from unnest(${requests.map(({ id }) => id)}::bigint[], ${requests.map(({ head }) => head)}::text[]) w (id, head)
      join merge_requests m on m.id = w.id,
      lateral (select (select l.coverage from pipelines l
        where l.sha = w.head and l.coverage is not null and (l.merge_request_id = m.id
          or (l.project_id = m.source_project_id and l.ref = m.source_branch and l.merge_request_id is null))
        order by l.id desc limit 1) as coverage) h,
      lateral (select (select l.coverage from pipelines l where l.project_id = m.project_id
        and l.ref = m.target_branch and l.status = 'success' and l.coverage is not null
        order by l.id desc limit 1) as coverage) t
    where h.coverage is not null and (t.coverage is null or h.coverage::numeric >= t.coverage::numeric)`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
