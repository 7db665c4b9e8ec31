/** Rows of `issue_metric_images`. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface MetricImage {
  readonly id: number;
  readonly issue_id: number;
  readonly file_name: string;
  readonly object_key: string;
  readonly size: number;
  readonly url: string | null;
  readonly url_text: string | null;
  readonly created_at: Date;
}

/** Of an issue, the oldest first. */
export async function metricImagesOf(db: Db, issueId: number): Promise<MetricImage[]> {
  const { rows } = await sql<MetricImage>`select * from issue_metric_images where issue_id = ${issueId}
    order by id`.execute(db);
  return rows;
}

export async function findMetricImage(db: Db, id: number): Promise<MetricImage | undefined> {
  const { rows } = await sql<MetricImage>`select * from issue_metric_images where id = ${id}`.execute(db);
  return rows[0];
}

/** Undefined where the issue has as many as it may have. */
export async function insertMetricImage(
  tx: Db,
  image: Omit<MetricImage, 'id' | 'created_at'>,
  most: number,
): Promise<MetricImage | undefined> {
  // Two uploads at once wait for each other.
  await sql`select from issues where id = ${image.issue_id} for no key update`.execute(tx);
  const { rows } = await sql<MetricImage>`
    insert into issue_metric_images (issue_id, file_name, object_key, size, url, url_text)
    select ${image.issue_id}, ${image.file_name}, ${image.object_key}, ${image.size}, ${image.url}, ${image.url_text}
    where (select count(*) from issue_metric_images where issue_id = ${image.issue_id}) < ${most}
    returning *`.execute(tx);
  return rows[0];
}

export async function updateMetricImage(
  tx: Db,
  id: number,
  changes: Partial<Pick<MetricImage, 'url' | 'url_text'>>,
): Promise<MetricImage | undefined> {
  return await tx
    .updateTable('issue_metric_images')
    .set({ url: sql<string | null>`url`, ...changes })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteMetricImage(tx: Db, id: number): Promise<boolean> {
  const { rows } = await sql`delete from issue_metric_images where id = ${id} returning id`.execute(tx);
  return rows.length > 0;
}

/** The images of an issue that goes on elsewhere go with it, with the addresses that they have. */
export async function moveMetricImages(tx: Db, from: number, to: number): Promise<void> {
  await tx.updateTable('issue_metric_images').set({ issue_id: to }).where('issue_id', '=', from).execute();
}

/** An image as archives hold it. */
export interface ArchivedImage
  extends Pick<MetricImage, 'file_name' | 'object_key' | 'size' | 'url' | 'url_text' | 'created_at'> {
  readonly id: number;
  /** Number of the incident. */
  readonly issue: number;
}

/** Those of all incidents of a project, the oldest first. */
export async function archivedMetricImages(db: Db, projectId: number): Promise<ArchivedImage[]> {
  const { rows } = await sql<ArchivedImage>`
    select m.id, i.iid as issue, m.file_name, m.object_key, m.size, m.url, m.url_text, m.created_at
    from issue_metric_images m join issues i on i.id = m.issue_id
    where i.project_id = ${projectId} order by m.id`.execute(db);
  return rows;
}

/** Takes those of a project away; their bytes are given up with the rows. */
export async function removeMetricImages(tx: Db, projectId: number): Promise<void> {
  await sql`delete from issue_metric_images
    where issue_id in (select id from issues where project_id = ${projectId})`.execute(tx);
}

export async function incidentNumbered(db: Db, projectId: number, iid: number): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`select id from issues
    where project_id = ${projectId} and iid = ${iid} and type = 'incident'`.execute(db);
  return rows[0]?.id ?? null;
}

/** One that came in an archive is as old as it was. */
export async function setImageTime(db: Db, id: number, created_at: Date): Promise<void> {
  await db.updateTable('issue_metric_images').set({ created_at }).where('id', '=', id).execute();
}
