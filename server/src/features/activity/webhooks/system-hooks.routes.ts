/** Hooks of the instance, for administrators. */
import Type, { type Static } from 'typebox';
import { type AuditOrigin, instanceEntity, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { WebHook } from '../../../kernel/db/rows.ts';
import { Count, Entity, Flag, Id, ListOf, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { HttpError, notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, Int, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { branchFilterParams } from './branch-filter.ts';
import { HookCallEntity, hookCallJson, ResentEntity } from './calls.entity.ts';
import { countCalls, listCalls } from './calls.queries.ts';
import { resend, statusFilter, statusParameter } from './calls.routes.ts';
import type { HookCalls } from './calls.service.ts';
import type { HookEvent } from './hooks.events.ts';
import { deleteHook, insertHook, updateHook } from './hooks.queries.ts';
import { alertStatus, alertStatuses } from './hooks.state.ts';
import { hookPurpose, hookToken } from './secrets.ts';
import { countSystemHooks, findSystemHook, listSystemHooks } from './system-hooks.queries.ts';

const switches = ['push_events', 'tag_push_events', 'merge_requests_events', 'repository_update_events'] as const;
type Switch = (typeof switches)[number];
/** On unless told otherwise, as clients expect. */
const usual: readonly HookEvent[] = ['repository_update_events'];

const SystemHook = Entity('SystemHook', {
  id: Id(),
  url: Text(),
  name: Nullable(Text()),
  description: Nullable(Text()),
  created_at: Timestamp(),
  push_events: Flag(),
  tag_push_events: Flag(),
  merge_requests_events: Flag(),
  repository_update_events: Flag({ description: 'Once for each push, with all its refs' }),
  enable_ssl_verification: Flag(),
  push_events_branch_filter: Nullable(Text()),
  branch_filter_strategy: Text(),
  alert_status: Word(alertStatuses),
  disabled_until: Nullable(Timestamp()),
});

const systemHookJson = (hook: WebHook): Static<typeof SystemHook> => {
  const on = (event: Switch) => hook.events.includes(event);
  return {
    id: hook.id,
    url: hook.url,
    name: hook.name,
    description: hook.description,
    created_at: hook.created_at,
    push_events: on('push_events'),
    tag_push_events: on('tag_push_events'),
    merge_requests_events: on('merge_requests_events'),
    repository_update_events: on('repository_update_events'),
    enable_ssl_verification: hook.enable_ssl_verification,
    push_events_branch_filter: hook.push_events_branch_filter,
    branch_filter_strategy: hook.branch_filter_strategy,
    alert_status: alertStatus(hook),
    disabled_until: hook.disabled_until,
  };
};

/** What a try sends and is answered: the same for everybody. */
const mock = {
  project_id: 1,
  owner_email: 'example@example.com',
  owner_name: 'Someone',
  name: 'Ruby',
  path: 'ruby',
  event_name: 'project_create',
};
const MockPayload = Entity('SystemHookTry', {
  project_id: Count(),
  owner_email: Text(),
  owner_name: Text(),
  name: Text(),
  path: Text(),
  event_name: Text(),
});

const flag = (what: string) => Optional(Bool({ description: `Sends ${what}` }));
const attributes = {
  name: Optional(OrNull(Str({ maxLength: 255, description: 'Name of the hook' }))),
  description: Optional(OrNull(Str({ maxLength: 2048, description: 'What the hook is for' }))),
  token: Optional(hookToken),
  push_events: flag('pushes to branches'),
  tag_push_events: flag('tags that are pushed'),
  merge_requests_events: flag('changes of merge requests'),
  repository_update_events: flag('one event for each push; default true'),
  enable_ssl_verification: Optional(Bool({ description: 'Whether certificates are checked; default true' })),
  ...branchFilterParams,
};
const url = Str({ minLength: 1, maxLength: 2048, description: 'Where events are sent: http or https' });

type Given = { readonly [K in Switch]?: boolean | undefined } & {
  readonly url?: string | undefined;
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly token?: string | null | undefined;
  readonly enable_ssl_verification?: boolean | undefined;
  readonly push_events_branch_filter?: string | null | undefined;
  readonly branch_filter_strategy?: WebHook['branch_filter_strategy'] | undefined;
};

interface SystemHookDependencies {
  readonly db: Db;
  readonly outbound: Pick<Outbound, 'refusal'>;
  readonly secrets: Pick<Secrets, 'seal'>;
  readonly calls: HookCalls;
}

const common = {
  credentials: ['token', 'session'],
  tag: 'System hooks',
  access: { on: 'instance', ability: 'admin' },
} as const;

export function systemHookRoutes(deps: SystemHookDependencies): Route[] {
  const { db, outbound, secrets, calls } = deps;
  const id = { id: Int({ description: 'Id of the hook' }) };

  async function find(hookId: number): Promise<WebHook> {
    const hook = await findSystemHook(db, hookId);
    if (!hook) throw notFound();
    return hook;
  }

  async function columnsOf(given: Given, before: readonly string[]) {
    if (given.url !== undefined && (await outbound.refusal(given.url, 'system_hook')))
      throw new HttpError(422, { error: 'Invalid url given' });
    const { url: address, name, description, token, enable_ssl_verification: verify } = given;
    const { push_events_branch_filter: filter, branch_filter_strategy: strategy } = given;
    return {
      events: switches.filter((event) => given[event] ?? before.includes(event)),
      ...(address === undefined ? {} : { url: address }),
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(verify === undefined ? {} : { enable_ssl_verification: verify }),
      ...(filter === undefined ? {} : { push_events_branch_filter: filter }),
      ...(strategy === undefined ? {} : { branch_filter_strategy: strategy }),
      ...(token === undefined ? {} : { token_sealed: token ? secrets.seal(token, hookPurpose) : null }),
    };
  }

  const audited = (tx: Db, origin: AuditOrigin, hook: WebHook, event: string) =>
    recordAudit(tx, {
      ...origin,
      entity: instanceEntity,
      event: `system_hook_${event}`,
      // The address may hold a secret of its own: its host says where.
      details: { host: URL.parse(hook.url)?.host ?? '', events: hook.events },
      target: { type: 'SystemHook', id: hook.id, details: `Hook ${hook.id}` },
    });

  return [
    route({
      ...common,
      method: 'GET',
      path: '/hooks',
      summary: 'List system hooks',
      params: Type.Object({}),
      pagination: 'offset',
      responses: { 200: ListOf(SystemHook) },
      handler: async ({ page }) => {
        const [rows, total] = await Promise.all([listSystemHooks(db, page), countSystemHooks(db)]);
        return mapPage(offsetPage(page, rows, total), systemHookJson);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/hooks/:id',
      summary: 'Get a system hook',
      params: Type.Object(id),
      responses: { 200: SystemHook },
      handler: async ({ params }) => systemHookJson(await find(params.id)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/hooks',
      summary: 'Create a system hook',
      params: Type.Object({ ...attributes, url }),
      responses: { 201: SystemHook },
      errors: [422],
      handler: async (context) => {
        const { params } = context;
        const columns = { ...(await columnsOf(params, usual)), url: params.url };
        return await transaction(db, async (tx) => {
          const hook = await insertHook(tx, null, columns);
          await audited(tx, originOf(context), hook, 'created');
          return systemHookJson(hook);
        });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/hooks/:id',
      summary: 'Update a system hook',
      params: Type.Object({ ...id, ...attributes, url: Optional(url) }),
      responses: { 200: SystemHook },
      errors: [422],
      handler: async (context) => {
        const { id: hookId, ...given } = context.params;
        const before = await find(hookId);
        // The token is for the receiver that it was given for.
        const moved = given.url !== undefined && given.url !== before.url;
        const columns = await columnsOf(
          { ...given, ...(moved && given.token === undefined ? { token: null } : {}) },
          before.events,
        );
        return await transaction(db, async (tx) => {
          const hook = await updateHook(tx, hookId, columns);
          if (!hook) throw notFound();
          await audited(tx, originOf(context), hook, 'updated');
          return systemHookJson(hook);
        });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/hooks/:id',
      summary: 'Test a system hook; the answer is the payload, whatever the receiver says',
      params: Type.Object(id),
      rate: 'web_hook_test',
      responses: { 201: MockPayload },
      handler: async ({ params }) => {
        const hook = await find(params.id);
        await calls.callNow(hook, { trigger: 'system_hooks', event: 'System Hook', payload: mock });
        return mock;
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/hooks/:id',
      summary: 'Delete a system hook',
      params: Type.Object(id),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const hook = await find(context.params.id);
        context.unmodifiedSince(hook.updated_at);
        await transaction(db, async (tx) => {
          if (!(await deleteHook(tx, hook.id))) throw notFound();
          await audited(tx, originOf(context), hook, 'destroyed');
        });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/hooks/:id/events',
      summary: 'List deliveries of a system hook in the last 7 days',
      params: Type.Object({ ...id, ...statusParameter }),
      pagination: 'offset',
      responses: { 200: ListOf(HookCallEntity) },
      handler: async ({ params, page }) => {
        const status = statusFilter(params.status);
        const hook = await find(params.id);
        const [rows, total] = await Promise.all([
          listCalls(db, hook.id, status, page),
          countCalls(db, hook.id, status),
        ]);
        return mapPage(offsetPage(page, rows, total), hookCallJson);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/hooks/:id/events/:hook_event_id/resend',
      summary: 'Resend a delivery of a system hook',
      params: Type.Object({ ...id, hook_event_id: Int({ description: 'Id of the call' }) }),
      rate: 'web_hook_event_resend',
      responses: { 201: ResentEntity },
      errors: [422],
      handler: async ({ params }) => await resend(deps, await find(params.id), params.hook_event_id),
    }),
  ];
}
