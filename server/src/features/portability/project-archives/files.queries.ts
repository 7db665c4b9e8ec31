/** Rows of the files of a project that archives hold. */
import type { Db } from '../../../kernel/db/index.ts';

export interface ArchivedUpload {
  readonly secret: string;
  readonly file_name: string;
  readonly object_key: string;
  readonly size: number;
  readonly uploaded_by: string | null;
  readonly created_at: Date;
}

/** All uploads of a project, the oldest first. */
export async function archivedUploads(db: Db, projectId: number): Promise<ArchivedUpload[]> {
  return await db
    .selectFrom('project_uploads as u')
    .leftJoin('users as a', 'a.id', 'u.uploaded_by_id')
    .select(['u.secret', 'u.file_name', 'u.object_key', 'u.size', 'a.username as uploaded_by', 'u.created_at'])
    .where('u.project_id', '=', projectId)
    .orderBy('u.id')
    .execute();
}

/** False where the project has one of the secret. */
export async function insertArchivedUpload(
  db: Db,
  projectId: number,
  { secret, file_name, object_key, size, created_at }: Omit<ArchivedUpload, 'uploaded_by'>,
  uploaderId: number | null,
): Promise<boolean> {
  const made = await db
    .insertInto('project_uploads')
    .values({ project_id: projectId, secret, file_name, object_key, size, created_at, uploaded_by_id: uploaderId })
    .onConflict((conflict) => conflict.columns(['project_id', 'secret']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

export async function setPicture(db: Db, projectId: number, stored: string | null): Promise<void> {
  await db.updateTable('projects').set({ avatar_object_key: stored }).where('id', '=', projectId).execute();
}

/** Takes the uploads of a project away; their bytes are given up with the rows. */
export async function removeArchivedUploads(tx: Db, projectId: number): Promise<void> {
  await tx.deleteFrom('project_uploads').where('project_id', '=', projectId).execute();
}
