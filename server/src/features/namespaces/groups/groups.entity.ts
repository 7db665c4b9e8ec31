/** JSON of groups. */
import type { Static } from 'typebox';
import type { Namespace } from '../../../kernel/db/rows.ts';
import {
  AnyJson,
  Count,
  Day,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  MapOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { type BranchProtection, levelOf } from '../../../kernel/settings/branch-protection.ts';
import { CustomAttribute } from '../../identity/index.ts';
import { pictureUrl } from '../avatars/pictures.ts';
import { openCountsOf, Project, type SharedGroup, sharedGroup } from '../projects/projects.entity.ts';

const statistics = Fields({
  storage_size: Count(),
  repository_size: Count(),
  wiki_size: Count(),
  lfs_objects_size: Count(),
  job_artifacts_size: Count(),
  pipeline_artifacts_size: Count(),
  packages_size: Count(),
  snippets_size: Count(),
  uploads_size: Count(),
});
/** Bytes by kind over a group and all below it. */
export type StorageStatistics = Static<typeof statistics>;

const properties = {
  id: Id(),
  web_url: Text(),
  name: Text(),
  path: Text(),
  description: Text(),
  visibility: Word(['private', 'internal', 'public']),
  share_with_group_lock: Flag(),
  require_two_factor_authentication: Flag(),
  two_factor_grace_period: Count({ description: 'Hours' }),
  project_creation_level: Text(),
  auto_devops_enabled: Nullable(Flag()),
  subgroup_creation_level: Text(),
  emails_disabled: Nullable(Flag()),
  emails_enabled: Nullable(Flag()),
  show_diff_preview_in_email: Flag(),
  mentions_disabled: Nullable(Flag()),
  lfs_enabled: Flag(),
  archived: Flag(),
  math_rendering_limits_enabled: Flag(),
  lock_math_rendering_limits_enabled: Flag(),
  default_branch: Nullable(Text()),
  default_branch_protection: Count(),
  default_branch_protection_defaults: MapOf(AnyJson(), { description: 'The same as rules' }),
  avatar_url: Nullable(Text()),
  request_access_enabled: Flag(),
  full_name: Text(),
  full_path: Text(),
  created_at: Timestamp(),
  parent_id: Nullable(Id()),
  shared_runners_setting: Text(),
  max_artifacts_size: Nullable(Count({ description: 'Megabytes' })),
  wiki_access_level: Text(),
  repository_storage: Sometimes(Text({ description: 'Administrators only' })),
  repository_size_limit: Sometimes(
    Nullable(Count({ description: 'Bytes; 0 for no limit, null as above; administrators only' })),
  ),
  custom_project_templates_group_id: Nullable(Id()),
  file_template_project_id: Nullable(Id()),
  ip_restriction_ranges: Sometimes(Nullable(Text({ description: 'Of a group that has some: for owners only' }))),
  marked_for_deletion_on: Nullable(Day({ description: 'The day since when it waits for its removal' })),
  statistics: Sometimes(statistics),
  custom_attributes: Sometimes(ListOf(CustomAttribute)),
};

/** What only owners of the group see. */
const forOwners = {
  allowed_email_domains_list: Sometimes(Nullable(Text())),
  new_user_signups_cap: Sometimes(Nullable(Count({ description: 'Seats of the tree; null for any number' }))),
  unique_project_download_limit: Sometimes(Count()),
  unique_project_download_limit_interval_in_seconds: Sometimes(Count()),
  unique_project_download_limit_allowlist: Sometimes(ListOf(Text())),
  unique_project_download_limit_alertlist: Sometimes(ListOf(Id())),
  auto_ban_user_on_excessive_projects_download: Sometimes(Flag()),
};

/** A group in lists. */
export const Group = Entity('Group', properties);

/** A group by itself. */
export const GroupDetail = Entity('GroupDetail', {
  ...properties,
  ...forOwners,
  runners_token: Nullable(
    Text({
      description: 'Registers runners; for owners; null for others and while registration tokens are switched off',
    }),
  ),
  shared_with_groups: ListOf(sharedGroup),
  enabled_git_access_protocol: Text(),
  prevent_sharing_groups_outside_hierarchy: Flag(),
  prevent_forking_outside_group: Flag(),
  membership_lock: Flag(),
  shared_runners_minutes_limit: Nullable(Count()),
  extra_shared_runners_minutes_limit: Nullable(Count()),
  service_access_tokens_expiration_enforced: Flag(),
  allow_personal_snippets: Flag(),
  web_based_commit_signing_enabled: Flag(),
  only_allow_merge_if_pipeline_succeeds: Flag(),
  allow_merge_on_skipped_pipeline: Flag(),
  only_allow_merge_if_all_discussions_are_resolved: Flag(),
  projects: Sometimes(ListOf(Project)),
  shared_projects: Sometimes(ListOf(Project)),
  own_access_level: Sometimes(
    Count({ description: 'With `with_own_access_level`: the level of the caller, from wherever it comes; 0 for none' }),
  ),
  counts: openCountsOf({ members: Count({ description: 'Everybody with a role, wherever it comes from' }) }),
});

/** The least of a group: what it is and where. */
export const PublicGroup = Entity('PublicGroup', {
  id: Id(),
  web_url: Text(),
  name: Text(),
  avatar_url: Nullable(Text()),
  full_name: Text(),
  full_path: Text(),
});

export const publicGroupJson = (group: Namespace, externalUrl: string): Static<typeof PublicGroup> => ({
  id: group.id,
  web_url: `${externalUrl}/groups/${group.full_path}`,
  name: group.name,
  avatar_url: pictureUrl(externalUrl, 'group', group.id, group.avatar_object_key),
  full_name: group.full_name,
  full_path: group.full_path,
});

export interface GroupOptions {
  readonly externalUrl: string;
  /** Name of the storage of new repositories, for administrators. */
  readonly repositoryStorage: string | null;
  /** Whether the caller is an owner of the group. */
  readonly owner: boolean;
  readonly statistics?: StorageStatistics | undefined;
  readonly customAttributes?: readonly { key: string; value: string }[] | undefined;
}

/** The group without what only the detail shows. */
export function groupJson(group: Namespace, options: GroupOptions): Static<typeof Group> {
  const { externalUrl } = options;
  const protection = group.default_branch_protection_defaults as unknown as BranchProtection;
  return {
    id: group.id,
    web_url: `${externalUrl}/groups/${group.full_path}`,
    name: group.name,
    path: group.path,
    description: group.description,
    visibility: group.visibility,
    share_with_group_lock: group.share_with_group_lock,
    require_two_factor_authentication: group.require_two_factor_authentication,
    two_factor_grace_period: group.two_factor_grace_period,
    project_creation_level: group.project_creation_level ?? 'noone',
    auto_devops_enabled: group.auto_devops_enabled,
    subgroup_creation_level: group.subgroup_creation_level,
    emails_disabled: !group.emails_enabled,
    emails_enabled: group.emails_enabled,
    show_diff_preview_in_email: group.show_diff_preview_in_email,
    mentions_disabled: group.mentions_disabled,
    lfs_enabled: group.lfs_enabled ?? true,
    archived: group.archived,
    math_rendering_limits_enabled: group.math_rendering_limits_enabled,
    lock_math_rendering_limits_enabled: group.lock_math_rendering_limits_enabled,
    default_branch: group.default_branch,
    default_branch_protection: levelOf(protection),
    default_branch_protection_defaults: { ...protection },
    avatar_url: pictureUrl(externalUrl, 'group', group.id, group.avatar_object_key),
    request_access_enabled: group.request_access_enabled,
    full_name: group.full_name,
    full_path: group.full_path,
    created_at: group.created_at,
    parent_id: group.parent_id,
    shared_runners_setting: group.shared_runners_setting,
    max_artifacts_size: group.max_artifacts_size,
    wiki_access_level: group.wiki_access_level,
    ...(options.repositoryStorage === null
      ? {}
      : { repository_storage: options.repositoryStorage, repository_size_limit: group.repository_size_limit }),
    custom_project_templates_group_id: group.custom_project_templates_group_id,
    file_template_project_id: group.file_template_project_id,
    ...(options.owner || group.ip_restriction_ranges === null
      ? { ip_restriction_ranges: group.ip_restriction_ranges }
      : {}),
    marked_for_deletion_on: group.marked_for_deletion_on,
    ...(options.statistics ? { statistics: options.statistics } : {}),
    ...(options.customAttributes ? { custom_attributes: [...options.customAttributes] } : {}),
  };
}

export interface GroupDetailOptions extends GroupOptions {
  readonly sharedWith: readonly SharedGroup[];
  readonly runnersToken: string | null;
  readonly projects?: {
    readonly own: Array<Static<typeof Project>>;
    readonly shared: Array<Static<typeof Project>>;
  };
  readonly ownLevel?: number;
  readonly counts?: { readonly issues?: number; readonly merge_requests?: number; readonly members: number };
}

const ownersJson = (group: Namespace) => ({
  allowed_email_domains_list: group.allowed_email_domains_list,
  new_user_signups_cap: group.new_user_signups_cap,
  unique_project_download_limit: group.unique_project_download_limit,
  unique_project_download_limit_interval_in_seconds: group.unique_project_download_limit_interval_in_seconds,
  unique_project_download_limit_allowlist: group.unique_project_download_limit_allowlist,
  unique_project_download_limit_alertlist: group.unique_project_download_limit_alertlist,
  auto_ban_user_on_excessive_projects_download: group.auto_ban_user_on_excessive_projects_download,
});

export function groupDetailJson(group: Namespace, options: GroupDetailOptions): Static<typeof GroupDetail> {
  return {
    ...groupJson(group, options),
    ...(options.owner ? ownersJson(group) : {}),
    runners_token: options.runnersToken,
    shared_with_groups: [...options.sharedWith],
    enabled_git_access_protocol: group.enabled_git_access_protocol,
    prevent_sharing_groups_outside_hierarchy: group.prevent_sharing_groups_outside_hierarchy,
    prevent_forking_outside_group: group.prevent_forking_outside_group,
    membership_lock: group.membership_lock,
    shared_runners_minutes_limit: group.shared_runners_minutes_limit,
    extra_shared_runners_minutes_limit: group.extra_shared_runners_minutes_limit,
    service_access_tokens_expiration_enforced: group.service_access_tokens_expiration_enforced,
    allow_personal_snippets: group.allow_personal_snippets,
    web_based_commit_signing_enabled: group.web_based_commit_signing_enabled,
    only_allow_merge_if_pipeline_succeeds: group.only_allow_merge_if_pipeline_succeeds,
    allow_merge_on_skipped_pipeline: group.allow_merge_on_skipped_pipeline,
    only_allow_merge_if_all_discussions_are_resolved: group.only_allow_merge_if_all_discussions_are_resolved,
    ...(options.projects ? { projects: options.projects.own, shared_projects: options.projects.shared } : {}),
    ...(options.ownLevel === undefined ? {} : { own_access_level: options.ownLevel }),
    ...(options.counts ? { counts: options.counts } : {}),
  };
}
