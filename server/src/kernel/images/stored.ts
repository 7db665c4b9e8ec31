/** Pictures that rows name: taking uploads, reading their bytes, and sending them so that nothing in them can run. */
import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagMatches } from '../http/conditional.ts';
import { invalidRecord, noSuchRoute } from '../http/errors.ts';
import { readAll } from '../http/params/body.ts';
import type { UploadedFile } from '../http/params/nested.ts';
import type { ObjectStore } from '../objects/index.ts';
import { inertImageHeaders } from './image-type.ts';
import { pictureFile, pictureKey, pictureTag, storedPicture } from './pictures.ts';

/** What is taken as a picture. */
export interface PictureRules {
  /** The attribute that reasons are about. */
  readonly field: string;
  readonly maximumBytes: number;
  /** As reasons say it: `200 KiB`. */
  readonly maximum: string;
  /** The media type by the bytes, null for what is refused. */
  readonly typeOf: (bytes: Buffer) => string | null;
  /** The media types, as reasons list them. */
  readonly formats: string;
}

/** Keeps an uploaded picture under a generated name and answers what its row keeps of it. Throws the API's 400. */
export async function storePicture(objects: ObjectStore, file: UploadedFile, rules: PictureRules): Promise<string> {
  if (file.size > rules.maximumBytes)
    throw invalidRecord({ [rules.field]: [`is too big (should be at most ${rules.maximum})`] });
  const type = rules.typeOf(await readFile(file.path));
  if (type === null)
    throw invalidRecord({
      [rules.field]: [
        `file format is not supported. Please try one of the following supported formats: ${rules.formats}`,
      ],
    });
  const { key } = await objects.putFile(file.path, { size: file.size, sha256: file.sha256 });
  return storedPicture(key, file.filename, type);
}

export interface Picture {
  readonly bytes: Buffer;
  readonly type: string;
}

/** The bytes of a picture; null where its object is gone. */
export async function readPicture(
  objects: Pick<ObjectStore, 'get' | 'exists'>,
  stored: string,
  { field, maximumBytes, typeOf }: PictureRules,
): Promise<Picture | null> {
  const key = pictureKey(stored);
  if (!(await objects.exists(key))) return null;
  const bytes = await readAll(objects.get(key), field, maximumBytes);
  const type = typeOf(bytes);
  return type === null ? null : { bytes, type };
}

/** Answers with the picture that a row names, where the last part of the address is its file name. */
export async function sendPicture(
  request: FastifyRequest,
  reply: FastifyReply,
  picture: {
    readonly file: string;
    readonly stored: string | null;
    /** Whether everybody may see it. */
    readonly open: boolean;
    read(stored: string): Promise<Picture | null>;
  },
): Promise<FastifyReply> {
  const { stored } = picture;
  // The name is compared, never used as a path.
  if (stored === null || pictureFile(stored) !== picture.file) throw noSuchRoute();
  const etag = pictureTag(stored);
  const kept = { ETag: etag, 'Cache-Control': `${picture.open ? 'public' : 'private'}, no-cache` };
  // The tag names the object, which never changes: whoever has it needs no look at the bytes.
  if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).headers(kept).send();
  const found = await picture.read(stored);
  if (!found) throw noSuchRoute();
  return reply.headers({ ...kept, ...inertImageHeaders, 'Content-Type': found.type }).send(found.bytes);
}
