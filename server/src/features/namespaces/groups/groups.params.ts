/** Parameters of groups. */
import { Bool, IdOrPath, Int, Int32, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { visibilities } from '../naming/naming.ts';

export const groupId = { id: IdOrPath('Group') };

/** What `POST /groups` and `PUT /groups/:id` have in common. */
export const attributes = {
  description: Optional(OrNull(Str({ maxLength: 500, description: 'What the group is about' }))),
  visibility: Optional(OneOf(visibilities, { description: 'Who may see it' })),
  share_with_group_lock: Optional(Bool({ description: 'Whether projects may not be shared with other groups' })),
  require_two_factor_authentication: Optional(Bool({ description: 'Whether members need a second factor' })),
  two_factor_grace_period: Optional(Int32({ minimum: 0, description: 'Hours' })),
  project_creation_level: Optional(
    OneOf(['noone', 'administrator', 'owner', 'maintainer', 'developer'], {
      description: 'Who may create projects in the group',
    }),
  ),
  subgroup_creation_level: Optional(OneOf(['owner', 'maintainer'], { description: 'Who may create groups below' })),
  auto_devops_enabled: Optional(
    OrNull(Bool({ description: 'Whether projects without a CI configuration get the standard one' })),
  ),
  emails_enabled: Optional(Bool({ description: 'Whether notifications are sent by email' })),
  emails_disabled: Optional(Bool({ deprecated: true, description: 'Use `emails_enabled`' })),
  mentions_disabled: Optional(OrNull(Bool({ description: 'Whether mentioning the group notifies nobody' }))),
  lfs_enabled: Optional(Bool({ description: 'Whether Git LFS is on' })),
  request_access_enabled: Optional(Bool({ description: 'Whether users may ask to become members' })),
  default_branch: Optional(
    OrNull(
      Str({
        maxLength: 255,
        description: 'Name of the first branch of new projects; null for the one of the instance',
      }),
    ),
  ),
  default_branch_protection: Optional(
    Int({
      minimum: 0,
      maximum: 4,
      description:
        'Who may push to the default branch of new projects: 0 nobody is kept out, 1 developers may not force, 2 maintainers only, 3 developers may push but not force, 4 developers only push the first commit',
    }),
  ),
  membership_lock: Optional(Bool({ description: 'Whether projects of the group take no members of their own' })),
  wiki_access_level: Optional(OneOf(['disabled', 'private', 'enabled'], { description: 'Who may see the wiki' })),
  ip_restriction_ranges: Optional(
    OrNull(Str({ maxLength: 2000, description: 'Comma-separated, like `192.0.2.0/24`' })),
  ),
};

/** Only for groups that exist. */
export const laterAttributes = {
  prevent_sharing_groups_outside_hierarchy: Optional(
    Bool({ description: 'Whether groups below are shared only within the hierarchy' }),
  ),
  shared_runners_setting: Optional(
    OneOf(['enabled', 'disabled_and_overridable', 'disabled_and_unoverridable', 'disabled_with_override'], {
      description: 'Whether runners of the instance run jobs, and whether groups and projects below may change that',
    }),
  ),
  file_template_project_id: Optional(OrNull(Int({ description: 'Project that templates of files are taken from' }))),
};

/** Filters of subgroups and descendants; the instance-wide list has some more. */
export const listParameters = {
  skip_groups: Optional(List(Int(), { commas: true, description: 'Leave out the groups with these ids' })),
  all_available: Optional(Bool({ description: 'Also groups that the caller is not a member of' })),
  search: Optional(Str({ description: 'Only those whose name or description contains this text' })),
  order_by: Optional(OneOf(['name', 'path', 'id', 'similarity'], { description: 'Default `name`' })),
  sort: Optional(OneOf(['asc', 'desc'], { default: 'asc', description: 'Direction of the order' })),
  statistics: Optional(Bool({ default: false, description: 'Administrators only' })),
  with_custom_attributes: Optional(Bool({ default: false, description: 'Administrators only' })),
  owned: Optional(Bool({ default: false, description: 'Only those that the caller owns' })),
  min_access_level: Optional(Int({ description: 'The lowest level of the caller' })),
  visibility: Optional(OneOf(visibilities, { description: 'Who may see it' })),
};

export const wideListParameters = {
  ...listParameters,
  top_level_only: Optional(Bool({ default: false, description: 'Only those without a group above' })),
  repository_storage: Optional(Str({ description: 'Administrators only' })),
  id_after: Optional(Int({ description: 'Only those with an id above this' })),
  id_before: Optional(Int({ description: 'Only those with an id below this' })),
};
