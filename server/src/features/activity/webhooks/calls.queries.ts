/** Rows of `web_hook_calls`: what waits to be sent, and the log of what was. Rows of hooks as far as calls change them. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { WebHook, WebHookCall } from '../../../kernel/db/rows.ts';
import type { WebHookCallsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { failuresToDisable, failuresToPause, longestPauseMinutes } from './hooks.state.ts';

/** Hooks of a project and of groups that want to be told of an event, the paused ones left out. */
export async function hooksToCall(
  db: Db,
  place: { readonly projectId: number | null; readonly groupIds: readonly number[] },
  event: string,
): Promise<WebHook[]> {
  return await db
    .selectFrom('web_hooks')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('project_id', '=', place.projectId),
        eb('namespace_id', '=', sql<number>`any(${[...place.groupIds]}::bigint[])`),
      ]),
    )
    .where(sql<boolean>`${event} = any(events)`)
    .where('failures', '<', failuresToDisable)
    .where((eb) => eb.or([eb('disabled_until', 'is', null), eb('disabled_until', '<=', sql<Date>`now()`)]))
    .orderBy('id')
    .execute();
}

/** Whether anybody may hear of what happens in a project: a hook or an integration of it, of a group above it or of all. */
export async function isHeard(db: Db, projectId: number): Promise<boolean> {
  const { rows } = await sql<{ heard: boolean }>`
    with above as (select p.id, n.traversal_ids as groups from projects p join namespaces n on n.id = p.namespace_id
      where p.id = ${projectId})
    select exists (select from web_hooks h where h.project_id = ${projectId})
      or exists (select from web_hooks h where h.namespace_id = any((select groups from above)::bigint[]))
      or exists (select from integrations i where i.active and (i.project_id = ${projectId}
        or i.namespace_id = any((select groups from above)::bigint[])
        or (i.project_id is null and i.namespace_id is null))) as heard`.execute(db);
  return rows[0]?.heard === true;
}

/** Hooks of the instance; with an event those that want it, without one all. */
export async function systemHooksToCall(db: Db, event: string | null): Promise<WebHook[]> {
  const query = db
    .selectFrom('web_hooks')
    .selectAll()
    .where('namespace_id', 'is', null)
    .where('project_id', 'is', null)
    .orderBy('id');
  return await (event === null ? query : query.where(sql<boolean>`${event} = any(events)`)).execute();
}

/** False when the hook has a call of the fact already, or is gone. */
export async function insertCall(tx: Db, call: Insertable<WebHookCallsTable>): Promise<WebHookCall | undefined> {
  const there = await tx
    .selectFrom('web_hooks')
    .select('id')
    .where('id', '=', call.hook_id)
    .forKeyShare()
    .executeTakeFirst();
  if (!there) return undefined;
  return await tx
    .insertInto('web_hook_calls')
    .values(call)
    .onConflict((conflict) =>
      conflict.columns(['hook_id', 'fact_id', 'trigger']).where('fact_id', 'is not', null).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Seconds after which a call that is being sent belongs to a process that died. */
const claimSeconds = 120;

/** Takes the oldest call that is due; none while another process sends one to the same hook. */
export async function claimCall(db: Db, hookId: number): Promise<WebHookCall | undefined> {
  await sql`update web_hook_calls set state = 'waiting' where hook_id = ${hookId} and state = 'sending'
    and claimed_at < now() - make_interval(secs => ${claimSeconds})`.execute(db);
  const { rows } = await sql<WebHookCall>`
    update web_hook_calls set state = 'sending', claimed_at = now(), attempts = attempts + 1
    where id = (select id from web_hook_calls where hook_id = ${hookId} and state = 'waiting' and run_at <= now()
        and not exists (select from web_hook_calls where hook_id = ${hookId} and state = 'sending')
      order by id limit 1 for update skip locked)
    returning *`.execute(db);
  return rows[0];
}

export type CallResult = Pick<
  Insertable<WebHookCallsTable>,
  'request_headers' | 'response_headers' | 'response_body' | 'response_code' | 'duration'
>;

/** Writes what came of an attempt; with a date it waits for another one. */
export async function finishCall(tx: Db, id: number, result: CallResult, again: Date | null): Promise<void> {
  await tx
    .updateTable('web_hook_calls')
    .set({ ...result, state: again === null ? 'done' : 'waiting', ...(again === null ? {} : { run_at: again }) })
    .where('id', '=', id)
    .execute();
}

export async function dropCall(db: Db, id: number): Promise<void> {
  await db.deleteFrom('web_hook_calls').where('id', '=', id).execute();
}

export async function hookById(db: Db, id: number): Promise<WebHook | undefined> {
  return await db.selectFrom('web_hooks').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A call that worked: the hook is as new. */
export async function hookWorked(tx: Db, id: number): Promise<void> {
  await tx
    .updateTable('web_hooks')
    .set({ failures: 0, pauses: 0, disabled_until: null })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('failures', '>', 0), eb('pauses', '>', 0), eb('disabled_until', 'is not', null)]))
    .execute();
}

/** A call that failed: the hook pauses after a few, each time twice as long, and is switched off in the end. */
export async function hookFailed(tx: Db, id: number): Promise<void> {
  await sql`update web_hooks set failures = least(failures + 1, ${failuresToDisable}),
      pauses = case when failures + 1 between ${failuresToPause} and ${failuresToDisable - 1}
        then pauses + 1 else pauses end,
      disabled_until = case when failures + 1 between ${failuresToPause} and ${failuresToDisable - 1}
        then now() + make_interval(mins => least(${longestPauseMinutes}, power(2, least(pauses, 20)))::int) else null end
    where id = ${id}`.execute(tx);
}

export type StatusFilter = { readonly from: number; readonly to: number } | null;

/** What was sent, or tried. */
const logged = (db: Db, hookId: number, status: StatusFilter) => {
  const query = db
    .selectFrom('web_hook_calls')
    .where('hook_id', '=', hookId)
    .where((eb) => eb.or([eb('state', '=', 'done'), eb('attempts', '>', 0)]))
    .where('request_headers', 'is not', null);
  return status ? query.where('response_code', '>=', status.from).where('response_code', '<=', status.to) : query;
};

export async function listCalls(
  db: Db,
  hookId: number,
  status: StatusFilter,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<WebHookCall[]> {
  return await logged(db, hookId, status)
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

export const countCalls = (db: Db, hookId: number, status: StatusFilter): Promise<number> =>
  countUpTo(db, logged(db, hookId, status).select('id'));

export async function findCall(db: Db, hookId: number, id: number): Promise<WebHookCall | undefined> {
  return await logged(db, hookId, null).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Removes a batch of calls that were made before the date; answers how many. */
export async function removeCalls(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from web_hook_calls where id in (
    select id from web_hook_calls where created_at < ${before} order by created_at limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Hooks with calls that should have been sent: whoever was about to is gone. */
export async function hooksLeftBehind(db: Db): Promise<number[]> {
  const { rows } = await sql<{ hook_id: number }>`
    select hook_id from web_hook_calls where state = 'waiting' and run_at < now() - interval '1 minute'
    union
    select hook_id from web_hook_calls
    where state = 'sending' and claimed_at < now() - make_interval(secs => ${claimSeconds})`.execute(db);
  return rows.map(({ hook_id }) => hook_id);
}
