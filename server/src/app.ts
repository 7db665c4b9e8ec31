/** The composition root: kernels in, a server that does not listen yet out. The list of features is `compose.ts`. */

import type { Spawner } from '@millrace/git';
import { composeFeatures } from './compose.ts';
import type { App, ComposedFeatures, Kernels } from './composition.ts';
import { rewriteFeedUrl } from './features/activity/index.ts';
import { builtInRunnerToken, rewriteArtifactUrl } from './features/ci/index.ts';
import { rewriteReleaseUrl } from './features/delivery/index.ts';
import { rewriteSnippetUrl } from './features/repository/index.ts';
import { createAppearance } from './kernel/appearance/index.ts';
import { createDelivery, createLive } from './kernel/events/index.ts';
import type { Feature } from './kernel/feature.ts';
import { mountHealth } from './kernel/health/health.ts';
import { createHeldBytes } from './kernel/http/held-bytes.ts';
import { maintenanceIn, refuseDuringMaintenance } from './kernel/http/maintenance.ts';
import { methodsOfPath, mountRoutes } from './kernel/http/mount.ts';
import { mountOpenApi } from './kernel/http/openapi/serve.ts';
import { createPageFiles } from './kernel/http/page-files.ts';
import { createHttpServer } from './kernel/http/server.ts';
import { mountVersions } from './kernel/http/versions.ts';
import { assetProxyOrigin, createImages } from './kernel/images/index.ts';
import { createMail } from './kernel/mail/index.ts';
import { createMarkdown } from './kernel/markdown/index.ts';
import { objectTasks } from './kernel/objects/tasks.ts';
import { createOutbound } from './kernel/outbound/index.ts';
import { createRateLimits } from './kernel/rate-limits/index.ts';
import { createSettings } from './kernel/settings/index.ts';
import { createSwitches } from './kernel/switches/index.ts';
import { observeRequests } from './kernel/telemetry/requests.ts';
import { rewriteGitUrl } from './transport/git-http/git-http.ts';
import { rewriteLfsUrl } from './transport/lfs/index.ts';
import { builtPages, webPages } from './transport/web/web-pages.ts';

export type { App, FeatureKernels, Kernels } from './composition.ts';

/** For tests. */
export interface AppOptions {
  /** More features than the product's, after them. */
  readonly features?: readonly Feature[];
  /** Addresses of names that requests to others go to; the system's resolver without it. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Answers that differ from their declared schema are faults. */
  readonly strict?: boolean;
  /** Password hashes without the work that protects them. */
  readonly quickPasswords?: boolean;
  /** Starts git from a small process instead of this one, which is large. */
  readonly gitSpawner?: Spawner;
}

/** Puts everything together. Nothing listens, runs or is delivered yet. */
export function buildApp(kernels: Kernels, options: AppOptions = {}): App {
  const { config, db, externalUrl, listener, log, metrics, objects } = kernels;
  const settings = createSettings({
    db,
    changes: listener,
    secrets: kernels.secrets,
    storages: Object.keys(config.repositories),
  });
  const switches = createSwitches(db, listener);
  const live = createLive(listener, db);
  const upkeep = objectTasks(objects);
  const rates = createRateLimits({ db, settings, log, builtInRunnerToken: builtInRunnerToken(kernels.secrets) });
  const mail = createMail({
    settings,
    frame: () => appearance.messages('mails'),
    smtpUrl: config.smtpUrl,
    from: config.mailFrom,
    replyTo: config.mailReplyTo,
    externalUrl,
    secrets: kernels.secrets,
    log,
  });
  const held = createHeldBytes(config);
  const outbound = createOutbound({ settings, ...(options.resolve ? { resolve: options.resolve } : {}) });
  const images = createImages({ ...kernels, outbound, settings, data: config.data, limits: config });
  const markdown = createMarkdown({ externalUrl, images, settings, parents: () => composed.parents, log });
  const appearance = createAppearance({ db, changes: listener, markdown });
  const pages = webPages({
    directory: builtPages(),
    imageOrigin: () => assetProxyOrigin(settings.last()),
    appearance: appearance.last,
  });
  const composed: ComposedFeatures = composeFeatures({
    ...kernels,
    ...{ settings, appearance, switches, live, rates, mail, outbound, held, markdown },
    page: pages.fallback,
    gitSpawner: options.gitSpawner,
    quickPasswords: options.quickPasswords,
  });
  const { identity, resolver, parents, runner } = composed;
  kernels.stopping.addEventListener('abort', composed.drain, { once: true });
  const features = [...composed.features, ...(options.features ?? [])];
  markdown.knows(features.flatMap(({ references = [] }) => references));

  const delivery = createDelivery({
    db,
    listener,
    log,
    consumers: features.flatMap(({ consumers = [] }) => consumers),
    loaders: composed.loaders,
  });
  const routes = features.flatMap((feature) => feature.routes);
  const pageFiles = createPageFiles(features.flatMap(({ pageFiles: files = [] }) => files));
  const server = createHttpServer(
    {
      log,
      trustedProxies: config.trustedProxies,
      rewriteUrl: (url) =>
        pageFiles.rewriteUrl(
          rewriteArtifactUrl(rewriteReleaseUrl(rewriteSnippetUrl(rewriteFeedUrl(rewriteGitUrl(rewriteLfsUrl(url)))))),
        ),
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
    settings,
  });
  rates.mount(server, routes, resolver);
  mountRoutes(server, routes, {
    resolver,
    parents,
    rates,
    limits: config,
    held,
    temporary: objects.temporary,
    externalUrl,
    maximumOffset: async () => (await settings.read()).offset_pagination_limit,
    redirectsMoved: (actor) => switches.enabled('api_redirect_moved_projects', actor),
    strict: options.strict ?? false,
  });
  mountOpenApi(server);
  mountVersions(server);
  pageFiles.mount(server, { resolver, parents, rates, externalUrl, page: pages.fallback });
  for (const feature of features) feature.mount?.(server);
  for (const transport of [...composed.transports, images, pages]) transport.mount(server);
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
    backups: composed.backups,
    start: composed.start,
    stopRunner: runner.stop,
    close: async () => {
      await markdown.close();
      await composed.close();
    },
  };
}
