/** Usage and limits of the instance in one answer. */
import type { Static } from 'typebox';
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { queueDepth } from '../../../kernel/queue/index.ts';
import { rateUsage } from '../../../kernel/rate-limits/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { storageKinds, Usage } from './usage.entity.ts';
import { accountNumbers, jobNumbers, projectsByStorage, storageByKind } from './usage.queries.ts';

const mebibyte = 1024 ** 2;

export function usageRoutes({ db, settings }: { readonly db: Db; readonly settings: Settings }): Route[] {
  async function usage(): Promise<Static<typeof Usage>> {
    const values = await settings.read();
    const [sizes, projects, users, jobs, queue, limits] = await Promise.all([
      storageByKind(db),
      projectsByStorage(db),
      accountNumbers(db),
      jobNumbers(db),
      queueDepth(db),
      rateUsage(db, values),
    ]);
    const ofInstance = values.repository_size_limit > 0 ? values.repository_size_limit * mebibyte : null;
    const { seconds, ...ci } = jobs;
    return {
      storage: {
        kinds: storageKinds.map((kind) => ({ kind, bytes: sizes[kind] })),
        projects: projects.map(({ id, path_with_namespace, storage_size, repository_size_limit: own, ...kinds }) => ({
          id,
          path_with_namespace,
          storage_size,
          // 0 of a project is no limit, whatever the instance has.
          repository_size_limit: own === null ? ofInstance : own > 0 ? own : null,
          kinds,
        })),
      },
      users: { ...users, cap: values.new_user_signups_cap },
      rate_limits: limits,
      ci: { ...ci, minutes: Math.round(seconds / 60) },
      queue: { ready: queue.ready, delayed: queue.delayed, failed: queue.dead },
    };
  }

  return [
    route({
      method: 'GET',
      path: '/application/usage',
      credentials: ['token', 'session'],
      tag: 'Metadata',
      access: { on: 'instance', ability: 'admin' },
      summary: 'Get the usage of storage, accounts, rate limits, CI and the queue',
      params: Type.Object({}),
      responses: { 200: Usage },
      handler: usage,
    }),
  ];
}
