/** What later domains may ask of a project's repository: the implementation of `RepositoryAccess`. */
import * as git from '@millrace/git';
import type { ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import { ownedPaths } from './code-owners/owned-changes.ts';
import { changesOf } from './commits/changes.ts';
import { commitJson, projectPath } from './commits/commits.json.ts';
import { areRelated } from './commits/commits.queries.ts';
import { type commitService, fileChanges } from './commits/commits.service.ts';
import type { DiffLimits } from './commits/diff-limits.ts';
import { withCommitOf } from './commits/with-fork-commit.ts';
import type { carrying } from './copies/fetch-from-fork.ts';
import type { RepositoryAccess, RepositoryRow } from './face.ts';
import { locksInTheWay } from './locks/index.ts';
import { constructing } from './merges/construct.ts';
import { mergeTrials } from './merges/trials.ts';
import { asHttpError, knownSha, translated } from './reading/git-reader.ts';
import type { RepositoryReader } from './reading/reader.ts';
import type { repositoryOpener } from './setup/setup.ts';
import type { templateService } from './templates/templates.service.ts';
import { refPermissions } from './writes/ref-permissions.ts';
import type { WritePath } from './writes/write-path.ts';
import { bumpServiceRefs } from './writes/writes.queries.ts';

interface AccessDependencies {
  readonly db: Db;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly open: ReturnType<typeof repositoryOpener>;
  readonly reader: RepositoryReader;
  readonly commits: Pick<ReturnType<typeof commitService>, 'diffOfCommit'>;
  readonly writes: Pick<WritePath, 'write' | 'exclusively'>;
  readonly stamp: git.CommitStamp | null;
  readonly templates: Pick<ReturnType<typeof templateService>, 'defaultText' | 'one'>;
  readonly carried: ReturnType<typeof carrying>;
  readonly diffLimits: DiffLimits;
}

export function repositoryAccess(deps: AccessDependencies): RepositoryAccess {
  const { db, externalUrl, open, reader, commits, writes, templates, carried } = deps;
  const urlOf = (subject: ProjectSubject) => `${externalUrl}/${projectPath(subject)}`;

  /** The commit of a branch, read from the ref itself: never older than the repository. */
  async function branch(project: RepositoryRow, name: string): Promise<string | null> {
    const ref = git.branchRef(name);
    return ref === null ? null : git.readRef(open(project), ref);
  }

  const access: RepositoryAccess = {
    branch,
    resolve: reader.resolve,
    mergeBase: reader.mergeBase,
    lastCommitOf: reader.lastCommitOf,
    isAncestor: reader.isAncestor,
    branchesWith: (project, sha) => reader.containing(project, sha, 'branch'),
    divergence: (project, base, head) => translated(git.aheadBehind(open(project), knownSha(base), knownSha(head))),
    ciTemplate: async (name) => (await (await templates.one('gitlab_ci_ymls', null, name))?.content()) ?? null,
    defaultTemplate: (subject, kind) => templates.defaultText(kind, subject),
    async commitsBetween(subject, base, head, window) {
      const found = await reader.log(subject.project, { from: [head], not: base === null ? [] : [base], ...window });
      return found.map((commit) => commitJson(commit, urlOf(subject)));
    },
    async commitsBeyond(subject, { project: other, sha }, head, limit) {
      const { project } = subject;
      const known = other.id === project.id || (await reader.resolve(project, sha)) !== null;
      if (known) return await access.commitsBetween(subject, sha, head, { skip: 0, limit });
      const ids = await withCommitOf(open, project, other, sha, (repo) =>
        git.logIds(repo, { from: [knownSha(head)], not: [knownSha(sha)], limit }),
      );
      return await Promise.all(ids.map((id) => access.commit(subject, id)));
    },
    async commit(subject, sha) {
      return commitJson(await reader.commit(subject.project, sha), urlOf(subject));
    },
    async rangesWith(project, sha, ranges) {
      const known = ranges.map(({ base, head }) => ({
        base: base === null ? null : knownSha(base),
        head: knownSha(head),
      }));
      return await git.rangesWith(open(project), knownSha(sha), known);
    },
    async pushed(project, before, after) {
      const repo = open(project);
      const head = await reader.resolve(project, after);
      // The branch may have moved on, and its old commits be gone.
      if (head === null) return { count: 0, title: null };
      const known = before === null ? null : await reader.resolve(project, before);
      const not = known === null ? [] : [knownSha(known)];
      const count = await git.countCommits(repo, { from: [knownSha(head)], not });
      return { count, title: (await reader.commit(project, head)).title };
    },
    async diff(project, from, to, { whole = false, ...rest } = {}) {
      const options = { ...rest, limits: whole ? git.WHOLE_DIFF_LIMITS : await deps.diffLimits() };
      try {
        return fileChanges(await git.diff(open(project), knownSha(from), knownSha(to), options));
      } catch (error) {
        throw asHttpError(error);
      }
    },
    async rawDiff(project, from, to) {
      try {
        return await git.patchStream(open(project), from === null ? null : knownSha(from), knownSha(to));
      } catch (error) {
        throw asHttpError(error);
      }
    },
    async mails(project, from, to) {
      try {
        return await git.mailStream(open(project), from === null ? null : knownSha(from), knownSha(to));
      } catch (error) {
        throw asHttpError(error);
      }
    },
    patchId: (project, from, to) => translated(git.patchId(open(project), knownSha(from), knownSha(to))),
    codeOwners: (project, commit, paths) => translated(ownedPaths(open(project), knownSha(commit), paths)),
    tagMessage: async (project, tag) => (await reader.tag(project, tag))?.message ?? null,
    diffOfCommit: commits.diffOfCommit,
    ...changesOf({ open, reader, diffLimits: deps.diffLimits }),
    async textOrSize(project, sha, path, maximumBytes) {
      const blob = await reader.blob(project, sha, path);
      if (!blob) return null;
      const content = await reader.blobContent(project, blob.id, maximumBytes);
      return content?.toString('utf8') ?? blob.size;
    },
    async readText(project, sha, path, maximumBytes) {
      const found = await access.textOrSize(project, sha, path, maximumBytes);
      return typeof found === 'string' ? found : null;
    },
    async listPaths(project, sha) {
      const entries = await reader.tree(project, sha, '', true);
      return (entries ?? []).filter((entry) => entry.type === 'blob').map((entry) => entry.path);
    },
    ...mergeTrials(open),
    ...constructing({ db, open, exclusively: writes.exclusively, stamp: deps.stamp }),
    lockInTheWay: locksInTheWay(db, open),
    ...refPermissions(db),
    write: writes.write,
    // Without the lock and an intent: no fact tells of these refs, the ref goes before the row that names it and after
    // the row that named it, and whoever is interrupted between leaves a ref that nobody asks for, or comes again.
    keepRef: (handle, project, ref, sha) => access.keepRefs(handle, project, [{ ref, sha }]),
    async keepRefs(handle, project, refs) {
      // Each on its own, which needs no git.
      const moved = await Promise.allSettled(
        refs.map(async ({ ref, sha }) => {
          const update = { ref: ref as git.RefName, new: sha === null ? git.ZERO_SHA : knownSha(sha) };
          await git.updateRefs(open(project), [update]);
        }),
      );
      for (const outcome of moved) if (outcome.status === 'rejected') throw outcome.reason;
      // Fetches are answered from a snapshot of the generation. The caller's own handle: in a transaction a second
      // connection could wait for the first.
      await bumpServiceRefs(handle, project.id);
    },
    async advanceRef(handle, project, ref, from, to) {
      const old = from === null ? git.ZERO_SHA : knownSha(from);
      try {
        await git.updateRefs(open(project), [{ ref: ref as git.RefName, old, new: knownSha(to) }]);
      } catch (error) {
        if (git.isGitError(error, 'conflict') || git.isGitError(error, 'exists')) return false;
        throw error;
      }
      await bumpServiceRefs(handle, project.id);
      return true;
    },
    keptRef: (project, ref) => git.readRef(open(project), ref as git.RefName),
    related: (one, other) => areRelated(db, one, other),
    async carry(target, source, sha) {
      if ((await reader.resolve(target, sha)) === null) await carried(target, source, sha);
    },
  };
  return access;
}
