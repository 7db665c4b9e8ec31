/** Metric images in archives of projects: what is said of each, and the way back of its bytes. */
import type { Db } from '../../../kernel/db/index.ts';
import { imageType } from '../../../kernel/images/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { safeFileName } from '../../collaboration/index.ts';
import { isAddress, largestImage, longest, mostImages } from './limits.ts';
import { type ArchivedImage, incidentNumbered, insertMetricImage, setImageTime } from './metric-images.queries.ts';

type Line = Omit<ArchivedImage, 'id' | 'object_key' | 'size'>;

/** Keeps an image of an incident; the reason where it is left out. */
export async function takeMetricImage(
  { db, objects }: { readonly db: Db; readonly objects: Pick<ObjectStore, 'put' | 'remove'> },
  projectId: number,
  { issue, url, url_text, file_name, created_at }: Line,
  bytes: Buffer,
): Promise<string | null> {
  if (bytes.length > largestImage) return `is larger than ${largestImage} bytes`;
  if (imageType(bytes) === null) return 'is no picture';
  if (url !== null && (url.length > longest.url || !isAddress(url))) return 'leads to no web page';
  const issueId = await incidentNumbered(db, projectId, issue);
  if (issueId === null) return 'is of an incident that the archive does not have';
  const { key, size } = await objects.put(bytes);
  const image = { issue_id: issueId, file_name: safeFileName(file_name), object_key: key, size, url, url_text };
  try {
    const row = await insertMetricImage(db, image, mostImages);
    if (row) await setImageTime(db, row.id, created_at);
    else await objects.remove(key);
    return row ? null : `is one of more than ${mostImages} of an incident`;
  } catch (error) {
    await objects.remove(key);
    throw error;
  }
}
