/** Protected environments as the API shows them. */
import type { Static } from 'typebox';
import { Count, Entity, Id, ListOf, Nullable, Text } from '../../../kernel/http/entity.ts';
import type { ProtectedRow, RuleRow } from './protected-environments.queries.ts';

const who = {
  id: Id(),
  access_level: Nullable(Count({ description: 'The lowest role' })),
  access_level_description: Text(),
  user_id: Nullable(Id()),
  group_id: Nullable(Id()),
  group_inheritance_type: Count({ description: '0 for direct members of the group, 1 for inherited ones too' }),
};

const EnvironmentAccessLevel = Entity('EnvironmentAccessLevel', who);
const EnvironmentApprovalRule = Entity('EnvironmentApprovalRule', {
  ...who,
  required_approvals: Count({ description: 'How many of them have to approve' }),
});

export const ProtectedEnvironment = Entity('ProtectedEnvironment', {
  name: Text({ description: 'Name of the environment; of a group, a tier' }),
  deploy_access_levels: ListOf(EnvironmentAccessLevel),
  required_approval_count: Count(),
  approval_rules: ListOf(EnvironmentApprovalRule),
});

const roles: Readonly<Record<number, string>> = {
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Instance admins',
};

/** Who a rule names, in words. */
export const titleOf = (rule: Pick<RuleRow, 'title' | 'access_level'>): string =>
  rule.title ?? roles[rule.access_level ?? 0] ?? String(rule.access_level);

const accessJson = (rule: RuleRow): Static<typeof EnvironmentAccessLevel> => ({
  id: rule.id,
  access_level: rule.access_level,
  access_level_description: titleOf(rule),
  user_id: rule.user_id,
  group_id: rule.group_id,
  group_inheritance_type: rule.group_inheritance_type,
});

export const protectedJson = (row: ProtectedRow): Static<typeof ProtectedEnvironment> => ({
  name: row.name,
  deploy_access_levels: row.rules.filter(({ kind }) => kind === 'deploy').map(accessJson),
  required_approval_count: row.required_approval_count,
  approval_rules: row.rules
    .filter(({ kind }) => kind === 'approval')
    .map((rule) => ({ ...accessJson(rule), required_approvals: rule.required_approvals })),
});
