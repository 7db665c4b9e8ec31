/** Uploaded files and the picture of a project or group, on their way into an archive and back. */
import { Readable } from 'node:stream';
import Type, { type Static } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { DateTimeParam, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { imageType, pictureKey, storedPicture } from '../../../kernel/images/index.ts';
import { safeFileName as safeName } from '../../collaboration/index.ts';
import { maximumAvatarBytes } from '../../identity/index.ts';
import { setGroupPicture } from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import {
  archivedUploadCount,
  archivedUploadName,
  archivedUploads,
  insertArchivedUpload,
  type Owner,
  removeArchivedUploads,
  setPicture,
} from './files.queries.ts';
import { bytesOf } from './manifest.ts';
import { largestEntry, type TarEntry } from './tar.ts';

export const uploadsName = 'uploads';
export const pictureName = 'avatar';
/** A file of an archive by the secret of its address: names that people gave are in the rows, never names of entries. */
const uploadName = (secret: string) => `uploads/${secret}`;
export const uploadSecretOf = (name: string): string | null => /^uploads\/([0-9a-f]{32})$/.exec(name)?.[1] ?? null;

/** Why an upload is left out whose secret another one has. */
export const thereAlready = 'is there already';

export const uploadLine = Type.Object({
  secret: Str({ pattern: '^[0-9a-f]{32}$' }),
  file_name: Str({ minLength: 1, maxLength: 255 }),
  uploaded_by: Optional(OrNull(Str({ maxLength: 255 }))),
  created_at: DateTimeParam(),
});
export type UploadLine = Static<typeof uploadLine>;

/** A file of the storage that goes into an archive. */
export interface StoredFile {
  readonly name: string;
  readonly size: number;
  readonly key: string;
}

const keepPicture = (db: Db, { kind, id }: Owner, stored: string | null): Promise<void> =>
  kind === 'project' ? setPicture(db, id, stored) : setGroupPicture(db, id, stored);

export function archivedFiles({ db, objects, settings }: Pick<PortabilityDependencies, 'db' | 'objects' | 'settings'>) {
  return {
    /** What is there of the files of a project or group, and how much the storage has lost. */
    async of(owner: Owner & { readonly avatar_object_key: string | null }, signal: AbortSignal) {
      const lines: object[] = [];
      const files: StoredFile[] = [];
      const missing = { count: 0, bytes: 0 };
      const picture = owner.avatar_object_key === null ? null : pictureKey(owner.avatar_object_key);
      const pictureSize = picture === null ? null : await objects.size(picture);
      if (picture !== null && pictureSize !== null) files.push({ name: pictureName, size: pictureSize, key: picture });
      for (const { object_key: key, size, ...line } of await archivedUploads(db, owner)) {
        signal.throwIfAborted();
        if (size <= largestEntry && (await objects.exists(key))) {
          lines.push(line);
          files.push({ name: uploadName(line.secret), size, key });
        } else {
          missing.count += 1;
          missing.bytes += size;
        }
      }
      return { lines, files, missing };
    },

    /** Keeps an uploaded file; the reason where it is left out. */
    async takeUpload(
      owner: Owner,
      line: UploadLine,
      uploaderId: number | null,
      { size, body }: TarEntry,
      signal: AbortSignal,
    ): Promise<string | null> {
      const { max_attachment_size: megabytes } = await settings.read();
      if (size > megabytes * 1024 ** 2) return `is larger than ${megabytes} MB (max_attachment_size)`;
      const stored = await objects.put(Readable.from(body, { objectMode: false }), { signal });
      const row = { ...line, file_name: safeName(line.file_name), object_key: stored.key, size: stored.size };
      const kept = await insertArchivedUpload(db, owner, row, uploaderId).catch(async (error: unknown) => {
        await objects.remove(stored.key);
        throw error;
      });
      if (kept) return null;
      await objects.remove(stored.key);
      return thereAlready;
    },

    /** What the upload with the secret is called; null where there is none. */
    uploadName: (owner: Owner, secret: string): Promise<string | null> => archivedUploadName(db, owner, secret),
    uploadCount: (owner: Owner): Promise<number> => archivedUploadCount(db, owner),

    /** Keeps the picture where its bytes are one. */
    async takePicture(owner: Owner, entry: TarEntry): Promise<string | null> {
      if (entry.size > maximumAvatarBytes) return `is larger than ${maximumAvatarBytes} bytes`;
      const bytes = await bytesOf(entry, maximumAvatarBytes);
      const type = imageType(bytes);
      if (type === null) return 'is no picture';
      const { key } = await objects.put(bytes);
      await keepPicture(db, owner, storedPicture(key, 'avatar', type)).catch(async (error: unknown) => {
        await objects.remove(key);
        throw error;
      });
      return null;
    },

    /** Takes away what an interrupted import brought. */
    async emptied(tx: Db, owner: Owner): Promise<void> {
      await removeArchivedUploads(tx, owner);
      await keepPicture(tx, owner, null);
    },
  };
}
export type ArchivedFiles = ReturnType<typeof archivedFiles>;
