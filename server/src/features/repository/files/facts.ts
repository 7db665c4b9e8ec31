/** Where a file is, and what is told of it besides its content: in JSON, and in headers for those who want nothing else. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { headerPrefix } from '../../../kernel/names.ts';
import type { BlobData, RepositoryReader } from '../reading/reader.ts';

/** The revision that a request names: the default branch without one, and for HEAD. */
export const revisionOf = (subject: ProjectSubject, ref: string | undefined): string =>
  ref === undefined || ref === 'HEAD' ? (subject.project.default_branch ?? 'HEAD') : ref;

export interface FoundFile {
  readonly sha: string;
  /** As it was asked for. */
  readonly ref: string;
  readonly path: string;
  readonly blob: BlobData;
}

export interface FileFacts {
  readonly file_name: string;
  readonly file_path: string;
  readonly size: number;
  readonly encoding: string;
  readonly content_sha256: string;
  readonly ref: string;
  readonly blob_id: string;
  readonly commit_id: string;
  readonly last_commit_id: string;
  readonly execute_filemode: boolean;
}

export function finder(reader: RepositoryReader) {
  async function commitOf(
    subject: ProjectSubject,
    ref: string | undefined,
    missing = 'Commit',
  ): Promise<{ sha: string; name: string }> {
    const name = revisionOf(subject, ref);
    const sha = await reader.resolve(subject.project, name);
    if (sha === null) throw notFound(missing);
    return { sha, name };
  }
  return {
    commitOf,
    async file(subject: ProjectSubject, path: string, ref: string | undefined): Promise<FoundFile> {
      const { sha, name } = await commitOf(subject, ref);
      // A path that ends in a slash means a directory.
      const blob = path.endsWith('/') ? null : await reader.blob(subject.project, sha, path);
      if (!blob) throw notFound('File');
      return { sha, ref: ref ?? name, path: path.replace(/^\/+/, ''), blob };
    },
  };
}

export function fileFacts(reader: RepositoryReader) {
  const plain = ({ sha, ref, path, blob }: FoundFile) => ({
    file_name: path.split('/').at(-1) ?? path,
    file_path: path,
    size: blob.size,
    encoding: 'base64',
    ref,
    blob_id: blob.id,
    commit_id: sha,
    execute_filemode: blob.mode === '100755',
  });

  async function facts(subject: ProjectSubject, found: FoundFile, signal: AbortSignal): Promise<FileFacts> {
    const [content_sha256, last] = await Promise.all([
      reader.contentHash(subject.project, found.blob.id, signal),
      reader.lastCommitOf(subject.project, found.sha, found.path),
    ]);
    return { ...plain(found), content_sha256, last_commit_id: last ?? found.sha };
  }

  return Object.assign(facts, {
    /** Without what reads history, and the hash only of files up to so many bytes. */
    async cheap(
      subject: ProjectSubject,
      found: FoundFile,
      maximum: number,
      signal: AbortSignal,
    ): Promise<Partial<FileFacts>> {
      const { id, size } = found.blob;
      if (size > maximum) return plain(found);
      return { ...plain(found), content_sha256: await reader.contentHash(subject.project, id, signal) };
    },
  });
}

/** `last_commit_id` to `Last-Commit-Id`. */
const headerName = (key: string) =>
  key
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('-');

/** Headers are of ASCII: other names of files and refs are encoded as in addresses. */
const headerValue = (text: string) =>
  /^[\x20-\x7e]*$/.test(text) ? text : encodeURIComponent(text).replaceAll('%2F', '/');

export const factHeaders = (facts: Partial<FileFacts>): [string, string][] =>
  Object.entries(facts).map(([key, value]) => [headerPrefix + headerName(key), headerValue(String(value))]);
