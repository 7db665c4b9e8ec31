/** The state of the instance in one answer. */
import { statfs } from 'node:fs/promises';
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { queueDepth } from '../../../kernel/queue/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { onlineSeconds } from '../../ci/index.ts';
import { countChecks, failedChecks } from '../../repository/index.ts';
import { ApplicationStatistics, Overview, type OverviewJson, statisticsJson } from './overview.entity.ts';
import { applicationStatistics, instanceNumbers } from './overview.queries.ts';

export interface OverviewDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly settings: Settings;
  readonly mailConfigured: boolean;
  /** Whether the instance starts its own runner. */
  readonly builtInRunner: boolean;
  readonly release: { readonly version: string; readonly revision: string };
  /** Each really uses its part, and throws when it cannot be used. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  /** Directories of repositories by the name of their storage. */
  readonly directories: Readonly<Record<string, string>>;
}

const common = {
  method: 'GET',
  credentials: ['token', 'session'],
  tag: 'Metadata',
  access: { on: 'instance', ability: 'admin' },
} as const;
const slowMilliseconds = 3_000;

/** A file system that hangs is one whose size is not known: it must not hold the answer. */
async function space(directory: string): Promise<{ size: number | null; free: number | null }> {
  const unknown = { size: null, free: null };
  const late = Promise.withResolvers<typeof unknown>();
  const timer = setTimeout(() => late.resolve(unknown), slowMilliseconds);
  try {
    const asked = statfs(directory).then(({ blocks, bavail, bsize }) => ({
      size: blocks * bsize,
      free: bavail * bsize,
    }));
    return await Promise.race([asked.catch(() => unknown), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export function overviewRoutes(deps: OverviewDependencies): Route[] {
  const { db, release, checks, directories } = deps;

  async function overview(): Promise<OverviewJson> {
    const [results, numbers, storages, tasks, repositories, damaged, values] = await Promise.all([
      Promise.all(
        Object.entries(checks).map(async ([name, check]) => {
          const message = await check().then(
            () => null,
            (error: Error) => error.message,
          );
          return { name, healthy: message === null, message };
        }),
      ),
      instanceNumbers(db, new Date(Date.now() - onlineSeconds * 1000)),
      Promise.all(
        Object.entries(directories).map(async ([name, directory]) => ({ name, ...(await space(directory)) })),
      ),
      queueDepth(db),
      countChecks(db),
      failedChecks(db, 20),
      deps.settings.read(),
    ]);
    return {
      version: release.version,
      revision: release.revision,
      node_version: process.versions.node,
      external_url: deps.externalUrl,
      mail: deps.mailConfigured,
      uptime: Math.floor(process.uptime()),
      checks: results,
      database: { version: numbers.version, size: numbers.size, connections: numbers.connections },
      storages,
      background_tasks: { ready: tasks.ready, delayed: tasks.delayed, failed: tasks.dead },
      repository_checks: {
        enabled: values.repository_checks_enabled,
        ...repositories,
        damaged: damaged.map(({ id: _id, ...check }) => check),
      },
      runners: { total: numbers.runners, online: numbers.online, built_in: deps.builtInRunner && numbers.built_in },
      counts: { users: numbers.users, groups: numbers.groups, projects: numbers.projects },
    };
  }

  return [
    route({
      ...common,
      path: '/application/overview',
      summary: 'Get the health, sizes and counts of the instance',
      params: Type.Object({}),
      responses: { 200: Overview },
      handler: overview,
    }),
    route({
      ...common,
      path: '/application/statistics',
      summary: 'Get the statistics of the instance; large numbers are estimates',
      params: Type.Object({}),
      responses: { 200: ApplicationStatistics },
      handler: async () => statisticsJson(await applicationStatistics(db)),
    }),
  ];
}
