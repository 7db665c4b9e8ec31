/** Rows of `secure_files`. The content is an object of its own, sealed. */
import type { Db } from '../../../kernel/db/index.ts';
import type { SecureFile } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

const ofProject = (db: Db, projectId: number) => db.selectFrom('secure_files').where('project_id', '=', projectId);

export async function listSecureFiles(
  db: Db,
  projectId: number,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: SecureFile[]; total: number }> {
  const [rows, total] = await Promise.all([
    ofProject(db, projectId).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, ofProject(db, projectId).select('id')),
  ]);
  return { rows, total };
}

export async function findSecureFile(db: Db, projectId: number, id: number): Promise<SecureFile | undefined> {
  return await ofProject(db, projectId).selectAll().where('id', '=', id).executeTakeFirst();
}

export async function secureFileExists(db: Db, projectId: number, name: string): Promise<boolean> {
  const row = await ofProject(db, projectId).select('id').where('name', '=', name).executeTakeFirst();
  return row !== undefined;
}

/** How many there are, while nobody else can add one: the project's row is locked until the transaction ends. */
export async function countSecureFilesLocked(tx: Db, projectId: number): Promise<number> {
  await tx.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
  const row = await ofProject(tx, projectId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export type NewSecureFile = Pick<
  SecureFile,
  'project_id' | 'name' | 'sha256' | 'size' | 'object_key' | 'expires_at'
> & {
  readonly metadata: string | null;
};

/** The new row; undefined when the name is taken. */
export async function insertSecureFile(tx: Db, values: NewSecureFile): Promise<SecureFile | undefined> {
  return await tx
    .insertInto('secure_files')
    .values(values)
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Whether it was still there. The object goes with the row. */
export async function deleteSecureFile(tx: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('secure_files').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
