/** From facts to mails: who hears of issues, merge requests, epics and comments on them, and what the mail says. */
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import {
  epicFacts,
  type Fact,
  type FactConsumer,
  type FactDefinition,
  type FactDelivery,
  issueDue,
  issueFacts,
  mergeRequestFacts,
  noteFacts,
  on,
} from '../../../kernel/events/index.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { baseOf, type Markdown } from '../../../kernel/markdown/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { About, Audience, Reader } from '../../collaboration/index.ts';
import { noteById } from '../../collaboration/notes/index.ts';
import { mailAddressOf } from '../../identity/index.ts';
import { sendsMail } from '../../namespaces/index.ts';
import { edits } from './edits.ts';
import { type Content, type NotifiedItem, notificationMail, wordsOf } from './mail-template.ts';
import type { NotifiedPlace } from './recipients.queries.ts';
import * as queries from './recipients.queries.ts';
import { type NotifiedEvent, recipients } from './recipients.ts';
import type { Followed } from './unsubscribe.ts';

export interface NotificationDependencies {
  readonly db: Db;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  readonly markdown: Pick<Markdown, 'html'>;
  readonly settings: Pick<Settings, 'read'>;
  readonly audience: Audience;
  readonly unsubscribeUrl: (followed: Followed) => string;
}

/** What happened to a thing, before it is known who hears of it. */
export interface Event {
  readonly factId: number;
  readonly event: NotifiedEvent;
  readonly actorId: number;
  readonly about: About & { readonly type: NotifiedItem['type'] };
  readonly internal?: boolean;
  /** Text in which people are named. */
  readonly text?: string;
  /** The first line of the mail; the text is its body. */
  readonly line: (actor: User, about: NotifiedItem) => string;
  readonly note?: NonNullable<Content['note']>;
  readonly assigned?: readonly number[];
  /** Nobody else hears of it: those who are named now and were not before, or who subscribe to a label that it got. */
  readonly only?: { readonly people: readonly number[]; readonly as: 'mentioned' | 'subscribed' };
  /** Nobody did it: whom it is in the name of hears of it, too. */
  readonly byItself?: true;
}

/** Subscribers of labels hear of what is opened with one. */
const opening: ReadonlySet<NotifiedEvent> = new Set(['new_issue', 'new_merge_request']);

/** What a person ends the mails about. */
function followedBy(userId: number, { type, id, projectId, commitId }: Event['about'], iid: number | null) {
  if (type !== 'commit') return id === null ? null : { userId, type, id, iid };
  return commitId && projectId !== null ? { userId, type, id: commitId, projectId, iid } : null;
}
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Things as the API shows them: what mails need of them. */
interface Shown {
  /** Commits and snippets have none. */
  readonly iid?: number;
  readonly description?: string | null;
  readonly assignees?: readonly { readonly id: number; readonly name: string }[];
  readonly reviewers?: readonly { readonly id: number; readonly name: string }[];
}

const placeOf = ({ subject }: Reader): NotifiedPlace & { readonly place: NotifiedItem['place'] } =>
  subject.kind === 'project'
    ? {
        projectId: subject.project.id,
        namespaceIds: subject.namespace.traversal_ids,
        place: {
          id: subject.project.id,
          name: subject.project.name,
          path: `${subject.namespace.full_path}/${subject.project.path}`,
        },
      }
    : {
        projectId: null,
        namespaceIds: subject.group.traversal_ids,
        place: { id: subject.group.id, name: subject.group.name, path: subject.group.full_path },
      };

export function notifications(deps: NotificationDependencies): FactConsumer {
  const { db, audience, externalUrl, mail } = deps;

  async function send(
    event: Event,
    actor: User,
    reader: Reader,
    reason: Parameters<typeof notificationMail>[0]['reason'],
  ) {
    const { user } = reader.caller;
    const { about, note } = event;
    const address = user && mailAddressOf(user);
    if (!user || !address) return;
    const { iid = null } = reader.target.json as Shown;
    const { title, path } = reader.target;
    const { type, id } = about;
    const item: NotifiedItem = {
      ...{ type, iid, title, url: `${externalUrl}${path}`, place: placeOf(reader).place },
      id: id ?? about.commitId ?? '',
    };
    const text = event.text?.trim() ? event.text : undefined;
    const html =
      text && (await deps.markdown.html(text, { caller: reader.caller, base: baseOf(reader.subject), absolute: true }));
    const content: Content = {
      line: event.line(actor, item),
      ...(text && html ? { body: { text, html } } : {}),
      ...(text && (await deps.settings.read()).email_author_in_body ? { author: actor } : {}),
      ...(note ? { note } : {}),
    };
    const followed = followedBy(user.id, about, iid);
    const unsubscribe = followed && deps.unsubscribeUrl(followed);
    const message = notificationMail({ address, reason, unsubscribe }, item, content, externalUrl);
    await transaction(db, async (tx) => {
      if (await queries.claimMail(tx, event.factId, user.id)) await mail.send(tx, message);
    });
  }

  const subscriptionsTo = async ({ type, id, projectId, commitId }: Event['about']) =>
    id !== null
      ? await queries.subscriptionsTo(db, type, id)
      : commitId && projectId !== null
        ? await queries.commitSubscriptions(db, projectId, commitId)
        : new Map<number, boolean>();

  async function tell(event: Event, delivery: FactDelivery): Promise<void> {
    const { about, actorId } = event;
    const actor = await delivery.user(actorId);
    // The place as whoever acted sees it; where they no longer do, nobody hears of it in their name.
    const seen = (await audience.readers(about, [actorId], event.internal ?? false)).get(actorId);
    if (!actor || !seen) return;
    const place = placeOf(seen);
    const { namespaceIds } = place;
    const kind = place.projectId === null ? 'group' : 'project';
    if (!(await sendsMail(db, { kind, id: place.place.id, namespaceIds }))) return;
    const { description } = seen.target.json as Shown;
    const [taking, described, watchers, subscriptions, named, byLabel] = await Promise.all([
      audience.participants(about),
      description ? audience.named(about, description, actorId) : { alone: [], together: [] },
      queries.watchersOf(db, place),
      subscriptionsTo(about),
      event.text ? audience.named(about, event.text, actorId) : { alone: [], together: [] },
      opening.has(event.event) && about.id !== null ? queries.labelSubscribers(db, about.type, about.id) : [],
    ]);
    const heardByLabel = event.only?.as === 'subscribed' ? event.only.people : byLabel;
    for (const userId of heardByLabel) if (!subscriptions.has(userId)) subscriptions.set(userId, true);
    const participants = [...taking, ...described.alone];
    const mentioned = new Set(event.only?.as === 'mentioned' ? event.only.people : [...named.alone, ...named.together]);
    const assigned = new Set(event.assigned ?? []);
    const candidates = [...mentioned, ...assigned, ...participants, ...watchers, ...subscriptions.keys()];
    const settings = await queries.settingsOf(db, candidates, place);
    const heard = recipients(
      event.event,
      { mentioned, assigned, participants: new Set(participants), watchers: new Set(watchers), subscriptions },
      settings,
      place,
    ).filter(
      ({ userId }) => (event.byItself || userId !== actorId) && (!event.only || event.only.people.includes(userId)),
    );
    const readers = await audience.readers(
      about,
      heard.map(({ userId }) => userId),
      event.internal ?? false,
    );
    for (const { userId, reason } of heard) {
      delivery.signal.throwIfAborted();
      const reader = readers.get(userId);
      if (reader) await send(event, actor, reader, reason);
    }
  }

  /** What the thing says of itself now, for whoever acted. */
  const shownTo = async (about: Event['about'], actorId: number): Promise<Shown | undefined> =>
    (await audience.readers(about, [actorId], false)).get(actorId)?.target.json as Shown | undefined;

  type Handled = Pick<Fact<FactDefinition>, 'id' | 'actor_id' | 'project_id' | 'namespace_id'>;

  /** Opened, with its description. */
  async function opened(
    fact: Handled,
    type: NotifiedItem['type'],
    id: number,
    event: NotifiedEvent,
    delivery: FactDelivery,
  ) {
    if (!mail.configured || fact.actor_id === null) return;
    const about = { type, id, projectId: fact.project_id, groupId: fact.namespace_id };
    const shown = await shownTo(about, fact.actor_id);
    if (!shown) return;
    await tell(
      {
        ...{ factId: fact.id, event, actorId: fact.actor_id, about },
        text: shown.description ?? '',
        line: (actor, item) => `${actor.name} created ${wordsOf(item)}: ${item.title}`,
        assigned: [...(shown.assignees ?? []), ...(shown.reviewers ?? [])].map((each) => each.id),
      },
      delivery,
    );
  }

  /** Closed, reopened, merged. */
  async function moved(
    fact: Handled,
    type: NotifiedItem['type'],
    id: number,
    event: NotifiedEvent,
    word: string,
    delivery: FactDelivery,
  ) {
    if (!mail.configured || fact.actor_id === null) return;
    const about = { type, id, projectId: fact.project_id, groupId: fact.namespace_id };
    const line: Event['line'] = (actor, item) => `${capital(wordsOf(item))} was ${word} by ${actor.name}`;
    await tell({ factId: fact.id, event, actorId: fact.actor_id, about, line }, delivery);
  }

  async function reassigned(fact: Fact<typeof issueFacts.updated>, delivery: FactDelivery) {
    const { assignees } = fact.payload.changes ?? {};
    if (!mail.configured || fact.actor_id === null || !assignees) return;
    const about = { type: 'issue' as const, id: fact.payload.issue_id, projectId: fact.project_id, groupId: null };
    const shown = await shownTo(about, fact.actor_id);
    if (!shown) return;
    const names = shown.assignees?.map(({ name }) => name).join(', ');
    const line: Event['line'] = (actor, item) =>
      names
        ? `${actor.name} assigned ${wordsOf(item)} to ${names}`
        : `${actor.name} removed the assignees of ${wordsOf(item)}`;
    const involved = [assignees.previous, assignees.current].flatMap((ids) => ids as readonly number[]);
    await tell(
      { ...{ factId: fact.id, actorId: fact.actor_id, about, line }, event: 'reassign_issue', assigned: involved },
      delivery,
    );
  }

  /** Reviewers or assignees of a merge request changed. */
  async function peopleChanged(fact: Fact<typeof mergeRequestFacts.updated>, delivery: FactDelivery) {
    const { people, merge_request_id: id } = fact.payload;
    if (!mail.configured || fact.actor_id === null || !people) return;
    const about = { type: 'merge_request' as const, id, projectId: fact.project_id, groupId: null };
    const shown = await shownTo(about, fact.actor_id);
    if (!shown) return;
    for (const [role, event, words] of [
      ['reviewer', 'change_reviewer_merge_request', 'requested a review of'],
      ['assignee', 'reassign_merge_request', 'assigned'],
    ] as const) {
      const change = people[role];
      if (!change) continue;
      const now = role === 'reviewer' ? shown.reviewers : shown.assignees;
      const names = now?.map(({ name }) => name).join(', ');
      const line: Event['line'] = (actor, item) =>
        names
          ? `${actor.name} ${words} ${wordsOf(item)} ${role === 'reviewer' ? 'from' : 'to'} ${names}`
          : `${actor.name} removed the ${role}s of ${wordsOf(item)}`;
      const assigned = [...change.previous, ...change.current];
      await tell({ factId: fact.id, event, actorId: fact.actor_id, about, line, assigned }, delivery);
    }
  }

  async function pushedTo(fact: Fact<typeof mergeRequestFacts.head_changed>, delivery: FactDelivery) {
    if (!mail.configured || fact.actor_id === null) return;
    const { merge_request_id: id } = fact.payload;
    const about = { type: 'merge_request' as const, id, projectId: fact.project_id, groupId: null };
    const line: Event['line'] = (actor, item) => `${actor.name} pushed new commits to ${wordsOf(item)}`;
    await tell({ factId: fact.id, event: 'push_to_merge_request', actorId: fact.actor_id, about, line }, delivery);
  }

  async function due(fact: Fact<typeof issueDue>, delivery: FactDelivery) {
    if (!mail.configured || fact.actor_id === null) return;
    const about = { type: 'issue' as const, id: fact.payload.issue_id, projectId: fact.project_id, groupId: null };
    const line: Event['line'] = (_actor, item) => `${capital(wordsOf(item))} is due tomorrow`;
    const event = { factId: fact.id, event: 'issue_due', actorId: fact.actor_id, about, line, byItself: true } as const;
    await tell(event, delivery);
  }

  async function commented(fact: Fact<typeof noteFacts.created>, delivery: FactDelivery) {
    const note = mail.configured && fact.actor_id !== null ? await noteById(db, fact.payload.note_id) : undefined;
    if (!note || note.system || fact.actor_id === null) return;
    const { noteable_type: type, noteable_id: id, internal, project_id: projectId, namespace_id: groupId } = note;
    await tell(
      {
        ...{ factId: fact.id, event: 'new_note', actorId: fact.actor_id, internal, note },
        about: { type, id, projectId, groupId, commitId: note.commit_id },
        text: note.body,
        line: (actor, item) => `${actor.name} commented on ${wordsOf(item)}:`,
      },
      delivery,
    );
  }

  const edited = edits(deps, tell);

  return {
    name: 'notifications',
    handlers: [
      on(issueFacts.opened, (fact, delivery) => opened(fact, 'issue', fact.payload.issue_id, 'new_issue', delivery)),
      on(issueFacts.closed, (fact, delivery) =>
        moved(fact, 'issue', fact.payload.issue_id, 'close_issue', 'closed', delivery),
      ),
      on(issueFacts.reopened, (fact, delivery) =>
        moved(fact, 'issue', fact.payload.issue_id, 'reopen_issue', 'reopened', delivery),
      ),
      on(issueFacts.updated, async (fact, delivery) => {
        await reassigned(fact, delivery);
        await edited(fact, 'issue', fact.payload.issue_id, delivery);
      }),
      on(issueDue, due),
      on(mergeRequestFacts.updated, async (fact, delivery) => {
        await peopleChanged(fact, delivery);
        await edited(fact, 'merge_request', fact.payload.merge_request_id, delivery);
      }),
      on(mergeRequestFacts.head_changed, pushedTo),
      on(mergeRequestFacts.opened, (fact, delivery) =>
        opened(fact, 'merge_request', fact.payload.merge_request_id, 'new_merge_request', delivery),
      ),
      on(mergeRequestFacts.closed, (fact, delivery) =>
        moved(fact, 'merge_request', fact.payload.merge_request_id, 'close_merge_request', 'closed', delivery),
      ),
      on(mergeRequestFacts.reopened, (fact, delivery) =>
        moved(fact, 'merge_request', fact.payload.merge_request_id, 'reopen_merge_request', 'reopened', delivery),
      ),
      on(mergeRequestFacts.merged, (fact, delivery) =>
        moved(fact, 'merge_request', fact.payload.merge_request_id, 'merge_merge_request', 'merged', delivery),
      ),
      on(epicFacts.opened, (fact, delivery) => opened(fact, 'epic', fact.payload.epic_id, 'new_epic', delivery)),
      on(epicFacts.closed, (fact, delivery) =>
        moved(fact, 'epic', fact.payload.epic_id, 'close_epic', 'closed', delivery),
      ),
      on(epicFacts.reopened, (fact, delivery) =>
        moved(fact, 'epic', fact.payload.epic_id, 'reopen_epic', 'reopened', delivery),
      ),
      on(noteFacts.created, commented),
    ],
  };
}

/** Facts are kept for thirty days after their delivery. */
const days = 40;
const batch = 1000;

/** Forgets which mails were sent, once their facts cannot come again. */
export function mailRetention(db: Db): { readonly tasks: readonly Task[]; readonly cron: readonly CronItem[] } {
  const sweep = defineTask('notifications.sweep', Type.Object({}), async (_payload, { signal }) => {
    while (!signal.aborted && (await queries.forgetMails(db, days, batch)) === batch);
  });
  return { tasks: [sweep], cron: [{ task: sweep.name, schedule: '41 4 * * *' }] };
}
