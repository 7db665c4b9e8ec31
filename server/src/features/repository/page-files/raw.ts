/** `/-/raw/REF/PATH`: a file of a repository as itself, sent so that nothing in it runs. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { attachment } from '../../../kernel/http/attachment.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { PageFile } from '../../../kernel/http/page-files.ts';
import { streamed } from '../../../kernel/http/route.ts';
import { displayableImageType, inertImageHeaders } from '../../../kernel/images/index.ts';
import { finder } from '../files/facts.ts';
import { type LargeFilesDependencies, largeFiles } from '../files/large-files.ts';
import type { RepositoryReader } from '../reading/reader.ts';

/** Parts of a path that may belong to the name of a branch or tag. */
const maximumRefParts = 20;

/** The branch, tag or commit that a path begins with, and the rest; the longest name wins. */
async function splitRef(
  reader: Pick<RepositoryReader, 'branch' | 'tag'>,
  { project }: ProjectSubject,
  text: string,
): Promise<{ readonly ref: string; readonly path: string } | null> {
  const parts = text.split('/');
  const at = (count: number) => ({ ref: parts.slice(0, count).join('/'), path: parts.slice(count).join('/') });
  const main = project.default_branch;
  // git has no branch below another one's name.
  if (main !== null && text.startsWith(`${main}/`)) return at(main.split('/').length);
  if (parts.length < 2) return null;
  for (let count = Math.min(parts.length - 1, maximumRefParts); count > 1; count -= 1) {
    const { ref } = at(count);
    if ((await reader.branch(project, ref)) ?? (await reader.tag(project, ref))) return at(count);
  }
  return at(1);
}

interface Shown {
  readonly type: string;
  readonly inline: boolean;
}

/** What a stream begins with; nothing is taken from it. */
async function headOf(stream: Readable): Promise<Buffer> {
  if (stream.readableLength === 0 && !stream.readableEnded) await once(stream, 'readable');
  const head: unknown = stream.read();
  if (!Buffer.isBuffer(head)) return Buffer.alloc(0);
  stream.unshift(head);
  return head;
}

/** What a file is sent as, by its first bytes: browsers show images and text, and save everything else. */
function shownAs(head: Buffer): Shown {
  const image = displayableImageType(head);
  // A drawing that is opened by itself is a document.
  if (image !== null) return { type: image, inline: image !== 'image/svg+xml' };
  return head.includes(0)
    ? { type: 'application/octet-stream', inline: false }
    : { type: 'text/plain; charset=utf-8', inline: true };
}

export function rawFile(deps: LargeFilesDependencies & { readonly reader: RepositoryReader }): PageFile {
  const { reader } = deps;
  const { file } = finder(reader);
  const largeFile = largeFiles(deps);
  return {
    name: 'raw',
    pattern: /^raw\/(?<file_path>.+)$/,
    ability: 'read_code',
    scopes: ['api', 'read_api', 'read_repository'],
    rate: 'raw_blob',
    async handler({ subject, params, signal, query, request }) {
      const place = await splitRef(reader, subject, params.file_path ?? '');
      if (!place) throw notFound('File');
      const found = await file(subject, place.path, place.ref);
      const large = await largeFile(subject, found, request);
      if (large) return large;
      const { blob, path } = found;
      const { project } = subject;
      const content = await reader.blobStream(project, blob.id, signal);
      const { type, inline } = shownAs(await headOf(content));
      const name = path.split('/').at(-1) ?? 'file';
      const shown = inline && query.inline !== 'false';
      return streamed(content, type, {
        ...inertImageHeaders,
        ETag: `"${blob.id}"`,
        'Content-Length': String(blob.size),
        'Content-Disposition': shown ? `inline; filename*=UTF-8''${encodeURIComponent(name)}` : attachment(name),
      });
    },
  };
}
