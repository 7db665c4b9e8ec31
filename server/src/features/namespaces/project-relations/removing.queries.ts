/** Removal of rows that an interrupted import left behind. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Database } from '../../../kernel/db/tables.ts';

/** Tables whose rows belong to projects. */
type ProjectTable = {
  [Table in keyof Database]: 'project_id' extends keyof Database[Table] ? Table : never;
}[keyof Database];

/** Tables whose rows belong to groups. */
type GroupTable = {
  [Table in keyof Database]: 'namespace_id' extends keyof Database[Table] ? Table : never;
}[keyof Database];

/** Deletes all rows of a group from a table. */
export const removingOfGroup =
  (table: GroupTable) =>
  async (tx: Db, groupId: number): Promise<void> => {
    await sql`delete from ${sql.table(table)} where namespace_id = ${groupId}`.execute(tx);
  };

/** Deletes all rows of a project from a table. */
export const removing =
  (table: ProjectTable) =>
  async (tx: Db, projectId: number): Promise<void> => {
    await sql`delete from ${sql.table(table)} where project_id = ${projectId}`.execute(tx);
  };
