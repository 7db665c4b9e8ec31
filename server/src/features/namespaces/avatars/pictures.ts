/** Pictures of groups, projects and topics: kept with their row, read as what their bytes are. */
import type { Namespace } from '../../../kernel/db/rows.ts';
import type { UploadedFile } from '../../../kernel/http/params/nested.ts';
import { type Picture, pictureFile, readPicture } from '../../../kernel/images/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { type Avatars, avatarRules } from '../../identity/index.ts';

export interface Pictures {
  /** Null where there is none. */
  read(stored: string | null): Promise<Picture | null>;
}

export const createPictures = (objects: Pick<ObjectStore, 'get' | 'exists'>): Pictures => ({
  read: async (stored) => (stored === null ? null : await readPicture(objects, stored, avatarRules)),
});

/** What pictures are sent as. */
export const pictureTypes = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/vnd.microsoft.icon',
] as const;

/** Where a picture is served. */
export const pictureUrl = (
  externalUrl: string,
  kind: PictureKind | 'user',
  id: number,
  stored: string | null,
): string | null =>
  stored === null ? null : `${externalUrl}/uploads/-/system/${kind}/avatar/${id}/${pictureFile(stored)}`;
/** Those of users are served by the identity slice. */
export type PictureKind = 'group' | 'project' | 'projects/topic';

/** The picture of a namespace: of a personal one its owner's. The picture is that of the owner there (`namespacePicture`). */
export const namespacePictureUrl = (
  externalUrl: string,
  row: Pick<Namespace, 'kind' | 'id' | 'owner_id' | 'avatar_object_key'>,
): string | null =>
  row.kind === 'user'
    ? pictureUrl(externalUrl, 'user', row.owner_id ?? 0, row.avatar_object_key)
    : pictureUrl(externalUrl, 'group', row.id, row.avatar_object_key);

/**
 * Does `work` with what a row keeps of a picture that was sent: null where it is to be removed, undefined where none was sent.
 * When the work fails, the picture is given up again.
 */
export async function withPicture<T>(
  avatars: Avatars,
  file: UploadedFile | null | undefined,
  work: (stored: string | null | undefined) => Promise<T>,
): Promise<T> {
  const stored = file ? await avatars.store(file) : file;
  try {
    return await work(stored);
  } catch (error) {
    if (stored) await avatars.discard(stored);
    throw error;
  }
}
