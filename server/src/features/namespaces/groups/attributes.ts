/**
 * Every attribute of a group: where it is kept, who sees it, and what it does. docs/api/group-attributes.md and the tests
 * are made from it.
 */
import type { Namespace } from '../../../kernel/db/rows.ts';
import { attributes, laterAttributes } from './attributes.params.ts';

export const groupAttributeParameters = { ...attributes, ...laterAttributes };
export type GroupAttributeName = keyof typeof groupAttributeParameters;

interface GroupAttribute {
  readonly stored: keyof Namespace;
  /** The smallest view that shows it: lists, the group by itself, the group for its owners; administrators alone. */
  readonly returned: 'list' | 'detail' | 'owner' | 'administrator';
  /** The key of the answer, where it has another name. */
  readonly as?: string;
  /** What changes besides that it is shown. `later`: kept for a part of the product that is not there yet. */
  readonly effect: string | { readonly later: string };
  /** The test that proves the effect, below features/namespaces. */
  readonly test?: string;
  /** A value other than the default, for the test of storing and returning. */
  readonly sample?: string | number | boolean | readonly (string | number)[];
}

const groupTest = 'groups/effects.test.ts';
const acts = (
  stored: keyof Namespace,
  effect: string,
  sample?: GroupAttribute['sample'],
  test = groupTest,
): GroupAttribute => ({ stored, returned: 'list', effect, test, ...(sample === undefined ? {} : { sample }) });
const waits = (stored: keyof Namespace, later: string, sample: GroupAttribute['sample']): GroupAttribute => ({
  stored,
  returned: 'list',
  effect: { later },
  sample,
});
const detail = { returned: 'detail' } as const;
const owner = { returned: 'owner' } as const;
const downloadTest = 'downloads/downloads.test.ts';

/** What becomes of each attribute. */
export const groupAttributes: Readonly<Record<GroupAttributeName, GroupAttribute>> = {
  allow_merge_on_skipped_pipeline: {
    ...acts(
      'allow_merge_on_skipped_pipeline',
      'a skipped pipeline will do where this group requires one, and for projects below that do not say',
      true,
      '../review/merge-checks/group-rules.test.ts',
    ),
    ...detail,
  },
  allow_personal_snippets: { ...waits('allow_personal_snippets', 'snippets', false), ...detail },
  allowed_email_domains_list: {
    ...acts(
      'allowed_email_domains_list',
      'who has no confirmed address in one of them does not become a member, here and below',
      'example.com,example.org',
      'members/entry.test.ts',
    ),
    ...owner,
  },
  auto_ban_user_on_excessive_projects_download: {
    ...waits('auto_ban_user_on_excessive_projects_download', 'bans from groups', true),
    ...owner,
  },
  auto_devops_enabled: waits('auto_devops_enabled', 'the standard CI configuration', true),
  avatar: { ...acts('avatar_object_key', 'the picture is served to who sees the group'), as: 'avatar_url' },
  custom_project_templates_group_id: acts(
    'custom_project_templates_group_id',
    'new projects start as copies of those of this group',
    7,
    '../portability/project-creation/project-creation.test.ts',
  ),
  default_branch: acts('default_branch', 'the first branch of new projects', 'trunk'),
  default_branch_protection: acts(
    'default_branch_protection_defaults',
    'protection of the first branch of new projects',
    undefined,
    'groups/inherited-settings.test.ts',
  ),
  default_branch_protection_defaults: acts(
    'default_branch_protection_defaults',
    'protection of the first branch of new projects',
    undefined,
    'groups/inherited-settings.test.ts',
  ),
  description: acts('description', 'shown', 'About us', 'groups/groups.test.ts'),
  emails_disabled: acts('emails_enabled', 'the same, the other way round', true, 'members/entry.test.ts'),
  emails_enabled: acts(
    'emails_enabled',
    'off: no mail about memberships and requests for access, here and below',
    false,
    'members/entry.test.ts',
  ),
  enabled_git_access_protocol: {
    ...acts(
      'enabled_git_access_protocol',
      'git of the tree is refused over the other protocol',
      'http',
      'access/limits.test.ts',
    ),
    ...detail,
  },
  extra_shared_runners_minutes_limit: {
    ...waits('extra_shared_runners_minutes_limit', 'minutes of shared runners', 20),
    ...detail,
  },
  file_template_project_id: acts(
    'file_template_project_id',
    'files of this project, which is in the group, are templates of what is below',
    7,
    '../repository/templates/templates.test.ts',
  ),
  ip_restriction_ranges: {
    ...acts(
      'ip_restriction_ranges',
      'who asks from elsewhere finds nothing of the tree',
      '192.0.2.0/24,2001:db8::/32',
      'access/limits.test.ts',
    ),
    ...owner,
  },
  lfs_enabled: acts('lfs_enabled', 'Git LFS of projects and groups below that say nothing', false),
  lock_math_rendering_limits_enabled: acts(
    'lock_math_rendering_limits_enabled',
    'groups below have the `math_rendering_limits_enabled` of this one and do not change it',
    true,
  ),
  math_rendering_limits_enabled: acts(
    'math_rendering_limits_enabled',
    'off: formulas of documents in projects and wikis of the group are drawn whatever their number and size; new groups below start with it',
    false,
  ),
  max_artifacts_size: acts(
    'max_artifacts_size',
    'larger artifacts of jobs are refused in projects here and below that have no limit of their own; the nearest group counts',
    10,
    '../ci/artifacts/artifacts.test.ts',
  ),
  membership_lock: {
    ...acts('membership_lock', 'projects here and below take no new members', true, 'members/entry.test.ts'),
    ...detail,
  },
  mentions_disabled: waits('mentions_disabled', 'notifications', true),
  new_user_signups_cap: {
    ...acts(
      'new_user_signups_cap',
      'who is added after the seats waits',
      3,
      'billable-members/billable-members.test.ts',
    ),
    ...owner,
  },
  only_allow_merge_if_all_discussions_are_resolved: {
    ...acts(
      'only_allow_merge_if_all_discussions_are_resolved',
      'merge requests of all projects here and below need all their threads resolved, whatever these say',
      true,
      '../review/draft-notes/draft-notes.test.ts',
    ),
    ...detail,
  },
  only_allow_merge_if_pipeline_succeeds: {
    ...acts(
      'only_allow_merge_if_pipeline_succeeds',
      'merge requests of all projects here and below need a passed pipeline, whatever these say',
      true,
      '../review/merge-checks/group-rules.test.ts',
    ),
    ...detail,
  },
  prevent_forking_outside_group: {
    ...acts(
      'prevent_forking_outside_group',
      'no forks to places outside the top-level group',
      true,
      '../portability/forks/forks.test.ts',
    ),
    ...detail,
  },
  prevent_sharing_groups_outside_hierarchy: {
    ...acts(
      'prevent_sharing_groups_outside_hierarchy',
      'groups outside are not invited',
      true,
      'shares/shares.test.ts',
    ),
    ...detail,
  },
  project_creation_level: acts('project_creation_level', 'the role that makes projects', 'maintainer'),
  repository_size_limit: {
    ...acts(
      'repository_size_limit',
      'what would make a repository here or below larger is refused',
      4096,
      '../repository/limits/limits.test.ts',
    ),
    returned: 'administrator',
  },
  request_access_enabled: acts(
    'request_access_enabled',
    'nobody asks for access while it is off',
    false,
    'access-requests/access-requests.test.ts',
  ),
  require_two_factor_authentication: acts(
    'require_two_factor_authentication',
    'members have to set up a second factor',
    true,
    '../identity/two-factor/two-factor.test.ts',
  ),
  service_access_tokens_expiration_enforced: {
    ...acts(
      'service_access_tokens_expiration_enforced',
      'off for a top-level group: tokens of its service accounts, and of those of projects below, are made without an end',
      false,
      'service-accounts/service-accounts.test.ts',
    ),
    ...detail,
  },
  share_with_group_lock: acts('share_with_group_lock', 'holds for all groups below and cannot be lifted there', true),
  shared_runners_minutes_limit: {
    ...waits('shared_runners_minutes_limit', 'minutes of shared runners', 10),
    ...detail,
  },
  shared_runners_setting: acts(
    'shared_runners_setting',
    'whether projects below use runners of the instance',
    'disabled_and_unoverridable',
  ),
  show_diff_preview_in_email: waits('show_diff_preview_in_email', 'notifications', false),
  subgroup_creation_level: acts('subgroup_creation_level', 'the role that makes groups below', 'owner'),
  two_factor_grace_period: acts(
    'two_factor_grace_period',
    'hours until the second factor is required',
    7,
    '../identity/two-factor/two-factor.test.ts',
  ),
  unique_project_download_limit: {
    ...acts(
      'unique_project_download_limit',
      'who fetches more projects of the tree, over git or as archives, in the interval is told of',
      5,
      downloadTest,
    ),
    ...owner,
  },
  unique_project_download_limit_alertlist: {
    ...acts(
      'unique_project_download_limit_alertlist',
      'members who get the mail; owners where none',
      [1],
      downloadTest,
    ),
    ...owner,
  },
  unique_project_download_limit_allowlist: {
    ...acts('unique_project_download_limit_allowlist', 'whose downloads are not counted', ['root'], downloadTest),
    ...owner,
  },
  unique_project_download_limit_interval_in_seconds: {
    ...acts('unique_project_download_limit_interval_in_seconds', 'how long a download counts', 600, downloadTest),
    ...owner,
  },
  visibility: acts(
    'visibility',
    'who sees it; never more open than the group above',
    'internal',
    'groups/groups.test.ts',
  ),
  web_based_commit_signing_enabled: {
    ...acts(
      'web_based_commit_signing_enabled',
      'only told: the key that the operator configures signs for the whole instance, or nothing is signed',
      true,
    ),
    ...detail,
  },
  wiki_access_level: acts(
    'wiki_access_level',
    'who reads and writes the wiki of the group',
    'private',
    '../repository/wikis/wikis.test.ts',
  ),
};
