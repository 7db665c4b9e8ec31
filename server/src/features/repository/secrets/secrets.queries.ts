/** Whether pushes to a project are looked through for secrets. */
import type { Selectable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { ProjectSecuritySettingsTable } from '../../../kernel/db/tables.ts';

export type SecuritySettings = Selectable<ProjectSecuritySettingsTable>;

export async function securitySettingsOf(db: Db, projectId: number): Promise<SecuritySettings | undefined> {
  return await db
    .selectFrom('project_security_settings')
    .selectAll()
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

export async function writeSecuritySettings(tx: Db, projectId: number, enabled: boolean): Promise<SecuritySettings> {
  const values = { secret_push_protection_enabled: enabled, updated_at: new Date() };
  return await tx
    .insertInto('project_security_settings')
    .values({ project_id: projectId, ...values })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(values))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function removeSecuritySettings(tx: Db, projectId: number): Promise<void> {
  await tx.deleteFrom('project_security_settings').where('project_id', '=', projectId).execute();
}
