/** What becomes of facts: events of the people behind them, one for each fact however often it is delivered. */
import { ZERO_SHA } from '@millrace/git';
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import {
  epicFacts,
  type Fact,
  type FactConsumer,
  type FactDefinition,
  type FactDelivery,
  issueFacts,
  memberChanged,
  mergeRequestFacts,
  milestoneFacts,
  noteFacts,
  on,
  onMany,
  projectFacts,
  pushed,
  wikiPageFacts,
} from '../../../kernel/events/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { ApplicationSettings } from '../../../kernel/settings/index.ts';
import type { ProjectsActive } from '../../namespaces/index.ts';
import { insertEvents, type NewEvent, removeEvents } from './events.queries.ts';

/** How many commits a push brought, and the title of the newest. */
export type PushReader = (
  project: Project,
  push: { readonly ref: string; readonly before: string; readonly after: string },
) => Promise<{ readonly count: number; readonly title: string | null }>;

/** Events are kept as long as the ecosystem keeps them. */
const keptYears = 3;
const batch = 1000;
const titleLength = 70;

const absent = (sha: string) => (sha === ZERO_SHA ? null : sha);
const cut = (title: string) => (title.length > titleLength ? `${title.slice(0, titleLength - 3)}...` : title);

type What = Omit<NewEvent, 'fact_id' | 'project_id' | 'namespace_id' | 'author_id' | 'created_at'>;

type MergeRequestFact = (typeof mergeRequestFacts)[keyof typeof mergeRequestFacts];
type WikiPageFact = (typeof wikiPageFacts)[keyof typeof wikiPageFacts];
type MilestoneFact = (typeof milestoneFacts)[keyof typeof milestoneFacts];

interface RecorderDependencies {
  readonly readPush: PushReader;
  readonly settings: { read(): Promise<Pick<ApplicationSettings, 'push_event_activities_limit'>> };
  readonly active: ProjectsActive;
}

async function ofPush(
  { payload, project_id: projectId }: Fact<typeof pushed>,
  delivery: FactDelivery,
  deps: RecorderDependencies,
): Promise<What | null> {
  const { ref, before, after, alike, nth } = payload;
  const [, kind, name] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref) ?? [];
  if (!kind || !name) return null;
  const common = {
    action: 'pushed',
    push_action: before === ZERO_SHA ? 'created' : after === ZERO_SHA ? 'removed' : 'pushed',
    ref_type: kind === 'heads' ? 'branch' : 'tag',
  } as const;
  if (alike > (await deps.settings.read()).push_event_activities_limit)
    return nth === 0 ? { ...common, ref_count: alike, commit_count: 0 } : null;
  const project = projectId === null ? null : (await delivery.project(projectId))?.project;
  if (!project) return null;
  const found = after === ZERO_SHA ? { count: 0, title: null } : await deps.readPush(project, { ref, before, after });
  return {
    ...common,
    ref: name,
    commit_from: absent(before),
    commit_to: absent(after),
    commit_count: found.count,
    commit_title: found.title === null ? null : cut(found.title),
  };
}

const ofRequest = (fact: Fact<MergeRequestFact>, action: NewEvent['action']): What => ({
  action,
  target_type: 'merge_request',
  merge_request_id: fact.payload.merge_request_id,
});

const ofIssue = (fact: Fact<(typeof issueFacts)[keyof typeof issueFacts]>, action: NewEvent['action']): What => ({
  action,
  target_type: 'issue',
  issue_id: fact.payload.issue_id,
});

const ofEpic = (fact: Fact<(typeof epicFacts)[keyof typeof epicFacts]>, action: NewEvent['action']): What => ({
  action,
  target_type: 'epic',
  epic_id: fact.payload.epic_id,
});

const ofWikiPage = (fact: Fact<WikiPageFact>, action: NewEvent['action']): What => ({
  action,
  target_type: 'wiki_page',
  wiki_page_id: fact.payload.wiki_page_id,
});

const ofMilestone = (fact: Fact<MilestoneFact>, action: NewEvent['action']): What => ({
  action,
  target_type: 'milestone',
  milestone_id: action === 'destroyed' ? null : fact.payload.milestone_id,
  // What is shown of it when it is gone.
  commit_title: cut(fact.payload.title),
});

const ofNote = (fact: Fact<typeof noteFacts.created>): What => ({
  action: 'commented',
  target_type: 'note',
  note_id: fact.payload.note_id,
  commit_title: cut(fact.payload.title),
});

/** What events of groups are about; other facts of groups alone are none, as in the ecosystem. */
const ofGroups: ReadonlySet<What['target_type']> = new Set(['epic', 'note']);

/** Writes events of projects, and of the epics of groups. */
export function recorder(db: Db, deps: RecorderDependencies): FactConsumer {
  type Handled = Pick<Fact<typeof pushed>, 'id' | 'project_id' | 'namespace_id' | 'created_at'>;

  function eventOf({ id, ...fact }: Handled, author: number | null, what: What | null): NewEvent[] {
    if (author === null || !what) return [];
    const { project_id, namespace_id, created_at } = fact;
    const place = project_id !== null ? { project_id } : ofGroups.has(what.target_type) ? { namespace_id } : null;
    return place ? [{ ...what, ...place, fact_id: id, author_id: author, created_at }] : [];
  }
  async function record(events: readonly NewEvent[]): Promise<void> {
    await insertEvents(db, events);
    await deps.active(events.flatMap(({ project_id }) => project_id ?? []));
  }
  const write = (fact: Handled, author: number | null, what: What | null) => record(eventOf(fact, author, what));
  /** An event of the actor for each fact of the definition. */
  const as = <D extends FactDefinition>(definition: D, what: (fact: Fact<D>) => What) =>
    onMany(definition, (facts) => record(facts.flatMap((fact) => eventOf(fact, fact.actor_id, what(fact)))));

  return {
    name: 'events',
    handlers: [
      on(pushed, async (fact, delivery) => {
        if (fact.actor_id !== null) await write(fact, fact.actor_id, await ofPush(fact, delivery, deps));
      }),
      as(projectFacts.created, () => ({ action: 'created' })),
      as(mergeRequestFacts.opened, (fact) => ofRequest(fact, 'created')),
      as(mergeRequestFacts.closed, (fact) => ofRequest(fact, 'closed')),
      as(mergeRequestFacts.reopened, (fact) => ofRequest(fact, 'reopened')),
      as(mergeRequestFacts.merged, (fact) => ofRequest(fact, 'merged')),
      as(mergeRequestFacts.approved, (fact) => ofRequest(fact, 'approved')),
      as(mergeRequestFacts.approval, (fact) => ofRequest(fact, 'approved')),
      as(issueFacts.opened, (fact) => ofIssue(fact, 'created')),
      as(issueFacts.closed, (fact) => ofIssue(fact, 'closed')),
      as(issueFacts.reopened, (fact) => ofIssue(fact, 'reopened')),
      as(epicFacts.opened, (fact) => ofEpic(fact, 'created')),
      as(epicFacts.closed, (fact) => ofEpic(fact, 'closed')),
      as(epicFacts.reopened, (fact) => ofEpic(fact, 'reopened')),
      as(wikiPageFacts.created, (fact) => ofWikiPage(fact, 'created')),
      as(wikiPageFacts.updated, (fact) => ofWikiPage(fact, 'updated')),
      as(wikiPageFacts.destroyed, (fact) => ofWikiPage(fact, 'destroyed')),
      as(milestoneFacts.created, (fact) => ofMilestone(fact, 'created')),
      as(milestoneFacts.closed, (fact) => ofMilestone(fact, 'closed')),
      as(milestoneFacts.reopened, (fact) => ofMilestone(fact, 'reopened')),
      as(milestoneFacts.deleted, (fact) => ofMilestone(fact, 'destroyed')),
      as(noteFacts.created, ofNote),
      on(memberChanged, async (fact) => {
        const { payload } = fact;
        // The event is about who joins or leaves, not about who arranged it.
        if (!('user_id' in payload)) return;
        if (payload.change === 'added') await write(fact, payload.user_id, { action: 'joined' });
        if (payload.change === 'removed') await write(fact, payload.user_id, { action: 'left' });
      }),
    ],
  };
}

/** Removes events that are older than anybody asks for. */
export function retention(db: Db): { readonly tasks: readonly Task[]; readonly cron: readonly CronItem[] } {
  const sweep = defineTask('events.sweep', Type.Object({}), async (_payload, { signal }) => {
    while (!signal.aborted && (await removeEvents(db, keptYears, batch)) === batch);
  });
  return { tasks: [sweep], cron: [{ task: sweep.name, schedule: '23 4 * * *' }] };
}
