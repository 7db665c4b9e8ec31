/** Parameters of the attributes of groups; what becomes of each is in attributes.ts. */
import type { TSchema } from 'typebox';
import {
  Bool,
  FileParam,
  Int,
  Int32,
  JsonObject,
  List,
  OneOf,
  Optional,
  OrNull,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { visibilities } from '../naming/naming.ts';

/** Seconds. */
export const longestDownloadInterval = 864_000;

const flag = (description: string) => Optional(Bool({ description }));

/** What `POST /groups` and `PUT /groups/:id` have in common. */
export const attributes = {
  allow_merge_on_skipped_pipeline: flag('Whether a skipped pipeline counts as passed in all projects'),
  auto_devops_enabled: Optional(
    OrNull(Bool({ description: 'Whether projects without a CI configuration get the standard one' })),
  ),
  avatar: Optional(OrNull(FileParam({ description: 'Picture: PNG, JPEG, GIF, WebP, BMP or ICO; empty removes it' }))),
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
  default_branch_protection_defaults: Optional(
    JsonObject({
      description:
        'Rules in any combination: `allowed_to_push`, `allowed_to_merge` (lists of `{access_level}`), `allow_force_push`, `developer_can_initial_push`; empty for those of the instance',
    }),
  ),
  description: Optional(OrNull(Str({ maxLength: 500, description: 'What the group is about' }))),
  emails_disabled: Optional(Bool({ deprecated: true, description: 'Use `emails_enabled`' })),
  emails_enabled: flag('Whether notifications are sent by email'),
  enabled_git_access_protocol: Optional(
    OneOf(['ssh', 'http', 'all'], { description: 'How git reaches projects of a top-level group and all below it' }),
  ),
  extra_shared_runners_minutes_limit: Optional(
    OrNull(Int32({ minimum: 0, description: 'Further minutes on shared runners; administrators only' })),
  ),
  ip_restriction_ranges: Optional(
    OrNull(Str({ maxLength: 2000, description: 'Comma-separated, like `192.0.2.0/24`; top-level groups only' })),
  ),
  lfs_enabled: flag('Whether Git LFS is on in projects and groups below that do not set it'),
  lock_math_rendering_limits_enabled: flag('Whether groups below may not change `math_rendering_limits_enabled`'),
  math_rendering_limits_enabled: flag('Whether rendering of formulas is limited'),
  membership_lock: flag('Whether projects of the group take no members of their own'),
  mentions_disabled: Optional(OrNull(Bool({ description: 'Whether mentioning the group notifies nobody' }))),
  only_allow_merge_if_all_discussions_are_resolved: flag(
    'Whether open discussions keep merge requests of all projects from being merged',
  ),
  only_allow_merge_if_pipeline_succeeds: flag('Whether merge requests of all projects need a passed pipeline'),
  project_creation_level: Optional(
    OneOf(['noone', 'administrator', 'owner', 'maintainer', 'developer'], {
      description: 'Who may create projects in the group',
    }),
  ),
  repository_size_limit: Optional(
    OrNull(
      Int({
        minimum: 0,
        description: 'Bytes of each repository of the group; 0 for no limit, null as above; administrators only',
      }),
    ),
  ),
  request_access_enabled: flag('Whether users may ask to become members'),
  require_two_factor_authentication: flag('Whether members need a second factor'),
  share_with_group_lock: flag('Whether projects here and below may not be shared with other groups'),
  shared_runners_minutes_limit: Optional(
    OrNull(Int32({ minimum: 0, description: 'Minutes on shared runners; administrators only' })),
  ),
  shared_runners_setting: Optional(
    OneOf(['enabled', 'disabled_and_overridable', 'disabled_and_unoverridable', 'disabled_with_override'], {
      description: 'Whether runners of the instance run jobs, and whether groups and projects below may change that',
    }),
  ),
  show_diff_preview_in_email: flag('Whether notifications of comments show the lines'),
  subgroup_creation_level: Optional(OneOf(['owner', 'maintainer'], { description: 'Who may create groups below' })),
  two_factor_grace_period: Optional(Int32({ minimum: 0, description: 'Hours' })),
  visibility: Optional(OneOf(visibilities, { description: 'Who may see it' })),
  wiki_access_level: Optional(OneOf(['disabled', 'private', 'enabled'], { description: 'Who may see the wiki' })),
} as const satisfies Record<string, TSchema>;

/** Only for groups that exist. */
export const laterAttributes = {
  allow_personal_snippets: flag('Whether members may have snippets of their own'),
  allowed_email_domains_list: Optional(
    OrNull(
      Str({
        maxLength: 2000,
        description: 'Comma-separated domains that addresses of members must have; top-level groups only',
      }),
    ),
  ),
  auto_ban_user_on_excessive_projects_download: flag('Whether who passes the limit of downloads is banned'),
  custom_project_templates_group_id: Optional(
    OrNull(Int({ description: 'Group in or below this one whose projects are templates of projects' })),
  ),
  file_template_project_id: Optional(OrNull(Int({ description: 'Project that templates of files are taken from' }))),
  max_artifacts_size: Optional(
    OrNull(Int32({ minimum: 1, description: 'Largest artifacts of a job, in megabytes; administrators only' })),
  ),
  prevent_forking_outside_group: flag('Whether projects may not be forked to places outside the top-level group'),
  prevent_sharing_groups_outside_hierarchy: flag('Whether groups below are shared only within the hierarchy'),
  service_access_tokens_expiration_enforced: flag('Whether tokens of service accounts must end'),
  new_user_signups_cap: Optional(
    OrNull(Int32({ minimum: 1, description: 'Seats of the tree; who is added after them waits; null for any number' })),
  ),
  unique_project_download_limit: Optional(
    Int32({ minimum: 0, maximum: 10_000, description: 'Projects that one user may download in the interval; 0: all' }),
  ),
  unique_project_download_limit_alertlist: Optional(
    List(Int(), {
      commas: true,
      maxItems: 100,
      description: 'Ids of members who are told when somebody passes the limit; its owners where none are given',
    }),
  ),
  unique_project_download_limit_allowlist: Optional(
    List(Str({ maxLength: 255 }), { commas: true, maxItems: 100, description: 'Usernames that the limit is not for' }),
  ),
  unique_project_download_limit_interval_in_seconds: Optional(
    Int32({
      minimum: 0,
      maximum: longestDownloadInterval,
      description: 'Seconds that downloads are counted for; 0: none are',
    }),
  ),
  web_based_commit_signing_enabled: flag('Whether commits made on the page are signed by the server'),
} as const satisfies Record<string, TSchema>;

/** Who else sets them is not refused: they are left as they are, as clients expect. */
export const administratorAttributes = [
  'extra_shared_runners_minutes_limit',
  'max_artifacts_size',
  'repository_size_limit',
  'shared_runners_minutes_limit',
] as const;

/** Of a tree as a whole. */
export const topLevelAttributes = [
  'allowed_email_domains_list',
  'auto_ban_user_on_excessive_projects_download',
  'enabled_git_access_protocol',
  'ip_restriction_ranges',
  'new_user_signups_cap',
  'unique_project_download_limit',
  'unique_project_download_limit_alertlist',
  'unique_project_download_limit_allowlist',
  'unique_project_download_limit_interval_in_seconds',
] as const;
