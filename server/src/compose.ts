/** The list of features and how they reach each other: ports, hooks and facts where the import order does not allow a call. */

import type { ComposedFeatures, FeatureKernels } from './composition.ts';
import { activityFeature, hookRepository, pushReader } from './features/activity/index.ts';
import { adminFeature, pushBanner } from './features/admin/index.ts';
import { ciFeature, ensureBuiltInRunner } from './features/ci/index.ts';
import { collaborationFeature } from './features/collaboration/index.ts';
import { deliveryFeature } from './features/delivery/index.ts';
import { createAvatars, findUser, identityFeature, privateAddress, scopesAllowGit } from './features/identity/index.ts';
import {
  createPersonalNamespace,
  externalPlaces,
  graceOfGroups,
  httpRoot,
  membersUnassigned,
  namespacesFeature,
  nextIid,
  outranksOn,
  placeMoved,
  projectRepositories,
  projectStarts,
  removeGrantsOf,
  renamePersonalNamespace,
  runnersTokens,
  takeIids,
} from './features/namespaces/index.ts';
import { planningFeature } from './features/planning/index.ts';
import { portabilityFeature } from './features/portability/index.ts';
import { repositoryFeature } from './features/repository/index.ts';
import { reviewFeature } from './features/review/index.ts';
import { securityFeature } from './features/security/index.ts';
import { type ActingLoaders, actingAs } from './kernel/authz/acting.ts';
import { letsIn } from './kernel/authz/git-protocols.ts';
import { anonymous } from './kernel/authz/subjects.ts';
import { publish } from './kernel/events/index.ts';
import { maintenanceIn } from './kernel/http/maintenance.ts';
import { createPorts } from './kernel/ports.ts';
import { addressUnit } from './kernel/rate-limits/index.ts';
import { gitAccess } from './transport/git/access.ts';
import { gitHttp } from './transport/git-http/git-http.ts';
import { gitLfs } from './transport/lfs/index.ts';
import { liveEvents } from './transport/live/live.ts';
import { gitSsh, sshAddress } from './transport/ssh/index.ts';

/** The list of features and how they reach each other: hooks and facts where the import order does not allow a call. */
export function composeFeatures(kernels: FeatureKernels): ComposedFeatures {
  const { config, db, externalUrl, listener, log, objects, rates, release, secrets, settings, stopping } = kernels;
  const ports = createPorts();
  const runner = kernels.runner(async () => (await ensureBuiltInRunner(db, secrets)).token);
  const address = sshAddress(config, externalUrl);
  const sshPrefix = () =>
    ssh.taken() || !letsIn(settings.last().enabled_git_access_protocol, 'ssh') ? null : address.prefix;
  const httpPrefix = () => httpRoot(settings.last(), externalUrl);
  const identity = identityFeature({
    quickPasswords: kernels.quickPasswords ?? false,
    markdown: kernels.markdown,
    appearance: kernels.appearance,
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
        for (const part of [review, planning, repository, collaboration]) await part.contributions.move(tx, from, to);
        await ci.movePipelines(tx, from, to);
      },
      removeContributions: async (tx, userId) => {
        for (const part of [review, planning, repository, collaboration]) await part.contributions.remove(tx, userId);
      },
    },
    resolveJobToken: (sha256) => ci.resolveJobToken(sha256),
    groupsAskForTwoFactor: (userId) => graceOfGroups(db, userId),
    signInRefusal: (login) => rates.within('user_sign_in', { caller: anonymous, params: { login } }),
    mailRefusal: (email) => rates.within('account_mails', { caller: anonymous, params: { email } }),
    usernameCheckRefusal: (caller, address) =>
      rates.within('username_exists', { caller, address: addressUnit(address), params: {} }),
    impersonationEnabled: config.impersonationEnabled,
    botsRetired: removeGrantsOf,
    outranksOn: (projectId, account, caller) => outranksOn(db, projectId, account, caller),
    sshAsksSecondFactor: (user) => kernels.switches.enabled('two_factor_for_cli', `User:${user.id}`),
    page: kernels.page,
    ports,
  });
  const namespaces = namespacesFeature({
    db,
    log,
    settings,
    mail: kernels.mail,
    externalUrl,
    sshPrefix,
    httpPrefix,
    sshServed: () => ssh.listening(),
    outbound: kernels.outbound,
    release: release.version,
    repositoryStorages: Object.keys(config.repositories),
    ban: identity.ban,
    tokens: identity.tokens,
    serviceAccounts: identity.serviceAccounts,
    avatars: createAvatars(objects),
    objects,
    resolver: identity.resolver,
    repository: ports.one(projectRepositories),
    starts: ports.one(projectStarts),
    runnersTokens: ports.one(runnersTokens),
    externalPlaces: ports.one(externalPlaces),
    assigned: ports.every(membersUnassigned),
    moved: ports.every(placeMoved),
  });
  const collaboration = collaborationFeature({
    db,
    externalUrl,
    settings,
    objects,
    parents: namespaces.parents,
    markdown: kernels.markdown,
    resolver: identity.resolver,
    ports,
    actingAs: (userId, projectId) => acting(userId, projectId),
  });

  const loaders: ActingLoaders = {
    user: async (id) => (await findUser(db, id)) ?? null,
    project: namespaces.projectFor,
  };
  const acting = (userId: number, projectId: number) => actingAs(loaders, userId, projectId);

  const repository = repositoryFeature({
    markdown: kernels.markdown,
    mail: kernels.mail,
    db,
    ports,
    noteables: collaboration.noteables,
    lockDb: kernels.lockDb,
    externalUrl,
    storages: config.repositories,
    hangingFor: kernels.storages.hangingFor,
    settings,
    repositoryStorage: Object.keys(config.repositories)[0] ?? 'default',
    sshPrefix,
    instanceKeys: kernels.instanceKeys,
    gitBudgets: config.gitBudgets,
    gitSpawner: kernels.gitSpawner,
    negotiation: { held: kernels.held, maxBytes: config.maxNegotiationBytes },
    fetchCache: { beside: config.data, maxBytes: config.fetchCacheBytes },
    downloaded: (projectId, caller) => namespaces.downloaded(projectId, caller),
    templateProject: async () => (await settings.read()).file_template_project_id,
    // Whoever pushes waits for all of them.
    afterPush: async (pushed) => {
      const lines = await Promise.all([
        pushBanner(db, `${pushed.subject.namespace.full_path}/${pushed.subject.project.path}`),
        namespaces.pushed.lines(pushed.subject, pushed.caller),
        review.afterPush(pushed),
      ]);
      return lines.flat();
    },
    collaborates: (subject, caller) => review.collaborates(subject, caller),
    pushRules: {
      commitLimit: async () => (await settings.read()).push_rules_commit_limit,
      privateAddress: async (user) => privateAddress(user, externalUrl, await settings.read()),
    },
    announce: publish,
    parents: namespaces.parents,
    find: (idOrPath) => namespaces.projectFor(idOrPath, null),
    objects,
    projectAs: (id, caller) => namespaces.parents.project(String(id), caller),
    actingAs: acting,
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
    outbound: kernels.outbound,
    parents: namespaces.parents,
    takeIids,
    actingAs: acting,
    allPipelinesOfPush: (id) => kernels.switches.enabled('git_push_create_all_pipelines', `Project:${id}`),
    mayCreatePipeline: async (caller, subject, sha) =>
      (await rates.within('pipelines_create', { caller, subject, params: { sha } })) === null &&
      (await rates.within('pipelines_created_per_user', { caller, subject, params: {} })) === null,
    mayTriggerDownstream: async (caller, subject, sha) =>
      (await rates.within('downstream_pipelines', { caller, subject, params: { sha } })) === null,
    cacheLimits: config,
    builtIn: { exists: () => config.runner !== 'off', serves: runner.serves, wanted: runner.wanted },
    ports,
  });
  const review = reviewFeature({
    markdown: kernels.markdown,
    db,
    ports,
    noteables: collaboration.noteables,
    log,
    externalUrl,
    repository: repository.access,
    nextIid,
    changed: (tx, row) => publish(tx, `merge_request:${row.id}`, `project:${row.project_id}:merge_requests`),
    actingAs: acting,
    project: async (id) => (await namespaces.projectFor(id, null))?.project ?? null,
    projectAs: (idOrPath, caller) => namespaces.parents.project(String(idOrPath), caller),
    lockDb: kernels.lockDb,
    pipelines: ci.mergeRequestPipelines,
    trainPipelines: ci.trainPipelines,
    settings,
    provesPassword: identity.provesPassword,
    person: async (id) => (await findUser(db, id)) ?? null,
    commitAddress: async (user) => user.commit_email ?? privateAddress(user, externalUrl, await settings.read()),
    outbound: kernels.outbound,
    secrets,
    sshPrefix,
  });
  const planning = planningFeature({
    db,
    externalUrl,
    ports,
    mail: kernels.mail,
    markdown: kernels.markdown,
    objects,
    resolver: identity.resolver,
    settings,
    noteables: collaboration.noteables,
    parents: namespaces.parents,
    beginnings: { refs: repository.refs, repository: repository.access, createMergeRequest: review.create },
  });
  const delivery = deliveryFeature({
    objects,
    settings,
    markdown: kernels.markdown,
    db,
    externalUrl,
    parents: namespaces.parents,
    reader: repository.reader,
    repository: repository.access,
    refs: repository.refs,
    ports,
    log,
    secrets,
    jobs: ci.jobs,
    actingAs: acting,
    project: async (id) => (await namespaces.projectFor(id, null))?.project ?? null,
    mergeRequests: review.deployed,
  });
  const security = securityFeature({
    ...{ db, log, objects, ports, settings },
    parents: namespaces.parents,
    issues: planning.issues,
  });
  const activity = activityFeature({
    db,
    settings,
    ports,
    externalUrl,
    version: release.version,
    mail: kernels.mail,
    outbound: kernels.outbound,
    secrets,
    ...{ markdown: kernels.markdown, noteables: collaboration.noteables },
    project: (idOrPath, caller) => namespaces.parents.project(idOrPath, caller),
    group: (idOrPath, caller) => namespaces.parents.group(idOrPath, caller),
    resolver: identity.resolver,
    search: { ...repository.search, ...planning.search, ...review.search, projects: namespaces.list, log },
    feedCaller: identity.feedCaller,
    issueFeed: planning.issueFeed,
    ...{ requestFeed: review.feed, reader: repository.reader },
    webhooks: {
      settings,
      urls: { externalUrl, sshPrefix },
      repository: hookRepository(repository.access, repository.wikiPageAt),
      project: (id) => namespaces.projectFor(id, null),
    },
    readPush: pushReader(repository.access),
  });
  const portability = portabilityFeature({
    db,
    log,
    settings,
    externalUrl,
    release: release.version,
    objects,
    outbound: kernels.outbound,
    secrets,
    parents: namespaces.parents,
    namespaces,
    repository: repository.repositories,
    mail: kernels.mail,
    createSnippet: repository.createSnippet,
    ports,
    actingAs: acting,
  });
  const admin = adminFeature({
    ...{ db, release, externalUrl, settings, objects, config, log, ports, lockDb: kernels.lockDb, dump: kernels.dump },
    checks: kernels.checks,
    directories: config.repositories,
    repositories: repository.backups,
    mailConfigured: config.smtpUrl !== null,
    builtInRunner: config.runner !== 'off',
    switches: kernels.switches,
    appearance: kernels.appearance,
    markdown: kernels.markdown,
    ssh: { ...address, served: () => ssh.listening(), hostKeys: async () => (await ssh.hostKeys()).public },
  });
  const open = gitAccess({
    parents: namespaces.parents,
    transport: repository.transport,
    wikis: repository.wikis,
    snippets: repository.snippets,
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
      limits: config,
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
  ports.complete();
  return {
    ssh,
    inspection: repository.inspection,
    backups: admin.backups,
    features: [
      identity,
      namespaces,
      collaboration,
      repository,
      ci,
      review,
      planning,
      delivery,
      security,
      activity,
      portability,
      admin,
    ],
    identity,
    runner,
    transports,
    resolver: identity.resolver,
    parents: namespaces.parents,
    loaders,
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
