/** The project or group that a path names, with the caller's effective level: one indexed read, compiled once. */
import { CompiledQuery } from 'kysely';
import type { OpenProtocols } from '../../../kernel/authz/git-protocols.ts';
import type { Level } from '../../../kernel/authz/levels.ts';
import type { GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';
import { instanceSetting } from '../../../kernel/settings/inherited.ts';
import { levelsText, roleBelowText } from './access.queries.ts';
import { defaultProtection, nearestText } from './hierarchy.queries.ts';

const namespaceColumns = [
  'id',
  'kind',
  'name',
  'path',
  'full_path',
  'full_name',
  'parent_id',
  'owner_id',
  'traversal_ids',
] as const satisfies ReadonlyArray<keyof Namespace>;
type NamespacePart = Pick<Namespace, (typeof namespaceColumns)[number] | 'avatar_object_key'>;

/** Key of the picture of a namespace, over the row `n`: that of the owner for personal ones. */
export const namespacePicture = `case n.kind when 'user' then (select u.avatar_object_key from users u where u.id = n.owner_id)
  else n.avatar_object_key end`;
/** A project's row with its namespace's columns and the caller's level. */
export type ProjectRow = Project & { [K in keyof NamespacePart as `n_${K}`]: NamespacePart[K] } & {
  effective_level: Level;
  project_level: number | null;
  group_level: number | null;
  shared: boolean;
  /** Where one is looked up, not in lists. */
  ip_ranges?: string | null;
  git_protocol?: OpenProtocols;
  open_packages?: boolean;
  goes_with_group?: boolean;
};

/** Over the rows `p` and `n`: the project is archived by itself or with a group above it. Few groups are. */
const archivedText = `p.archived or exists (
  select from namespaces a where a.archived and a.id = any(n.traversal_ids))`;

/** Git LFS is on unless the project, or the group nearest above that says anything, switches it off. */
const lfsOfProject = `coalesce(p.lfs_enabled, ${nearestText('lfs_enabled')}, true)`;

/** Artifacts are kept where both the project and the instance keep them. */
const keepsArtifacts = `p.keep_latest_artifact and ${instanceSetting('keep_latest_artifact')}::boolean`;

/** Columns of `projects p join namespaces n` and `levels` for a `ProjectRow`. */
export const projectColumns = `p.*, (${archivedText}) as archived, ${lfsOfProject} as lfs_enabled,
  (${keepsArtifacts}) as keep_latest_artifact, ${namespaceColumns.map((column) => `n.${column} as n_${column}`).join(', ')},
  ${namespacePicture} as n_avatar_object_key, levels.*, exists (select 1 from grants s where s.group_id is not null and s.project_id = p.id) as shared`;

/** Networks of the top-level group `r`, with those that the instance lets in everywhere. */
const openRanges = `case when r.ip_restriction_ranges <> ''
  then r.ip_restriction_ranges || ',' || (${instanceSetting('globally_allowed_ips')} #>> '{}') end`;

export const ipRanges = `(select ${openRanges} from namespaces r where r.id = n.traversal_ids[1]) as ip_ranges`;

/** Anyone may pull packages of the project `p`. */
const openPackages = `(p.package_registry_access_level = 'public'
  and ${instanceSetting('package_registry_allow_anyone_to_pull_option')}::boolean) as open_packages`;

/** A group above the project, whose namespace is `n`, waits for its deletion. */
export const goesWithGroup = `exists (select from namespaces a
  where a.marked_for_deletion_on is not null and a.id = any(n.traversal_ids)) as goes_with_group`;

/** A group above the group `n` is archived or waits for its deletion. */
const frozenAbove = `exists (select from namespaces a
  where (a.archived or a.marked_for_deletion_on is not null) and a.id = any(n.traversal_ids) and a.id <> n.id) as frozen_above`;

const gitProtocol =
  '(select r.enabled_git_access_protocol from namespaces r where r.id = n.traversal_ids[1]) as git_protocol';

/** In the order of the numbers that the setting has. */
const instanceCreators = `(array['noone', 'maintainer', 'developer', 'administrator', 'owner'])[1 + ${instanceSetting('default_project_creation')}::int]`;

/** The role that makes projects in the groups `n`. */
export const projectCreators = `coalesce(n.project_creation_level, ${instanceCreators})`;

/** Columns of the rows `n` that are groups, with what the instance and the groups above decide where a group says nothing. */
export const groupColumns = `n.*, coalesce(${nearestText('lfs_enabled')}, true) as lfs_enabled,
  ${projectCreators} as project_creation_level,
  ${defaultProtection} as default_branch_protection_defaults`;

const projectSelect = `select ${projectColumns}, ${ipRanges}, ${gitProtocol}, ${openPackages}, ${goesWithGroup}
  from projects p join namespaces n on n.id = p.namespace_id cross join ${levelsText('$1', true)}`;
const projectById = `${projectSelect} where p.id = $2`;
const projectByPath = `${projectSelect} where p.namespace_id = namespace_at($2) and lower(p.path) = lower($3)`;

const roleBelow = `(${roleBelowText('$1')}) as role_below`;
const groupSelect = `select ${groupColumns}, levels.effective_level, ${roleBelow}, ${frozenAbove}, ${ipRanges}, ${gitProtocol}
  from namespaces n cross join ${levelsText('$1', false)}`;
const groupById = `${groupSelect} where n.id = $2 and n.kind = 'group'`;
const groupByPath = `${groupSelect} where n.id = namespace_at($2) and n.kind = 'group'`;
const namespaceSelect = `select ${groupColumns}, ${namespacePicture} as avatar_object_key, levels.effective_level, ${roleBelow}, ${frozenAbove}, ${ipRanges}, ${gitProtocol}
  from namespaces n cross join ${levelsText('$1', false)}`;
const namespaceById = `${namespaceSelect} where n.id = $2`;
const namespaceByPath = `${namespaceSelect} where n.id = namespace_at($2)`;

/** Ids are the texts that are nothing but digits and fit; every other text is a path. */
function idOf(text: string): number | null {
  if (!/^\d{1,16}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}

export function toProjectSubject(row: ProjectRow): ProjectSubject {
  // Taking keys away with `delete` would make every later read of the row slow.
  const {
    n_id,
    n_kind,
    n_name,
    n_path,
    n_full_path,
    n_full_name,
    n_parent_id,
    n_owner_id,
    n_traversal_ids,
    n_avatar_object_key,
    effective_level,
    project_level,
    group_level,
    shared,
    ip_ranges,
    git_protocol,
    open_packages,
    goes_with_group,
    ...project
  } = row;
  return {
    kind: 'project',
    project,
    namespace: {
      id: n_id,
      kind: n_kind,
      name: n_name,
      path: n_path,
      full_path: n_full_path,
      full_name: n_full_name,
      parent_id: n_parent_id,
      owner_id: n_owner_id,
      traversal_ids: n_traversal_ids,
      avatar_object_key: n_avatar_object_key,
    },
    level: effective_level,
    ...(ip_ranges === undefined ? {} : { ipRanges: ip_ranges }),
    ...(git_protocol === undefined ? {} : { gitProtocol: git_protocol }),
    ...(open_packages === undefined ? {} : { openPackages: open_packages }),
    ...(goes_with_group === undefined ? {} : { goesWithGroup: goes_with_group }),
    parts: { project: project_level, group: group_level, shared },
  };
}

const run = async <T>(db: Db, text: string, parameters: readonly unknown[]): Promise<T | undefined> =>
  (await db.executeQuery(CompiledQuery.raw(text, [...parameters]) as CompiledQuery<T>)).rows[0];

/** A project with its namespace and the user's level on it; `userId` null for anonymous callers. */
export async function findProjectSubject(
  db: Db,
  idOrPath: string,
  userId: number | null,
): Promise<ProjectSubject | null> {
  const id = idOf(idOrPath);
  const slash = idOrPath.lastIndexOf('/');
  if (id === null && slash <= 0) return null;
  const row =
    id === null
      ? await run<ProjectRow>(db, projectByPath, [userId, idOrPath.slice(0, slash), idOrPath.slice(slash + 1)])
      : await run<ProjectRow>(db, projectById, [userId, id]);
  return row ? toProjectSubject(row) : null;
}

type LevelledNamespace = Namespace & {
  effective_level: Level;
  role_below: boolean;
  frozen_above: boolean;
  ip_ranges: string | null;
  git_protocol?: OpenProtocols;
};

function toGroupSubject(row: LevelledNamespace): GroupSubject {
  const {
    effective_level: level,
    role_below: roleBelow,
    frozen_above: frozenAbove,
    ip_ranges: ipRanges,
    git_protocol: gitProtocol,
    ...group
  } = row;
  return { kind: 'group', group, level, roleBelow, frozenAbove, ipRanges, ...(gitProtocol && { gitProtocol }) };
}

/** A group with the user's level on it. */
export async function findGroupSubject(db: Db, idOrPath: string, userId: number | null): Promise<GroupSubject | null> {
  const id = idOf(idOrPath);
  const row = await run<LevelledNamespace>(db, id === null ? groupByPath : groupById, [userId, id ?? idOrPath]);
  return row ? toGroupSubject(row) : null;
}

/** Top-level groups that are kept to networks: few, and found by an index of their own. */
export async function keptToNetworks(db: Db): Promise<{ readonly id: number; readonly ranges: string }[]> {
  const text = `select r.id, ${openRanges} as ranges from namespaces r
    where r.parent_id is null and r.ip_restriction_ranges <> ''`;
  return (await db.executeQuery(CompiledQuery.raw(text) as CompiledQuery<{ id: number; ranges: string }>)).rows;
}

/** A group or personal namespace with the user's level on it. */
export async function findNamespaceSubject(
  db: Db,
  idOrPath: string,
  userId: number | null,
): Promise<GroupSubject | null> {
  const id = idOf(idOrPath);
  const row = await run<LevelledNamespace>(db, id === null ? namespaceByPath : namespaceById, [userId, id ?? idOrPath]);
  return row ? toGroupSubject(row) : null;
}
