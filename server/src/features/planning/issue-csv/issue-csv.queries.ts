/** Rows of `issue_csv_imports`. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface Refused {
  readonly line: number;
  readonly reason: string;
}

export interface IssueImport {
  readonly id: number;
  readonly project_id: number;
  readonly user_id: number;
  readonly object_key: string;
  readonly done: number;
  readonly created: number;
  readonly refused: readonly Refused[];
}

export async function insertImport(
  tx: Db,
  values: Pick<IssueImport, 'project_id' | 'user_id' | 'object_key'>,
): Promise<number> {
  const { id } = await tx.insertInto('issue_csv_imports').values(values).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function findImport(db: Db, id: number): Promise<IssueImport | undefined> {
  const { rows } = await sql<IssueImport>`select * from issue_csv_imports where id = ${id}`.execute(db);
  return rows[0];
}

/** Counts a row of the file that became an issue. */
export async function countCreated(tx: Db, id: number): Promise<void> {
  await sql`update issue_csv_imports set done = done + 1, created = created + 1 where id = ${id}`.execute(tx);
}

/** Counts a row of the file that was refused. */
export async function countRefused(db: Db, id: number, refused: Refused): Promise<void> {
  await sql`update issue_csv_imports set done = done + 1, refused = refused || ${JSON.stringify([refused])}::jsonb
    where id = ${id}`.execute(db);
}

/** The row, taken away; undefined where another process was faster. */
export async function takeImport(tx: Db, id: number): Promise<IssueImport | undefined> {
  const { rows } = await sql<IssueImport>`delete from issue_csv_imports where id = ${id} returning *`.execute(tx);
  return rows[0];
}
