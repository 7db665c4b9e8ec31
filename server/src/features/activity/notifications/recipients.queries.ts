/** Who may want a mail: subscriptions, settings, and those who watch a place. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { NotificationSetting } from '../../../kernel/db/rows.ts';
import { grantHolds } from '../../namespaces/index.ts';

export interface NotifiedPlace {
  readonly projectId: number | null;
  /** From the top-level group down. */
  readonly namespaceIds: readonly number[];
}

/** Those who watch the project, a group above it, or everything that they are members of. */
export async function watchersOf(db: Db, { projectId, namespaceIds }: NotifiedPlace): Promise<number[]> {
  const above = sql`any(${[...namespaceIds]}::bigint[])`;
  const { rows } = await sql<{ id: number }>`
    select distinct s.user_id as id from notification_settings s
    where s.level in ('watch', 'custom') and (s.project_id = ${projectId}::bigint or s.namespace_id = ${above}
      or (s.project_id is null and s.namespace_id is null and (
        exists (select from grants g where g.user_id = s.user_id and g.level > 0 and ${grantHolds('g')}
          and (g.project_id = ${projectId}::bigint or g.namespace_id = ${above}))
        or exists (select from namespaces n where n.id = ${above} and n.owner_id = s.user_id))))`.execute(db);
  return rows.map(({ id }) => id);
}

/** What people say about mails here, in the groups above, and everywhere. */
export async function settingsOf(
  db: Db,
  userIds: readonly number[],
  { projectId, namespaceIds }: NotifiedPlace,
): Promise<NotificationSetting[]> {
  const { rows } = await sql<NotificationSetting>`select * from notification_settings s
    where s.user_id = any(${[...userIds]}::bigint[]) and (s.project_id = ${projectId}::bigint
      or s.namespace_id = any(${[...namespaceIds]}::bigint[]) or (s.project_id is null and s.namespace_id is null))`.execute(
    db,
  );
  return rows;
}

/** Whether people said that they want to hear of a thing or not. */
export async function subscriptionsTo(db: Db, type: string, id: number): Promise<Map<number, boolean>> {
  const { rows } = await sql<{ user_id: number; subscribed: boolean }>`
    select user_id, subscribed from subscriptions where noteable_type = ${type} and noteable_id = ${id}`.execute(db);
  return new Map(rows.map(({ user_id, subscribed }) => [user_id, subscribed]));
}

/** The same for comments on a commit. */
export async function commitSubscriptions(db: Db, projectId: number, commitId: string): Promise<Map<number, boolean>> {
  const { rows } = await sql<{ user_id: number; subscribed: boolean }>`
    select user_id, subscribed from commit_subscriptions
    where project_id = ${projectId} and commit_id = ${commitId}`.execute(db);
  return new Map(rows.map(({ user_id, subscribed }) => [user_id, subscribed]));
}

const labelsOf = {
  issue: sql`select label_id from issue_labels where issue_id =`,
  merge_request: sql`select label_id from merge_request_labels where merge_request_id =`,
};

/** Those who subscribe to one of the labels of an issue or a merge request. */
export async function labelSubscribers(db: Db, type: string, id: number): Promise<number[]> {
  if (type !== 'issue' && type !== 'merge_request') return [];
  const { rows } = await sql<{ id: number }>`select distinct user_id as id from label_subscriptions
    where label_id in (${labelsOf[type]} ${id})`.execute(db);
  return rows.map((row) => row.id);
}

export async function subscribersOfLabels(db: Db, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select distinct user_id as id from label_subscriptions
    where label_id = any(${[...ids]}::bigint[])`.execute(db);
  return rows.map(({ id }) => id);
}

/** False where the person has got a mail of the fact already. */
export async function claimMail(tx: Db, factId: number, userId: number): Promise<boolean> {
  const claimed = await tx
    .insertInto('sent_notifications')
    .values({ fact_id: factId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return claimed !== undefined;
}

/** Facts do not come again after so many days; answers how many rows went. */
export async function forgetMails(db: Db, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from sent_notifications where (fact_id, user_id) in (
    select fact_id, user_id from sent_notifications where created_at < now() - make_interval(days => ${days})
    order by created_at limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
