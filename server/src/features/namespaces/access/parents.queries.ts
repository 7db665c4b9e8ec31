/** The project or group that a path names, with the caller's effective level: one indexed read, compiled once. */
import { CompiledQuery } from 'kysely';
import type { Level } from '../../../kernel/authz/levels.ts';
import type { GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';
import { levelsText } from './access.queries.ts';

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
  'avatar_object_key',
] as const satisfies ReadonlyArray<keyof Namespace>;
type NamespacePart = Pick<Namespace, (typeof namespaceColumns)[number]>;
/** A project's row with its namespace's columns and the caller's level. */
export type ProjectRow = Project & { [K in keyof NamespacePart as `n_${K}`]: NamespacePart[K] } & {
  effective_level: Level;
  project_level: number | null;
  group_level: number | null;
  shared: boolean;
  /** Where one is looked up, not in lists. */
  ip_ranges?: string | null;
};

/** Over the rows `p` and `n`: the project is archived by itself or with a group above it. Few groups are. */
const archivedText = `p.archived or exists (
  select from namespaces a where a.archived and a.id = any(n.traversal_ids))`;

/** Columns of `projects p join namespaces n` and `levels` for a `ProjectRow`. */
export const projectColumns = `p.*, (${archivedText}) as archived, ${namespaceColumns.map((column) => `n.${column} as n_${column}`).join(', ')},
  levels.*, exists (select 1 from grants s where s.group_id is not null and s.project_id = p.id) as shared`;

const ipRanges = '(select r.ip_restriction_ranges from namespaces r where r.id = n.traversal_ids[1]) as ip_ranges';

const projectSelect = `select ${projectColumns}, ${ipRanges}
  from projects p join namespaces n on n.id = p.namespace_id cross join ${levelsText('$1', true)}`;
const projectById = `${projectSelect} where p.id = $2`;
const projectByPath = `${projectSelect} where p.namespace_id = namespace_at($2) and lower(p.path) = lower($3)`;

const groupSelect = `select n.*, levels.effective_level, ${ipRanges} from namespaces n cross join ${levelsText('$1', false)}`;
const groupById = `${groupSelect} where n.id = $2 and n.kind = 'group'`;
const groupByPath = `${groupSelect} where n.id = namespace_at($2) and n.kind = 'group'`;
const namespaceById = `${groupSelect} where n.id = $2`;
const namespaceByPath = `${groupSelect} where n.id = namespace_at($2)`;

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

type LevelledNamespace = Namespace & { effective_level: Level; ip_ranges: string | null };

function toGroupSubject(row: LevelledNamespace): GroupSubject {
  const { effective_level, ip_ranges, ...group } = row;
  return { kind: 'group', group, level: effective_level, ipRanges: ip_ranges };
}

/** A group with the user's level on it. */
export async function findGroupSubject(db: Db, idOrPath: string, userId: number | null): Promise<GroupSubject | null> {
  const id = idOf(idOrPath);
  const row = await run<LevelledNamespace>(db, id === null ? groupByPath : groupById, [userId, id ?? idOrPath]);
  return row ? toGroupSubject(row) : null;
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
