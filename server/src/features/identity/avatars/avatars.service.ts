/** Pictures of users: taken only when their bytes are an image, kept under generated names. */
import { readFile } from 'node:fs/promises';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import type { UploadedFile } from '../../../kernel/http/params/nested.ts';
import { imageType, pictureKey, storedPicture } from '../../../kernel/images/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';

const kibibyte = 1024;
const maximumKibibytes = 200;
/** Nothing larger is stored; what an upload may send at most. */
export const maximumAvatarBytes = maximumKibibytes * kibibyte;

const formats = 'image/png, image/jpeg, image/gif, image/webp, image/bmp, image/vnd.microsoft.icon';

export interface Avatars {
  /** Keeps an uploaded picture and answers what its row keeps of it. Throws the API's 400. */
  store(file: UploadedFile): Promise<string>;
  /** Removes one that no row names. */
  discard(stored: string): Promise<void>;
}

export function createAvatars(objects: ObjectStore): Avatars {
  return {
    store: async (file) => {
      if (file.size > maximumAvatarBytes)
        throw invalidRecord({ avatar: [`is too big (should be at most ${maximumKibibytes} KiB)`] });
      const type = imageType(await readFile(file.path));
      if (type === null)
        throw invalidRecord({
          avatar: [`file format is not supported. Please try one of the following supported formats: ${formats}`],
        });
      const { key } = await objects.putFile(file.path, { size: file.size, sha256: file.sha256 });
      return storedPicture(key, file.filename, type);
    },
    discard: (stored) => objects.remove(pictureKey(stored)),
  };
}
