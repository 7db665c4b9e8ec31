/** Approval rules and settings of a project or a group, and the rules of one merge request. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll } from './api.ts';

export type ApprovalRule = Pick<
  Schemas['ApprovalRule'],
  'id' | 'name' | 'rule_type' | 'approvals_required' | 'users' | 'groups' | 'contains_hidden_groups'
>;

export interface RuleValues {
  readonly name: string;
  readonly approvals_required: number;
  readonly usernames: string[];
  readonly group_ids: number[];
}

/** Where rules are: of a group, of a project, or of one of its merge requests. */
export interface RulePlace {
  readonly key: readonly unknown[];
  list(): Promise<ApprovalRule[]>;
  add(values: RuleValues): Promise<unknown>;
  change(id: number, values: RuleValues): Promise<unknown>;
  remove(id: number): Promise<unknown>;
}

export function projectRules(id: string): RulePlace {
  const one = (approval_rule_id: number) => ({ path: { id, approval_rule_id } });
  return {
    key: ['project', id, 'approval-rules'],
    list: () =>
      unwrapAll(client.GET('/projects/{id}/approval_rules', { params: { path: { id }, query: { per_page: 100 } } })),
    add: (body) => unwrap(client.POST('/projects/{id}/approval_rules', { params: { path: { id } }, body })),
    change: (rule, body) =>
      unwrap(client.PUT('/projects/{id}/approval_rules/{approval_rule_id}', { params: one(rule), body })),
    remove: (rule) => unwrap(client.DELETE('/projects/{id}/approval_rules/{approval_rule_id}', { params: one(rule) })),
  };
}

export function groupRules(id: string): RulePlace {
  const one = (approval_rule_id: number) => ({ path: { id, approval_rule_id } });
  return {
    key: ['group', id, 'approval-rules'],
    list: () =>
      unwrapAll(client.GET('/groups/{id}/approval_rules', { params: { path: { id }, query: { per_page: 100 } } })),
    add: (body) => unwrap(client.POST('/groups/{id}/approval_rules', { params: { path: { id } }, body })),
    change: (rule, body) =>
      unwrap(client.PUT('/groups/{id}/approval_rules/{approval_rule_id}', { params: one(rule), body })),
    remove: (rule) => unwrap(client.DELETE('/groups/{id}/approval_rules/{approval_rule_id}', { params: one(rule) })),
  };
}

export function requestRules(id: string, merge_request_iid: number): RulePlace {
  const all = { id, merge_request_iid };
  const one = (approval_rule_id: number) => ({ path: { ...all, approval_rule_id } });
  const path = '/projects/{id}/merge_requests/{merge_request_iid}/approval_rules' as const;
  return {
    key: ['project', id, 'merge-request', merge_request_iid, 'approval-rules'],
    list: () => unwrapAll(client.GET(path, { params: { path: all, query: { per_page: 100 } } })),
    add: (body) => unwrap(client.POST(path, { params: { path: all }, body })),
    change: (rule, body) => unwrap(client.PUT(`${path}/{approval_rule_id}` as const, { params: one(rule), body })),
    remove: (rule) => unwrap(client.DELETE(`${path}/{approval_rule_id}` as const, { params: one(rule) })),
  };
}

export const rulesOf = (place: RulePlace) => queryOptions({ queryKey: place.key, queryFn: place.list });

export type ApprovalSettings = Partial<Schemas['MergeRequestApprovalSettings']>;
export type ApprovalSettingName = Exclude<keyof Schemas['MergeRequestApprovalSettings'], 'require_password_to_approve'>;
type SettingValues = Partial<Record<ApprovalSettingName, boolean>>;

/** Where approval settings are: of a group or of a project. */
export interface ApprovalSettingPlace {
  readonly key: readonly unknown[];
  load(): Promise<ApprovalSettings>;
  save(body: SettingValues): Promise<unknown>;
}

export const projectApprovalSettings = (id: string): ApprovalSettingPlace => ({
  key: ['project', id, 'approval-settings'],
  load: () => unwrap(client.GET('/projects/{id}/merge_request_approval_setting', { params: { path: { id } } })),
  save: (body) =>
    unwrap(client.PUT('/projects/{id}/merge_request_approval_setting', { params: { path: { id } }, body })),
});

export const groupApprovalSettings = (id: string): ApprovalSettingPlace => ({
  key: ['group', id, 'approval-settings'],
  load: () => unwrap(client.GET('/groups/{id}/merge_request_approval_setting', { params: { path: { id } } })),
  save: (body) => unwrap(client.PUT('/groups/{id}/merge_request_approval_setting', { params: { path: { id } }, body })),
});

export const approvalSettingsOf = (place: ApprovalSettingPlace) =>
  queryOptions({ queryKey: place.key, queryFn: place.load });

/** Groups that can be named as approvers. */
export const groupsCalled = (search: string) =>
  queryOptions({
    queryKey: ['groups', 'called', search],
    queryFn: () =>
      unwrap(client.GET('/groups', { params: { query: { per_page: 20, ...(search ? { search } : {}) } } })),
  });
