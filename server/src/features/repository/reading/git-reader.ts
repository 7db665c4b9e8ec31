/** The reader over packages/git: revisions are resolved to ids first, everything after works on ids. */
import { Readable } from 'node:stream';
import * as git from '@millrace/git';
import { badRequest, HttpError, notFound, unavailable } from '../../../kernel/http/errors.ts';
import type { RepositoryRow } from '../face.ts';
import type { ArchiveFormat, CommitData, RefData, RepositoryReader, TreeItem } from './reader.ts';

/** Opens the handle of a project's repository. */
export type OpenRepository = (project: RepositoryRow) => git.Repo;

/** A directory with more entries than this, listed recursively, is cut: nobody pages that far. */
const recursiveLimit = 100_000;

/** git's own errors as answers of the API. */
export function asHttpError(error: unknown): unknown {
  if (!git.isGitError(error)) return error;
  switch (error.code) {
    case 'not_found':
      return notFound('Repository');
    case 'invalid':
      return badRequest(error.message);
    case 'busy':
    case 'timeout':
      return unavailable(error.message, git.isGitError(error, 'busy') ? 5 : 30);
    case 'aborted':
      return unavailable('the client has gone');
    case 'limit':
      return new HttpError(413, { message: `413 Request Entity Too Large - ${error.message}` });
    case 'conflict':
    case 'exists':
    case 'locked':
    case 'directory_conflict':
      return new HttpError(409, { message: `409 Conflict: ${error.message}` });
    default:
      return error;
  }
}

async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asHttpError(error);
  }
}

/** An id that comes from our own rows or from a resolved revision. */
export function knownSha(id: string): git.Sha {
  const sha = git.parseSha(id);
  if (!sha) throw badRequest('not an object id');
  return sha;
}

const person = (ident: git.Ident) => ({ name: ident.name, email: ident.email, date: ident.date });

function trailersOf(commit: git.Commit): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { key, value } of commit.trailers) found[key] = [...(found[key] ?? []), value];
  return found;
}

const commitData = (commit: git.Commit): CommitData => ({
  id: commit.id,
  parents: commit.parents,
  title: commit.title,
  message: commit.message,
  author: person(commit.author),
  committer: person(commit.committer),
  trailers: trailersOf(commit),
});

const treeItem = (entry: git.PathEntry): TreeItem => ({
  id: entry.id,
  name: entry.name,
  type: entry.type,
  path: entry.path,
  mode: entry.mode,
});

const archiveFormats: Readonly<Record<ArchiveFormat, git.ArchiveFormat>> = {
  tar: 'tar',
  'tar.gz': 'tar.gz',
  'tar.bz2': 'tar.bz2',
  tbz: 'tar.bz2',
  tbz2: 'tar.bz2',
  tb2: 'tar.bz2',
  bz2: 'tar.bz2',
  zip: 'zip',
};

const seconds = (date: Date | undefined) => (date === undefined ? {} : Math.floor(date.getTime() / 1000));

export function gitReader(open: OpenRepository): RepositoryReader {
  async function refs(project: RepositoryRow, prefix: 'refs/heads/' | 'refs/tags/'): Promise<RefData[]> {
    const repo = open(project);
    const snapshot = await translated(git.refsSnapshot(repo, project.refs_generation));
    const entries = snapshot.refs.filter((entry) => entry.ref.startsWith(prefix));
    return Promise.all(
      entries.map(async (entry) => {
        const tag = entry.peeled === null ? null : await git.readTag(repo, entry.id);
        return {
          name: entry.ref.slice(prefix.length),
          commit: entry.peeled ?? entry.id,
          target: entry.id,
          message: tag ? tag.message.trimEnd() : null,
          taggedAt: tag?.tagger ? new Date(tag.tagger.seconds * 1000) : null,
        };
      }),
    );
  }

  async function commit(project: RepositoryRow, sha: string): Promise<CommitData> {
    const found = await translated(git.readCommit(open(project), knownSha(sha)));
    if (!found) throw notFound('Commit');
    return commitData(found);
  }

  return {
    exists: (project) => git.repositoryExists(open(project).path),
    resolve: (project, revision) => translated(git.resolveCommit(open(project), revision, { prefer: 'branch' })),
    branches: (project) => refs(project, 'refs/heads/'),
    tags: (project) => refs(project, 'refs/tags/'),
    commit,
    async stats(project, sha) {
      const stats = await translated(git.commitStats(open(project), knownSha(sha)));
      if (!stats) throw notFound('Commit');
      return { additions: stats.additions, deletions: stats.deletions, total: stats.total };
    },
    async log(project, filter) {
      const since = seconds(filter.since);
      const until = seconds(filter.until);
      const found = await translated(
        git.log(open(project), {
          from: (filter.from ?? []).map(knownSha),
          ...(filter.from === null ? { all: true } : {}),
          ...(filter.not ? { not: filter.not.map(knownSha) } : {}),
          ...(filter.path ? { paths: [filter.path] } : {}),
          // Renames are those of one path: git refuses to follow none.
          ...(filter.follow && filter.path ? { follow: true } : {}),
          ...(typeof since === 'number' ? { since } : {}),
          ...(typeof until === 'number' ? { until } : {}),
          ...(filter.author ? { author: filter.author } : {}),
          ...(filter.firstParent ? { firstParent: true } : {}),
          order: filter.topological ? 'topo' : 'default',
          skip: filter.skip,
          limit: filter.limit,
        }),
      );
      return found.map(commitData);
    },
    async containing(project, sha, kind) {
      const prefix = kind === 'branch' ? 'refs/heads/' : 'refs/tags/';
      const found = await translated(git.refsContaining(open(project), knownSha(sha), { prefix }));
      return found.map((ref) => ref.slice(prefix.length));
    },
    async tree(project, sha, path, recursive) {
      const repo = open(project);
      const entries = await translated(git.listTree(repo, knownSha(sha), path));
      if (!entries || !recursive) return entries?.map(treeItem) ?? null;
      const all: TreeItem[] = [];
      for await (const entry of git.walkTree(repo, knownSha(sha), path)) {
        all.push(treeItem(entry));
        if (all.length >= recursiveLimit) break;
      }
      return all;
    },
    async blob(project, sha, path) {
      const repo = open(project);
      const entry = await translated(git.lookupPath(repo, knownSha(sha), path));
      if (entry?.type !== 'blob') return null;
      const header = await git.readHeader(repo, entry.id);
      return header ? { id: entry.id, mode: entry.mode, size: header.size } : null;
    },
    async blobContent(project, id, maxBytes) {
      try {
        return (await git.readBlob(open(project), knownSha(id), { maxBytes }))?.data ?? null;
      } catch (error) {
        if (git.isGitError(error, 'limit')) return null;
        throw asHttpError(error);
      }
    },
    async blobStream(project, id, signal) {
      const repo = open(project);
      const small = await git.readHeader(repo, knownSha(id));
      // Small files come out of the cache, without a process of their own.
      if (small && small.size <= 1024 * 1024) {
        const blob = await translated(git.readBlob(repo, knownSha(id)));
        if (blob) return Readable.from([blob.data], { objectMode: false });
      }
      const stream = await translated(git.streamBlob(git.withSignal(repo, signal), knownSha(id)));
      if (!stream) throw notFound('File');
      return stream.stdout;
    },
    lastCommitOf: (project, sha, path) => translated(git.lastCommitOf(open(project), knownSha(sha), path)),
    mergeBase: (project, a, b) => translated(git.mergeBase(open(project), knownSha(a), knownSha(b))),
    isAncestor: (project, ancestor, descendant) =>
      translated(git.isAncestor(open(project), knownSha(ancestor), knownSha(descendant))),
    archive: (project, sha, format, prefix, path, signal) =>
      translated(
        git.archive(git.withSignal(open(project), signal), knownSha(sha), {
          format: archiveFormats[format],
          prefix,
          ...(path ? { path } : {}),
        }),
      ),
  };
}
