/** Approval rules and settings of groups, for all projects below them. */
import type { Migration } from './index.ts';

const groupApprovals = `
create table group_approval_settings (
  namespace_id bigint primary key references namespaces (id) on delete cascade,
  allow_author_approval boolean not null default true,
  allow_committer_approval boolean not null default true,
  allow_overrides_to_approver_list_per_merge_request boolean not null default true,
  retain_approvals_on_push boolean not null default true,
  require_reauthentication_to_approve boolean not null default false
);

alter table approval_rules add column namespace_id bigint references namespaces (id) on delete cascade;
alter table approval_rules drop constraint approval_rules_check;
alter table approval_rules add constraint approval_rules_owner
  check (num_nonnulls(project_id, merge_request_id, namespace_id) = 1);
create unique index approval_rules_group_name_key on approval_rules (namespace_id, name) where namespace_id is not null;
create unique index approval_rules_group_any_key on approval_rules (namespace_id) where rule_type = 'any_approver';
create index approval_rules_group on approval_rules (namespace_id, id) where namespace_id is not null;
`;

export const groupApprovalsMigration: Migration = {
  name: '0642-group-approvals',
  statements: [groupApprovals],
};
