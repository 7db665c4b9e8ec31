/** JSON of groups. */
import type { Static } from 'typebox';
import type { Namespace } from '../../../kernel/db/rows.ts';
import {
  Count,
  Day,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { Project, type SharedGroup, sharedGroup } from '../projects/projects.entity.ts';

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
  mentions_disabled: Nullable(Flag()),
  lfs_enabled: Flag(),
  default_branch: Nullable(Text()),
  default_branch_protection: Count(),
  avatar_url: Nullable(Text()),
  request_access_enabled: Flag(),
  full_name: Text(),
  full_path: Text(),
  created_at: Timestamp(),
  parent_id: Nullable(Id()),
  shared_runners_setting: Text(),
  wiki_access_level: Text(),
  repository_storage: Sometimes(Text({ description: 'Administrators only' })),
  file_template_project_id: Nullable(Id()),
  ip_restriction_ranges: Nullable(Text()),
  marked_for_deletion_on: Nullable(Day({ description: 'The day since when it waits for its removal' })),
  statistics: Sometimes(statistics),
};

/** A group in lists. */
export const Group = Entity('Group', properties);

/** A group by itself. */
export const GroupDetail = Entity('GroupDetail', {
  ...properties,
  shared_with_groups: ListOf(sharedGroup),
  prevent_sharing_groups_outside_hierarchy: Flag(),
  membership_lock: Flag(),
  projects: Sometimes(ListOf(Project)),
  shared_projects: Sometimes(ListOf(Project)),
});

/** The picture's address of a group or personal namespace; `key` is the object that holds it. */
function avatarUrl(id: number, key: string | null, externalUrl: string): string | null {
  if (key === null) return null;
  return `${externalUrl}/uploads/-/system/group/avatar/${id}/${key.slice(key.lastIndexOf('/') + 1)}`;
}

export interface GroupOptions {
  readonly externalUrl: string;
  /** Name of the storage of new repositories, for administrators. */
  readonly repositoryStorage: string | null;
  readonly statistics?: StorageStatistics | undefined;
}

/** The group without what only the detail shows. */
export function groupJson(group: Namespace, options: GroupOptions): Static<typeof Group> {
  const { externalUrl } = options;
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
    project_creation_level: group.project_creation_level,
    auto_devops_enabled: group.auto_devops_enabled,
    subgroup_creation_level: group.subgroup_creation_level,
    emails_disabled: !group.emails_enabled,
    emails_enabled: group.emails_enabled,
    mentions_disabled: group.mentions_disabled,
    lfs_enabled: group.lfs_enabled,
    default_branch: group.default_branch,
    default_branch_protection: group.default_branch_protection,
    avatar_url: avatarUrl(group.id, group.avatar_object_key, externalUrl),
    request_access_enabled: group.request_access_enabled,
    full_name: group.full_name,
    full_path: group.full_path,
    created_at: group.created_at,
    parent_id: group.parent_id,
    shared_runners_setting: group.shared_runners_setting,
    wiki_access_level: group.wiki_access_level,
    ...(options.repositoryStorage === null ? {} : { repository_storage: options.repositoryStorage }),
    file_template_project_id: group.file_template_project_id,
    ip_restriction_ranges: group.ip_restriction_ranges,
    marked_for_deletion_on: group.marked_for_deletion_on,
    ...(options.statistics ? { statistics: options.statistics } : {}),
  };
}

export interface GroupDetailOptions extends GroupOptions {
  readonly sharedWith: readonly SharedGroup[];
  readonly projects?: {
    readonly own: Array<Static<typeof Project>>;
    readonly shared: Array<Static<typeof Project>>;
  };
}

export function groupDetailJson(group: Namespace, options: GroupDetailOptions): Static<typeof GroupDetail> {
  return {
    ...groupJson(group, options),
    shared_with_groups: [...options.sharedWith],
    prevent_sharing_groups_outside_hierarchy: group.prevent_sharing_groups_outside_hierarchy,
    membership_lock: group.membership_lock,
    ...(options.projects ? { projects: options.projects.own, shared_projects: options.projects.shared } : {}),
  };
}
