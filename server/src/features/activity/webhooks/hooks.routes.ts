/** Routes of webhooks of groups and projects: one set of handlers, two places. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { Entity, ListOf, Text } from '../../../kernel/http/entity.ts';
import { invalidParameters, recordNotFound, unauthorized, unprocessable } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, List, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Place } from '../../namespaces/index.ts';
import { branchFilterParams } from './branch-filter.ts';
import type { HookCalls, HookMessage } from './calls.service.ts';
import { GroupHook, groupHookJson, ProjectHook, projectHookJson } from './hooks.entity.ts';
import { groupEvents, type HookEvent, sharedEvents } from './hooks.events.ts';
import { countHooks, findHook, listHooks } from './hooks.queries.ts';
import { type HookDependencies, hookService } from './hooks.service.ts';
import { hookToken } from './secrets.ts';

const common = { credentials: ['token', 'session'], tag: 'Webhooks' } as const;
const url = Str({ minLength: 1, maxLength: 2048, description: 'Where events are sent: http or https' });

const flags = <E extends HookEvent>(events: readonly E[]) =>
  Object.fromEntries(
    events.map((event) => [
      event,
      Optional(Bool({ description: `Sends ${event.replace(/_events$/, '').replaceAll('_', ' ')} events` })),
    ]),
  ) as Record<E, ReturnType<typeof Optional<ReturnType<typeof Bool>>>>;

const pairs = (description: string) =>
  Optional(
    List(
      Type.Object({
        key: Str({ maxLength: 255, description: 'Name' }),
        value: Str({ maxLength: 2048, description: 'Never shown again' }),
      }),
      { maxItems: 20, description },
    ),
  );

const attributes = {
  name: Optional(OrNull(Str({ maxLength: 255, description: 'Name of the webhook' }))),
  description: Optional(OrNull(Str({ maxLength: 2048, description: 'What the webhook is for' }))),
  token: Optional(hookToken),
  enable_ssl_verification: Optional(Bool({ description: 'Whether certificates are checked; default true' })),
  ...branchFilterParams,
  custom_webhook_template: Optional(OrNull(Str({ maxLength: 4096, description: 'Another body than the usual one' }))),
  custom_headers: pairs('Headers sent with each event'),
  url_variables: pairs('Masked parts of the URL, which has `{key}` in their place'),
};

const kinds = [
  {
    kind: 'group',
    noun: 'Group',
    entity: GroupHook,
    json: groupHookJson,
    events: flags([...sharedEvents, ...groupEvents]),
    triggers: [...sharedEvents, ...groupEvents] as readonly string[],
    access: { on: 'group', ability: 'admin_group_hook' },
  },
  {
    kind: 'project',
    noun: 'Project',
    entity: ProjectHook,
    json: projectHookJson,
    events: flags(sharedEvents),
    triggers: sharedEvents as readonly string[],
    access: { on: 'project', ability: 'admin_hook' },
  },
] as const;

const parts = [
  { path: 'custom_headers', part: 'custom_headers', noun: 'a header' },
  { path: 'url_variables', part: 'url_variables', noun: 'a masked part of the URL' },
] as const;

const Tried = Entity('TriedWebHook', { message: Text() });

export interface HookRouteDependencies extends HookDependencies {
  /** What a hook is tested with: something that exists, or why nothing does. */
  readonly hookSample: (place: Place, event: HookEvent, user: User) => Promise<HookMessage | string>;
  readonly calls: Pick<HookCalls, 'callNow'>;
}

export function hookRoutes(deps: HookRouteDependencies): Route[] {
  const { db } = deps;
  const hooks = hookService(deps);

  async function find(place: Place, id: number) {
    const hook = await findHook(db, place, id);
    if (!hook) throw recordNotFound();
    return hook;
  }

  return kinds.flatMap(({ kind, noun, entity, json, events, triggers, access }) => {
    const base = `/${kind}s/:id/hooks`;
    const parent = { id: IdOrPath(noun) };
    const one = { ...parent, hook_id: Int({ description: 'Id of the webhook' }) };
    const each = { ...common, access };
    const secretRoutes = parts.flatMap(({ path, part, noun: what }) => {
      const key = { key: Str({ maxLength: 255, description: 'Name' }) };
      return [
        route({
          ...each,
          method: 'PUT',
          path: `${base}/:hook_id/${path}/:key`,
          summary: `Set ${what} of a webhook of a ${kind}`,
          params: Type.Object({ ...one, ...key, value: Str({ maxLength: 2048, description: 'Never shown again' }) }),
          responses: { 204: Empty },
          errors: [422],
          handler: async (context) => {
            const { hook_id, key: name, value } = context.params;
            await hooks.setPart(context.subject, hook_id, part, name, value, originOf(context));
          },
        }),
        route({
          ...each,
          method: 'DELETE',
          path: `${base}/:hook_id/${path}/:key`,
          summary: `Delete ${what} of a webhook of a ${kind}`,
          params: Type.Object({ ...one, ...key }),
          responses: { 204: Empty },
          errors: [422],
          conditional: 'Parts of a webhook have no date of change of their own.',
          handler: async (context) => {
            const { hook_id, key: name } = context.params;
            await hooks.setPart(context.subject, hook_id, part, name, null, originOf(context));
          },
        }),
      ];
    });
    return [
      route({
        ...each,
        method: 'GET',
        path: base,
        summary: `List webhooks of a ${kind}`,
        params: Type.Object(parent),
        pagination: 'offset',
        responses: { 200: ListOf(entity) },
        handler: async ({ page, subject }) => {
          const [rows, total] = await Promise.all([listHooks(db, subject, page), countHooks(db, subject)]);
          return mapPage(offsetPage(page, rows, total), (row): unknown => json(row));
        },
      }),
      route({
        ...each,
        method: 'GET',
        path: `${base}/:hook_id`,
        summary: `Get a webhook of a ${kind}`,
        params: Type.Object(one),
        responses: { 200: entity },
        handler: async ({ params, subject }) => json(await find(subject, params.hook_id)),
      }),
      route({
        ...each,
        method: 'POST',
        path: base,
        summary: `Add a webhook to a ${kind}`,
        params: Type.Object({ ...parent, ...attributes, ...events, url }),
        responses: { 201: entity },
        errors: [422],
        handler: async (context) => {
          const { id: _, ...given } = context.params;
          return json(await hooks.create(context.subject, given, originOf(context)));
        },
      }),
      route({
        ...each,
        method: 'PUT',
        path: `${base}/:hook_id`,
        summary: `Update a webhook of a ${kind}`,
        params: Type.Object({ ...one, ...attributes, ...events, url: Optional(url) }),
        responses: { 200: entity },
        errors: [422],
        handler: async (context) => {
          const { id: _, hook_id: id, ...given } = context.params;
          return json(await hooks.update(context.subject, id, given, originOf(context)));
        },
      }),
      route({
        ...each,
        method: 'DELETE',
        path: `${base}/:hook_id`,
        summary: `Delete a webhook of a ${kind}`,
        params: Type.Object(one),
        responses: { 204: Empty },
        conditional: true,
        handler: async (context) => {
          const hook = await find(context.subject, context.params.hook_id);
          context.unmodifiedSince(hook.updated_at);
          await hooks.remove(context.subject, hook, originOf(context));
        },
      }),
      route({
        ...each,
        method: 'POST',
        path: `${base}/:hook_id/test/:trigger`,
        summary: `Test a webhook of a ${kind} with existing data`,
        params: Type.Object({ ...one, trigger: Str({ maxLength: 64, description: 'What it is told of' }) }),
        rate: 'web_hook_test',
        responses: { 201: Tried },
        errors: [422],
        handler: async ({ params, subject, caller }) => {
          const hook = await find(subject, params.hook_id);
          if (!caller.user) throw unauthorized();
          if (!triggers.includes(params.trigger)) throw invalidParameters(['trigger does not have a valid value']);
          const message = await deps.hookSample(subject, params.trigger as HookEvent, caller.user);
          if (typeof message === 'string') throw unprocessable(message);
          const called = await deps.calls.callNow(hook, message);
          if (!called.ok) throw unprocessable(called.message);
          return { message: '201 Created' };
        },
      }),
      ...secretRoutes,
    ];
  });
}
