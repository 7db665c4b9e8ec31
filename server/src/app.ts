/** The composition root: kernels in, one line per feature, a server that does not listen yet out. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { adminFeature } from './features/admin/index.ts';
import { builtInRunnerToken, ciFeature, ensureBuiltInRunner } from './features/ci/index.ts';
import {
  createAvatars,
  findUser,
  type Identity,
  identityFeature,
  privateAddress,
  type Release,
  scopesAllowGit,
} from './features/identity/index.ts';
import {
  createPersonalNamespace,
  graceOfGroups,
  namespacesFeature,
  nextIid,
  removeGrantsOf,
  renamePersonalNamespace,
} from './features/namespaces/index.ts';
import { planningFeature, rewriteFeedUrl } from './features/planning/index.ts';
import { repositoryFeature } from './features/repository/index.ts';
import { reviewFeature } from './features/review/index.ts';
import { anonymous, type Caller, type ProjectSubject } from './kernel/authz/subjects.ts';
import type { Config } from './kernel/config/config.ts';
import type { Db, Listener } from './kernel/db/index.ts';
import { createDelivery, createLive, type Delivery, emit, type Live, publish } from './kernel/events/index.ts';
import type { Feature } from './kernel/feature.ts';
import { mountHealth } from './kernel/health/health.ts';
import type { CredentialResolver } from './kernel/http/credentials.ts';
import { methodsOfPath, mountRoutes } from './kernel/http/mount.ts';
import { mountOpenApi } from './kernel/http/openapi/serve.ts';
import type { ParentLoader } from './kernel/http/parents.ts';
import type { Route } from './kernel/http/route.ts';
import { createHttpServer } from './kernel/http/server.ts';
import { mountVersions } from './kernel/http/versions.ts';
import { createMail, type Mail } from './kernel/mail/index.ts';
import type { ObjectStore } from './kernel/objects/index.ts';
import type { BuiltInRunner } from './kernel/process/built-in-runner.ts';
import { addJob, type CronItem, type Task } from './kernel/queue/index.ts';
import { createRateLimits, type RateLimits } from './kernel/rate-limits/index.ts';
import type { Secrets } from './kernel/secrets/index.ts';
import { createSettings, type Settings } from './kernel/settings/index.ts';
import { createSwitches, type Switches } from './kernel/switches/index.ts';
import type { Logger } from './kernel/telemetry/index.ts';
import type { Metrics } from './kernel/telemetry/metrics.ts';
import { observeRequests } from './kernel/telemetry/requests.ts';
import { gitHttp, rewriteGitUrl } from './transport/git-http/git-http.ts';
import { liveEvents } from './transport/live/live.ts';
import { builtPages, webPages } from './transport/web/web-pages.ts';

/** The technology below the features: one of each per process. */
export interface Kernels {
  readonly config: Config;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly release: Release;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly db: Db;
  /** Over connections that only hold locks: writers wait here without keeping others from the database. */
  readonly lockDb: Db;
  readonly listener: Listener;
  readonly secrets: Secrets;
  readonly objects: ObjectStore;
  /** The keeper of the built-in runner; `token` proves it to the server. */
  readonly runner: (token: () => Promise<string>) => BuiltInRunner;
  /** Aborted when the process stops: held polls answer, streams end. */
  readonly stopping: AbortSignal;
  /** What readiness asks, by name. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
}

export interface App {
  readonly server: FastifyInstance;
  readonly routes: readonly Route[];
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
  readonly delivery: Delivery;
  readonly live: Live;
  readonly settings: Settings;
  readonly mail: Mail;
  readonly identity: Identity;
  /** Begins what needs a listening server: the built-in runner. */
  start(): Promise<void>;
  /** The built-in runner leaves; before the server stops answering it. */
  stopRunner(): Promise<void>;
  /** Writes what is pending. */
  close(): Promise<void>;
}

/** What features are made of: the technology, and what is built on it once. */
export interface FeatureKernels extends Omit<Kernels, 'checks' | 'metrics'> {
  readonly settings: Settings;
  readonly switches: Switches;
  readonly live: Live;
  readonly rates: RateLimits;
  readonly mail: Mail;
  /** Answers with the document of the pages; false where there is none or the client wants no page. */
  readonly page: (request: FastifyRequest, reply: FastifyReply) => boolean;
}

export interface ComposedFeatures {
  readonly features: readonly Feature[];
  readonly identity: Identity;
  readonly runner: BuiltInRunner;
  /** git over HTTP and the like: protocols that are not API v4. */
  readonly transports: readonly { mount(server: FastifyInstance): void }[];
  /** Looks for work of the built-in runner that waited while no process was there. */
  start(): Promise<void>;
  /** Answers held polls. */
  drain(): void;
  readonly resolver: CredentialResolver;
  readonly parents: ParentLoader;
  /** Writes what is pending. */
  close(): Promise<void>;
}

/** What comes before a project's path in its SSH address. */
function sshPrefix({ sshUrl, sshPort }: Config, externalUrl: string): string {
  if (sshUrl !== null) return `${sshUrl}/`;
  const { hostname } = new URL(externalUrl);
  return sshPort === null || sshPort === 22 ? `git@${hostname}:` : `ssh://git@${hostname}:${sshPort}/`;
}

/** The list of features and how they reach each other: hooks and facts where the import order does not allow a call. */
export function composeFeatures(kernels: FeatureKernels): ComposedFeatures {
  const { config, db, externalUrl, listener, live, log, mail, objects, rates, release, secrets, settings, stopping } =
    kernels;
  const runner = kernels.runner(async () => (await ensureBuiltInRunner(db, secrets)).token);
  const identity = identityFeature({
    db,
    settings,
    changes: listener,
    log,
    mail,
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
        await review.contributions.move(tx, from, to);
        await ci.movePipelines(tx, from, to);
      },
      removeContributions: (tx, userId) => review.contributions.remove(tx, userId),
    },
    resolveJobToken: (sha256) => ci.resolveJobToken(sha256),
    groupsAskForTwoFactor: (userId) => graceOfGroups(db, userId),
    signInRefusal: (login) => rates.within('user_sign_in', { caller: anonymous, params: { login } }),
    mailRefusal: (email) => rates.within('account_mails', { caller: anonymous, params: { email } }),
    impersonationEnabled: config.impersonationEnabled,
    botsRetired: removeGrantsOf,
    page: kernels.page,
  });
  const namespaces = namespacesFeature({
    db,
    settings,
    mail,
    unassign: (tx, userId, place) => review.contributions.unassign(tx, userId, place),
    externalUrl,
    sshPrefix: sshPrefix(config, externalUrl),
    repositoryStorage: Object.keys(config.repositories)[0] ?? 'default',
    tokens: identity.tokens,
    avatars: createAvatars(objects),
    objects,
    secrets,
    resolver: identity.resolver,
    runnersToken: (groupId) => ci.groupRegistrationToken(groupId),
    repository: {
      projectCreated: (subject, options) => repository.setup.created(subject, options),
      projectRemoved: (tx, project) =>
        addJob(tx, repository.remove, { storage: project.repository_storage, path: project.repository_path }),
      projectCopied: (source, target, branches) => repository.copied(source, target, branches),
      readmePath: (project) => repository.setup.readmePath(project),
      hasBranch: (project, branch) => repository.setup.hasBranch(project, branch),
      headOf: (project) => repository.setup.headOf(project),
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
    gitBudgets: config.gitBudgets,
    pushRules: {
      commitLimit: async () => (await settings.read()).push_rules_commit_limit,
      privateAddress: async (user) => privateAddress(user, externalUrl, await settings.read()),
    },
    recordFact: (tx, { kind, projectId, actorId, payload }) =>
      emit(tx, { kind, project_id: projectId, actor_id: actorId, payload }),
    announce: publish,
    find: (idOrPath) => namespaces.projectFor(idOrPath, null),
    project: async (_handle, id) => (await namespaces.projectFor(id, null))?.project ?? null,
    log,
  });
  const ci = ciFeature({
    db,
    log,
    externalUrl,
    ssh: null,
    settings,
    changes: listener,
    secrets,
    objects,
    repository: repository.access,
    parents: namespaces.parents,
    nextIid,
    actingAs,
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
    pipelines: ci.mergeRequestPipelines,
  });
  const planning = planningFeature({
    db,
    externalUrl,
    project: (idOrPath, caller) => namespaces.parents.project(idOrPath, caller),
    resolver: identity.resolver,
    feedCaller: identity.feedCaller,
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
  const admin = adminFeature({ settings, switches: kernels.switches });
  const transports = [
    gitHttp({
      parents: namespaces.parents,
      transport: repository.transport,
      authenticate: identity.authenticateBasic,
      rates,
      scopesAllow: scopesAllowGit,
      allowed: async () => (await settings.read()).enabled_git_access_protocol !== 'ssh',
      externalUrl,
    }),
    liveEvents({ db, live, resolver: identity.resolver, parents: namespaces.parents, stopping }),
  ];
  return {
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
    },
  };
}

/** For tests. */
export interface AppOptions {
  /** More features than the product's, after them. */
  readonly features?: readonly Feature[];
  /** Answers that differ from their declared schema are faults. */
  readonly strict?: boolean;
}

/** Puts everything together. Nothing listens, runs or is delivered yet. */
export function buildApp(kernels: Kernels, options: AppOptions = {}): App {
  const { config, db, externalUrl, listener, log, metrics, objects } = kernels;
  const settings = createSettings({ db, changes: listener, secrets: kernels.secrets });
  const switches = createSwitches(db, listener);
  const live = createLive(listener);
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
  const composed = composeFeatures({ ...kernels, settings, switches, live, rates, mail, page: pages.fallback });
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
      rewriteUrl: (url) => rewriteFeedUrl(rewriteGitUrl(url)),
      fallback: pages.fallback,
    },
    methodsOfPath(routes),
  );
  observeRequests(server, metrics);
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
    tasks: [...features.flatMap(({ tasks = [] }) => tasks), ...delivery.tasks, ...rates.tasks, ...mail.tasks],
    cron: [...features.flatMap(({ cron = [] }) => cron), ...delivery.cron, ...rates.cron],
    delivery,
    live,
    settings,
    mail,
    identity,
    start: composed.start,
    stopRunner: runner.stop,
    close: composed.close,
  };
}
