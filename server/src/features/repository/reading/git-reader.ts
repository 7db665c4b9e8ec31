/** The reader over packages/git: revisions are resolved to ids first, everything after works on ids. */
import { Readable } from 'node:stream';
import * as git from '@millrace/git';
import { badRequest, conflict, HttpError, notFound, plainError, unavailable } from '../../../kernel/http/errors.ts';
import type { RepositoryRow } from '../face.ts';
import type { ArchiveFormat, CommitData, RefData, RepositoryReader, TreeItem } from './reader.ts';

type RefPrefix = 'refs/heads/' | 'refs/tags/';

/** Opens the handle of a project's repository. */
export type OpenRepository = (project: RepositoryRow) => git.Repo;

/** A directory with more entries than this, listed recursively, is cut: nobody pages that far. */
const recursiveLimit = 100_000;

/** Of one search in the files of a commit. */
const grepLimits = { around: 2, mostPerFile: 100, maxBytes: 16 * 1024 * 1024, timeoutMs: 20_000 } as const;

/** More refs than that are not told for one commit. */
const refsLimit = 100_000;

/** git's own errors as answers of the API. */
function asStorageError(error: unknown): unknown {
  const found = git.storageError(error);
  // A file that is not there is not always a repository that is not there.
  return found === null || found.code === 'missing' ? null : asHttpError(found);
}

/** Why a ref did not move, in words for people. */
export function unmovedReason(error: git.GitError): string {
  if (error.code === 'conflict' || error.code === 'exists') return 'the ref was changed at the same time: fetch first';
  if (error.code === 'directory_conflict') return 'a ref with a conflicting name exists';
  if (error.code === 'not_commit') return 'a branch points at a commit, not at another object';
  return error.code === 'locked' ? 'the ref is locked' : 'the ref could not be updated';
}

/** What a request's body was refused for, where git only saw it end; undefined for everything else. */
export const refusalBehind = (error: unknown): HttpError | undefined =>
  git.isGitError(error, 'aborted') && error.cause instanceof HttpError ? error.cause : undefined;

export function asHttpError(error: unknown): unknown {
  if (!git.isGitError(error)) return asStorageError(error) ?? error;
  switch (error.code) {
    case 'not_found':
      return notFound('Repository');
    case 'missing':
    case 'storage_failed':
      return unavailable(error.message, 30);
    case 'storage_full':
      return new HttpError(507, { message: `507 Insufficient Storage - ${error.message}` });
    case 'invalid':
      return badRequest(error.message);
    case 'busy':
    case 'timeout':
    case 'memory':
      return unavailable(error.message, git.isGitError(error, 'busy') ? 5 : 30);
    case 'aborted':
      return refusalBehind(error) ?? unavailable('the client has gone');
    case 'limit':
      return new HttpError(413, { message: `413 Request Entity Too Large - ${error.message}` });
    case 'directory_conflict':
      return plainError(400, unmovedReason(error));
    case 'conflict':
    case 'exists':
    case 'locked':
      return conflict(unmovedReason(error));
    default:
      return error;
  }
}

/** What git answers, with its errors as the API's. */
export async function translated<T>(work: Promise<T>): Promise<T> {
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

/** The newest commit of the default branch, read from the ref itself; null where there is none. */
export async function headOf(open: OpenRepository, project: RepositoryRow): Promise<git.Sha | null> {
  const ref = project.default_branch === null ? null : git.branchRef(project.default_branch);
  return ref === null ? null : await git.readRef(open(project), ref);
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
  tgz: 'tar.gz',
  gz: 'tar.gz',
  'tar.bz2': 'tar.bz2',
  tbz: 'tar.bz2',
  tbz2: 'tar.bz2',
  tb2: 'tar.bz2',
  bz2: 'tar.bz2',
  zip: 'zip',
};

export function gitReader(open: OpenRepository): RepositoryReader {
  async function refData(repo: git.Repo, entry: git.RefEntry, prefix: string): Promise<RefData> {
    const tag = entry.peeled === null ? null : await git.readTag(repo, entry.id);
    return {
      name: entry.ref.slice(prefix.length),
      commit: entry.peeled ?? entry.id,
      target: entry.id,
      message: tag ? tag.message.trimEnd() : null,
      taggedAt: tag?.tagger ? new Date(tag.tagger.seconds * 1000) : null,
    };
  }

  /** Of a snapshot: repositories have as many refs as they like, and their lists are asked for page by page. */
  const lists = new WeakMap<git.RefsSnapshot, Map<RefPrefix, Promise<readonly RefData[]>>>();
  async function refs(project: RepositoryRow, prefix: RefPrefix): Promise<readonly RefData[]> {
    const repo = open(project);
    const snapshot = await translated(git.refsSnapshot(repo, project.refs_generation));
    const known = lists.get(snapshot) ?? new Map<RefPrefix, Promise<readonly RefData[]>>();
    lists.set(snapshot, known);
    const made =
      known.get(prefix) ??
      Promise.all(
        snapshot.refs
          .filter((entry) => entry.ref.startsWith(prefix))
          .map((entry) => refData(git.sharedWork(repo), entry, prefix)),
      );
    known.set(prefix, made);
    made.catch(() => known.delete(prefix));
    return await made;
  }

  async function ref(project: RepositoryRow, prefix: RefPrefix, name: string): Promise<RefData | null> {
    const repo = open(project);
    const snapshot = await translated(git.refsSnapshot(repo, project.refs_generation));
    const entry = git.refNamed(snapshot, `${prefix}${name}`);
    return entry ? await refData(repo, entry, prefix) : null;
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
    branch: (project, name) => ref(project, 'refs/heads/', name),
    tag: (project, name) => ref(project, 'refs/tags/', name),
    commit,
    async stats(project, sha) {
      const stats = await translated(git.commitStats(open(project), knownSha(sha)));
      if (!stats) throw notFound('Commit');
      return { additions: stats.additions, deletions: stats.deletions, total: stats.total };
    },
    async log(project, filter) {
      // Commits have whole seconds: half a second later is after them, half a second earlier before.
      const since = filter.since && Math.ceil(filter.since.getTime() / 1000);
      const until = filter.until && Math.floor(filter.until.getTime() / 1000);
      if (until !== undefined && until < 0) return [];
      const found = await translated(
        git.log(open(project), {
          from: (filter.from ?? []).map(knownSha),
          ...(filter.from === null ? { all: true, hidden: filter.hidden ?? [] } : {}),
          ...(filter.not ? { not: filter.not.map(knownSha) } : {}),
          ...(filter.either ? { either: [knownSha(filter.either[0]), knownSha(filter.either[1])] as const } : {}),
          ...(filter.path ? { paths: [filter.path] } : {}),
          ...(filter.paths ? { paths: filter.paths } : {}),
          // Renames are those of one path: git refuses to follow none.
          ...(filter.follow && filter.path ? { follow: true } : {}),
          // No commit is older than time.
          ...(since !== undefined && since > 0 ? { since } : {}),
          ...(until === undefined ? {} : { until }),
          ...(filter.author ? { author: filter.author } : {}),
          ...(filter.grep ? { grep: filter.grep } : {}),
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
      const found = await translated(git.refsContaining(open(project), knownSha(sha), { prefix, limit: refsLimit }));
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
    async *grep(project, sha, text, signal) {
      try {
        yield* git.grep(git.withSignal(open(project), signal), knownSha(sha), text, grepLimits);
      } catch (error) {
        throw asHttpError(error);
      }
    },
    async *paths(project, sha, signal) {
      let seen = 0;
      for await (const { type, path } of git.walkTree(git.withSignal(open(project), signal), knownSha(sha))) {
        if (type === 'blob') yield path;
        seen += 1;
        if (seen >= recursiveLimit) return;
      }
    },
    async contentHash(project, id, signal) {
      const hash = await translated(git.blobHash(git.withSignal(open(project), signal), knownSha(id)));
      if (hash === null) throw notFound('File');
      return hash;
    },
    lastCommitOf: (project, sha, path) => translated(git.lastCommitOf(open(project), knownSha(sha), path)),
    mergeBase: (project, a, b) => translated(git.mergeBase(open(project), knownSha(a), knownSha(b))),
    isAncestor: (project, ancestor, descendant) =>
      translated(git.isAncestor(open(project), knownSha(ancestor), knownSha(descendant))),
    ancestorsAmong: (project, ids, descendant) =>
      translated(git.ancestorsAmong(open(project), ids.map(knownSha), knownSha(descendant))),
    divergence: (project, base, head) => translated(git.aheadBehind(open(project), knownSha(base), knownSha(head))),
    archive: (project, sha, { signal, format, path, ...options }) =>
      translated(
        git.archive(git.withSignal(open(project), signal), knownSha(sha), {
          ...options,
          format: archiveFormats[format],
          ...(path ? { path } : {}),
        }),
      ),
  };
}
