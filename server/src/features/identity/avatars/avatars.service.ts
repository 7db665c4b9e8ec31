/** Pictures of users: taken only when their bytes are an image, kept under generated names. */
import type { UploadedFile } from '../../../kernel/http/params/nested.ts';
import { imageType, type PictureRules, pictureKey, storePicture } from '../../../kernel/images/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';

/** What avatars are: of people, groups, projects and topics. */
export const avatarRules: PictureRules = {
  field: 'avatar',
  maximumBytes: 200 * 1024,
  maximum: '200 KiB',
  typeOf: imageType,
  formats: 'image/png, image/jpeg, image/gif, image/webp, image/bmp, image/vnd.microsoft.icon',
};

/** Nothing larger is stored; what an upload may send at most. */
export const maximumAvatarBytes = avatarRules.maximumBytes;

export interface Avatars {
  /** Keeps an uploaded picture and answers what its row keeps of it. Throws the API's 400. */
  store(file: UploadedFile): Promise<string>;
  /** Removes one that no row names. */
  discard(stored: string): Promise<void>;
}

export const createAvatars = (objects: ObjectStore): Avatars => ({
  store: (file) => storePicture(objects, file, avatarRules),
  discard: (stored) => objects.remove(pictureKey(stored)),
});
