/**
 * Rows of a project as archives hold them, and the way back into a project that is being imported: nobody else works in
 * it yet.
 */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { nextIid } from '../access/counters.queries.ts';

type Maybe<T> = T | null | undefined;

export interface LabelLine {
  readonly title: string;
  readonly description?: Maybe<string>;
  readonly color: string;
  readonly archived: boolean;
  readonly priority?: Maybe<number>;
  /** One of a group above that the project uses. */
  readonly of_group?: Maybe<boolean>;
  readonly created_at: Date;
}

/** The project's own labels, and those of groups above that its merge requests have. */
export async function labelsOf(db: Db, projectId: number): Promise<LabelLine[]> {
  return await db
    .selectFrom('labels as l')
    .leftJoin('label_priorities as r', (join) =>
      join.onRef('r.label_id', '=', 'l.id').on('r.project_id', '=', projectId),
    )
    .select(['l.title', 'l.description', 'l.color', 'l.archived', 'r.priority', 'l.created_at'])
    .select(sql<boolean>`l.project_id is null`.as('of_group'))
    .where(
      sql<boolean>`(l.project_id = ${projectId} or l.namespace_id is not null and exists (
        select from merge_request_labels k join merge_requests m on m.id = k.merge_request_id
        where k.label_id = l.id and m.project_id = ${projectId}))`,
    )
    .orderBy('of_group')
    .orderBy('l.id')
    .execute();
}

/** Whether a group above the project has one of the title. */
async function isAbove(tx: Db, table: 'labels' | 'milestones', projectId: number, title: string): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(table)} t
    where t.title = ${title} and t.namespace_id = any((select n.traversal_ids from namespaces n
      join projects p on p.namespace_id = n.id where p.id = ${projectId})::bigint[]) limit 1`.execute(tx);
  return rows.length > 0;
}

export async function insertLabel(
  tx: Db,
  projectId: number,
  { priority, of_group, ...row }: LabelLine,
): Promise<string | null> {
  if (of_group && (await isAbove(tx, 'labels', projectId, row.title))) return null;
  const made = await tx
    .insertInto('labels')
    .values({ ...row, description: row.description ?? null, project_id: projectId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) return 'is there already';
  if (priority !== null && priority !== undefined)
    await tx.insertInto('label_priorities').values({ label_id: made.id, project_id: projectId, priority }).execute();
  return null;
}

export interface MilestoneLine {
  /** Null for one of a group above that the project uses. */
  readonly iid?: Maybe<number>;
  readonly title: string;
  readonly description?: Maybe<string>;
  readonly state: 'active' | 'closed';
  readonly start_date?: Maybe<string>;
  readonly due_date?: Maybe<string>;
  readonly created_at: Date;
}

/** The project's own milestones, and those of groups above that its merge requests and releases have. */
export async function milestonesOf(db: Db, projectId: number): Promise<MilestoneLine[]> {
  const { rows } = await sql<MilestoneLine>`
    select case when s.project_id is null then null else s.iid end as iid, s.title, s.description, s.state,
      s.start_date, s.due_date, s.created_at
    from milestones s
    where s.project_id = ${projectId} or s.namespace_id is not null
      and (exists (select from merge_requests m where m.milestone_id = s.id and m.project_id = ${projectId})
        or exists (select from release_milestones k join releases r on r.id = k.release_id
          where k.milestone_id = s.id and r.project_id = ${projectId}))
    order by s.project_id is null, s.id`.execute(db);
  return rows;
}

export async function insertMilestone(tx: Db, projectId: number, row: MilestoneLine): Promise<string | null> {
  if (row.start_date && row.due_date && row.due_date <= row.start_date) return 'ends before it begins';
  const ofGroup = row.iid === null || row.iid === undefined;
  if (await isAbove(tx, 'milestones', projectId, row.title)) return ofGroup ? null : 'is one of a group above';
  const made = await tx
    .insertInto('milestones')
    .values({
      ...row,
      iid: row.iid ?? (await nextIid(tx, projectId, 'milestone')),
      description: row.description ?? null,
      start_date: row.start_date ?? null,
      due_date: row.due_date ?? null,
      project_id: projectId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('iid')
    .executeTakeFirst();
  if (!made) return 'is there already';
  await sql`insert into project_counters (project_id, kind, value) values (${projectId}, 'milestone', ${made.iid})
    on conflict (project_id, kind) do update set value = greatest(project_counters.value, excluded.value)`.execute(tx);
  return null;
}

export interface BadgeLine {
  readonly name?: Maybe<string>;
  readonly link_url: string;
  readonly image_url: string;
}

export async function badgesOf(db: Db, projectId: number): Promise<BadgeLine[]> {
  return await db
    .selectFrom('badges')
    .select(['name', 'link_url', 'image_url'])
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
}

export async function insertBadge(tx: Db, projectId: number, row: BadgeLine): Promise<null> {
  await tx
    .insertInto('badges')
    .values({ ...row, name: row.name ?? null, project_id: projectId })
    .execute();
  return null;
}

export interface ProtectedBranchLine {
  readonly name: string;
  readonly allow_force_push: boolean;
  readonly code_owner_approval_required: boolean;
  readonly levels: ReadonlyArray<{ readonly kind: 'push' | 'merge' | 'unprotect'; readonly level: number }>;
}

/** What single users and groups may do stays behind: they are those of this instance. */
export async function protectedBranchesOf(db: Db, projectId: number): Promise<ProtectedBranchLine[]> {
  const { rows } = await sql<ProtectedBranchLine>`
    select b.name, b.allow_force_push, b.code_owner_approval_required,
      coalesce((select jsonb_agg(jsonb_build_object('kind', l.kind, 'level', l.level) order by l.id)
        from protected_branch_levels l where l.protected_branch_id = b.id and l.level is not null), '[]') as levels
    from protected_branches b where b.project_id = ${projectId} order by b.id`.execute(db);
  return rows;
}

export async function insertProtectedBranch(
  tx: Db,
  projectId: number,
  { levels, ...row }: ProtectedBranchLine,
): Promise<string | null> {
  const made = await tx
    .insertInto('protected_branches')
    .values({ ...row, project_id: projectId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) return 'is there already';
  if (levels.length > 0)
    await tx
      .insertInto('protected_branch_levels')
      .values(levels.map(({ kind, level }) => ({ protected_branch_id: made.id, kind, level })))
      .execute();
  return null;
}

export interface ProtectedTagLine {
  readonly name: string;
  readonly levels: readonly number[];
}

/** The same for tags. */
export async function protectedTagsOf(db: Db, projectId: number): Promise<ProtectedTagLine[]> {
  const { rows } = await sql<ProtectedTagLine>`
    select t.name, coalesce((select jsonb_agg(l.level order by l.id)
        from protected_tag_levels l where l.protected_tag_id = t.id and l.level is not null), '[]') as levels
    from protected_tags t where t.project_id = ${projectId} order by t.id`.execute(db);
  return rows;
}

export async function insertProtectedTag(
  tx: Db,
  projectId: number,
  { name, levels }: ProtectedTagLine,
): Promise<string | null> {
  const made = await tx
    .insertInto('protected_tags')
    .values({ name, project_id: projectId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) return 'is there already';
  const unique = [...new Set(levels)];
  if (unique.length > 0)
    await tx
      .insertInto('protected_tag_levels')
      .values(unique.map((level) => ({ protected_tag_id: made.id, level })))
      .execute();
  return null;
}

export interface HookLine {
  readonly name?: Maybe<string>;
  readonly description?: Maybe<string>;
  readonly url: string;
  readonly events: readonly string[];
  readonly push_events_branch_filter?: Maybe<string>;
  readonly branch_filter_strategy: 'wildcard' | 'regex' | 'all_branches';
  readonly enable_ssl_verification: boolean;
}

/** Without tokens, headers and bodies of their own; those with secret parts in the address stay behind. */
export async function hooksOf(db: Db, projectId: number): Promise<HookLine[]> {
  return await db
    .selectFrom('web_hooks')
    .select(['name', 'description', 'url', 'events', 'push_events_branch_filter', 'branch_filter_strategy'])
    .select('enable_ssl_verification')
    .where('project_id', '=', projectId)
    .where(sql<boolean>`url_variable_keys = '{}'`)
    .orderBy('id')
    .execute();
}

export async function insertHook(tx: Db, projectId: number, row: HookLine): Promise<null> {
  await tx
    .insertInto('web_hooks')
    .values({
      ...row,
      name: row.name ?? null,
      description: row.description ?? null,
      push_events_branch_filter: row.push_events_branch_filter ?? null,
      events: [...row.events],
      project_id: projectId,
    })
    .execute();
  return null;
}

export interface MemberLine {
  readonly username: string;
  readonly access_level: number;
  readonly expires_at?: Maybe<string>;
}

/** People with a role on the project itself; bots stay with their tokens. */
export async function membersOf(db: Db, projectId: number): Promise<MemberLine[]> {
  return await db
    .selectFrom('grants as g')
    .innerJoin('users as u', 'u.id', 'g.user_id')
    .select(['u.username', 'g.level as access_level', 'g.expires_at'])
    .where('g.project_id', '=', projectId)
    .where('u.user_type', '=', 'human')
    .where('g.state', '=', 'active')
    .orderBy('g.id')
    .execute();
}

export async function insertMember(
  tx: Db,
  { projectId, importerId }: { readonly projectId: number; readonly importerId: number },
  { userId, access_level: level, expires_at: until }: MemberLine & { readonly userId: number },
): Promise<string | null> {
  if (![10, 15, 20, 30, 40, 50].includes(level)) return 'has a role that does not exist';
  const { user_type: type } = await tx
    .selectFrom('users')
    .select('user_type')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  if (type !== 'human') return 'is no person: bots stay with their tokens';
  await tx
    .insertInto('grants')
    .values({ user_id: userId, project_id: projectId, level, expires_at: until ?? null, created_by_id: importerId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return null;
}

/** Takes away all rows of a project. */
export const removing =
  (
    table:
      | 'labels'
      | 'milestones'
      | 'badges'
      | 'protected_branches'
      | 'protected_tags'
      | 'web_hooks'
      | 'project_custom_attributes',
  ) =>
  async (tx: Db, projectId: number): Promise<void> => {
    await sql`delete from ${sql.table(table)} where project_id = ${projectId}`.execute(tx);
  };

export async function removeMembers(tx: Db, projectId: number): Promise<void> {
  await sql`delete from grants g where project_id = ${projectId} and user_id is distinct from
    (select i.user_id from project_imports i where i.project_id = ${projectId})`.execute(tx);
}

/** The user of a name. */
export async function personNamed(db: Db, username: string): Promise<number | null> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`lower(username) = lower(${username})`)
    .executeTakeFirst();
  return row?.id ?? null;
}
