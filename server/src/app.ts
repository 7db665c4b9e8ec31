/** The composition root: kernels in, one line per feature, a server that does not listen yet out. */

import type { App, ComposedFeatures, FeatureKernels, Kernels } from './composition.ts';
import { adminFeature } from './features/admin/index.ts';
import { builtInRunnerToken, ciFeature, ensureBuiltInRunner } from './features/ci/index.ts';
import { createAvatars, findUser, identityFeature, privateAddress, scopesAllowGit } from './features/identity/index.ts';
import {
  createPersonalNamespace,
  graceOfGroups,
  namespacesFeature,
  nextIid,
  removeGrantsOf,
  renamePersonalNamespace,
} from './features/namespaces/index.ts';
import { hookRepository, noteRelation, planningFeature, rewriteFeedUrl } from './features/planning/index.ts';
import {
  pushRuleRelation,
  releaseRelation,
  repositoryFeature,
  rewriteReleaseUrl,
  securitySettingRelation,
} from './features/repository/index.ts';
import { mergeRequestRelation, reviewFeature } from './features/review/index.ts';
import { anonymous, type Caller, type ProjectSubject } from './kernel/authz/subjects.ts';
import { createDelivery, createLive, emit, publish } from './kernel/events/index.ts';
import type { Feature } from './kernel/feature.ts';
import { mountHealth } from './kernel/health/health.ts';
import { maintenanceIn, refuseDuringMaintenance } from './kernel/http/maintenance.ts';
import { methodsOfPath, mountRoutes } from './kernel/http/mount.ts';
import { mountOpenApi } from './kernel/http/openapi/serve.ts';
import { createHttpServer } from './kernel/http/server.ts';
import { mountVersions } from './kernel/http/versions.ts';
import { createMail } from './kernel/mail/index.ts';
import { objectTasks } from './kernel/objects/tasks.ts';
import { createOutbound } from './kernel/outbound/index.ts';
import { createRateLimits } from './kernel/rate-limits/index.ts';
import { createSettings } from './kernel/settings/index.ts';
import { createSwitches } from './kernel/switches/index.ts';
import { observeRequests } from './kernel/telemetry/requests.ts';
import { gitAccess } from './transport/git/access.ts';
import { gitHttp, rewriteGitUrl } from './transport/git-http/git-http.ts';
import { gitLfs, rewriteLfsUrl } from './transport/lfs/index.ts';
import { liveEvents } from './transport/live/live.ts';
import { gitSsh, sshAddress } from './transport/ssh/index.ts';
import { builtPages, webPages } from './transport/web/web-pages.ts';

export type { App, FeatureKernels, Kernels } from './composition.ts';

/** The list of features and how they reach each other: hooks and facts where the import order does not allow a call. */
export function composeFeatures(kernels: FeatureKernels): ComposedFeatures {
  const { config, db, externalUrl, listener, log, objects, rates, release, secrets, settings, stopping } = kernels;
  const runner = kernels.runner(async () => (await ensureBuiltInRunner(db, secrets)).token);
  const address = sshAddress(config, externalUrl);
  const identity = identityFeature({
    db,
    settings,
    changes: listener,
    log,
    mail: kernels.mail,
    objects,
    externalUrl,
    release,
    secrets,
    userCreated: async (tx, user) => void (await createPersonalNamespace(tx, user)),
    userRenamed: renamePersonalNamespace,
    belongings: {
      soleOwnedGroups: (userId) => namespaces.soleOwnedGroups(userId),
      removePlaces: (userId, groups, signal) => namespaces.removePlacesOf(userId, groups, signal),
      moveContributions: async (tx, from, to) => {
        for (const part of [review, planning]) await part.contributions.move(tx, from, to);
        await ci.movePipelines(tx, from, to);
      },
      removeContributions: async (tx, userId) => {
        for (const part of [review, planning]) await part.contributions.remove(tx, userId);
      },
    },
    resolveJobToken: (sha256) => ci.resolveJobToken(sha256),
    groupsAskForTwoFactor: (userId) => graceOfGroups(db, userId),
    signInRefusal: (login) => rates.within('user_sign_in', { caller: anonymous, params: { login } }),
    mailRefusal: (email) => rates.within('account_mails', { caller: anonymous, params: { email } }),
    impersonationEnabled: config.impersonationEnabled,
    botsRetired: removeGrantsOf,
    sshAsksSecondFactor: (user) => kernels.switches.enabled('two_factor_for_cli', `User:${user.id}`),
    page: kernels.page,
  });
  const namespaces = namespacesFeature({
    db,
    log,
    settings,
    mail: kernels.mail,
    outbound: kernels.outbound,
    version: release.version,
    hookSample: (place, event, user) => planning.hookSample(place, event, user),
    unassign: (tx, userId, place) => review.contributions.unassign(tx, userId, place),
    externalUrl,
    sshPrefix: address.prefix,
    sshServed: () => ssh.listening(),
    release: release.version,
    carriers: () => [review.carrier, repository.carrier],
    transfers: [pushRuleRelation, securitySettingRelation, releaseRelation, mergeRequestRelation, noteRelation],
    repositoryStorage: Object.keys(config.repositories)[0] ?? 'default',
    tokens: identity.tokens,
    serviceAccounts: identity.serviceAccounts,
    avatars: createAvatars(objects),
    objects,
    secrets,
    resolver: identity.resolver,
    runnersToken: (groupId) => ci.groupRegistrationToken(groupId),
    repository: {
      projectPlaced: (place, branch) => repository.setup.placed(place, branch),
      projectUnplaced: (place) => repository.setup.unplaced(place),
      projectCreated: (subject, options) => repository.setup.created(subject, options),
      projectRemoved: (tx, project) => repository.removed(tx, { project }),
      groupRemoved: (tx, groupId) => repository.removed(tx, { groupId }),
      projectCopied: (source, target, branches) => repository.copied(source, target, branches),
      readmePath: (project) => repository.setup.readmePath(project),
      hasBranch: (project, branch) => repository.setup.hasBranch(project, branch),
      headOf: (project) => repository.setup.headOf(project),
      bundle: (project, signal) => repository.bundles.bundle(project, signal),
      emptied: (project) => repository.bundles.emptied(project),
      unbundled: (project, source, options) => repository.bundles.unbundled(project, source, options),
      filled: (project, source, options) => repository.bundles.filled(project, source, options),
      wikiBundle: (subject, signal) => repository.wikiBundles.bundle(subject, signal),
      wikiEmptied: (subject) => repository.wikiBundles.emptied(subject),
      wikiUnbundled: (subject, source, options) => repository.wikiBundles.unbundled(subject, source, options),
      hasCommit: (project, id) => repository.bundles.hasCommit(project, id),
      takeLarge: (subject, object, bytes, signal) => repository.lfs.objects.takeFor(subject, object, bytes, signal),
      hasLarge: async (subject, oids) => new Set((await repository.lfs.objects.of(subject, oids)).keys()),
      arrived: async (tx, project) => void (await repository.bundles.arrived(tx, project)),
      licenseOf: (project) => repository.licenseOf(project),
      latestTag: (project) => repository.setup.latestTag(project),
      changeDefaultBranch: (project, branch) => repository.setup.changeDefaultBranch(project, branch),
    },
  });

  /** The person and the project as they are now; null when either is gone or may not act. */
  async function actingAs(
    userId: number,
    projectId: number,
  ): Promise<{ caller: Caller; subject: ProjectSubject } | null> {
    const user = await findUser(db, userId);
    const subject = user?.state === 'active' ? await namespaces.projectFor(projectId, userId) : null;
    if (!user || !subject) return null;
    return { caller: { user, credential: { kind: 'none' }, scopes: null, admin: user.admin }, subject };
  }

  const repository = repositoryFeature({
    db,
    lockDb: kernels.lockDb,
    externalUrl,
    storages: config.repositories,
    hangingFor: kernels.storages.hangingFor,
    settings,
    repositoryStorage: Object.keys(config.repositories)[0] ?? 'default',
    instanceKeys: kernels.instanceKeys,
    gitBudgets: config.gitBudgets,
    fetchCache: { beside: config.data, maxBytes: config.fetchCacheBytes },
    downloaded: (projectId, caller) => namespaces.downloaded(projectId, caller),
    templateProject: async () => (await settings.read()).file_template_project_id,
    afterPush: async (pushed) => [
      ...(await namespaces.pushed.lines(pushed.subject, pushed.caller)),
      ...(await review.afterPush(pushed)),
    ],
    collaborates: (subject, caller) => review.collaborates(subject, caller),
    pushRules: {
      commitLimit: async () => (await settings.read()).push_rules_commit_limit,
      privateAddress: async (user) => privateAddress(user, externalUrl, await settings.read()),
    },
    recordFact: (tx, { kind, projectId, actorId, payload }) =>
      emit(tx, { kind, project_id: projectId, actor_id: actorId, payload }),
    announce: publish,
    parents: namespaces.parents,
    find: (idOrPath) => namespaces.projectFor(idOrPath, null),
    objects,
    projectAs: (id, caller) => namespaces.parents.project(String(id), caller),
    actingAs,
    levelOn: async (projectId, userId) => (await namespaces.projectFor(projectId, userId))?.level ?? 0,
    project: async (_handle, id) => (await namespaces.projectFor(id, null))?.project ?? null,
    log,
  });
  const ci = ciFeature({
    db,
    log,
    externalUrl,
    ssh: config.sshPort === null ? null : { host: address.host, port: address.port },
    settings,
    changes: listener,
    secrets,
    objects,
    repository: repository.access,
    parents: namespaces.parents,
    nextIid,
    actingAs,
    allPipelinesOfPush: (id) => kernels.switches.enabled('git_push_create_all_pipelines', `Project:${id}`),
    mayCreatePipeline: async (caller, subject, sha) =>
      (await rates.within('pipelines_create', { caller, subject, params: { sha } })) === null,
    builtIn: { serves: runner.serves, wanted: runner.wanted },
  });
  const review = reviewFeature({
    db,
    log,
    externalUrl,
    repository: repository.access,
    nextIid,
    recordFact: (tx, { kind, projectId, actorId, payload }) =>
      emit(tx, { kind, project_id: projectId, actor_id: actorId, payload }),
    changed: (tx, row) => publish(tx, `merge_request:${row.id}`, `project:${row.project_id}:merge_requests`),
    pipelineStatus: ci.pipelineStatus,
    actingAs,
    project: async (id) => (await namespaces.projectFor(id, null))?.project ?? null,
    projectAs: (idOrPath, caller) => namespaces.parents.project(String(idOrPath), caller),
    pipelines: ci.mergeRequestPipelines,
    outbound: kernels.outbound,
    secrets,
    sshPrefix: address.prefix,
  });
  const planning = planningFeature({
    db,
    externalUrl,
    project: (idOrPath, caller) => namespaces.parents.project(idOrPath, caller),
    repository: repository.access,
    resolver: identity.resolver,
    feedCaller: identity.feedCaller,
    webhooks: {
      settings,
      urls: { externalUrl, sshPrefix: address.prefix },
      repository: hookRepository(repository.access),
      project: (id) => namespaces.projectFor(id, null),
      announce: namespaces.announce,
    },
    readPush: async (projectId, { ref, before, after }) => {
      const project = (await namespaces.projectFor(projectId, null))?.project;
      if (!project) return null;
      // A tag brings its commit; a new branch what the default one has not.
      if (ref.startsWith('refs/tags/')) return { ...(await repository.access.pushed(project, null, after)), count: 1 };
      const known = /^0+$/.test(before) ? null : before;
      const main = project.default_branch;
      const base =
        known ?? (main && ref !== `refs/heads/${main}` ? await repository.access.branch(project, main) : null);
      return await repository.access.pushed(project, base, after);
    },
  });
  const admin = adminFeature({
    settings,
    switches: kernels.switches,
    ssh: { ...address, served: () => ssh.listening(), hostKeys: async () => (await ssh.hostKeys()).public },
  });
  const open = gitAccess({
    parents: namespaces.parents,
    transport: repository.transport,
    wikis: repository.wikis,
    scopesAllow: scopesAllowGit,
    protocols: async () => (await settings.read()).enabled_git_access_protocol,
    deployKeyIn: identity.deployKeyIn,
    collaborates: review.collaborates,
    newProject: namespaces.pushed.make,
    maintenance: maintenanceIn(settings),
  });
  const transports = [
    gitHttp({
      open,
      authenticate: identity.authenticateBasic,
      rates,
      externalUrl,
      stallSeconds: config.gitHttpStallSeconds,
    }),
    gitLfs({
      open,
      authenticate: identity.authenticateBasic,
      granted: identity.lfsCredentials.open,
      keyHolder: async (keyId, address) => {
        const holder = await identity.ssh.caller(keyId, address);
        return 'refusal' in holder ? null : holder.caller;
      },
      rates,
      store: repository.lfs.objects,
      locks: repository.lfs.locks,
      objects,
      externalUrl,
      limits: config,
      temporary: objects.temporary,
    }),
    liveEvents({ db, live: kernels.live, resolver: identity.resolver, parents: namespaces.parents, stopping }),
  ];
  const ssh = gitSsh({
    config,
    db,
    secrets,
    log,
    address,
    open,
    rates,
    signIn: identity.ssh,
    maintenance: maintenanceIn(settings),
    newRecoveryCodes: identity.twoFactor.newRecoveryCodes,
    issueToken: identity.tokens.issue,
    tokenExpiry: identity.tokens.expiry,
    lfs: (target, projectId, operation) => ({
      href: `${externalUrl}/${target.fullPath}.git/info/lfs`,
      ...identity.lfsCredentials.issue(target.caller, projectId, operation),
    }),
  });
  return {
    ssh,
    inspection: repository.inspection,
    features: [identity, namespaces, repository, ci, review, planning, admin],
    identity,
    runner,
    transports,
    resolver: identity.resolver,
    parents: namespaces.parents,
    start: async () => {
      if (config.runner === 'off') return;
      await ensureBuiltInRunner(db, secrets);
      ci.start();
    },
    drain: ci.drain,
    close: async () => {
      await identity.close();
      await repository.close();
      await namespaces.close();
    },
  };
}

/** For tests. */
export interface AppOptions {
  /** More features than the product's, after them. */
  readonly features?: readonly Feature[];
  /** Addresses of names that requests to others go to; the system's resolver without it. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Answers that differ from their declared schema are faults. */
  readonly strict?: boolean;
}

/** Puts everything together. Nothing listens, runs or is delivered yet. */
export function buildApp(kernels: Kernels, options: AppOptions = {}): App {
  const { config, db, externalUrl, listener, log, metrics, objects } = kernels;
  const settings = createSettings({ db, changes: listener, secrets: kernels.secrets });
  const switches = createSwitches(db, listener);
  const live = createLive(listener);
  const upkeep = objectTasks(objects);
  const rates = createRateLimits({ db, settings, log, builtInRunnerToken: builtInRunnerToken(kernels.secrets) });
  const mail = createMail({
    settings,
    smtpUrl: config.smtpUrl,
    from: config.mailFrom,
    replyTo: config.mailReplyTo,
    externalUrl,
    secrets: kernels.secrets,
    log,
  });
  const pages = webPages({ directory: builtPages() });
  const outbound = createOutbound({ settings, ...(options.resolve ? { resolve: options.resolve } : {}) });
  const composed = composeFeatures({
    ...kernels,
    ...{ settings, switches, live, rates, mail, outbound },
    page: pages.fallback,
  });
  const { identity, resolver, parents, runner } = composed;
  kernels.stopping.addEventListener('abort', composed.drain, { once: true });
  const features = [...composed.features, ...(options.features ?? [])];

  const delivery = createDelivery({
    db,
    listener,
    log,
    consumers: features.flatMap(({ consumers = [] }) => consumers),
  });
  const routes = features.flatMap((feature) => feature.routes);
  const server = createHttpServer(
    {
      log,
      trustedProxies: config.trustedProxies,
      rewriteUrl: (url) => rewriteReleaseUrl(rewriteFeedUrl(rewriteGitUrl(rewriteLfsUrl(url)))),
      fallback: pages.fallback,
    },
    methodsOfPath(routes),
  );
  observeRequests(server, metrics);
  refuseDuringMaintenance(server, maintenanceIn(settings));
  mountHealth(server, {
    stopping: () => kernels.stopping.aborted,
    checks: kernels.checks,
    metrics,
    metricsToken: config.metricsToken,
  });
  rates.mount(server, routes, resolver);
  mountRoutes(server, routes, {
    resolver,
    parents,
    rates,
    limits: config,
    temporary: objects.temporary,
    externalUrl,
    maximumOffset: async () => (await settings.read()).offset_pagination_limit,
    redirectsMoved: (actor) => switches.enabled('api_redirect_moved_projects', actor),
    strict: options.strict ?? false,
  });
  mountOpenApi(server);
  mountVersions(server);
  for (const feature of features) feature.mount?.(server);
  for (const transport of [...composed.transports, pages]) transport.mount(server);
  return {
    server,
    routes,
    tasks: [
      ...features.flatMap(({ tasks = [] }) => tasks),
      ...delivery.tasks,
      ...rates.tasks,
      ...upkeep.tasks,
      ...mail.tasks,
    ],
    cron: [...features.flatMap(({ cron = [] }) => cron), ...delivery.cron, ...rates.cron, ...upkeep.cron],
    delivery,
    live,
    settings,
    mail,
    identity,
    ssh: composed.ssh,
    inspection: composed.inspection,
    start: composed.start,
    stopRunner: runner.stop,
    close: composed.close,
  };
}
