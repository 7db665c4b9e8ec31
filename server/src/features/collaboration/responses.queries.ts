/** What people answered to things of a kind: comments, threads, votes and who hears of it, in one query for any number of them. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../kernel/db/index.ts';
import type { NoteableType } from './notes/index.ts';

export interface Responses {
  /** Comments of people. */
  readonly comments: number;
  /** Threads, or comments that are one, that are not resolved. */
  readonly unresolved: number;
  readonly upvotes: number;
  readonly downvotes: number;
  /** Whether the reader hears of it, where one is given; `people` are author, assignees and reviewers. */
  isSubscribed(people: readonly number[]): boolean;
}

/** What a query that reads responses with something else of the things gets of them. */
export interface ResponseRow extends Omit<Responses, 'isSubscribed'> {
  readonly said?: boolean | null;
  readonly commented?: boolean;
}

/** The columns of responses to things `t (id)`, and what they are read from. */
export function responseParts(
  type: NoteableType,
  reader: number | null,
): { readonly columns: RawBuilder<unknown>; readonly from: RawBuilder<unknown> } {
  const heard = sql`, (select subscribed from subscriptions
      where noteable_type = ${type} and noteable_id = t.id and user_id = ${reader}) as said,
    exists (select from notes where noteable_type = ${type} and noteable_id = t.id and author_id = ${reader}
      and not system) as commented`;
  return {
    columns: sql`n.comments, n.unresolved, v.upvotes, v.downvotes${reader === null ? sql`` : heard}`,
    from: sql`
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
      ) v`,
  };
}

export const toResponses = ({ said, commented, ...row }: ResponseRow, reader: number | null): Responses => ({
  ...row,
  isSubscribed: (people) => reader !== null && (said ?? (people.includes(reader) || commented === true)),
});

const none = toResponses({ comments: 0, unresolved: 0, upvotes: 0, downvotes: 0 }, null);

/** Answers the responses to each of the things, those without any included. */
export async function responsesTo(
  db: Db,
  type: NoteableType,
  ids: readonly number[],
  reader: number | null = null,
): Promise<(id: number) => Responses> {
  if (ids.length === 0) return () => none;
  const { columns, from } = responseParts(type, reader);
  const { rows } = await sql<ResponseRow & { id: number }>`
    select t.id, ${columns} from unnest(${[...ids]}::bigint[]) t (id) ${from}`.execute(db);
  const found = new Map(rows.map(({ id, ...row }) => [id, toResponses(row, reader)]));
  return (id) => found.get(id) ?? none;
}
