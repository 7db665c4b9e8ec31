/** Planning: what happens in projects, told to people. */
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { CredentialResolver } from '../../kernel/http/credentials.ts';
import type { RepositoryAccess } from '../repository/index.ts';
import { eventRoutes, type PushReader, recorder, retention } from './events/index.ts';
import { feeds } from './feeds/feeds.ts';
import { commitNoteRoutes, moveNotes, noteService, removeNotesOf } from './notes/index.ts';
import { notificationSettingRoutes } from './notification-settings/notification-settings.routes.ts';
import { type WebhookDependencies, webhookConsumer, webhookSamples } from './webhooks/index.ts';

export { rewriteFeedUrl } from './feeds/feeds.ts';
export { noteRelation } from './notes/index.ts';
export { hookRepository } from './webhooks/index.ts';

export interface PlanningDependencies {
  readonly db: Db;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** A project by id or full path as the caller sees it. */
  readonly project: (idOrPath: string, caller: Caller) => Promise<ProjectSubject | null>;
  readonly readPush: PushReader;
  readonly webhooks: Omit<WebhookDependencies, 'db'>;
  readonly repository: Pick<RepositoryAccess, 'resolve' | 'commit' | 'diffOfCommit'>;
  readonly resolver: CredentialResolver;
  /** Who a feed token stands for; null when it is unknown. */
  readonly feedCaller: (token: string) => Promise<Caller | null>;
}

export interface Planning extends Feature {
  /** What a hook is tried with. */
  readonly hookSample: ReturnType<typeof webhookSamples>;
  /** What becomes of comments whose people go. */
  readonly contributions: { readonly move: typeof moveNotes; readonly remove: typeof removeNotesOf };
}

/** One per process, made by app.ts. */
export function planningFeature(deps: PlanningDependencies): Planning {
  const { db, externalUrl } = deps;
  const { tasks, cron } = retention(db);
  const notes = noteService({ db });
  return {
    routes: [
      ...eventRoutes(db, externalUrl),
      ...notificationSettingRoutes(db),
      ...commitNoteRoutes({ db, externalUrl, repository: deps.repository, notes }),
    ],
    contributions: { move: moveNotes, remove: removeNotesOf },
    consumers: [
      recorder(db, { readPush: deps.readPush, settings: deps.webhooks.settings }),
      webhookConsumer({ db, ...deps.webhooks }),
    ],
    hookSample: webhookSamples({ db, ...deps.webhooks }),
    tasks,
    cron,
    mount: feeds(deps).mount,
  };
}
