/** Planning: what happens in projects, told to people. */
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { CredentialResolver } from '../../kernel/http/credentials.ts';
import { eventRoutes, type PushReader, recorder, retention } from './events/index.ts';
import { feeds } from './feeds/feeds.ts';
import { notificationSettingRoutes } from './notification-settings/notification-settings.routes.ts';

export { rewriteFeedUrl } from './feeds/feeds.ts';

export interface PlanningDependencies {
  readonly db: Db;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** A project by id or full path as the caller sees it. */
  readonly project: (idOrPath: string, caller: Caller) => Promise<ProjectSubject | null>;
  readonly readPush: PushReader;
  readonly resolver: CredentialResolver;
  /** Who a feed token stands for; null when it is unknown. */
  readonly feedCaller: (token: string) => Promise<Caller | null>;
}

/** One per process, made by app.ts. */
export function planningFeature(deps: PlanningDependencies): Feature {
  const { db, externalUrl } = deps;
  const { tasks, cron } = retention(db);
  return {
    routes: [...eventRoutes(db, externalUrl), ...notificationSettingRoutes(db)],
    consumers: [recorder(db, deps.readPush)],
    tasks,
    cron,
    mount: feeds(deps).mount,
  };
}
