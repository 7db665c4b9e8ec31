/** What people answered to things of a kind: comments, threads and votes, in one query for any number of them. */
import { sql } from 'kysely';
import type { Db } from '../../kernel/db/index.ts';
import type { NoteableType } from './notes/index.ts';

export interface Responses {
  /** Comments of people. */
  readonly comments: number;
  /** Threads, or comments that are one, that are not resolved. */
  readonly unresolved: number;
  readonly upvotes: number;
  readonly downvotes: number;
}

const none: Responses = { comments: 0, unresolved: 0, upvotes: 0, downvotes: 0 };

/** Answers the responses to each of the things, those without any included. */
export async function responsesTo(
  db: Db,
  type: NoteableType,
  ids: readonly number[],
): Promise<(id: number) => Responses> {
  if (ids.length === 0) return () => none;
  const { rows } = await sql<Responses & { id: number }>`
    select t.id, n.comments, n.unresolved, v.upvotes, v.downvotes
    from unnest(${[...ids]}::bigint[]) t (id)
    cross join lateral (
      select count(*) filter (where not system)::int as comments,
        count(*) filter (where resolvable and resolved_at is null)::int as unresolved
      from notes where noteable_type = ${type} and noteable_id = t.id
    ) n
    cross join lateral (
      select count(*) filter (where name = 'thumbsup')::int as upvotes,
        count(*) filter (where name = 'thumbsdown')::int as downvotes
      from award_emoji where noteable_type = ${type} and noteable_id = t.id and note_id is null
        and name in ('thumbsup', 'thumbsdown')
    ) v`.execute(db);
  const found = new Map(rows.map(({ id, ...responses }) => [id, responses]));
  return (id) => found.get(id) ?? none;
}
