/** Files that Git LFS keeps: the repository has a pointer in their place. */
import type { FastifyRequest } from 'fastify';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { attachment } from '../../../kernel/http/attachment.ts';
import { HttpError, notFound } from '../../../kernel/http/errors.ts';
import { rangeOf } from '../../../kernel/http/ranges.ts';
import { type Answer, elsewhere, redirectSeconds, type Streamed, streamed } from '../../../kernel/http/route.ts';
import { headerPrefix } from '../../../kernel/names.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { type LfsObjects, longestPointer } from '../lfs/index.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import type { FoundFile } from './facts.ts';

export interface LargeFilesDependencies {
  readonly reader: Pick<RepositoryReader, 'blobContent'>;
  readonly lfs: Pick<LfsObjects, 'behind'>;
  readonly objects: Pick<ObjectStore, 'get' | 'size' | 'signedUrl'>;
}

/** The object of Git LFS that a file stands for; null for files that stand for themselves. */
export function largeFiles(deps: LargeFilesDependencies) {
  const { reader } = deps;
  return async function largeFile(
    subject: ProjectSubject,
    { blob, path, sha }: FoundFile,
    request: FastifyRequest,
  ): Promise<Streamed | Answer | null> {
    const content = await reader.blobContent(subject.project, blob.id, longestPointer);
    const object = content && (await deps.lfs.behind(subject, content));
    if (!object) return null;
    const { oid, size, object_key: key } = object;
    const [type, filename] = ['application/octet-stream', path.split('/').at(-1) ?? oid];
    const address =
      request.method === 'GET'
        ? await deps.objects.signedUrl(key, { seconds: redirectSeconds, filename, contentType: type })
        : null;
    if (address !== null) return elsewhere(address);
    if ((await deps.objects.size(key)) === null) throw notFound('LFS Object');
    const etag = `"${oid}"`;
    const same = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
    const range = same ? rangeOf(request.headers.range, size) : null;
    if (range === 'outside')
      throw new HttpError(
        416,
        { message: `416 Range Not Satisfiable - the file has ${size} bytes` },
        { 'Content-Range': `bytes */${size}` },
      );
    const { start, end } = range ?? { start: 0, end: size - 1 };
    const open = async () => (range ? deps.objects.get(key, range) : deps.objects.get(key));
    const headers = {
      ETag: etag,
      'Accept-Ranges': 'bytes',
      'Content-Length': String(end - start + 1),
      ...(range ? { 'Content-Range': `bytes ${start}-${end}/${size}` } : {}),
      'Content-Disposition': attachment(filename),
      'Content-Security-Policy': "default-src 'none'; sandbox",
      [`${headerPrefix}Blob-Id`]: blob.id,
      [`${headerPrefix}Commit-Id`]: sha,
      [`${headerPrefix}Size`]: String(size),
    };
    return streamed(open, type, headers, range ? 206 : 200);
  };
}
