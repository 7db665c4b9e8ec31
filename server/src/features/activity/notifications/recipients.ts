/** Who wants a mail of an event, by the levels that they chose. Pure. */
import type { NotificationSetting } from '../../../kernel/db/rows.ts';
import type { NotifiedPlace } from './recipients.queries.ts';

/** The event as settings of the level `custom` name it. */
export type NotifiedEvent =
  | 'new_note'
  | 'new_issue'
  | 'reopen_issue'
  | 'close_issue'
  | 'reassign_issue'
  | 'issue_due'
  | 'new_merge_request'
  | 'reopen_merge_request'
  | 'close_merge_request'
  | 'merge_merge_request'
  | 'reassign_merge_request'
  | 'change_reviewer_merge_request'
  | 'push_to_merge_request'
  | 'merge_when_pipeline_succeeds'
  | 'new_epic'
  | UnnamedEvent;

/** What settings of the level `custom` have no name for: those who take part or watch hear of it. */
type UnnamedEvent =
  | 'change_milestone'
  | 'ready_merge_request'
  | 'close_epic'
  | 'reopen_epic'
  | 'new_mention'
  | 'relabel';

/** What projects tell of themselves. */
export type ProjectEvent = 'failed_pipeline' | 'fixed_pipeline' | 'success_pipeline' | 'new_release' | 'moved_project';

/** Those who watch everything do not hear of these: they are for those who take part. */
const unwatched: ReadonlySet<NotifiedEvent> = new Set(['push_to_merge_request', 'issue_due']);

/** Why somebody is told, as the header of the mail says it. */
export type Reason = 'mentioned' | 'assigned' | 'subscribed' | 'participating' | 'watching';

export interface Heard {
  readonly userId: number;
  readonly reason: Reason;
}

interface Candidates {
  readonly mentioned: ReadonlySet<number>;
  readonly assigned: ReadonlySet<number>;
  readonly participants: ReadonlySet<number>;
  readonly watchers: ReadonlySet<number>;
  /** What people said about this very thing. */
  readonly subscriptions: ReadonlyMap<number, boolean>;
}

type Setting = Pick<NotificationSetting, 'level' | 'events' | 'project_id' | 'namespace_id'>;

/** Events of the level `custom` that are on until somebody says otherwise. */
const onUntilTold: ReadonlySet<ProjectEvent> = new Set(['failed_pipeline', 'fixed_pipeline']);
/** Those that only whoever chose them hears of. */
const chosenOnly: ReadonlySet<ProjectEvent> = new Set(['success_pipeline', 'new_release']);

/** Whether somebody whom an event of a project concerns wants a mail of it. */
export function wantsOfProject(event: ProjectEvent, { level, events }: Pick<Setting, 'level' | 'events'>): boolean {
  if (level === 'disabled' || level === 'mention') return false;
  if (level !== 'custom') return !chosenOnly.has(event);
  const chosen = (events as Readonly<Record<string, unknown>>)[event];
  return chosen === undefined ? onUntilTold.has(event) : chosen === true;
}

/** The setting that counts: that of the project, of the nearest group that has one, or the one for everything. */
export function settingFor(settings: readonly Setting[], { projectId, namespaceIds }: NotifiedPlace): Setting {
  const said = (setting: Setting | undefined) => (setting && setting.level !== 'global' ? setting : undefined);
  const groups = [...namespaceIds].reverse().map((id) => said(settings.find((setting) => setting.namespace_id === id)));
  return (
    said(settings.find((setting) => projectId !== null && setting.project_id === projectId)) ??
    groups.find((setting) => setting !== undefined) ??
    said(settings.find((setting) => setting.project_id === null && setting.namespace_id === null)) ?? {
      level: 'participating',
      events: {},
      project_id: null,
      namespace_id: null,
    }
  );
}

function reasonFor(userId: number, event: NotifiedEvent, candidates: Candidates, setting: Setting): Reason | null {
  const said = candidates.subscriptions.get(userId);
  const mentioned = candidates.mentioned.has(userId);
  // Who asked for it hears of it whatever the level says.
  if (said === true) return mentioned ? 'mentioned' : 'subscribed';
  const { level } = setting;
  if (level === 'disabled') return null;
  if (mentioned) return 'mentioned';
  if (said === false || level === 'mention') return null;
  if (candidates.assigned.has(userId)) return 'assigned';
  if (candidates.participants.has(userId)) return 'participating';
  const chosen = level === 'custom' && (setting.events as Readonly<Record<string, unknown>>)[event] === true;
  const watching = level === 'watch' && !unwatched.has(event);
  return candidates.watchers.has(userId) && (watching || chosen) ? 'watching' : null;
}

export function recipients(
  event: NotifiedEvent,
  candidates: Candidates,
  settings: readonly NotificationSetting[],
  place: NotifiedPlace,
): Heard[] {
  const everybody = new Set([
    ...candidates.mentioned,
    ...candidates.assigned,
    ...candidates.participants,
    ...candidates.watchers,
    ...candidates.subscriptions.keys(),
  ]);
  const byUser = Map.groupBy(settings, ({ user_id }) => user_id);
  return [...everybody].flatMap((userId) => {
    const reason = reasonFor(userId, event, candidates, settingFor(byUser.get(userId) ?? [], place));
    return reason === null ? [] : [{ userId, reason }];
  });
}
