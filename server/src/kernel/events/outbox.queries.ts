/** What a transaction tells others, written by one statement before it commits: facts, topics for open pages, wake-ups. */
import { type RawBuilder, sql } from 'kysely';
import { beforeCommit, type Db, unanswered } from '../db/index.ts';
import type { FactContext } from './fact.ts';

/** Wakes the processes that deliver; sent by the statement that writes facts, heard when the transaction commits. */
export const factsChannel = 'facts';
export const liveChannel = 'live';

type Message =
  | { readonly topic: string }
  /** Wakes whoever listens there. */
  | { readonly channel: string }
  | { readonly kind: string; readonly payload: string; readonly context: FactContext };

/** Writes facts in their order, and notifies: each topic once, and whoever delivers facts when there are any. */
async function write(tx: Db, messages: readonly Message[]): Promise<void> {
  const facts = messages.filter((message) => 'kind' in message);
  const topics = new Set(messages.flatMap((message) => ('topic' in message ? message.topic : [])));
  const channels = new Set(messages.flatMap((message) => ('channel' in message ? message.channel : [])));
  const told = [
    ...(facts.length > 0 ? [[factsChannel, ''] as const] : []),
    ...[...channels].map((channel) => [channel, ''] as const),
    ...[...topics].map((topic) => [liveChannel, topic] as const),
  ];
  const notices = sql`unnest(${told.map(([channel]) => channel)}::text[], ${told.map(([, payload]) => payload)}::text[])
    as told (channel, payload)`;
  if (facts.length === 0)
    await sql`${sql.raw(unanswered)} select pg_notify(channel, payload) from ${notices}`.execute(tx);
  else
    await sql`${sql.raw(unanswered)} with recorded as (
        insert into facts (kind, payload, project_id, namespace_id, actor_id)
        select kind, payload::jsonb, project_id, namespace_id, actor_id
        from unnest(
          ${facts.map(({ kind }) => kind)}::text[],
          ${facts.map(({ payload }) => payload)}::text[],
          ${facts.map(({ context }) => context.project_id ?? null)}::bigint[],
          ${facts.map(({ context }) => context.namespace_id ?? null)}::bigint[],
          ${facts.map(({ context }) => context.actor_id ?? null)}::bigint[])
          with ordinality as f (kind, payload, project_id, namespace_id, actor_id, position)
        order by position)
      select pg_notify(channel, payload) from ${notices}`.execute(tx);
}

/** Has messages written before the transaction commits; they are never sent if it does not. */
export async function addToOutbox(tx: Db, messages: readonly Message[]): Promise<void> {
  if (messages.length > 0) await beforeCommit(tx, write, messages);
}

/** Announces a topic from within a statement that changes what it is about. */
export const announcing = (topic: RawBuilder<string>): RawBuilder<unknown> => sql`pg_notify(${liveChannel}, ${topic})`;

/** Wakes whoever listens on a channel, when the transaction commits: once, however often it is asked for. */
export async function wake(tx: Db, channel: string): Promise<void> {
  await addToOutbox(tx, [{ channel }]);
}
