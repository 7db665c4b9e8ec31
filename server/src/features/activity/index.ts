/** Activity: what happens in projects, reported to people and programs. */
import type { Caller, GroupSubject, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { CredentialResolver } from '../../kernel/http/credentials.ts';
import type { Mail } from '../../kernel/mail/index.ts';
import type { Outbound } from '../../kernel/outbound/index.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Secrets } from '../../kernel/secrets/index.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import type { Noteables } from '../collaboration/index.ts';
import { externalPlaces, projectActivity } from '../namespaces/index.ts';
import { eventRoutes, type PushReader, recorder, retention } from './events/index.ts';
import { type FeedDependencies, feeds } from './feeds/feeds.ts';
import { externalIssueReferences, integrationsOf } from './integrations/index.ts';
import { notificationSettingRoutes } from './notification-settings/notification-settings.routes.ts';
import {
  mailRetention,
  type NotificationDependencies,
  notifications,
  projectMails,
  unsubscribing,
} from './notifications/index.ts';
import { type SearchDependencies, searchRoutes } from './search/index.ts';
import { type WebhookDependencies, webhookConsumer, webhookSamples } from './webhook-payloads/index.ts';
import { type Announcement, callRoutes, hookCalls, hookRoutes, systemHookRoutes } from './webhooks/index.ts';

export { rewriteFeedUrl } from './feeds/addresses.ts';
export { pushReader } from './push-base.ts';
export { globalScopes } from './search/index.ts';
export { hookRepository } from './webhook-payloads/index.ts';
export { hookRelation } from './webhooks/index.ts';

export interface ActivityDependencies {
  readonly db: Db;
  readonly ports: Pick<Ports, 'provide'>;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** Of the running program. */
  readonly version: string;
  readonly settings: Pick<Settings, 'read'>;
  readonly outbound: Outbound;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  /** A project by id or full path as the caller sees it. */
  readonly project: (idOrPath: string, caller: Caller) => Promise<ProjectSubject | null>;
  /** A group likewise. */
  readonly group: (idOrPath: string, caller: Caller) => Promise<GroupSubject | null>;
  readonly readPush: PushReader;
  readonly webhooks: Omit<WebhookDependencies, 'db' | 'announce'>;
  readonly search: Omit<SearchDependencies, 'db' | 'externalUrl'>;
  readonly resolver: CredentialResolver;
  readonly mail: NotificationDependencies['mail'] & Pick<Mail, 'send' | 'configured'>;
  readonly markdown: NotificationDependencies['markdown'];
  readonly noteables: Pick<Noteables, 'audience'>;
  /** Who a feed token stands for; null when it is unknown. */
  readonly feedCaller: (token: string) => Promise<Caller | null>;
  readonly issueFeed: FeedDependencies['issueFeed'];
  readonly requestFeed: FeedDependencies['requestFeed'];
  readonly reader: FeedDependencies['reader'];
}

/** The message of a fact is made once for webhooks and integrations. */
function withOneMessage(announcement: Announcement): Announcement {
  const { hooks } = announcement;
  if (!hooks) return announcement;
  let made: ReturnType<typeof hooks.message> | undefined;
  const message = () => {
    made ??= hooks.message();
    return made;
  };
  return { ...announcement, hooks: { ...hooks, message } };
}

/** One per process, made by app.ts. */
export function activityFeature(deps: ActivityDependencies): Feature {
  const { db, externalUrl } = deps;
  const { tasks, cron } = retention(db);
  const calls = hookCalls(deps);
  const unsubscribe = unsubscribing(deps);
  const sentMails = mailRetention(db);
  const { audience } = deps.noteables;
  const mails = notifications({ ...deps, audience, unsubscribeUrl: unsubscribe.url });
  const around = { db, ...deps.webhooks };
  const sample = webhookSamples(around);
  const integrations = integrationsOf({ ...deps, sample });
  deps.ports.provide(externalPlaces, integrations.places);
  const announce = async (announcement: Announcement) => {
    const shared = withOneMessage(announcement);
    await calls.announce(shared);
    await integrations.announce(shared);
  };
  const webhooks = { ...around, announce };
  return {
    routes: [
      ...eventRoutes(db, externalUrl),
      ...notificationSettingRoutes(db),
      ...searchRoutes({ ...deps.search, db, externalUrl, settings: deps.webhooks.settings }),
      ...hookRoutes({ ...deps, calls, hookSample: sample }),
      ...callRoutes({ db, calls }),
      ...systemHookRoutes({ ...deps, calls }),
      ...integrations.routes,
    ],
    references: [externalIssueReferences(integrations.places)],
    consumers: [
      recorder(db, { readPush: deps.readPush, settings: webhooks.settings, active: projectActivity(db) }),
      webhookConsumer(webhooks),
      mails,
      projectMails(deps),
    ],
    tasks: [...tasks, ...calls.tasks, ...integrations.tasks, ...sentMails.tasks],
    cron: [...cron, ...calls.cron, ...integrations.cron, ...sentMails.cron],
    mount(server) {
      feeds(deps).mount(server);
      unsubscribe.mount(server);
    },
  };
}
