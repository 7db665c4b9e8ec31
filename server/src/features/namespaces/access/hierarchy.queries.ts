/**
 * The tree of groups. `parent_id` and `path` say where a namespace is; `full_path`, `full_name` and `traversal_ids` follow
 * from them and are kept for reading. No index has them, so that moving a tree costs little (adr/0007): whoever looks for
 * a full path or for what is below a group uses `namespaceAt` and `below`, never a condition on those columns.
 */
import { type RawBuilder, sql } from 'kysely';
import { type Db, lockInTransaction, lockSharedInTransaction } from '../../../kernel/db/index.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { instanceSetting } from '../../../kernel/settings/inherited.ts';

/** How many groups may be above a group. */
export const ancestorLimit = 20;

/** The id of the namespace that has a full path now, as SQL; null where none has. */
export const namespaceAt = (fullPath: unknown): RawBuilder<number | null> =>
  sql<number | null>`namespace_at(${fullPath})`;

/** A subquery with the ids of a namespace and everything below it: `n.id in ${below(id)}`. */
export const below = (id: unknown): RawBuilder<number> => sql<number>`(select namespaces_below(${id}))`;

/** A subquery with the id of a project, or with those of all projects in the tree of a group. */
export const projectsWithin = ({ kind, id }: { readonly kind: 'group' | 'project'; readonly id: number }) =>
  kind === 'project'
    ? sql<number>`(select ${id}::bigint)`
    : sql<number>`(select p.id from projects p where p.namespace_id in ${below(id)})`;

/**
 * What the group nearest above the rows `n` says in a column, as SQL text: the namespace itself first, then those above it;
 * null where none says anything. The greatest depth with its value, so that lists have nothing to sort for each row.
 */
export const nearestText = (column: 'max_artifacts_size' | 'repository_size_limit' | 'lfs_enabled'): string => {
  const flag = column === 'lfs_enabled';
  const value = `above.${column}${flag ? '::int' : ''}::bigint`;
  return `(select (max(array[cardinality(above.traversal_ids)::bigint, ${value}]))[2]${flag ? ' = 1' : ''}
    from namespaces above where above.id = any (n.traversal_ids) and above.${column} is not null)`;
};

/** The same for built queries. */
export const nearestSaid = (column: 'max_artifacts_size' | 'repository_size_limit'): RawBuilder<number | null> =>
  sql.raw<number | null>(nearestText(column));

/** The rules that protect the first branch of new projects of the rows `n`, as SQL text. */
export const defaultProtection = `coalesce(n.default_branch_protection_defaults, ${instanceSetting('default_branch_protection_defaults')})`;

/**
 * First in a transaction that moves or renames a namespace, before it locks any row: one after the other, and not while
 * a namespace is put into the tree.
 */
export const lockTree = (tx: Db): Promise<void> => lockInTransaction(tx, 'namespaces');

/** First in a transaction that puts something into the tree: its parent's path stays what it is until the end. */
export const lockTreeShared = (tx: Db): Promise<void> => lockSharedInTransaction(tx, 'namespaces');

/** Where a namespace goes and what it is called there; what is left out stays. */
export interface Move {
  /** Null for the top. */
  readonly parentId?: number | null | undefined;
  readonly path?: string | undefined;
  readonly name?: string | undefined;
}

/** Why there is no such move: it is not there, it would be inside itself, or more than `ancestorLimit` groups deep. */
export type MoveRefusal = 'missing' | 'inside itself' | 'too deep';

/** Of a namespace that may go below another: how deep the tree below it is, and whether the other is inside it. */
async function refusalOf(tx: Db, id: number, parent: Namespace): Promise<MoveRefusal | null> {
  if (parent.traversal_ids.includes(id)) return 'inside itself';
  const { rows } = await sql<{ depth: number }>`
    select max(cardinality(n.traversal_ids)) - min(cardinality(n.traversal_ids)) as depth
    from namespaces_below(${id}) b (id) join namespaces n on n.id = b.id`.execute(tx);
  return parent.traversal_ids.length + (rows[0]?.depth ?? 0) > ancestorLimit ? 'too deep' : null;
}

/**
 * Moves or renames a namespace, and with it all that is below: in effect for every process with the commit. Redirects and
 * the rules about who may do it are the caller's; a path that is taken breaks `namespaces_place_key`.
 */
export async function moveNamespace(tx: Db, id: number, move: Move): Promise<Namespace | MoveRefusal> {
  await lockTree(tx);
  const find = (wanted: number) => tx.selectFrom('namespaces').selectAll().where('id', '=', wanted).executeTakeFirst();
  const from = await find(id);
  const parentId = move.parentId === undefined ? from?.parent_id : move.parentId;
  const parent = parentId == null ? null : await find(parentId);
  if (!from || parent === undefined) return 'missing';
  const refusal = parent && parent.id !== from.parent_id ? await refusalOf(tx, id, parent) : null;
  if (refusal) return refusal;
  const path = move.path ?? from.path;
  const name = move.name ?? from.name;
  const fullPath = parent ? `${parent.full_path}/${path}` : path;
  const fullName = parent ? `${parent.full_name} / ${name}` : name;
  const above = parent?.traversal_ids ?? [];
  await tx
    .updateTable('namespaces')
    .set({ parent_id: parent?.id ?? null, path, name })
    .where('id', '=', id)
    .execute();
  await sql`update namespaces n set
      full_path = ${fullPath} || substr(n.full_path, char_length(${from.full_path}) + 1),
      full_name = ${fullName} || substr(n.full_name, char_length(${from.full_name}) + 1),
      traversal_ids = ${[...above]}::bigint[] || n.traversal_ids[${from.traversal_ids.length}::int:]
    from namespaces_below(${id}) b (id) where n.id = b.id`.execute(tx);
  return (await find(id)) ?? 'missing';
}
