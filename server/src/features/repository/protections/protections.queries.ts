/** Rows of protected branches and tags with who may: both are kept the same way, in two pairs of tables. */
import { type RawBuilder, sql } from 'kysely';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { hasAccess } from '../writes/protections.queries.ts';

export type RuleKind = 'branch' | 'tag';

/** Where rules are kept: a project, or a top-level group. */
export type RulePlace = { readonly projectId: number } | { readonly groupId: number };

export interface GrantRow {
  readonly id: number;
  readonly rule_id: number;
  readonly kind: 'push' | 'merge' | 'unprotect' | 'create';
  readonly level: number | null;
  readonly user_id: number | null;
  readonly group_id: number | null;
  readonly deploy_key_id: number | null;
  /** Name of the user or group, title of the key; null for roles. */
  readonly title: string | null;
}

export interface RuleRow {
  readonly id: number;
  readonly project_id: number | null;
  readonly namespace_id: number | null;
  readonly name: string;
  readonly allow_force_push: boolean;
  readonly code_owner_approval_required: boolean;
  readonly updated_at: Date;
  readonly grants: readonly GrantRow[];
}

/** Who may: exactly one of them is set. */
export interface GrantValues {
  readonly level: number | null;
  readonly user_id: number | null;
  readonly group_id: number | null;
  readonly deploy_key_id: number | null;
}

const tables = {
  branch: {
    rules: sql.table('protected_branches'),
    levels: sql.table('protected_branch_levels'),
    rule: 'protected_branch_id',
  },
  tag: { rules: sql.table('protected_tags'), levels: sql.table('protected_tag_levels'), rule: 'protected_tag_id' },
} as const;

const columns = {
  branch: sql`r.id, r.project_id, r.namespace_id, r.name, r.allow_force_push, r.code_owner_approval_required, r.updated_at`,
  tag: sql`r.id, r.project_id, null::bigint as namespace_id, r.name, false as allow_force_push,
    false as code_owner_approval_required, r.updated_at`,
} as const;

async function withGrants(db: Db, kind: RuleKind, rules: ReadonlyArray<Omit<RuleRow, 'grants'>>): Promise<RuleRow[]> {
  const { levels, rule } = tables[kind];
  const { rows } = await sql<GrantRow>`
    select l.id, ${sql.ref(`l.${rule}`)} as rule_id, ${kind === 'branch' ? sql`l.kind` : sql`'create'`} as kind,
      l.level, l.user_id, l.group_id, l.deploy_key_id, coalesce(u.name, g.name, k.title) as title
    from ${levels} l left join users u on u.id = l.user_id left join namespaces g on g.id = l.group_id
      left join ssh_keys k on k.id = l.deploy_key_id
    where ${sql.ref(`l.${rule}`)} = any(${rules.map(({ id }) => id)}::bigint[]) order by l.id`.execute(db);
  return rules.map((each) => ({ ...each, grants: rows.filter(({ rule_id }) => rule_id === each.id) }));
}

const ownPlace = (place: RulePlace) =>
  'groupId' in place ? sql`r.namespace_id = ${place.groupId}` : sql`r.project_id = ${place.projectId}`;

/** With what a project has from its top-level group. */
function wherePlace(kind: RuleKind, place: RulePlace): RawBuilder<boolean> {
  if ('groupId' in place || kind === 'tag') return sql<boolean>`${ownPlace(place)}`;
  return sql<boolean>`(${ownPlace(place)} or r.namespace_id = (select n.traversal_ids[1]
    from projects p join namespaces n on n.id = p.namespace_id where p.id = ${place.projectId}))`;
}

const searched = (search: string | undefined) => (search ? sql`r.name ilike ${containing(search)}` : sql`true`);

/** In the order in which they were made. */
export async function listRules(
  db: Db,
  kind: RuleKind,
  place: RulePlace,
  search: string | undefined,
  window: Pick<Page, 'limit' | 'offset'>,
): Promise<RuleRow[]> {
  const { rows } = await sql<Omit<RuleRow, 'grants'>>`
    select ${columns[kind]} from ${tables[kind].rules} r
    where ${wherePlace(kind, place)} and ${searched(search)}
    order by r.id limit ${window.limit} offset ${window.offset}`.execute(db);
  return await withGrants(db, kind, rows);
}

export function countRules(db: Db, kind: RuleKind, place: RulePlace, search: string | undefined): Promise<number> {
  const wanted = sql<boolean>`${wherePlace(kind, place)} and ${searched(search)}`;
  return countUpTo(
    db,
    kind === 'branch'
      ? db.selectFrom('protected_branches as r').select('r.id').where(wanted)
      : db.selectFrom('protected_tags as r').select('r.id').where(wanted),
  );
}

/** The place's own rule of exactly that name. `lock` keeps others from changing it until the transaction ends. */
export async function findRule(
  db: Db,
  kind: RuleKind,
  place: RulePlace,
  name: string,
  lock = false,
): Promise<RuleRow | undefined> {
  const { rows } = await sql<Omit<RuleRow, 'grants'>>`
    select ${columns[kind]} from ${tables[kind].rules} r
    where ${ownPlace(place)} and r.name = ${name} ${lock ? sql`for update` : sql``}`.execute(db);
  return (await withGrants(db, kind, rows))[0];
}

export interface BranchFlags {
  readonly allow_force_push?: boolean | undefined;
  readonly code_owner_approval_required?: boolean | undefined;
}

/** Null when the place has a rule of that name. */
export async function insertRule(
  tx: Db,
  kind: RuleKind,
  place: RulePlace,
  name: string,
  flags: BranchFlags,
): Promise<number | null> {
  const project_id = 'projectId' in place ? place.projectId : null;
  const row =
    kind === 'tag' && project_id !== null
      ? await tx
          .insertInto('protected_tags')
          .values({ project_id, name })
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .executeTakeFirst()
      : await tx
          .insertInto('protected_branches')
          .values({ project_id, namespace_id: 'groupId' in place ? place.groupId : null, name, ...flags })
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .executeTakeFirst();
  return row?.id ?? null;
}

export async function changeBranch(tx: Db, id: number, flags: BranchFlags): Promise<void> {
  await tx
    .updateTable('protected_branches')
    .set({ ...flags, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

export async function removeRule(tx: Db, kind: RuleKind, id: number): Promise<void> {
  await sql`delete from ${tables[kind].rules} where id = ${id}`.execute(tx);
}

/** The project goes with a deploy key alone: what the two say together ends when the key leaves the project. */
const withProject = (place: RulePlace, values: GrantValues) => ({
  ...values,
  project_id: values.deploy_key_id === null || !('projectId' in place) ? null : place.projectId,
});

export async function insertGrant(
  tx: Db,
  place: RulePlace,
  ruleId: number,
  kind: GrantRow['kind'],
  values: GrantValues,
): Promise<void> {
  const row = withProject(place, values);
  if (kind === 'create')
    await tx
      .insertInto('protected_tag_levels')
      .values({ ...row, protected_tag_id: ruleId })
      .execute();
  else
    await tx
      .insertInto('protected_branch_levels')
      .values({ ...row, kind, protected_branch_id: ruleId })
      .execute();
}

export async function changeGrant(tx: Db, place: RulePlace, id: number, values: GrantValues): Promise<void> {
  await tx.updateTable('protected_branch_levels').set(withProject(place, values)).where('id', '=', id).execute();
}

export async function removeGrant(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('protected_branch_levels').where('id', '=', id).execute();
}

/** Whether a group is above the project or invited to it, or to what is above it. */
export async function groupReaches(db: Db, projectId: number, groupId: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from projects p join namespaces n on n.id = p.namespace_id
      join namespaces g on g.id = ${groupId} and g.kind = 'group'
    where p.id = ${projectId} and ${hasAccess(sql`g.id`)}`.execute(db);
  return rows.length > 0;
}

/** Whether the project has a deploy key that may push. */
export async function keyWrites(db: Db, projectId: number, keyId: number): Promise<boolean> {
  const row = await db
    .selectFrom('project_deploy_keys')
    .select('can_push')
    .where('project_id', '=', projectId)
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  return row?.can_push ?? false;
}
