/** Protected branches and tags as the API shows them. */
import type { Static } from 'typebox';
import { Count, Entity, Flag, Id, ListOf, Nullable, Sometimes, Text } from '../../../kernel/http/entity.ts';
import type { GrantRow, RuleRow } from './protections.queries.ts';

const ProtectedRefAccess = Entity('ProtectedRefAccess', {
  id: Id(),
  access_level: Nullable(Count({ description: 'The lowest role; null for one user or group' })),
  access_level_description: Text(),
  deploy_key_id: Sometimes(Id({ description: 'Of a deploy key that may push' })),
  user_id: Nullable(Id()),
  group_id: Nullable(Id()),
});

const accesses = (description: string) => ListOf(ProtectedRefAccess, { description });

export const ProtectedBranch = Entity('ProtectedBranch', {
  id: Id(),
  name: Text({ description: 'Name of a branch, or a pattern with `*`' }),
  push_access_levels: accesses('Who may push'),
  merge_access_levels: accesses('Who may merge'),
  unprotect_access_levels: accesses('Which of those who administer the place may change or lift the protection'),
  allow_force_push: Flag({ description: 'Whether those who may push may also force it' }),
  code_owner_approval_required: Flag({ description: 'Whether changes of owned files need their owners' }),
  inherited: Sometimes(Flag({ description: 'In a project: whether its top-level group protects it' })),
});

export const ProtectedTag = Entity('ProtectedTag', {
  name: Text({ description: 'Name of a tag, or a pattern with `*`' }),
  create_access_levels: accesses('Who may create'),
});

const roles: Readonly<Record<number, string>> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Instance admins',
};

/** Deploy keys push with a maintainer's word: clients that know no keys read it as that role. */
const levelOfKeys = 40;

/** Who it is that may, in words. */
export const describedGrant = ({ level, title }: Pick<GrantRow, 'level' | 'title'>): string =>
  title ?? (level === null ? '' : (roles[level] ?? String(level)));

const accessJson = (grant: GrantRow): Static<typeof ProtectedRefAccess> => ({
  id: grant.id,
  access_level: grant.deploy_key_id === null ? grant.level : levelOfKeys,
  access_level_description: describedGrant(grant),
  ...(grant.deploy_key_id === null ? {} : { deploy_key_id: grant.deploy_key_id }),
  user_id: grant.user_id,
  group_id: grant.group_id,
});

const listed = ({ grants }: RuleRow, kind: GrantRow['kind']) =>
  grants.filter((grant) => grant.kind === kind).map(accessJson);

export const protectedBranchJson = (rule: RuleRow, inProject: boolean): Static<typeof ProtectedBranch> => ({
  id: rule.id,
  name: rule.name,
  push_access_levels: listed(rule, 'push'),
  merge_access_levels: listed(rule, 'merge'),
  unprotect_access_levels: listed(rule, 'unprotect'),
  allow_force_push: rule.allow_force_push,
  code_owner_approval_required: rule.code_owner_approval_required,
  ...(inProject ? { inherited: rule.namespace_id !== null } : {}),
});

export const protectedTagJson = (rule: RuleRow): Static<typeof ProtectedTag> => ({
  name: rule.name,
  create_access_levels: listed(rule, 'create'),
});
