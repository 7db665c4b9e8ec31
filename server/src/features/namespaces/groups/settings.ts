/** Settings of a group as columns: what parameters set, what a new group takes over from the one above, what it may not lift. */
import { isIP } from 'node:net';
import type { Static, TObject } from 'typebox';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import { parseProtection, protectionOf } from '../../../kernel/settings/branch-protection.ts';
import {
  administratorAttributes,
  type attributes,
  type laterAttributes,
  topLevelAttributes,
} from './attributes.params.ts';
import type { GroupColumns } from './groups.queries.ts';

type Parameters = Static<TObject<typeof attributes & typeof laterAttributes>>;
export type GroupAttributes = Partial<Parameters>;

function checkRanges(ranges: string | null | undefined): void {
  for (const range of (ranges ?? '').split(',').filter((part) => part.trim() !== '')) {
    const [address = '', bits, more] = range.trim().split('/');
    const version = isIP(address);
    const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
    if (version === 0 || !fits || more !== undefined)
      throw invalidRecord({ ip_restriction_ranges: ['is an invalid IP address range'] });
  }
}

const domain = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i;

function checkDomains(domains: string | null | undefined): void {
  const all = (domains ?? '').split(',').map((each) => each.trim());
  if (domains && !all.every((each) => domain.test(each)))
    throw invalidRecord({ allowed_email_domains_list: ['has a domain that is not valid'] });
}

/** The rules as they are stored; null, for what the instance says, where none are given. */
function protectionRules(
  level: number | undefined,
  rules: Readonly<Record<string, unknown>> | undefined,
): string | null {
  if (rules === undefined) return level === undefined ? null : JSON.stringify(protectionOf(level));
  if (Object.keys(rules).length === 0) return null;
  const parsed = parseProtection(rules);
  if (parsed === null) throw invalidRecord({ default_branch_protection_defaults: ['must be a valid json schema'] });
  return JSON.stringify(parsed);
}

function checkPlace(given: GroupAttributes, topLevel: boolean): void {
  if (topLevel) return;
  const wrong = topLevelAttributes.filter((name) => given[name] !== undefined && given[name] !== null);
  if (wrong.length > 0)
    throw invalidRecord(Object.fromEntries(wrong.map((name) => [name, ['is only allowed for top-level groups']])));
}

interface SettingRights {
  readonly admin: boolean;
  readonly topLevel: boolean;
  /** Whether those who are no administrators say what is protected of new projects. */
  readonly ownersProtect: boolean;
}

/** Columns that the parameters set, without path, name, visibility and picture. */
export function settingColumns(
  given: GroupAttributes,
  { admin, topLevel, ownersProtect }: SettingRights,
): GroupColumns {
  const {
    avatar: _avatar,
    visibility: _visibility,
    emails_disabled,
    description,
    default_branch_protection: level,
    default_branch_protection_defaults: rules,
    ...columns
  } = given;
  checkPlace(given, topLevel);
  checkRanges(given.ip_restriction_ranges);
  checkDomains(given.allowed_email_domains_list);
  const changes: GroupColumns = { ...columns };
  if (description !== undefined) changes.description = description ?? '';
  if (columns.default_branch === '') changes.default_branch = null;
  if (columns.ip_restriction_ranges === '') changes.ip_restriction_ranges = null;
  if (columns.allowed_email_domains_list === '') changes.allowed_email_domains_list = null;
  if (emails_disabled !== undefined && columns.emails_enabled === undefined) changes.emails_enabled = !emails_disabled;
  if (rules !== undefined || level !== undefined)
    changes.default_branch_protection_defaults = protectionRules(level, rules);
  // An older name of the same.
  if (columns.shared_runners_setting === 'disabled_with_override')
    changes.shared_runners_setting = 'disabled_and_overridable';
  if (!admin) for (const name of administratorAttributes) delete changes[name];
  if (!admin && !ownersProtect) delete changes.default_branch_protection_defaults;
  return changes;
}

/** What a group takes over from the one it is made below. */
export const inheritedColumns = (parent: Namespace): GroupColumns => ({
  emails_enabled: parent.emails_enabled,
  share_with_group_lock: parent.share_with_group_lock,
  shared_runners_setting: parent.shared_runners_setting,
  math_rendering_limits_enabled: parent.math_rendering_limits_enabled,
});

/** Refuses what the group above does not allow. */
export function requireInherited(
  changes: GroupColumns,
  parent: Namespace,
  { ownsParent }: { readonly ownsParent: boolean },
): void {
  const runners = changes.shared_runners_setting;
  if (
    runners !== undefined &&
    runners !== 'disabled_and_unoverridable' &&
    parent.shared_runners_setting === 'disabled_and_unoverridable'
  )
    throw invalidRecord({
      shared_runners_enabled: ['cannot be enabled because parent group has shared Runners disabled'],
    });
  if (changes.share_with_group_lock === false && parent.share_with_group_lock && !ownsParent)
    throw invalidRecord({
      share_with_group_lock: [
        'cannot be disabled when the parent group "Share with group lock" is enabled, except by the owner of the parent group',
      ],
    });
}

/** Refuses to change the limits of formulas where the instance or a group above has locked them; `now` is what they are. */
export function requireFormulasFree(changes: GroupColumns, now: boolean, locked: boolean): void {
  const wanted = changes.math_rendering_limits_enabled;
  if (locked && wanted !== undefined && wanted !== now)
    throw invalidRecord({ math_rendering_limits_enabled: ['cannot be changed because it is locked by an ancestor'] });
}
