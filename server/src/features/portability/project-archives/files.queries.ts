/** Rows of the files of projects and groups that archives hold. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface ArchivedUpload {
  readonly secret: string;
  readonly file_name: string;
  readonly object_key: string;
  readonly size: number;
  readonly uploaded_by: string | null;
  readonly created_at: Date;
}

/** A project or group by its id. */
export interface Owner {
  readonly kind: 'project' | 'group';
  readonly id: number;
}

const tables = {
  project: { table: sql.raw('project_uploads'), column: sql.raw('project_id') },
  group: { table: sql.raw('group_uploads'), column: sql.raw('namespace_id') },
} as const;

/** All uploads of a project or group, the oldest first. */
export async function archivedUploads(db: Db, { kind, id }: Owner): Promise<ArchivedUpload[]> {
  const { table, column } = tables[kind];
  const { rows } = await sql<ArchivedUpload>`
    select u.secret, u.file_name, u.object_key, u.size, a.username as uploaded_by, u.created_at
    from ${table} u left join users a on a.id = u.uploaded_by_id where u.${column} = ${id} order by u.id`.execute(db);
  return rows;
}

/** What the upload with the secret is called; null where there is none. */
export async function archivedUploadName(db: Db, { kind, id }: Owner, secret: string): Promise<string | null> {
  const { table, column } = tables[kind];
  const { rows } = await sql<{ file_name: string }>`
    select file_name from ${table} where ${column} = ${id} and secret = ${secret}`.execute(db);
  return rows[0]?.file_name ?? null;
}

/** How many uploads a project or group has. */
export async function archivedUploadCount(db: Db, { kind, id }: Owner): Promise<number> {
  const { table, column } = tables[kind];
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${table} where ${column} = ${id}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** False where there is one of the secret. */
export async function insertArchivedUpload(
  db: Db,
  { kind, id }: Owner,
  upload: Omit<ArchivedUpload, 'uploaded_by'>,
  uploaderId: number | null,
): Promise<boolean> {
  const { table, column } = tables[kind];
  const { rows } = await sql`
    insert into ${table} (${column}, secret, file_name, object_key, size, created_at, uploaded_by_id)
    values (${id}, ${upload.secret}, ${upload.file_name}, ${upload.object_key}, ${upload.size}, ${upload.created_at},
      ${uploaderId})
    on conflict do nothing returning id`.execute(db);
  return rows.length > 0;
}

/** The picture of a project; groups keep theirs themselves. */
export async function setPicture(db: Db, projectId: number, stored: string | null): Promise<void> {
  await db.updateTable('projects').set({ avatar_object_key: stored }).where('id', '=', projectId).execute();
}

/** Takes the uploads of a project or group away; their bytes are given up with the rows. */
export async function removeArchivedUploads(tx: Db, { kind, id }: Owner): Promise<void> {
  const { table, column } = tables[kind];
  await sql`delete from ${table} where ${column} = ${id}`.execute(tx);
}
