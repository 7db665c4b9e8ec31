/** Repositories: commits, branches, tags, files, and the one way to write them. */
import path from 'node:path';
import * as git from '@millrace/git';
import Type from 'typebox';
import { canOnProject } from '../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Project } from '../../kernel/db/rows.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import { addJob, defineTask } from '../../kernel/queue/index.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import { archiveRoutes } from './archives/archives.routes.ts';
import { branchRoutes } from './branches/branches.routes.ts';
import { type MergedBranchesDependencies, mergedBranches } from './branches/merged.ts';
import { tagRoutes } from './branches/tags.routes.ts';
import { repositoryBundles } from './bundles/bundles.ts';
import { changelogRoutes } from './changelogs/changelogs.routes.ts';
import { changelogService } from './changelogs/changelogs.service.ts';
import { withCommitOf } from './commits/beside.ts';
import { changesOf } from './commits/changes.ts';
import { commitJson, projectPath } from './commits/commits.json.ts';
import { areRelated } from './commits/commits.queries.ts';
import { commitRoutes } from './commits/commits.routes.ts';
import { commitService, fileChanges } from './commits/commits.service.ts';
import { compareRoutes } from './commits/compare.routes.ts';
import { commitDetails } from './commits/detail.ts';
import { historyRoutes } from './commits/history.routes.ts';
import { replayRoutes } from './commits/replays.routes.ts';
import { replayService } from './commits/replays.service.ts';
import { startProjectOf } from './commits/start-project.ts';
import { carrying } from './copies/carrying.ts';
import { repositoryCopies } from './copies/copies.ts';
import type { RepositoryAccess, RepositoryRow } from './face.ts';
import { blobRoutes } from './files/blobs.routes.ts';
import { fileEditRoutes } from './files/edits.routes.ts';
import { fileRoutes } from './files/files.routes.ts';
import { lastCommitRoutes } from './files/last-commits.routes.ts';
import { lastCommitsOfDirectories } from './files/last-commits.ts';
import { submoduleRoutes } from './files/submodules.ts';
import { type LfsObjectsDependencies, lfsObjects, presenceCheck } from './lfs/index.ts';
import { projectLicenses } from './licenses/licenses.ts';
import { pushCounts, sizeLimits } from './limits/limits.ts';
import { lockCheck, lockRoutes, locksInTheWay, pathLocks } from './locks/index.ts';
import { repositoryMaintenance } from './maintenance/maintenance.ts';
import { fetchCounter } from './measuring/fetches.ts';
import { measuringRoutes } from './measuring/measuring.routes.ts';
import { repositoryMeasuring } from './measuring/measuring.ts';
import { mergeTrials } from './merges/trials.ts';
import { protectedBranchRoutes, protectedTagRoutes } from './protections/protections.routes.ts';
import { protectionService } from './protections/protections.service.ts';
import { readPushOptions } from './push-options/push-options.ts';
import { type PushRuleCheckDependencies, pushRuleCheck } from './push-rules/push-rules.check.ts';
import { pushRuleRoutes } from './push-rules/push-rules.routes.ts';
import { pushRuleService } from './push-rules/push-rules.service.ts';
import { asHttpError, gitReader, knownSha } from './reading/git-reader.ts';
import { refService } from './refs/refs.service.ts';
import { projectReleases, type RecordReleaseFact, replaceMilestonesOfReleases, tagsRemoved } from './releases/index.ts';
import { secretsCheck } from './secrets/secrets.check.ts';
import { securitySettingsRoutes } from './secrets/security-settings.routes.ts';
import { repositoryOpener, repositorySetup } from './setup/setup.ts';
import type { InstanceKeys } from './signatures/instance-keys.ts';
import { signatureRoutes } from './signatures/signatures.routes.ts';
import { signatures as signaturesOf } from './signatures/signatures.service.ts';
import { storageInspection } from './storage/inspect.ts';
import { storageSweep } from './storage/sweep.ts';
import { templateRoutes } from './templates/templates.routes.ts';
import { templateService } from './templates/templates.service.ts';
import type { Pushed } from './transfer/receive.ts';
import { transfer } from './transfer/transfer.ts';
import { wikis } from './wikis/index.ts';
import { accessCheck } from './writes/access-check.ts';
import { type ProjectSettlingDependencies, projectSettling } from './writes/project-settling.ts';
import { refPermissions } from './writes/ref-permissions.ts';
import { type WritePathDependencies, writePath } from './writes/write-path.ts';
import { bumpServiceRefs, setDefaultBranch } from './writes/writes.queries.ts';
import { writtenCheck } from './writes/written-check.ts';

export { Commit, type CommitJson, FileDiff } from './commits/commits.entity.ts';
export type { RepositoryAccess, RepositoryRow, Workbench, WriteRequest } from './face.ts';
export { maintenanceDue } from './maintenance/maintenance.ts';
export { type MergeRequestWishes, readPushOptions } from './push-options/push-options.ts';
export { pushRuleRelation } from './push-rules/transfer.ts';
export {
  linksOf as linksOfReleases,
  releaseById,
  releaseRelation,
  releaseUrl,
  rewriteReleaseUrl,
  sourcesOf,
} from './releases/index.ts';
export { securitySettingRelation } from './secrets/transfer.ts';
export { type InstanceKeys, loadInstanceKeys } from './signatures/instance-keys.ts';
export type { Inspection, Problem } from './storage/inspect.ts';
export type { Pushed } from './transfer/receive.ts';
export { matchesPattern } from './writes/protection.ts';

export interface RepositoryDependencies
  extends Pick<ProjectSettlingDependencies, 'announce'>,
    Pick<WritePathDependencies<ProjectSubject>, 'log'> {
  readonly db: Db;
  readonly recordFact: ProjectSettlingDependencies['recordFact'] & RecordReleaseFact;
  readonly project: (db: Db, id: number) => Promise<RepositoryRow | null>;
  /** A handle over connections that only hold locks. */
  readonly lockDb: Db;
  readonly externalUrl: string;
  readonly parents: ParentLoader;
  /** A project by id or full path. */
  readonly find: (idOrPath: string) => Promise<ProjectSubject | null>;
  /** The level of somebody on a project. */
  readonly levelOn: (projectId: number, userId: number) => Promise<number>;
  /** The person and the project as they are now; null when either is gone or may not act. */
  readonly actingAs: MergedBranchesDependencies['actingAs'];
  /** Directories by storage name. */
  readonly storages: Readonly<Record<string, string>>;
  /** How long a storage has not answered; null where it does. */
  readonly hangingFor: (storage: string) => number | null;
  readonly gitBudgets: git.GitBudgets;
  /** In which directory answers to fetches are kept, and how many bytes; 0 keeps none. */
  readonly fetchCache: { readonly beside: string; readonly maxBytes: number };
  /** Somebody is sent the code of a project. */
  readonly downloaded: (projectId: number, caller: Caller) => void;
  /** The project whose files are templates for everybody. */
  readonly templateProject: () => Promise<number | null>;
  readonly settings: Settings;
  /** What commits of the product are signed with. */
  readonly instanceKeys: InstanceKeys;
  /** Name of the storage of wikis of groups. */
  readonly repositoryStorage: string;
  /** What follows from a push for other parts; lines for the person who pushed. */
  readonly afterPush: (pushed: Pushed<ProjectSubject>) => Promise<readonly string[]>;
  /** Branches that somebody without a role may push to, because they may merge them into another project. */
  readonly collaborates: (subject: ProjectSubject, caller: Caller) => Promise<ReadonlySet<string>>;
  readonly pushRules: Omit<PushRuleCheckDependencies, 'db' | 'stamp'>;
  readonly objects: LfsObjectsDependencies['objects'];
  /** A project as a caller has it. */
  readonly projectAs: LfsObjectsDependencies['project'];
}

/** Bytes. */
const maximumFileContent = 10 * 1024 ** 2;

export function repositoryFeature(deps: RepositoryDependencies) {
  const { db } = deps;
  const { beside, maxBytes: keeps } = deps.fetchCache;
  const shared = git.createGit({
    limits: deps.gitBudgets,
    ...(keeps > 0 ? { answers: { directory: path.join(beside, 'fetch-cache'), maxBytes: keeps } } : {}),
  });
  const open = repositoryOpener(shared, deps.storages, deps.hangingFor);
  const reader = gitReader(open);
  const sizes = sizeLimits(db, deps.settings);
  const { stamp } = deps.instanceKeys;
  const lfs = lfsObjects({ db, objects: deps.objects, project: deps.projectAs, sizes });
  const checks = [
    accessCheck(db, deps.collaborates),
    sizes.check,
    pushRuleCheck({ db, ...deps.pushRules, stamp }),
    lockCheck(db),
    presenceCheck(lfs),
    secretsCheck(deps),
    writtenCheck,
  ];
  const locks = pathLocks({ db, reader });
  const repositoryOf = (subject: ProjectSubject): RepositoryRow => subject.project;
  const writes = writePath({
    ...deps,
    owner: 'project_id',
    stamp,
    repositoryOf,
    repository: deps.project,
    open,
    settled: projectSettling({ ...deps, open, tagsRemoved: tagsRemoved(deps.recordFact) }),
    headMoved: async (tx, { id }, branch) => {
      await setDefaultBranch(tx, id, branch);
      await bumpServiceRefs(tx, id);
    },
    checks,
  });
  const wiki = wikis({
    ...deps,
    open,
    reader,
    shared,
    defaultStorage: deps.repositoryStorage,
    stamp,
  });
  const protections = protectionService(deps);
  const commits = commitService({ open, reader, writes });
  const refs = refService({ reader, writes, commits });
  const merged = mergedBranches({ db, open, refs, actingAs: deps.actingAs });
  const changelogs = changelogService({ ...deps, open, reader, commits });
  const releases = projectReleases({ ...deps, reader, refs });
  const setup = repositorySetup({
    open,
    storages: deps.storages,
    shared,
    reader,
    commits,
    moveHead: writes.moveHead,
  });
  const licenses = projectLicenses({ db, reader });
  const templates = templateService({
    db,
    reader,
    readText: (row, sha, file, most) => access.readText(row, sha, file, most),
    find: deps.find,
    instanceProject: deps.templateProject,
  });
  const project = async (_handle: Db, id: number) => (await deps.find(String(id)))?.project ?? null;
  const maintenance = repositoryMaintenance({
    db,
    open,
    project,
    exclusively: writes.exclusively,
    settings: deps.settings,
  });
  const measuring = repositoryMeasuring({
    licenseOf: licenses.of,
    db,
    open,
    maintain: maintenance.maintain,
    project,
  });
  const lastCommits = lastCommitsOfDirectories({ db, open, project });
  const copies = repositoryCopies({ db, open, shared, exclusively: writes.exclusively });
  const carried = carrying({
    open,
    exclusively: writes.exclusively,
    shareLfs: (source, target, oids) => lfs.shared(source.id, target.id, oids),
  });
  const bundles = repositoryBundles({
    open,
    shared,
    exclusively: writes.exclusively,
    moved: (id) => bumpServiceRefs(db, id),
  });
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
    branchesWith: (project, sha) => reader.containing(project, sha, 'branch'),
    async ahead(project, base, head) {
      return (await git.aheadBehind(open(project), knownSha(base), knownSha(head))).ahead;
    },
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
    async diff(project, from, to) {
      try {
        return fileChanges(await git.diff(open(project), knownSha(from), knownSha(to)));
      } catch (error) {
        throw asHttpError(error);
      }
    },
    diffOfCommit: commits.diffOfCommit,
    ...changesOf({ open, reader }),
    async readText(project, sha, path, maximumBytes) {
      const blob = await reader.blob(project, sha, path);
      const content = blob ? await reader.blobContent(project, blob.id, maximumBytes) : null;
      return content?.toString('utf8') ?? null;
    },
    async listPaths(project, sha) {
      const entries = await reader.tree(project, sha, '', true);
      return (entries ?? []).filter((entry) => entry.type === 'blob').map((entry) => entry.path);
    },
    ...mergeTrials(open),
    lockInTheWay: locksInTheWay(db, open),
    ...refPermissions(db),
    write: writes.write,
    // Without the lock and an intent: no fact tells of these refs, the ref goes before the row that names it and after
    // the row that named it, and whoever is interrupted between leaves a ref that nobody asks for, or comes again.
    async keepRef(handle, project, ref, sha) {
      const update = { ref: ref as git.RefName, new: sha === null ? git.ZERO_SHA : knownSha(sha) };
      await git.updateRefs(open(project), [update]);
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

  const sweep = defineTask(
    'repository.sweep',
    Type.Object({}),
    async () => {
      await writes.sweep();
      await wiki.sweep();
    },
    { maxAttempts: 1 },
  );
  const orphans = storageSweep({ db, open, storages: deps.storages, log: deps.log });
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
  const signatures = signaturesOf({
    db,
    open,
    externalUrl: deps.externalUrl,
    keys: deps.instanceKeys,
    privateAddress: deps.pushRules.privateAddress,
  });
  const details = commitDetails({ db, externalUrl: deps.externalUrl, reader, signatures });
  const startProject = (subject: ProjectSubject, idOrPath: string, caller: Caller) =>
    startProjectOf({ db, parents: deps.parents }, subject, idOrPath, caller);
  const feature: Feature = {
    routes: [
      ...commitRoutes({
        details,
        reader,
        commits,
        startProject,
      }),
      ...replayRoutes(details, replayService({ open, reader, writes, access })),
      ...historyRoutes({ open, reader, details }),
      ...compareRoutes({ open, reader, access, details, startProject }),
      ...branchRoutes({ db, externalUrl: deps.externalUrl, reader, refs, protections }),
      ...tagRoutes({ db, externalUrl: deps.externalUrl, reader, refs }),
      ...signatureRoutes({ reader, details, signatures, keys: deps.instanceKeys }),
      ...merged.routes,
      ...changelogRoutes({ db, changelogs }),
      ...submoduleRoutes({ writes, details }),
      ...protectedBranchRoutes(db, protections),
      ...protectedTagRoutes(db, protections),
      ...pushRuleRoutes(pushRuleService(db)),
      ...securitySettingsRoutes(db),
      ...fileRoutes({ lfs, objects: deps.objects, reader, maximumContentBytes: maximumFileContent }),
      ...lockRoutes({ db, externalUrl: deps.externalUrl, locks }),
      ...archiveRoutes({ lfs, objects: deps.objects, reader, downloaded: deps.downloaded }),
      ...lastCommitRoutes({ lastCommits, reader, details }),
      ...fileEditRoutes(commits),
      ...blobRoutes({ open, reader, maximumContentBytes: maximumFileContent }),
      ...measuringRoutes({ db, measuring, fetches }),
      ...templateRoutes(templates),
      ...releases.routes,
      ...wiki.routes,
    ],
    tasks: [
      sweep,
      remove,
      orphans,
      ...releases.tasks,
      ...merged.tasks,
      ...maintenance.tasks,
      ...measuring.tasks,
      ...lastCommits.tasks,
      ...lfs.tasks,
      ...wiki.tasks,
    ],
    consumers: [...measuring.consumers, ...lastCommits.consumers],
    cron: [
      { schedule: '* * * * *', task: sweep.name },
      { schedule: '11 4 * * *', task: orphans.name },
      ...maintenance.cron,
      ...measuring.cron,
      ...lfs.cron,
    ],
  };
  return {
    ...feature,
    access,
    setup,
    lfs: { objects: lfs, locks: locks.lfs },
    inspection: storageInspection({ db, open, storages: deps.storages, objects: deps.objects }),
    /** The licence of the default branch, kept by its commit. */
    licenseOf: licenses.of,
    /** Copies a repository for a fork, and measures it. */
    copied: async (source: RepositoryRow, target: RepositoryRow, branches: readonly string[] | null) => {
      await copies.copied(source, target, branches);
      await lfs.copied(source.id, target.id);
      await measuring.due(db, target.id);
    },
    /** Releases have one milestone in place of others. */
    carrier: { milestonesReplaced: replaceMilestonesOfReleases },
    bundles: {
      ...bundles,
      /** Measures what an import brought. */
      arrived: (tx: Db, project: RepositoryRow) => measuring.due(tx, project.id),
    },
    /** Removes a project's repository and wiki, or the wikis of a group and what is below it, by tasks. */
    removed: async (
      tx: Db,
      of:
        | { readonly project: Pick<Project, 'id' | 'repository_storage' | 'repository_path'> }
        | { readonly groupId: number },
    ) => {
      const known = await wiki.below(tx, 'project' in of ? { projectId: of.project.id } : of);
      for (const { repository_storage: storage, repository_path: path } of 'project' in of
        ? [of.project, ...known]
        : known)
        await addJob(tx, remove, { storage, path });
    },
    wikis: wiki.git,
    wikiBundles: wiki.bundles,
    sizeLimits: sizes,
    transport: transfer({
      open,
      repositoryOf,
      writes,
      counts: () => pushCounts(deps.settings),
      limit: sizes.ofPush,
      fetched: (subject, caller) => {
        fetches.count(subject.project.id);
        deps.downloaded(subject.project.id, caller);
      },
      archived: (subject, caller) => deps.downloaded(subject.project.id, caller),
      // Who may not see merge requests learns nothing of what waits in them.
      hiddenFrom: (subject, caller) =>
        canOnProject(caller, 'read_merge_request', subject) ? [] : ['refs/merge-requests'],
      afterwards: async (pushed) => {
        const { warnings } = readPushOptions(pushed.pushOptions);
        const lines = await deps.afterPush(pushed).catch((error: unknown) => {
          deps.log.warn({ err: error, project: pushed.subject.project.id }, 'nothing could be told after a push');
          return [];
        });
        return [...warnings.map((warning) => `WARNING: ${warning}`), ...lines];
      },
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
