/** Rows of `project_uploads` and `group_uploads`: two tables of one shape. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import type { Place } from '../../namespaces/index.ts';

export interface Upload {
  readonly id: number;
  readonly secret: string;
  readonly file_name: string;
  readonly object_key: string;
  readonly size: number;
  readonly created_at: Date;
}

/** An upload with who made it, where they are still there. */
export interface ListedUpload extends Upload {
  readonly uploaded_by: { readonly id: number; readonly name: string; readonly username: string } | null;
}

const tables = {
  project: { table: sql.raw('project_uploads'), column: sql.raw('project_id') },
  group: { table: sql.raw('group_uploads'), column: sql.raw('namespace_id') },
} as const;
const columns = sql.raw('u.id, u.secret, u.file_name, u.object_key, u.size, u.created_at');

/** `from ... where` of a place's uploads. */
function ofPlace(place: Place): RawBuilder<unknown> {
  const { table, column } = tables[place.kind];
  const id = place.kind === 'project' ? place.project.id : place.group.id;
  return sql`${table} u where u.${column} = ${id}`;
}

/** The newest first. */
export async function listUploads(
  db: Db,
  place: Place,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<readonly ListedUpload[]> {
  const { rows } = await sql<Upload & { user_id: number | null; name: string | null; username: string | null }>`
    select p.*, a.id as user_id, a.name, a.username
    from (select ${columns}, u.uploaded_by_id from ${ofPlace(place)}
      order by u.id desc limit ${page.limit} offset ${page.offset}) p
    left join users a on a.id = p.uploaded_by_id order by p.id desc`.execute(db);
  return rows.map(({ user_id: id, name, username, ...upload }) => ({
    ...upload,
    uploaded_by: id !== null && name !== null && username !== null ? { id, name, username } : null,
  }));
}

export const countUploads = (db: Db, place: Place): Promise<number> =>
  countUpTo(db, { limit: (rows) => sql`select u.id from ${ofPlace(place)} limit ${rows}` });

/** By its id, or by the secret of its address. */
export async function findUpload(db: Db, place: Place, by: number | string): Promise<Upload | undefined> {
  const condition = typeof by === 'number' ? sql`u.id = ${by}` : sql`u.secret = ${by}`;
  const { rows } = await sql<Upload>`select ${columns} from ${ofPlace(place)} and ${condition}`.execute(db);
  return rows[0];
}

export async function insertUpload(
  db: Db,
  place: Place,
  upload: Pick<Upload, 'secret' | 'file_name' | 'object_key' | 'size'> & { readonly uploadedById: number | null },
): Promise<number> {
  const { table, column } = tables[place.kind];
  const id = place.kind === 'project' ? place.project.id : place.group.id;
  const { rows } = await sql<{ id: number }>`
    insert into ${table} (${column}, secret, file_name, object_key, size, uploaded_by_id)
    values (${id}, ${upload.secret}, ${upload.file_name}, ${upload.object_key}, ${upload.size}, ${upload.uploadedById})
    returning id`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('an upload was not kept');
  return row.id;
}

/** The bytes are given up with the row. */
/** False when it was removed meanwhile. */
export async function deleteUpload(db: Db, place: Place, id: number): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from ${tables[place.kind].table} where id = ${id}`.execute(db);
  return numAffectedRows === 1n;
}
