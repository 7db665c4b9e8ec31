/** Parameters of groups. */
import { Bool, IdOrPath, Int, Int32, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { visibilities } from '../naming/naming.ts';

export const groupId = { id: IdOrPath('Group') };

/** What `POST /groups` and `PUT /groups/:id` have in common. */
export const attributes = {
  description: Optional(OrNull(Str({ maxLength: 500 }))),
  visibility: Optional(OneOf(visibilities)),
  share_with_group_lock: Optional(Bool()),
  require_two_factor_authentication: Optional(Bool()),
  two_factor_grace_period: Optional(Int32({ minimum: 0, description: 'Hours' })),
  project_creation_level: Optional(OneOf(['noone', 'administrator', 'owner', 'maintainer', 'developer'])),
  subgroup_creation_level: Optional(OneOf(['owner', 'maintainer'])),
  auto_devops_enabled: Optional(OrNull(Bool())),
  emails_enabled: Optional(Bool()),
  emails_disabled: Optional(Bool({ deprecated: true, description: 'Use `emails_enabled`' })),
  mentions_disabled: Optional(OrNull(Bool())),
  lfs_enabled: Optional(Bool()),
  request_access_enabled: Optional(Bool()),
  default_branch: Optional(OrNull(Str({ maxLength: 255 }))),
  default_branch_protection: Optional(Int({ minimum: 0, maximum: 4 })),
  membership_lock: Optional(Bool()),
  wiki_access_level: Optional(OneOf(['disabled', 'private', 'enabled'])),
  ip_restriction_ranges: Optional(
    OrNull(Str({ maxLength: 2000, description: 'Comma-separated, like `192.0.2.0/24`' })),
  ),
};

/** Only for groups that exist. */
export const laterAttributes = {
  prevent_sharing_groups_outside_hierarchy: Optional(Bool()),
  shared_runners_setting: Optional(
    OneOf(['enabled', 'disabled_and_overridable', 'disabled_and_unoverridable', 'disabled_with_override']),
  ),
  file_template_project_id: Optional(OrNull(Int())),
};

/** Filters of subgroups and descendants; the instance-wide list has some more. */
export const listParameters = {
  skip_groups: Optional(List(Int(), { commas: true })),
  all_available: Optional(Bool({ description: 'Also groups that the caller is not a member of' })),
  search: Optional(Str()),
  order_by: Optional(OneOf(['name', 'path', 'id', 'similarity'], { description: 'Default `name`' })),
  sort: Optional(OneOf(['asc', 'desc'], { default: 'asc' })),
  statistics: Optional(Bool({ default: false, description: 'Administrators only' })),
  with_custom_attributes: Optional(Bool({ default: false, description: 'Administrators only' })),
  owned: Optional(Bool({ default: false })),
  min_access_level: Optional(Int({ description: 'The lowest level of the caller' })),
  visibility: Optional(OneOf(visibilities)),
};

export const wideListParameters = {
  ...listParameters,
  top_level_only: Optional(Bool({ default: false })),
  repository_storage: Optional(Str({ description: 'Administrators only' })),
  id_after: Optional(Int()),
  id_before: Optional(Int()),
};
