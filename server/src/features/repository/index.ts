/** Repositories: commits, branches, tags, files, and the one way to write them. */
import path from 'node:path';
import * as git from '@millrace/git';
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Project } from '../../kernel/db/rows.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import type { Mail } from '../../kernel/mail/index.ts';
import type { Markdown } from '../../kernel/markdown/index.ts';
import type { Ports } from '../../kernel/ports.ts';
import { addJob, defineTask } from '../../kernel/queue/index.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import { type Noteables, pushedCommits } from '../collaboration/index.ts';
import { type ProjectRepositories, projectRepositories } from '../namespaces/index.ts';
import { repositoryAccess } from './access.ts';
import { archiveRoutes } from './archives/archives.routes.ts';
import { branchRoutes } from './branches/branches.routes.ts';
import { type MergedBranchesDependencies, mergedBranches } from './branches/merged.ts';
import { tagRoutes } from './branches/tags.routes.ts';
import { mirroredRefs, repositoryBundles } from './bundles/bundles.ts';
import { changelogRoutes } from './changelogs/changelogs.routes.ts';
import { changelogService } from './changelogs/changelogs.service.ts';
import { codeIndexRoutes } from './code-index/code-index.routes.ts';
import { codeIndexing } from './code-index/code-index.ts';
import { commitNoteRoutes } from './commit-notes/commit-notes.routes.ts';
import { cherryPickRevertRoutes } from './commits/cherry-pick-revert.routes.ts';
import { cherryPickRevertService } from './commits/cherry-pick-revert.service.ts';
import { commitRoutes } from './commits/commits.routes.ts';
import { commitService } from './commits/commits.service.ts';
import { compareRoutes } from './commits/compare.routes.ts';
import { commitDetails } from './commits/detail.ts';
import { diffLimits } from './commits/diff-limits.ts';
import { historyRoutes } from './commits/history.routes.ts';
import { commitReferences } from './commits/references.ts';
import { startProjectOf } from './commits/start-project.ts';
import { repositoryCopies } from './copies/copies.ts';
import { carrying } from './copies/fetch-from-fork.ts';
import type { RepositoryRow } from './face.ts';
import { blobRoutes } from './files/blobs.routes.ts';
import { fileEditRoutes } from './files/edits.routes.ts';
import { fileRoutes } from './files/files.routes.ts';
import { lastCommitRoutes } from './files/last-commits.routes.ts';
import { lastCommitsOfDirectories } from './files/last-commits.ts';
import { submoduleRoutes } from './files/submodules.ts';
import { type LfsObjectsDependencies, lfsObjects, presenceCheck } from './lfs/index.ts';
import { projectLicenses } from './licenses/licenses.ts';
import { pushCounts, sizeLimits } from './limits/limits.ts';
import { lockCheck, lockRoutes, pathLocks } from './locks/index.ts';
import { repositoryMaintenance } from './maintenance/maintenance.ts';
import { fetchCounter } from './measuring/fetches.ts';
import { measuringRoutes } from './measuring/measuring.routes.ts';
import { repositoryMeasuring } from './measuring/measuring.ts';
import { commitFile } from './page-files/commit-files.ts';
import { rawFile } from './page-files/raw.ts';
import { releasesOfTags } from './ports.ts';
import { protectedBranchRoutes, protectedTagRoutes } from './protections/protections.routes.ts';
import { protectionService } from './protections/protections.service.ts';
import { readPushOptions } from './push-options/push-options.ts';
import { type PushRuleCheckDependencies, pushRuleCheck } from './push-rules/push-rules.check.ts';
import { pushRuleRoutes } from './push-rules/push-rules.routes.ts';
import { pushRuleService } from './push-rules/push-rules.service.ts';
import { broughtCommits } from './pushed-commits.ts';
import { gitReader } from './reading/git-reader.ts';
import { refService } from './refs/refs.service.ts';
import { secretsCheck } from './secrets/secrets.check.ts';
import { securitySettingsRoutes } from './secrets/security-settings.routes.ts';
import { gitTimeouts, repositoryOpener, repositorySetup } from './setup/setup.ts';
import type { InstanceKeys } from './signatures/instance-keys.ts';
import { signatureRoutes } from './signatures/signatures.routes.ts';
import { signatures as signaturesOf } from './signatures/signatures.service.ts';
import { snippets } from './snippets/index.ts';
import { snippetReferences } from './snippets/references.ts';
import { backupRuns } from './storage/backup.queries.ts';
import { repositoryBackups } from './storage/backup.ts';
import { storageInspection } from './storage/inspect.ts';
import { storageSweep } from './storage/sweep.ts';
import { templateRoutes } from './templates/templates.routes.ts';
import { templateService } from './templates/templates.service.ts';
import { hiddenRefs } from './transfer/hidden-refs.ts';
import type { Negotiation, Pushed } from './transfer/receive.ts';
import { transfer } from './transfer/transfer.ts';
import { findWikiOf, wikis } from './wikis/index.ts';
import { accessCheck } from './writes/access-check.ts';
import { type ProjectSettlingDependencies, projectSettling } from './writes/project-settling.ts';
import { pushConditions } from './writes/push-conditions.ts';
import { type WritePathDependencies, writePath } from './writes/write-path.ts';
import { bumpServiceRefs, setDefaultBranch } from './writes/writes.queries.ts';
import { writtenCheck } from './writes/written-check.ts';

export { commitTimes } from './branches/listing.ts';
export { keepsRequest } from './bundles/bundles.ts';
export type { Owner } from './code-owners/code-owners.ts';
export { Commit, type CommitJson, FileDiff } from './commits/commits.entity.ts';
export { commitJson, projectPath, unified } from './commits/commits.json.ts';
export type {
  BranchPermissions,
  ConflictText,
  FilePatch,
  MergeTry,
  RepositoryAccess,
  RepositoryRow,
  Workbench,
  WriteRequest,
} from './face.ts';
export { pathLockRelation } from './locks/transfer.ts';
export { countChecks, failedChecks } from './maintenance/checks.queries.ts';
export { maintenanceDue } from './maintenance/maintenance.ts';
export { languageNamed } from './measuring/languages.ts';
export { type ReleasesOfTags, releasesOfTags } from './ports.ts';
export { describedGrant } from './protections/protections.entity.ts';
export { protectedBranchRelation, protectedTagRelation } from './protections/transfer.ts';
export { type MergeRequestWishes, readPushOptions } from './push-options/push-options.ts';
export { pushRuleRelation, requireSignedCommits } from './push-rules/transfer.ts';
export { newRefBase } from './pushed-commits.ts';
export type { FoundLines, RepositoryReader } from './reading/reader.ts';
export { linearPattern } from './reading/search.ts';
export type { RefService } from './refs/refs.service.ts';
export { securitySettingRelation } from './secrets/transfer.ts';
export { type InstanceKeys, loadInstanceKeys } from './signatures/instance-keys.ts';
export { type NewSnippet, rewriteSnippetUrl, type SnippetLists, snippetLinesOf } from './snippets/index.ts';
export { UserAgentDetail } from './snippets/snippets.entity.ts';
export { type Ancestry, baseOf, stackBase } from './stack-base.ts';
export { type CapturedRepository, type RepositoryBackups, restoreRepository } from './storage/backup.ts';
export type { Inspection, Problem } from './storage/inspect.ts';
export type { Pushed } from './transfer/receive.ts';
export { findWiki, type WikiPageAt } from './wikis/index.ts';
export { matchesPattern, mayCreateTag } from './writes/protection.ts';
export { tagRules } from './writes/protections.queries.ts';

export interface RepositoryDependencies
  extends Pick<ProjectSettlingDependencies, 'announce'>,
    Pick<WritePathDependencies<ProjectSubject>, 'log'> {
  readonly db: Db;
  readonly project: (db: Db, id: number) => Promise<RepositoryRow | null>;
  /** A handle over connections that only hold locks. */
  readonly lockDb: Db;
  readonly ports: Ports;
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
  readonly negotiation: Negotiation;
  /** What git is started from, where it is not this process. */
  readonly gitSpawner?: git.Spawner | undefined;
  /** In which directory answers to fetches are kept, and how many bytes; 0 keeps none. */
  readonly fetchCache: { readonly beside: string; readonly maxBytes: number };
  /** Somebody is sent the code of a project. */
  readonly downloaded: (projectId: number, caller: Caller) => void;
  /** The project whose files are templates for everybody. */
  readonly templateProject: () => Promise<number | null>;
  readonly settings: Settings;
  readonly markdown: Pick<Markdown, 'html'>;
  readonly mail: Mail;
  /** What commits of the product are signed with. */
  readonly instanceKeys: InstanceKeys;
  /** Name of the storage of wikis of groups and of personal snippets. */
  readonly repositoryStorage: string;
  readonly sshPrefix: () => string | null;
  /** What follows from a push for other parts; lines for the person who pushed. */
  readonly afterPush: (pushed: Pushed<ProjectSubject>) => Promise<readonly string[]>;
  /** Branches that somebody without a role may push to, because they may merge them into another project. */
  readonly collaborates: (subject: ProjectSubject, caller: Caller) => Promise<ReadonlySet<string>>;
  readonly pushRules: Omit<PushRuleCheckDependencies, 'db' | 'stamp' | 'conditions'>;
  readonly objects: LfsObjectsDependencies['objects'];
  readonly noteables: Noteables;
  /** A project as a caller has it. */
  readonly projectAs: LfsObjectsDependencies['project'];
}

/** Milliseconds until a removal that waits for a backup is tried again. */
const removalDelay = 300_000;
/** Bytes. */
const maximumFileContent = 10 * 1024 ** 2;

export function repositoryFeature(deps: RepositoryDependencies) {
  const { db } = deps;
  const { beside, maxBytes: keeps } = deps.fetchCache;
  const shared = git.createGit({
    limits: deps.gitBudgets,
    timeouts: () => gitTimeouts(deps.settings.last()),
    ...(deps.gitSpawner ? { spawner: deps.gitSpawner } : {}),
    ...(keeps > 0 ? { answers: { directory: path.join(beside, 'fetch-cache'), maxBytes: keeps } } : {}),
  });
  const open = repositoryOpener(shared, deps.storages, deps.hangingFor);
  const reader = gitReader(open);
  const conditions = pushConditions(db);
  const sizes = sizeLimits(db, deps.settings, conditions);
  const { stamp } = deps.instanceKeys;
  const releases = deps.ports.one(releasesOfTags);
  const lfs = lfsObjects({ db, objects: deps.objects, project: deps.projectAs, sizes });
  const checks = [
    accessCheck(db, deps.collaborates),
    sizes.check,
    pushRuleCheck({ db, ...deps.pushRules, stamp, conditions }),
    lockCheck(db, conditions),
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
    settled: projectSettling({ ...deps, open, tagsRemoved: releases.tagsRemoved }),
    headMoved: async (tx, { id }, branch) => {
      await setDefaultBranch(tx, id, branch);
      await bumpServiceRefs(tx, id);
    },
    checks,
  });
  const project = async (_handle: Db, id: number) => (await deps.find(String(id)))?.project ?? null;
  const codeIndex = codeIndexing({ db, open, project, wiki: (owner) => findWikiOf(db, owner) });
  const wiki = wikis({
    ...deps,
    written: codeIndex.wikiDue,
    open,
    reader,
    shared,
    defaultStorage: deps.repositoryStorage,
    stamp,
  });
  const snippet = snippets({ ...deps, open, reader, shared, defaultStorage: deps.repositoryStorage, stamp });
  const protections = protectionService(deps);
  const limits = diffLimits(deps.settings);
  const commits = commitService({ open, reader, writes, diffLimits: limits });
  const refs = refService({ reader, writes, commits });
  const merged = mergedBranches({ db, open, refs, actingAs: deps.actingAs });
  const changelogs = changelogService({ ...deps, open, reader, commits });
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
  const maintenance = repositoryMaintenance({
    ...{ db, open, project, exclusively: writes.exclusively },
    ...{ settings: deps.settings, mail: deps.mail, externalUrl: deps.externalUrl },
  });
  const measuring = repositoryMeasuring({
    licenseOf: licenses.of,
    db,
    open,
    maintain: maintenance.maintain,
    project,
  });
  const lastCommits = lastCommitsOfDirectories({ db, open, project });
  const { exclusively } = writes;
  const copies = repositoryCopies({ db, open, shared, exclusively });
  const carried = carrying({
    open,
    exclusively,
    shareLfs: (source, target, oids) => lfs.shared(source.id, target.id, oids),
  });
  const bundles = repositoryBundles({ open, shared, exclusively, moved: (id) => bumpServiceRefs(db, id) });
  const fetches = fetchCounter(db, (error) => deps.log.warn({ err: error }, 'fetches could not be counted'));
  const access = repositoryAccess({
    db,
    externalUrl: deps.externalUrl,
    open,
    reader,
    commits,
    writes,
    stamp,
    templates,
    carried,
    diffLimits: limits,
  });

  const sweep = defineTask(
    'repository.sweep',
    Type.Object({}),
    async () => {
      await writes.sweep();
      await wiki.sweep();
      await snippet.sweep();
    },
    { maxAttempts: 1 },
  );
  const orphans = storageSweep({ db, open, storages: deps.storages, log: deps.log });
  const removal = { name: 'repository.remove' };
  const remove = defineTask(
    removal.name,
    Type.Object({ storage: Type.String(), path: Type.String() }),
    async ({ storage, path }) => {
      // A backup that runs may still read it.
      if (await backupRuns(db)) {
        const runAt = new Date(Date.now() + removalDelay);
        return await addJob(db, removal, { storage, path }, { runAt });
      }
      await setup.removed({
        id: 0,
        repository_storage: storage,
        repository_path: path,
        refs_generation: 0,
        default_branch: null,
      });
    },
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
        db,
        details,
        reader,
        commits,
        startProject,
      }),
      ...cherryPickRevertRoutes(details, cherryPickRevertService({ open, reader, writes, access })),
      ...historyRoutes({ open, reader, details }),
      ...compareRoutes({ open, reader, access, details, startProject, diffLimits: limits }),
      ...branchRoutes({ db, externalUrl: deps.externalUrl, reader, refs, protections }),
      ...tagRoutes({ db, externalUrl: deps.externalUrl, reader, refs, releases }),
      ...signatureRoutes({ reader, details, signatures, keys: deps.instanceKeys }),
      ...merged.routes,
      ...changelogRoutes({ db, changelogs }),
      ...submoduleRoutes({ writes, details }),
      ...protectedBranchRoutes(db, protections),
      ...protectedTagRoutes(db, protections),
      ...pushRuleRoutes(pushRuleService(db)),
      ...securitySettingsRoutes(db),
      ...commitNoteRoutes({ ...deps, repository: access, refs }),
      ...fileRoutes({
        markdown: deps.markdown,
        lfs,
        objects: deps.objects,
        reader,
        maximumContentBytes: maximumFileContent,
      }),
      ...lockRoutes({ db, externalUrl: deps.externalUrl, locks }),
      ...archiveRoutes({ lfs, objects: deps.objects, reader, downloaded: deps.downloaded }),
      ...lastCommitRoutes({ lastCommits, reader, details }),
      ...fileEditRoutes(commits),
      ...blobRoutes({ open, reader, maximumContentBytes: maximumFileContent }),
      ...codeIndexRoutes(db, codeIndex),
      ...measuringRoutes({ db, measuring, fetches }),
      ...templateRoutes(templates),
      ...wiki.routes,
      ...snippet.routes,
    ],
    references: [...commitReferences(reader), snippetReferences(db)],
    pageFiles: [rawFile({ reader, lfs, objects: deps.objects }), commitFile(reader, access)],
    tasks: [
      sweep,
      remove,
      orphans,
      ...merged.tasks,
      ...maintenance.tasks,
      ...measuring.tasks,
      ...lastCommits.tasks,
      ...codeIndex.tasks,
      ...lfs.tasks,
      ...wiki.tasks,
      ...snippet.tasks,
    ],
    consumers: [...measuring.consumers, ...lastCommits.consumers, ...codeIndex.consumers],
    cron: [
      { schedule: '* * * * *', task: sweep.name },
      { schedule: '11 4 * * *', task: orphans.name },
      ...maintenance.cron,
      ...measuring.cron,
      ...codeIndex.cron,
      ...lfs.cron,
    ],
  };
  const removed = async (
    tx: Db,
    of:
      | { readonly project: Pick<Project, 'id' | 'repository_storage' | 'repository_path'> }
      | { readonly groupId: number },
  ) => {
    const known = await wiki.below(tx, 'project' in of ? { projectId: of.project.id } : of);
    const kept = 'project' in of ? [of.project, ...(await snippet.of(tx, of.project.id))] : [];
    for (const { repository_storage: storage, repository_path: path } of [...kept, ...known])
      await addJob(tx, remove, { storage, path });
  };
  const repositories: ProjectRepositories = {
    projectPlaced: setup.placed,
    projectUnplaced: setup.unplaced,
    projectCreated: setup.created,
    projectRemoved: (tx, project) => removed(tx, { project }),
    groupRemoved: (tx, groupId) => removed(tx, { groupId }),
    projectCopied: async (source, target, branches) => {
      await copies.copied(source, target, branches);
      await lfs.copied(source.id, target.id);
      await measuring.due(db, target.id);
      await codeIndex.codeDue(db, target.id);
    },
    readmePath: setup.readmePath,
    hasBranch: setup.hasBranch,
    headOf: setup.headOf,
    latestTag: setup.latestTag,
    changeDefaultBranch: setup.changeDefaultBranch,
    ...bundles,
    mirrored: mirroredRefs({ open, writes }),
    allLarge: lfs.all,
    mergeBase: reader.mergeBase,
    hasWiki: wiki.bundles.written,
    wikiBundle: wiki.bundles.bundle,
    wikiSnapshot: wiki.bundles.snapshot,
    wikiEmptied: wiki.bundles.emptied,
    wikiUnbundled: wiki.bundles.unbundled,
    wikiFilled: wiki.bundles.filled,
    snippetBundles: snippet.bundles.all,
    takeSnippet: snippet.bundles.take,
    snippetsEmptied: snippet.bundles.emptied,
    takeLarge: lfs.takeFor,
    hasLarge: async (subject, oids) => new Set((await lfs.of(subject, oids)).keys()),
    arrived: async (tx, project) => {
      await measuring.due(tx, project.id);
      await codeIndex.codeDue(tx, project.id);
    },
    licenseOf: licenses.of,
  };
  deps.ports.provide(projectRepositories, repositories);
  deps.ports.provide(pushedCommits, broughtCommits(access));
  return {
    ...feature,
    access,
    reader,
    refs,
    repositories,
    lfs: { objects: lfs, locks: locks.lfs },
    backups: repositoryBackups({ db, open, storages: deps.storages }),
    inspection: storageInspection({ db, open, storages: deps.storages, objects: deps.objects }),
    wikis: wiki.git,
    wikiPageAt: wiki.pageAt,
    snippets: snippet.git,
    createSnippet: snippet.create,
    search: { reader, snippets: snippet.lists },
    /** What becomes of snippets whose people go. */
    contributions: snippet.contributions,
    sizeLimits: sizes,
    transport: transfer({
      open,
      repositoryOf,
      writes,
      negotiation: deps.negotiation,
      counts: () => pushCounts(deps.settings),
      limit: sizes.ofPush,
      fetched: (subject, caller) => {
        fetches.count(subject.project.id);
        deps.downloaded(subject.project.id, caller);
      },
      archived: (subject, caller) => deps.downloaded(subject.project.id, caller),
      hiddenFrom: hiddenRefs,
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
