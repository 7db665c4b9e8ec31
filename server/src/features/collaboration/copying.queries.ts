/** Copies what people said and did about one thing to another: when an issue is moved, cloned or promoted. */
import { sql } from 'kysely';
import type { Db } from '../../kernel/db/index.ts';
import type { Noteable } from './notes/index.ts';

/** A comment that its copy words otherwise. */
export interface Reworded {
  readonly id: number;
  /** What it said when that was written. */
  readonly was: string;
  readonly body: string;
}

/** Comments that may have words or addresses that are of their place, the oldest first. */
export async function namingComments(
  db: Db,
  { type, id }: Noteable,
): Promise<readonly { readonly id: number; readonly body: string }[]> {
  const { rows } = await sql<{ id: number; body: string }>`select id, body from notes
    where noteable_type = ${type} and noteable_id = ${id}
      and (body ~ '[#!&$%~]["[:alnum:]_]' or body ~ '[0-9a-f]{7}' or strpos(body, '/uploads/') > 0)
    order by id`.execute(db);
  return rows;
}

/** Comments with their threads and reactions, the system's too. Copies have ids of their own. */
export async function copyComments(
  tx: Db,
  from: Noteable,
  to: Noteable,
  reworded: readonly Reworded[] = [],
): Promise<void> {
  await sql`with pairs as (
      select n.id, nextval(pg_get_serial_sequence('notes', 'id')) as copy_id,
        first_value(encode(sha256(convert_to(n.discussion_id || ${`:${to.type}:${to.id}`}, 'UTF8')), 'hex'))
          over (partition by n.discussion_id) as thread
      from notes n where n.noteable_type = ${from.type} and n.noteable_id = ${from.id}
      order by n.id
    ), copies as (
      insert into notes (id, project_id, namespace_id, noteable_type, noteable_id, noteable_iid, discussion_id, kind,
        author_id, body, system, internal, resolvable, resolved_at, resolved_by_id, last_edited_at, last_edited_by_id,
        created_at, updated_at, action, source_type, source_id, source_project_id, source_sha)
      overriding system value
      select p.copy_id, ${to.projectId}::bigint, ${to.groupId}::bigint, ${to.type}, ${to.id}::bigint, ${to.iid}::bigint,
        left(p.thread, 40), n.kind, n.author_id, coalesce(w.body, n.body), n.system, n.internal,
        n.resolvable and ${to.type} <> 'epic', n.resolved_at, n.resolved_by_id, n.last_edited_at, n.last_edited_by_id,
        n.created_at, n.updated_at, n.action,
        n.source_type, n.source_id, n.source_project_id, n.source_sha
      from pairs p join notes n on n.id = p.id
        left join json_to_recordset(${JSON.stringify(reworded)}::json) w (id bigint, was text, body text)
          on w.id = n.id and w.was = n.body
      order by p.id
      returning id
    )
    insert into award_emoji (user_id, name, noteable_type, note_id, created_at, updated_at)
    select a.user_id, a.name, ${to.type}, p.copy_id, a.created_at, a.updated_at
    from award_emoji a join pairs p on p.id = a.note_id join copies c on c.id = p.copy_id`.execute(tx);
}

/** Reactions to the thing itself, and who hears of it. */
export async function copyFollowers(tx: Db, from: Noteable, to: Noteable): Promise<void> {
  await sql`insert into award_emoji (user_id, name, noteable_type, noteable_id, created_at, updated_at)
    select user_id, name, ${to.type}, ${to.id}::bigint, created_at, updated_at from award_emoji
    where noteable_type = ${from.type} and noteable_id = ${from.id} and note_id is null
    on conflict do nothing`.execute(tx);
  await sql`insert into subscriptions (noteable_type, noteable_id, user_id, subscribed)
    select ${to.type}, ${to.id}::bigint, user_id, subscribed from subscriptions
    where noteable_type = ${from.type} and noteable_id = ${from.id}
    on conflict do nothing`.execute(tx);
}
