/** The rules of protected branches and tags, as they are for one caller. Read for every question: nothing is kept. */
import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { BranchProtection } from '../../../kernel/settings/branch-protection.ts';
import { defaultProtection } from '../../namespaces/index.ts';
import type { AccessGrant, BranchRule, TagRule } from './protection.ts';

interface LevelRow {
  readonly id: number;
  readonly name: string;
  readonly kind: string | null;
  readonly level: number | null;
  readonly user_id: number | null;
  readonly deploy_key_id: number | null;
  readonly member: boolean;
}
interface BranchRow extends LevelRow {
  readonly inherited: boolean;
  readonly allow_force_push: boolean;
  readonly code_owner_approval_required: boolean;
}

const holds = (alias: string) =>
  sql.raw(`${alias}.state = 'active' and (${alias}.expires_at is null or ${alias}.expires_at > current_date)`);

/** Whether a group of that alias is above the project `p` of the namespace `n`, or invited to either. */
export const hasAccess = (group: RawBuilder<unknown>) => sql<boolean>`(${group} = any(n.traversal_ids) or exists (
  select 1 from grants s where s.group_id = ${group} and ${holds('s')}
    and (s.project_id = p.id or s.namespace_id = any(n.traversal_ids))))`;

/** Whether the caller is in the group of the level `l`, by itself or by the groups above, and it has access. */
function isMember({ credential, user }: Pick<Caller, 'credential' | 'user'>) {
  if (user === null || credential.kind === 'deploy_key') return sql<boolean>`false`;
  return sql<boolean>`coalesce(l.group_id is not null and ${hasAccess(sql`l.group_id`)} and exists (
    select 1 from namespaces i join grants m on m.namespace_id = any(i.traversal_ids)
    where i.id = l.group_id and m.user_id = ${user.id} and m.level > 5 and ${holds('m')}), false)`;
}

/** Who asks; for what is the same for everybody, nobody. */
type Asker = Pick<Caller, 'credential' | 'user'>;
export const nobody: Asker = { credential: { kind: 'none' }, user: null };

const grantsOf =
  (rows: readonly LevelRow[]) =>
  (kind: string): AccessGrant[] =>
    rows.flatMap((row) =>
      row.kind === kind
        ? [{ level: row.level, userId: row.user_id, deployKeyId: row.deploy_key_id, member: row.member }]
        : [],
    );

const grouped = <T extends LevelRow>(rows: readonly T[]) =>
  [...Map.groupBy(rows, (row) => row.id).values()].map((of) => ({ first: of[0] as T, grants: grantsOf(of) }));

/** The project's own rules and those of its top-level group. */
export async function branchRules(db: Db, projectId: number, asker: Asker): Promise<BranchRule[]> {
  const { rows } = await sql<BranchRow>`
    select b.id, b.name, b.namespace_id is not null as inherited, b.allow_force_push, b.code_owner_approval_required,
      l.kind, l.level, l.user_id, l.deploy_key_id, ${isMember(asker)} as member
    from projects p join namespaces n on n.id = p.namespace_id
      join protected_branches b on b.project_id = p.id or b.namespace_id = n.traversal_ids[1]
      left join protected_branch_levels l on l.protected_branch_id = b.id
    where p.id = ${projectId} order by b.id, l.id`.execute(db);
  return grouped(rows).map(({ first, grants }) => ({
    id: first.id,
    name: first.name,
    inherited: first.inherited,
    allowForcePush: first.allow_force_push,
    codeOwnerApprovalRequired: first.code_owner_approval_required,
    push: grants('push'),
    merge: grants('merge'),
    unprotect: grants('unprotect'),
  }));
}

export async function tagRules(db: Db, projectId: number, asker: Asker): Promise<TagRule[]> {
  const { rows } = await sql<LevelRow>`
    select t.id, t.name, 'create' as kind, l.level, l.user_id, l.deploy_key_id, ${isMember(asker)} as member
    from projects p join namespaces n on n.id = p.namespace_id
      join protected_tags t on t.project_id = p.id
      left join protected_tag_levels l on l.protected_tag_id = t.id
    where p.id = ${projectId} order by t.id, l.id`.execute(db);
  return grouped(rows).map(({ first, grants }) => ({
    id: first.id,
    name: first.name,
    inherited: false,
    create: grants('create'),
  }));
}

/** What the namespace, or the instance where it says nothing, protects of the first branch of new projects. */
export async function defaultProtectionOf(db: Db, projectId: number): Promise<BranchProtection> {
  const row = await db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .select(sql.raw<BranchProtection>(defaultProtection).as('rules'))
    .where('p.id', '=', projectId)
    .executeTakeFirstOrThrow();
  return row.rules;
}
