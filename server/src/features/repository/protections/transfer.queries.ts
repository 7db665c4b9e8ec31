/** Protected branches and tags of a project as archives hold them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

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
