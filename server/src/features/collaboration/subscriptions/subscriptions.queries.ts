/** Who hears of a thing: those who said so, and without a word those who take part. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Noteable } from '../notes/index.ts';

/** Whether a person hears of it: as they said, else when they take part. `people` are author, assignees and reviewers. */
export async function isSubscribed(
  db: Db,
  { type, id }: Pick<Noteable, 'type' | 'id'>,
  userId: number,
  people: readonly number[],
): Promise<boolean> {
  const { rows } = await sql<{ said: boolean | null; commented: boolean }>`
    select (select subscribed from subscriptions
        where noteable_type = ${type} and noteable_id = ${id} and user_id = ${userId}) as said,
      exists (select from notes where noteable_type = ${type} and noteable_id = ${id} and author_id = ${userId}
        and not system) as commented`.execute(db);
  const [found] = rows;
  return found?.said ?? (people.includes(userId) || found?.commented === true);
}

/** Stores what a person said; false where they had said so already, also a moment ago. */
export async function setSubscribed(
  tx: Db,
  { type, id }: { readonly type: Noteable['type']; readonly id: number },
  userId: number,
  subscribed: boolean,
): Promise<boolean> {
  const stored = await tx
    .insertInto('subscriptions')
    .values({ noteable_type: type, noteable_id: id, user_id: userId, subscribed })
    .onConflict((conflict) =>
      conflict
        .columns(['noteable_type', 'noteable_id', 'user_id'])
        .doUpdateSet({ subscribed })
        .where('subscriptions.subscribed', '!=', subscribed),
    )
    .returning('user_id')
    .execute();
  return stored.length > 0;
}

/** The same for comments on a commit, which has no row of its own. */
export async function setCommitSubscribed(
  tx: Db,
  { projectId, commitId }: { readonly projectId: number; readonly commitId: string },
  userId: number,
  subscribed: boolean,
): Promise<void> {
  await sql`insert into commit_subscriptions (project_id, commit_id, user_id, subscribed)
    select p.id, ${commitId}, u.id, ${subscribed} from projects p, users u where p.id = ${projectId} and u.id = ${userId}
    on conflict (project_id, commit_id, user_id) do update set subscribed = excluded.subscribed`.execute(tx);
}
