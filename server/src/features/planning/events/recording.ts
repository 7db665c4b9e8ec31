/** What becomes of facts: events of the people behind them, one for each fact however often it is delivered. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { Fact, FactConsumer } from '../../../kernel/events/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { ApplicationSettings } from '../../../kernel/settings/index.ts';
import { insertEvent, type NewEvent, removeEvents } from './events.queries.ts';

/** How many commits a push brought, and the title of the newest; null where the project is gone. */
export type PushReader = (
  projectId: number,
  push: { readonly ref: string; readonly before: string; readonly after: string },
) => Promise<{ readonly count: number; readonly title: string | null } | null>;

/** Events are kept as long as the ecosystem keeps them. */
const keptYears = 3;
const batch = 1000;
const titleLength = 70;

const zero = /^0+$/;
const absent = (sha: string) => (zero.test(sha) ? null : sha);
const cut = (title: string) => (title.length > titleLength ? `${title.slice(0, titleLength - 3)}...` : title);

type What = Omit<NewEvent, 'fact_id' | 'project_id' | 'author_id' | 'created_at'>;

interface RecorderDependencies {
  readonly readPush: PushReader;
  readonly settings: { read(): Promise<Pick<ApplicationSettings, 'push_event_activities_limit'>> };
}

interface PushedFact {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  /** Of the same push: branches, or tags, that were made, moved or removed as this one was, and its place among them. */
  readonly alike?: number;
  readonly nth?: number;
}

async function pushed(fact: Fact, projectId: number, deps: RecorderDependencies): Promise<What | null> {
  const { ref, before, after, alike = 1, nth = 0 } = fact.payload as unknown as PushedFact;
  const [, kind, name] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref) ?? [];
  if (!kind || !name) return null;
  const common = {
    action: 'pushed',
    push_action: zero.test(before) ? 'created' : zero.test(after) ? 'removed' : 'pushed',
    ref_type: kind === 'heads' ? 'branch' : 'tag',
  } as const;
  if (alike > (await deps.settings.read()).push_event_activities_limit)
    return nth === 0 ? { ...common, ref_count: alike, commit_count: 0 } : null;
  const found = zero.test(after) ? { count: 0, title: null } : await deps.readPush(projectId, { ref, before, after });
  if (!found) return null;
  return {
    ...common,
    ref: name,
    commit_from: absent(before),
    commit_to: absent(after),
    commit_count: found.count,
    commit_title: found.title === null ? null : cut(found.title),
  };
}

const ofRequest = (fact: Fact, action: NewEvent['action']): What => ({
  action,
  target_type: 'merge_request',
  merge_request_id: Number(fact.payload.merge_request_id),
});

const ofWikiPage = (fact: Fact, action: NewEvent['action']): What => ({
  action,
  target_type: 'wiki_page',
  wiki_page_id: Number(fact.payload.wiki_page_id),
});

const ofMilestone = (fact: Fact, action: NewEvent['action']): What => ({
  action,
  target_type: 'milestone',
  milestone_id: action === 'destroyed' ? null : Number(fact.payload.milestone_id),
  // What is told of it when it is gone.
  commit_title: cut(String(fact.payload.title)),
});

const ofNote = (fact: Fact): What => ({
  action: 'commented',
  target_type: 'note',
  note_id: Number(fact.payload.note_id),
  commit_title: cut(String(fact.payload.title)),
});

const memberActions: Readonly<Record<string, NewEvent['action'] | undefined>> = { added: 'joined', removed: 'left' };

/** What happened, and who did it; null for what is no contribution. */
async function eventOf(fact: Fact, projectId: number, deps: RecorderDependencies): Promise<What | null> {
  switch (fact.kind) {
    case 'push':
      return await pushed(fact, projectId, deps);
    case 'project.created':
      return { action: 'created' };
    case 'merge_request.opened':
      return ofRequest(fact, 'created');
    case 'merge_request.closed':
      return ofRequest(fact, 'closed');
    case 'merge_request.reopened':
      return ofRequest(fact, 'reopened');
    case 'merge_request.merged':
      return ofRequest(fact, 'merged');
    case 'wiki_page.created':
      return ofWikiPage(fact, 'created');
    case 'wiki_page.updated':
      return ofWikiPage(fact, 'updated');
    case 'wiki_page.destroyed':
      return ofWikiPage(fact, 'destroyed');
    case 'milestone.created':
      return ofMilestone(fact, 'created');
    case 'milestone.closed':
      return ofMilestone(fact, 'closed');
    case 'milestone.reopened':
      return ofMilestone(fact, 'reopened');
    case 'milestone.deleted':
      return ofMilestone(fact, 'destroyed');
    case 'note.created':
      return ofNote(fact);
    case 'member.changed': {
      const action = memberActions[String(fact.payload.change)];
      return action ? { action } : null;
    }
    default:
      return null;
  }
}

/** Writes events; facts of groups alone are none, because events are shown by project. */
export function recorder(db: Db, deps: RecorderDependencies): FactConsumer {
  return {
    name: 'events',
    kinds: [
      'push',
      'project.created',
      'merge_request.opened',
      'merge_request.closed',
      'merge_request.reopened',
      'merge_request.merged',
      'wiki_page.created',
      'wiki_page.updated',
      'wiki_page.destroyed',
      'milestone.created',
      'milestone.closed',
      'milestone.reopened',
      'milestone.deleted',
      'note.created',
      'member.changed',
    ],
    handle: async (fact) => {
      // Whoever joins or leaves is the person that the event is about, not who arranged it.
      const author = fact.kind === 'member.changed' ? Number(fact.payload.user_id) : fact.actor_id;
      if (fact.project_id === null || author === null) return;
      const what = await eventOf(fact, fact.project_id, deps);
      if (!what) return;
      const { id: fact_id, project_id, created_at } = fact;
      await insertEvent(db, { ...what, fact_id, project_id, author_id: author, created_at });
    },
  };
}

/** Removes events that are older than anybody asks for. */
export function retention(db: Db): { readonly tasks: readonly Task[]; readonly cron: readonly CronItem[] } {
  const sweep = defineTask('events.sweep', Type.Object({}), async (_payload, { signal }) => {
    while (!signal.aborted && (await removeEvents(db, keptYears, batch)) === batch);
  });
  return { tasks: [sweep], cron: [{ task: sweep.name, schedule: '23 4 * * *' }] };
}
