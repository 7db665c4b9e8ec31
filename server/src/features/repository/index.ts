/** Repositories: commits, branches, tags, files, and the one way to write them. */
import * as git from '@millrace/git';
import Type from 'typebox';
import type { ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import { defineTask } from '../../kernel/queue/index.ts';
import { branchRoutes } from './branches/branches.routes.ts';
import { commitJson, projectPath } from './commits/commits.json.ts';
import { commitRoutes } from './commits/commits.routes.ts';
import { commitService, fileChanges } from './commits/commits.service.ts';
import { repositoryCopies } from './copies/copies.ts';
import type { RepositoryAccess, RepositoryRow } from './face.ts';
import { fileRoutes } from './files/files.routes.ts';
import { commitGraphTask } from './maintenance/maintenance.ts';
import { fetchCounter } from './measuring/fetches.ts';
import { measuringRoutes } from './measuring/measuring.routes.ts';
import { repositoryMeasuring } from './measuring/measuring.ts';
import { type PushRuleCheckDependencies, pushRuleCheck } from './push-rules/push-rules.check.ts';
import { pushRuleRoutes } from './push-rules/push-rules.routes.ts';
import { pushRuleService } from './push-rules/push-rules.service.ts';
import { asHttpError, gitReader, knownSha } from './reading/git-reader.ts';
import { refService } from './refs/refs.service.ts';
import { repositoryOpener, repositorySetup } from './setup/setup.ts';
import { transfer } from './transfer/transfer.ts';
import { accessCheck } from './writes/access-check.ts';
import { mayMerge, mayPush, protectionsOf } from './writes/protection.ts';
import { type WritePathDependencies, writePath } from './writes/write-path.ts';
import { bumpServiceRefs, protections } from './writes/writes.queries.ts';

export { Commit, type CommitJson, FileDiff } from './commits/commits.entity.ts';
export type { RepositoryAccess, RepositoryRow, Workbench, WriteRequest } from './face.ts';

export interface RepositoryDependencies
  extends Pick<WritePathDependencies, 'recordFact' | 'announce' | 'project' | 'log'> {
  readonly db: Db;
  /** A handle over connections that only hold locks. */
  readonly lockDb: Db;
  readonly externalUrl: string;
  /** A project by id or full path. */
  readonly find: (idOrPath: string) => Promise<ProjectSubject | null>;
  /** Directories by storage name. */
  readonly storages: Readonly<Record<string, string>>;
  readonly gitBudgets: git.GitBudgets;
  readonly pushRules: Omit<PushRuleCheckDependencies, 'db'>;
}

/** Bytes. */
const maximumPush = 5 * 1024 ** 3;
const maximumFileContent = 10 * 1024 ** 2;

export function repositoryFeature(deps: RepositoryDependencies) {
  const { db } = deps;
  const shared = git.createGit({ limits: deps.gitBudgets });
  const open = repositoryOpener(shared, deps.storages);
  const reader = gitReader(open);
  const checks = [accessCheck(db), pushRuleCheck({ db, ...deps.pushRules })];
  const writes = writePath({ ...deps, open, checks });
  const refs = refService({ reader, writes });
  const commits = commitService({ open, reader, writes });
  const setup = repositorySetup({
    open,
    shared,
    reader,
    commits,
    headMoved: (project) => bumpServiceRefs(db, project.id),
  });
  const measuring = repositoryMeasuring({
    db,
    open,
    exclusively: writes.exclusively,
    project: async (_handle, id) => (await deps.find(String(id)))?.project ?? null,
  });
  const copies = repositoryCopies({ db, open, shared, exclusively: writes.exclusively });
  const fetches = fetchCounter(db, (error) => deps.log.warn({ err: error }, 'fetches could not be counted'));
  const urlOf = (subject: ProjectSubject) => `${deps.externalUrl}/${projectPath(subject)}`;

  /** The commit of a branch, read from the ref itself: never older than the repository. */
  async function branch(project: RepositoryRow, name: string): Promise<string | null> {
    const ref = git.branchRef(name);
    return ref === null ? null : git.readRef(open(project), ref);
  }

  const access: RepositoryAccess = {
    branch,
    resolve: reader.resolve,
    mergeBase: reader.mergeBase,
    isAncestor: reader.isAncestor,
    async ahead(project, base, head) {
      return (await git.aheadBehind(open(project), knownSha(base), knownSha(head))).ahead;
    },
    async commitsBetween(subject, base, head, window) {
      const found = await reader.log(subject.project, { from: [head], not: [base], ...window });
      return found.map((commit) => commitJson(commit, urlOf(subject)));
    },
    async commit(subject, sha) {
      return commitJson(await reader.commit(subject.project, sha), urlOf(subject));
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
    async diff(project, from, to) {
      try {
        return fileChanges(await git.diff(open(project), knownSha(from), knownSha(to)));
      } catch (error) {
        throw asHttpError(error);
      }
    },
    async changedPaths(project, from, to) {
      const files = await git.changedFiles(open(project), /^0+$/.test(from) ? null : knownSha(from), knownSha(to));
      return [...new Set(files.flatMap((file) => [file.oldPath, file.newPath]))];
    },
    async readText(project, sha, path, maximumBytes) {
      const blob = await reader.blob(project, sha, path);
      const content = blob ? await reader.blobContent(project, blob.id, maximumBytes) : null;
      return content?.toString('utf8') ?? null;
    },
    async listPaths(project, sha) {
      const entries = await reader.tree(project, sha, '', true);
      return (entries ?? []).filter((entry) => entry.type === 'blob').map((entry) => entry.path);
    },
    async tryMerge(project, ours, theirs) {
      const quarantine = await git.createQuarantine(open(project));
      try {
        const result = await git.mergeTree(quarantine, knownSha(ours), knownSha(theirs));
        return { tree: result.clean ? result.treeId : null, conflicts: result.conflictPaths };
      } catch (error) {
        throw asHttpError(error);
      } finally {
        await git.discardQuarantine(quarantine);
      }
    },
    async isProtected(project, name) {
      return protectionsOf(await protections(db, project.id), name).length > 0;
    },
    async mayPush(subject, caller, name) {
      return mayPush(await protections(db, subject.project.id), name, caller, subject);
    },
    async mayMerge(subject, caller, name) {
      return mayMerge(await protections(db, subject.project.id), name, caller, subject);
    },
    write: writes.write,
    async keepRef(handle, project, ref, sha) {
      const update = { ref: ref as git.RefName, new: sha === null ? git.ZERO_SHA : knownSha(sha) };
      await git.updateRefs(open(project), [update]);
      // Fetches are answered from a snapshot of the generation. The caller's own handle: in a transaction a second
      // connection could wait for the first.
      await bumpServiceRefs(handle, project.id);
    },
  };

  const sweep = defineTask('repository.sweep', Type.Object({}), () => writes.sweep(), { maxAttempts: 1 });
  const remove = defineTask(
    'repository.remove',
    Type.Object({ storage: Type.String(), path: Type.String() }),
    ({ storage, path }) =>
      setup.removed({
        id: 0,
        repository_storage: storage,
        repository_path: path,
        refs_generation: 0,
        default_branch: null,
      }),
  );
  const feature: Feature = {
    routes: [
      ...commitRoutes({ db, externalUrl: deps.externalUrl, reader, access, commits }),
      ...branchRoutes({ db, externalUrl: deps.externalUrl, reader, refs }),
      ...pushRuleRoutes(pushRuleService(db)),
      ...fileRoutes({ reader, maximumContentBytes: maximumFileContent }),
      ...measuringRoutes({ db, measuring, fetches }),
    ],
    tasks: [
      sweep,
      remove,
      commitGraphTask({ db, open, project: deps.project, exclusively: writes.exclusively }),
      ...measuring.tasks,
    ],
    consumers: measuring.consumers,
    cron: [{ schedule: '* * * * *', task: sweep.name }, ...measuring.cron],
  };
  return {
    ...feature,
    access,
    setup,
    /** Copies a repository for a fork, and measures it. */
    copied: async (source: RepositoryRow, target: RepositoryRow, branches: readonly string[] | null) => {
      await copies.copied(source, target, branches);
      await measuring.due(db, target.id);
    },
    /** The task that removes a repository's files. */
    remove,
    transport: transfer({
      open,
      writes,
      maximumPushBytes: maximumPush,
      fetched: fetches.count,
      greeting: (subject, moved) => mergeRequestHint(subject, moved, urlOf(subject)),
    }),
    close: async () => {
      await fetches.flush();
      await shared.close();
    },
    /** Running and waiting git processes, for metrics. */
    usage: () => shared.limiter.usage(),
  };
}
export type RepositoryFeature = ReturnType<typeof repositoryFeature>;

/** The address under which a merge request for a new branch is created, as people know it from their terminal. */
function mergeRequestHint(
  subject: ProjectSubject,
  moved: readonly { ref: string; after: string }[],
  url: string,
): string[] {
  if (!subject.project.printing_merge_request_link_enabled) return [];
  const branches = moved.flatMap(({ ref, after }) =>
    ref.startsWith('refs/heads/') && !/^0+$/.test(after) ? [ref.slice(11)] : [],
  );
  return branches
    .filter((name) => name !== subject.project.default_branch)
    .slice(0, 3)
    .flatMap((name) => [
      `To create a merge request for ${name}, visit:`,
      `  ${url}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${encodeURIComponent(name)}`,
    ]);
}
