/** Who wrote commits, whom their groups thank, and which merge requests brought them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface Author {
  readonly id: number;
  readonly username: string;
}

/** People by the addresses of theirs that are confirmed. */
export async function authorsByEmail(db: Db, addresses: readonly string[]): Promise<ReadonlyMap<string, Author>> {
  if (addresses.length === 0) return new Map();
  const wanted = sql`any(${[...new Set(addresses.map((each) => each.toLowerCase()))]}::text[])`;
  const { rows } = await sql<Author & { email: string }>`
    select u.id, u.username, lower(u.email) as email from users u where lower(u.email) = ${wanted}
    union select u.id, u.username, lower(e.email) from emails e join users u on u.id = e.user_id
      where lower(e.email) = ${wanted} and e.confirmed_at is not null`.execute(db);
  return new Map(rows.map(({ id, username, email }) => [email, { id, username }]));
}

/** Which of the people have a role in one of the groups, given there or above. */
export async function membersOf(
  db: Db,
  groups: readonly { readonly traversal_ids: readonly number[] }[],
  userIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (groups.length === 0 || userIds.length === 0) return new Set();
  const places = [...new Set(groups.flatMap(({ traversal_ids }) => traversal_ids))];
  const { rows } = await sql<{ user_id: number }>`
    select distinct g.user_id from grants g where g.namespace_id = any(${places}::bigint[])
      and g.user_id = any(${[...userIds]}::bigint[]) and g.state = 'active' and g.level > 0
      and (g.expires_at is null or g.expires_at > current_date)`.execute(db);
  return new Set(rows.map(({ user_id }) => user_id));
}

export interface MergedRequest {
  readonly iid: number;
  readonly base_sha: string | null;
  readonly head_sha: string | null;
  /** Commits that the merge itself made or put on the branch. */
  readonly commits: readonly (string | null)[];
}

/** Merge requests of which the merge put one of the commits on a branch, the oldest first. */
export async function requestsMergedBy(
  db: Db,
  projectId: number,
  commits: readonly string[],
): Promise<readonly MergedRequest[]> {
  if (commits.length === 0) return [];
  const wanted = sql`any(${[...commits]}::text[])`;
  const { rows } = await sql<MergedRequest>`
    select m.iid, m.base_sha, m.head_sha, array[m.merge_commit_sha, m.squash_commit_sha, m.merged_commit_sha] as commits
    from merge_requests m where m.project_id = ${projectId} and m.state = 'merged'
      and (m.merge_commit_sha = ${wanted} or m.squash_commit_sha = ${wanted} or m.merged_commit_sha = ${wanted})
    order by m.iid`.execute(db);
  return rows;
}
