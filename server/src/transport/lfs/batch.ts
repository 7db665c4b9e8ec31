/** The batch request: which objects a client may fetch or send, and where. */
import type { ProjectSubject } from '../../kernel/authz/subjects.ts';
import { plainError, unprocessable } from '../../kernel/http/errors.ts';

export interface BatchRequest {
  readonly operation: 'download' | 'upload';
  readonly objects: readonly BatchObject[];
}

/** One of a request; `problem` where it can be no object. */
export interface BatchObject {
  readonly oid: string;
  readonly size: number;
  readonly problem: string | null;
}

interface Action {
  readonly href: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly expires_in: number;
}

export interface BatchAnswer {
  readonly oid: string;
  readonly size: number;
  readonly authenticated?: true;
  readonly actions?: Readonly<Record<string, Action>>;
  readonly error?: { readonly code: number; readonly message: string };
}

const oidPattern = /^[0-9a-f]{64}$/;
/** A text of a client's that is repeated to it. */
const longestEcho = 128;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isOid = (value: unknown): value is string => typeof value === 'string' && oidPattern.test(value);
export const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function objectOf(value: unknown): BatchObject {
  if (!isRecord(value)) throw unprocessable('objects must be a list of {oid, size}.');
  const { oid, size } = value;
  const problem = !isOid(oid)
    ? 'oid must be a SHA-256: 64 digits of hexadecimal, in lower case.'
    : isSize(size)
      ? null
      : 'size must be a whole number of bytes.';
  return {
    oid: typeof oid === 'string' ? oid.slice(0, longestEcho) : '',
    size: isSize(size) ? size : 0,
    problem,
  };
}

/** Reads a request's body. Throws 422, 409 for other hashes than SHA-256, and 413 for more objects than are taken. */
export function readBatch(body: Readonly<Record<string, unknown>>, maximum: number): BatchRequest {
  const { operation, objects, hash_algo: hash = 'sha256', ref, transfers } = body;
  if (operation !== 'download' && operation !== 'upload')
    throw unprocessable('operation must be "download" or "upload".');
  if (hash !== 'sha256') throw plainError(409, 'hash_algo must be "sha256": objects are named by nothing else here.');
  if (ref !== undefined && ref !== null && !(isRecord(ref) && typeof ref.name === 'string'))
    throw unprocessable('ref must be {name}.');
  if (transfers !== undefined && transfers !== null && !Array.isArray(transfers))
    throw unprocessable('transfers must be a list.');
  if (!Array.isArray(objects) || objects.length === 0) throw unprocessable('objects must be a list that is not empty.');
  if (objects.length > maximum)
    throw plainError(413, `The batch has ${objects.length} objects: lfs_batch_objects is ${maximum}.`);
  return { operation, objects: objects.map(objectOf) };
}

const failed = ({ oid, size }: BatchObject, code: number, message: string): BatchAnswer => ({
  oid,
  size,
  error: { code, message },
});

export interface BatchDependencies {
  /** Of a project: the size of each of the objects that it has, and an address of the storage itself. */
  readonly known: ReadonlyMap<string, { readonly size: number; readonly object_key: string }>;
  readonly signedUrl: (key: string, oid: string) => Promise<string | null>;
  readonly signedSeconds: number;
  /** Below which the project's repository is, with `.git`. */
  readonly base: string;
  /** Sent again with each action. */
  readonly authorization: string | undefined;
  readonly seconds: number;
  readonly subject: ProjectSubject;
}

/** What a client does about each object. */
export async function answerBatch(request: BatchRequest, deps: BatchDependencies): Promise<BatchAnswer[]> {
  const { known, base, authorization } = deps;
  const header = (more: Readonly<Record<string, string>> = {}) => ({
    ...(authorization === undefined ? {} : { Authorization: authorization }),
    ...more,
  });
  const action = (href: string, more?: Readonly<Record<string, string>>): Action => ({
    href,
    header: header(more),
    expires_in: deps.seconds,
  });

  async function download(object: BatchObject): Promise<BatchAnswer> {
    const found = known.get(object.oid);
    if (!found) return failed(object, 404, 'This project has no such object, or you may not have it.');
    const signed = await deps.signedUrl(found.object_key, object.oid);
    return {
      oid: object.oid,
      size: found.size,
      authenticated: true,
      actions: {
        download: signed
          ? { href: signed, expires_in: deps.signedSeconds }
          : action(`${base}/gitlab-lfs/objects/${object.oid}`),
      },
    };
  }

  function upload({ oid, size }: BatchObject): BatchAnswer {
    if (known.has(oid)) return { oid, size };
    return {
      oid,
      size,
      authenticated: true,
      actions: {
        upload: action(`${base}/gitlab-lfs/objects/${oid}/${size}`, { 'Content-Type': 'application/octet-stream' }),
        verify: action(`${base}/info/lfs/verify`, { Accept: 'application/vnd.git-lfs+json' }),
      },
    };
  }

  return await Promise.all(
    request.objects.map(async (object) => {
      if (object.problem !== null) return failed(object, 422, object.problem);
      const found = known.get(object.oid);
      if (found && found.size !== object.size)
        return failed(object, 422, `The object has ${found.size} bytes, not ${object.size}.`);
      return request.operation === 'download' ? await download(object) : upload(object);
    }),
  );
}
