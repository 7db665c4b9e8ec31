/** Pictures of groups, read as what their bytes are. */
import { Readable } from 'node:stream';
import { readAll } from '../../../kernel/http/params/body.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { imageType, maximumAvatarBytes } from '../../identity/index.ts';

export interface Pictures {
  /** Null where there is none. */
  read(key: string | null): Promise<{ readonly bytes: Readable; readonly type: string } | null>;
}

export function createPictures(objects: Pick<ObjectStore, 'get' | 'exists'>): Pictures {
  return {
    read: async (key) => {
      if (key === null || !(await objects.exists(key))) return null;
      const bytes = await readAll(objects.get(key), 'avatar', maximumAvatarBytes);
      const type = imageType(bytes);
      return type === null ? null : { bytes: Readable.from([bytes]), type };
    },
  };
}
