/** JSON of webhooks. What is secret has a name here and never a value. */
import type { Static } from 'typebox';
import type { WebHook } from '../../../kernel/db/rows.ts';
import { Entity, Fields, Flag, Id, ListOf, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { groupEvents, type HookEvent, sharedEvents } from './hooks.events.ts';
import { alertStatus, alertStatuses } from './hooks.state.ts';

const named = ListOf(Fields({ key: Text() }));
type Switches<E extends HookEvent> = { [K in E]: ReturnType<typeof Flag> };
const switches = <E extends HookEvent>(events: readonly E[]) =>
  Object.fromEntries(events.map((event) => [event, Flag()])) as Switches<E>;

const properties = {
  id: Id(),
  url: Text({ description: 'Masked parts are `{key}`' }),
  name: Nullable(Text()),
  description: Nullable(Text()),
  created_at: Timestamp(),
  ...switches(sharedEvents),
  enable_ssl_verification: Flag(),
  alert_status: Word(alertStatuses),
  disabled_until: Nullable(Timestamp()),
  url_variables: named,
  push_events_branch_filter: Nullable(Text()),
  branch_filter_strategy: Text(),
  custom_webhook_template: Nullable(Text()),
  custom_headers: named,
};
export const ProjectHook = Entity('ProjectHook', { ...properties, project_id: Id() });
export const GroupHook = Entity('GroupHook', { ...properties, ...switches(groupEvents), group_id: Id() });

const on = <E extends HookEvent>(hook: WebHook, events: readonly E[]) =>
  Object.fromEntries(events.map((event) => [event, hook.events.includes(event)])) as Record<E, boolean>;

const common = (hook: WebHook) => ({
  id: hook.id,
  url: hook.url,
  name: hook.name,
  description: hook.description,
  created_at: hook.created_at,
  ...on(hook, sharedEvents),
  enable_ssl_verification: hook.enable_ssl_verification,
  alert_status: alertStatus(hook),
  disabled_until: hook.disabled_until,
  url_variables: hook.url_variable_keys.map((key) => ({ key })),
  push_events_branch_filter: hook.push_events_branch_filter,
  branch_filter_strategy: hook.branch_filter_strategy,
  custom_webhook_template: hook.custom_webhook_template,
  custom_headers: hook.custom_header_keys.map((key) => ({ key })),
});

export const projectHookJson = (hook: WebHook): Static<typeof ProjectHook> => ({
  ...common(hook),
  project_id: hook.project_id ?? 0,
});
export const groupHookJson = (hook: WebHook): Static<typeof GroupHook> => ({
  ...common(hook),
  ...on(hook, groupEvents),
  group_id: hook.namespace_id ?? 0,
});
