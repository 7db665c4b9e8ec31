/** The log of what webhooks were called with, and calling them again. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { WebHook } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidParameters, notFound, recordNotFound, unprocessable } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { Place } from '../../namespaces/index.ts';
import { HookCallEntity, hookCallJson, ResentEntity } from './calls.entity.ts';
import { countCalls, findCall, listCalls, type StatusFilter } from './calls.queries.ts';
import type { HookCalls } from './calls.service.ts';
import { findHook } from './hooks.queries.ts';

const categories: Readonly<Record<string, StatusFilter>> = {
  successful: { from: 200, to: 299 },
  client_failure: { from: 400, to: 499 },
  server_failure: { from: 500, to: 599 },
};

/** A code, or a range of them by its name. */
export function statusFilter(text: string | undefined): StatusFilter {
  if (text === undefined) return null;
  const category = Object.hasOwn(categories, text) ? categories[text] : undefined;
  if (category) return category;
  if (!/^[1-5]\d\d$/.test(text)) throw invalidParameters(['status does not have a valid value']);
  return { from: Number(text), to: Number(text) };
}

export const statusParameter = {
  status: Optional(
    Str({ maxLength: 20, description: 'A code, or one of `successful`, `client_failure`, `server_failure`' }),
  ),
};

/** Sends what a call sent once more. */
export async function resend(deps: { readonly db: Db; readonly calls: HookCalls }, hook: WebHook, id: number) {
  const call = await findCall(deps.db, hook.id, id);
  if (!call) throw notFound('Hook Event');
  if (call.url !== hook.url) throw unprocessable('The hook URL has changed. Unable to resend');
  const { trigger, event, payload } = call;
  const { status, message } = await deps.calls.callNow(hook, { trigger, event, payload: JSON.parse(payload) }, call);
  if (status === null) throw unprocessable(message);
  return { response_status: status };
}

const common = { credentials: ['token', 'session'], tag: 'Webhooks' } as const;
const kinds = [
  { kind: 'group', noun: 'Group', access: { on: 'group', ability: 'admin_group_hook' } },
  { kind: 'project', noun: 'Project', access: { on: 'project', ability: 'admin_hook' } },
] as const;

export function callRoutes(deps: { readonly db: Db; readonly calls: HookCalls }): Route[] {
  const { db } = deps;

  async function find(place: Place, id: number): Promise<WebHook> {
    const hook = await findHook(db, place, id);
    if (!hook) throw recordNotFound();
    return hook;
  }

  return kinds.flatMap(({ kind, noun, access }) => {
    const each = { ...common, access };
    const path = `/${kind}s/:id/hooks/:hook_id/events` as const;
    const one = { id: IdOrPath(noun), hook_id: Int({ description: 'Id of the webhook' }) };
    return [
      route({
        ...each,
        method: 'GET',
        path,
        summary: `List deliveries of a webhook of a ${kind} in the last 7 days`,
        params: Type.Object({ ...one, ...statusParameter }),
        pagination: 'offset',
        responses: { 200: ListOf(HookCallEntity) },
        handler: async ({ params, subject, page }) => {
          const status = statusFilter(params.status);
          const hook = await find(subject, params.hook_id);
          const [rows, total] = await Promise.all([
            listCalls(db, hook.id, status, page),
            countCalls(db, hook.id, status),
          ]);
          return mapPage(offsetPage(page, rows, total), hookCallJson);
        },
      }),
      route({
        ...each,
        method: 'POST',
        path: `${path}/:hook_event_id/resend`,
        summary: `Resend a delivery of a webhook of a ${kind}`,
        params: Type.Object({ ...one, hook_event_id: Int({ description: 'Id of the call' }) }),
        rate: 'web_hook_event_resend',
        responses: { 201: ResentEntity },
        errors: [422],
        handler: async ({ params, subject }) =>
          await resend(deps, await find(subject, params.hook_id), params.hook_event_id),
      }),
    ];
  });
}
