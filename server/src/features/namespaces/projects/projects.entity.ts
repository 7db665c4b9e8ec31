/** JSON of projects: the short form that everyone may see, and the whole one for signed-in callers. */
import Type, { type Static, type TOptional, type TProperties } from 'typebox';
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
import { CustomAttribute, UserReference } from '../../identity/index.ts';
import { NamespaceReference } from '../namespaces/reference.entity.ts';
import { settingsProperties } from './settings.entity.ts';

const statistics = Fields({
  commit_count: Count(),
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

const access = Fields({
  access_level: Count({ description: 'Role: 5, 10, 15, 20, 30, 40 or 50' }),
  notification_level: Count(),
});
const NullableAccess = Type.Unsafe<Static<typeof access> | null>({ ...access, type: ['object', 'null'] });

/** An invited group as groups and projects show it. */
export const sharedGroup = Fields({
  group_id: Id(),
  group_name: Text(),
  group_full_path: Text(),
  group_access_level: Count(),
  expires_at: Nullable(Day()),
});

export type SharedGroup = Static<typeof sharedGroup>;

const basic = {
  id: Id(),
  description: Text({ description: 'Empty where nobody wrote one' }),
  name: Text(),
  name_with_namespace: Text(),
  path: Text(),
  path_with_namespace: Text(),
  created_at: Timestamp(),
  default_branch: Sometimes(Nullable(Text({ description: 'Left out where the caller may not read the code' }))),
  tag_list: ListOf(Text(), { deprecated: true, description: 'Use `topics`' }),
  topics: ListOf(Text()),
  ssh_url_to_repo: Text({ description: 'Empty where SSH is off or not allowed' }),
  http_url_to_repo: Text(),
  web_url: Text(),
  readme_url: Sometimes(Nullable(Text({ description: 'Page of the README; left out as `default_branch`' }))),
  forks_count: Sometimes(Count({ description: 'Left out as `default_branch`' })),
  avatar_url: Nullable(Text()),
  star_count: Count(),
  last_activity_at: Timestamp({ description: 'When something last happened in it, to the hour' }),
  visibility: Word(['private', 'internal', 'public']),
  namespace: NamespaceReference,
};

/** A project without the rest, as it is told of a fork. */
const BasicProject = Entity('BasicProject', basic);

const License = Fields(
  {
    key: Text({ description: '`other` for terms that are not known' }),
    name: Text(),
    nickname: Nullable(Text()),
    html_url: Nullable(Text()),
    source_url: Nullable(Text()),
  },
  { description: 'The licence of the default branch; where it is asked for' },
);

/** Of a project or a group, with what else it counts. */
export const openCountsOf = <More extends TProperties>(more: More) =>
  Sometimes(
    Fields(
      { issues: Sometimes(Count()), merge_requests: Sometimes(Count()), ...more },
      {
        description:
          'With `with_counts`: open issues and merge requests of those that the caller sees, counted up to 1,000',
      },
    ),
  );

const whole = {
  ...settingsProperties,
  updated_at: Timestamp(),
  empty_repo: Flag({ description: 'Whether nothing was pushed yet' }),
  owner: Sometimes(UserReference),
  _links: Fields(
    {
      self: Text(),
      issues: Sometimes(Text()),
      merge_requests: Sometimes(Text()),
      repo_branches: Text(),
      labels: Text(),
      events: Text(),
      members: Text(),
      cluster_agents: Text(),
    },
    { description: 'Addresses of the parts of the project in the API' },
  ),
  forked_from_project: Sometimes(BasicProject),
  marked_for_deletion_at: Nullable(Day({ description: 'The day since when it waits for its removal' })),
  marked_for_deletion_on: Nullable(Day({ description: 'The day since when it waits for its removal' })),
  repository_object_format: Text({ description: 'Hash of the repository' }),
  can_create_merge_request_in: Flag({ description: 'Whether the caller may create merge requests' }),
  creator_id: Nullable(Id({ description: 'Who created it' })),
  mirror: Flag({ description: 'Whether it follows a repository elsewhere (pull mirror)' }),
  mirror_user_id: Sometimes(Nullable(Id({ description: 'Whose pushes updates are; mirrored projects only' }))),
  mirror_trigger_builds: Sometimes(Flag({ description: 'Mirrored projects only' })),
  only_mirror_protected_branches: Sometimes(Flag({ description: 'Mirrored projects only' })),
  mirror_overwrites_diverged_branches: Sometimes(Flag({ description: 'Mirrored projects only' })),
  import_url: Nullable(
    Text({ description: 'Where it was imported from, or what it mirrors; for those who may change the project' }),
  ),
  import_type: Nullable(Text({ description: '`gitlab_project` for projects from archives' })),
  import_status: Word(['none', 'scheduled', 'started', 'finished', 'failed', 'canceled'], {
    description: 'State of the import or of the copy of a fork; `none` for projects that are neither',
  }),
  external_wiki_url: Sometimes(
    Nullable(Text({ description: 'Wiki elsewhere, by an integration; of a single project only' })),
  ),
  external_issue_tracker: Sometimes(
    Nullable(
      Fields(
        { title: Text(), project_url: Text(), new_issue_url: Nullable(Text()) },
        { description: 'Issue tracker elsewhere, by an integration; of a single project only' },
      ),
    ),
  ),
  license_url: Sometimes(Nullable(Text({ description: 'Page of the file with the terms; where it is asked for' }))),
  license: Sometimes(Nullable(License)),
  starred: Sometimes(Flag({ description: 'With `with_starred`: whether the caller has starred it' })),
  counts: openCountsOf({}),
  open_issues_count: Sometimes(Count({ description: 'Without confidential ones, whoever asks' })),
  compliance_frameworks: ListOf(Text()),
  shared_with_groups: ListOf(sharedGroup, { description: 'Invited groups that the caller may see' }),
  repository_storage: Sometimes(Text({ description: 'Administrators only' })),
  runners_token: Sometimes(
    Nullable(
      Text({
        description:
          'Registers runners; for maintainers; null for others and while registration tokens are switched off',
      }),
    ),
  ),
  statistics: Sometimes(statistics),
  custom_attributes: Sometimes(ListOf(CustomAttribute)),
  permissions: Sometimes(Fields({ project_access: NullableAccess, group_access: NullableAccess })),
};

type Optionals<T extends TProperties> = { [K in keyof T]: TOptional<T[K]> };
const optionals = <T extends TProperties>(properties: T): Optionals<T> =>
  Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, Sometimes(schema)])) as Optionals<T>;

/** A project: the short form has the keys up to `namespace`, and `custom_attributes` where they are asked for. */
export const Project = Entity('Project', { ...basic, ...optionals(whole) });
export type ProjectJson = Static<typeof Project>;
export type BasicProjectJson = Pick<ProjectJson, keyof typeof basic | 'custom_attributes'>;

export type ProjectStatistics = Static<typeof statistics>;

/** The pull mirror of a project as its JSON shows it. */
export type MirrorSettings = Required<
  Pick<
    ProjectJson,
    | 'mirror_user_id'
    | 'mirror_trigger_builds'
    | 'only_mirror_protected_branches'
    | 'mirror_overwrites_diverged_branches'
  >
>;

/** What the JSON tells besides the row, read for a whole page at once. */
export interface ProjectExtras {
  readonly readmePath: string | null;
  /** Direct level of the caller. */
  readonly projectAccess: number | null;
  /** Highest level of the caller on the groups above. */
  readonly groupAccess: number | null;
  readonly sharedWith: readonly SharedGroup[];
  readonly owner: Static<typeof UserReference> | null;
  readonly statistics: ProjectStatistics | null;
  /** Where it was forked from, if the caller may see it. */
  readonly forkedFrom: BasicProjectJson | null;
  readonly mirror: MirrorSettings | null;
}
