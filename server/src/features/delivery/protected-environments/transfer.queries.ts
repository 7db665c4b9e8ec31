/** Protected environments of a project as archives hold them: what single people and groups may do stays behind. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface ProtectedEnvironmentLine {
  readonly name: string;
  readonly required_approval_count: number;
  readonly rules: ReadonlyArray<{
    readonly kind: 'deploy' | 'approval';
    readonly access_level: number;
    readonly required_approvals: number;
  }>;
}

export async function protectedEnvironmentsOf(db: Db, projectId: number): Promise<ProtectedEnvironmentLine[]> {
  const { rows } = await sql<ProtectedEnvironmentLine>`
    select e.name, e.required_approval_count, coalesce((select jsonb_agg(jsonb_build_object('kind', r.kind,
        'access_level', r.access_level, 'required_approvals', r.required_approvals) order by r.id)
      from protected_environment_rules r where r.protected_environment_id = e.id and r.access_level is not null), '[]') as rules
    from protected_environments e where e.project_id = ${projectId} order by e.id`.execute(db);
  return rows;
}

export async function insertBroughtEnvironment(
  tx: Db,
  projectId: number,
  { name, required_approval_count, rules }: ProtectedEnvironmentLine,
): Promise<string | null> {
  const made = await tx
    .insertInto('protected_environments')
    .values({ name, required_approval_count, project_id: projectId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) return 'is there already';
  if (rules.length > 0)
    await tx
      .insertInto('protected_environment_rules')
      .values(rules.map((rule) => ({ ...rule, protected_environment_id: made.id })))
      .execute();
  return null;
}
