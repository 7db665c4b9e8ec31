/** What an edit of an issue or a merge request changed that people hear of. */
import type { Fact, FactDelivery, issueFacts, mergeRequestFacts } from '../../../kernel/events/index.ts';
import { milestonesById } from '../../collaboration/index.ts';
import { isDraft } from '../../review/index.ts';
import { wordsOf } from './mail-template.ts';
import type { Event, NotificationDependencies } from './notifications.ts';
import * as queries from './recipients.queries.ts';

type Edited = Fact<typeof issueFacts.updated> | Fact<typeof mergeRequestFacts.updated>;

type LabelList = readonly { readonly id: number; readonly title: string }[];
function addedLabels(change: { readonly previous?: unknown; readonly current?: unknown } | undefined): LabelList {
  const before = (change?.previous ?? []) as LabelList;
  return ((change?.current ?? []) as LabelList).filter(({ id }) => !before.some((each) => each.id === id));
}

export function edits(
  { db, mail, audience }: Pick<NotificationDependencies, 'db' | 'mail' | 'audience'>,
  tell: (event: Event, delivery: FactDelivery) => Promise<void>,
) {
  /** What an edit changed that people hear of: the milestone, or those who are named in title and description. */
  return async function edited(fact: Edited, type: 'issue' | 'merge_request', id: number, delivery: FactDelivery) {
    const { changes } = fact.payload;
    const { actor_id: actorId } = fact;
    if (!mail.configured || actorId === null) return;
    const about = { type, id, projectId: fact.project_id, groupId: null };
    const common = { factId: fact.id, actorId, about };
    if ('auto_merge' in fact.payload) {
      const line: Event['line'] = (actor, item) =>
        `${actor.name} set ${wordsOf(item)} to be merged when all checks pass`;
      await tell({ ...common, event: 'merge_when_pipeline_succeeds', line }, delivery);
    }
    if (!changes) return;
    const { milestone_id: milestone, title, description } = changes;
    if (milestone) {
      const [now] = milestone.current === null ? [] : await milestonesById(db, [Number(milestone.current)]);
      const line: Event['line'] = (actor, item) =>
        now
          ? `${actor.name} changed the milestone of ${wordsOf(item)} to ${now.title}`
          : `${actor.name} removed the milestone of ${wordsOf(item)}`;
      await tell({ ...common, event: 'change_milestone', line }, delivery);
    }
    if (type === 'merge_request' && title && isDraft(String(title.previous)) && !isDraft(String(title.current))) {
      const line: Event['line'] = (actor, item) => `${actor.name} marked ${wordsOf(item)} as ready`;
      await tell({ ...common, event: 'ready_merge_request', line }, delivery);
    }
    const added = addedLabels(changes.labels);
    const subscribers =
      added.length === 0
        ? []
        : await queries.subscribersOfLabels(
            db,
            added.map(({ id }) => id),
          );
    if (subscribers.length > 0) {
      const names = added.map(({ title: name }) => name).join(', ');
      const line: Event['line'] = (actor, item) => `${actor.name} added the labels ${names} to ${wordsOf(item)}`;
      await tell({ ...common, event: 'relabel', only: { people: subscribers, as: 'subscribed' }, line }, delivery);
    }
    const texts = [title, description].filter((change) => change !== undefined);
    const written = (when: 'previous' | 'current') => texts.map((change) => String(change[when] ?? '')).join('\n\n');
    if (!/@/.test(written('current'))) return;
    const [before, now] = await Promise.all([
      audience.named(about, written('previous'), actorId),
      audience.named(about, written('current'), actorId),
    ]);
    const known = new Set([...before.alone, ...before.together]);
    const people = [...now.alone, ...now.together].filter((userId) => !known.has(userId));
    if (people.length === 0) return;
    const text = String((description ?? title)?.current ?? '');
    const line: Event['line'] = (actor, item) => `${actor.name} mentioned you in ${wordsOf(item)}: ${item.title}`;
    await tell({ ...common, event: 'new_mention', only: { people, as: 'mentioned' }, text, line }, delivery);
  };
}
