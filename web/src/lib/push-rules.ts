/** Push rules of a project, a group and the instance: the same questions of all three. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from './api.ts';

export type PushRule = Schemas['PushRule'];
type Values = Omit<PushRule, 'id' | 'project_id' | 'group_id' | 'created_at'>;

export interface PushRulePlace {
  readonly noun: 'project' | 'group' | 'instance';
  readonly key: readonly string[];
  /** The rule that counts; null where there is none. */
  read(): Promise<PushRule | null>;
  /** The place's own rule; made from what counts until then. */
  create(values: Values): Promise<unknown>;
  change(values: Values): Promise<unknown>;
  remove(): Promise<unknown>;
}

export const projectPushRule = (id: string): PushRulePlace => {
  const params = { path: { id } };
  return {
    noun: 'project',
    key: ['project', id, 'push-rule'],
    read: () => unwrap(client.GET('/projects/{id}/push_rule', { params })),
    create: (body) => unwrap(client.POST('/projects/{id}/push_rule', { params, body })),
    change: (body) => unwrap(client.PUT('/projects/{id}/push_rule', { params, body })),
    remove: () => unwrap(client.DELETE('/projects/{id}/push_rule', { params })),
  };
};

export const groupPushRule = (id: string): PushRulePlace => {
  const params = { path: { id } };
  return {
    noun: 'group',
    key: ['group', id, 'push-rule'],
    read: () => unwrap(client.GET('/groups/{id}/push_rule', { params: { ...params, query: { allow_missing: true } } })),
    create: (body) => unwrap(client.POST('/groups/{id}/push_rule', { params, body })),
    change: (body) => unwrap(client.PUT('/groups/{id}/push_rule', { params, body })),
    remove: () => unwrap(client.DELETE('/groups/{id}/push_rule', { params })),
  };
};

export const instancePushRule: PushRulePlace = {
  noun: 'instance',
  key: ['push-rule'],
  read: () => unwrap(client.GET('/admin/push_rule', { params: { query: { allow_missing: true } } })),
  create: (body) => unwrap(client.POST('/admin/push_rule', { body })),
  change: (body) => unwrap(client.PUT('/admin/push_rule', { body })),
  remove: () => unwrap(client.DELETE('/admin/push_rule')),
};

export const pushRuleOf = (place: PushRulePlace) => queryOptions({ queryKey: place.key, queryFn: () => place.read() });

/** Whether a rule that counts in a place is its own, by the id of the project or group. */
export function isOwnRule(place: PushRulePlace, rule: PushRule, id: number | undefined): boolean {
  if (place.noun === 'project') return rule.project_id !== undefined;
  return place.noun === 'instance' || rule.group_id === id;
}
