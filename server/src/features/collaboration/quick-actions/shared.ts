/** Quick actions that several kinds of things have: texts and state, people, labels, milestone, time, reactions. */

import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { emojiName, toggleAward } from '../award-emoji/index.ts';
import { milestoneNamed } from '../milestones/milestones.queries.ts';
import { setSubscribed } from '../subscriptions/index.ts';
import { changeEstimate, humanDuration, parseDuration, spendTime } from '../time-tracking/index.ts';
import { createTodo, resolveTodos } from '../todos/index.ts';
import { dayIn, labelsIn, titleOfMilestone, usersIn } from './arguments.ts';
import { type Command, guarded, type Running } from './commands.ts';

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

/** A command that changes the people in one role. */
function people(
  role: 'assignee' | 'reviewer',
  names: Command['names'],
  change: (now: readonly number[], named: readonly number[]) => readonly number[],
  mayBeEmpty: boolean,
  verb: string,
): Command {
  const key = role === 'assignee' ? 'assignee_ids' : 'reviewer_ids';
  return guarded(
    'plan',
    names,
    async (on, argument) => {
      const named = argument === '' && mayBeEmpty ? [] : await usersIn(on.db, on.caller, argument);
      if (named === null) return argument === '' ? null : `Failed to find users for ${argument}.`;
      const now = on.wish[key] ?? (role === 'assignee' ? on.current.assigneeIds : on.current.reviewerIds);
      const ids = argument === '' ? [] : change(now, named);
      const summary = argument === '' ? `${verb} all ${role}s.` : `${verb} ${argument}.`;
      return { changes: { [key]: ids }, wish: { [key]: ids }, summary };
    },
    `${role}s`,
  );
}
const added = (now: readonly number[], named: readonly number[]) => [...new Set([...now, ...named])];
const without = (now: readonly number[], named: readonly number[]) => now.filter((id) => !named.includes(id));
const replaced = (_now: readonly number[], named: readonly number[]) => named;

/** A change of the caller's own relation to the thing. */
const own = (
  names: Command['names'],
  changes: Record<string, string>,
  summary: string,
  work: (on: Running, id: number) => Promise<void>,
): Command => ({
  names,
  run: async (on) => {
    const { id } = on.place.noteable;
    return id === null ? null : { changes, summary, after: () => work(on, id) };
  },
});

const state = (name: 'close' | 'reopen', from: string, done: string): Command =>
  guarded('edit', [name], async ({ current, noun }) =>
    current.state === from
      ? { changes: { state_event: name }, wish: { state_event: name }, summary: `${done} this ${noun}.` }
      : null,
  );

const lock = (name: 'lock' | 'unlock', locked: boolean): Command =>
  guarded(
    'plan',
    [name],
    async ({ current }) =>
      current.locked === locked
        ? null
        : {
            changes: { discussion_locked: locked },
            wish: { discussion_locked: locked },
            summary: `${capital(name)}ed the discussion.`,
          },
    'lock',
  );

const healthStatuses = ['on_track', 'needs_attention', 'at_risk'] as const;

const place = ({ place: { subject } }: Running) => subject;
const names = (labels: readonly { readonly title: string }[]) => labels.map(({ title }) => `~"${title}"`).join(' ');

const estimating = async (on: Running, seconds: number, summary: string) => {
  const { times } = on.kind;
  const { id } = on.place.noteable;
  if (!times || id === null) return null;
  return {
    changes: { time_estimate: seconds },
    summary,
    after: () => changeEstimate(on.db, times, { id, noteable: on.place.noteable }, on.userId, seconds),
  };
};

/** `1h 30m 2030-01-31`, `-1h`: the time and, after it, the day on which it was spent. */
function spentIn(argument: string): { readonly seconds: number; readonly day: string | null } | null {
  const [, time = argument, written] = /^(.*?)(?:\s+(\d{4}-\d{2}-\d{2}))?$/.exec(argument) ?? [];
  const seconds = parseDuration(time);
  const day = written === undefined ? null : dayIn(written);
  const later = day !== null && day > new Date().toISOString().slice(0, 10);
  return seconds === null || seconds === 0 || (written !== undefined && day === null) || later
    ? null
    : { seconds, day };
}

export const sharedCommands: readonly Command[] = [
  guarded('edit', ['title'], async ({ noun }, title) =>
    title === '' || title.length > 255
      ? null
      : { changes: { title }, wish: { title }, summary: `Changed the title of this ${noun}.` },
  ),
  state('close', 'opened', 'Closed'),
  state('reopen', 'closed', 'Reopened'),
  people('assignee', ['assign'], added, false, 'Assigned'),
  people('assignee', ['unassign', 'remove_assignee'], without, true, 'Unassigned'),
  people('assignee', ['reassign'], replaced, false, 'Reassigned to'),
  people('reviewer', ['assign_reviewer', 'reviewer'], added, false, 'Requested a review from'),
  people('reviewer', ['unassign_reviewer', 'remove_reviewer'], without, true, 'Removed reviewers:'),
  people('reviewer', ['reassign_reviewer'], replaced, false, 'Changed reviewers to'),
  guarded('plan', ['label', 'labels'], async (on, argument) => {
    const labels = await labelsIn(on.db, place(on), argument);
    if (labels.length === 0) return null;
    return {
      changes: { add_label_ids: labels.map(({ id }) => id) },
      wish: { add_labels: [...(on.wish.add_labels ?? []), ...labels.map(({ title }) => title)] },
      summary: `Added ${names(labels)}.`,
    };
  }),
  guarded('plan', ['unlabel', 'remove_label'], async (on, argument) => {
    const labels = argument === '' ? on.current.labels : await labelsIn(on.db, place(on), argument);
    if (labels.length === 0) return null;
    const wish = { remove_labels: [...(on.wish.remove_labels ?? []), ...labels.map(({ title }) => title)] };
    return argument === ''
      ? { changes: { label_ids: [] }, wish, summary: 'Removed all labels.' }
      : { changes: { remove_label_ids: labels.map(({ id }) => id) }, wish, summary: `Removed ${names(labels)}.` };
  }),
  guarded('plan', ['relabel'], async (on, argument) => {
    const labels = await labelsIn(on.db, place(on), argument);
    if (labels.length === 0) return null;
    return {
      changes: { label_ids: labels.map(({ id }) => id) },
      wish: { labels: labels.map(({ title }) => title) },
      summary: `Replaced all labels with ${names(labels)}.`,
    };
  }),
  guarded(
    'plan',
    ['milestone'],
    async (on, argument) => {
      const { subject } = on.place;
      if (subject.kind !== 'project' || argument === '') return null;
      const found = await milestoneNamed(on.db, subject satisfies ProjectSubject, titleOfMilestone(argument));
      if (!found) return null;
      return {
        changes: { milestone_id: found.id },
        wish: { milestone_id: found.id },
        summary: `Set the milestone to %"${found.title}".`,
      };
    },
    'milestone',
  ),
  guarded(
    'plan',
    ['remove_milestone'],
    async ({ current }) =>
      current.milestoneId === null
        ? null
        : { changes: { milestone_id: null }, wish: { milestone_id: null }, summary: 'Removed the milestone.' },
    'milestone',
  ),
  guarded(
    'plan',
    ['health_status'],
    async (_on, argument) => {
      const health_status = healthStatuses.find((each) => each === argument.toLowerCase().replaceAll(' ', '_'));
      return health_status
        ? {
            ...{ changes: { health_status }, wish: { health_status } },
            summary: `Set health status to ${health_status}.`,
          }
        : null;
    },
    'health',
  ),
  guarded(
    'plan',
    ['clear_health_status'],
    async ({ current }) =>
      current.healthStatus
        ? { changes: { health_status: null }, wish: { health_status: null }, summary: 'Cleared health status.' }
        : null,
    'health',
  ),
  lock('lock', true),
  lock('unlock', false),
  own(['todo'], { todo_event: 'add' }, 'Added a to-do item.', async (on) => {
    const { db, userId } = on;
    await createTodo(db, { userId, authorId: userId, noteable: on.place.noteable, action: 'marked' });
  }),
  own(['done'], { todo_event: 'done' }, 'Marked to-do item as done.', (on) =>
    resolveTodos(on.db, on.place.noteable, on.userId),
  ),
  ...([true, false] as const).map((wanted) => {
    const name = wanted ? 'subscribe' : 'unsubscribe';
    const summary = wanted ? 'Subscribed to notifications.' : 'Unsubscribed from notifications.';
    return own([name], { subscription_event: name }, summary, async (on, id) => {
      await setSubscribed(on.db, { type: on.place.noteable.type, id }, on.userId, wanted);
    });
  }),
  {
    names: ['award', 'react'],
    run: async (on, argument) => {
      const name = emojiName(argument);
      const { type, id } = on.place.noteable;
      if (name === null || id === null) return null;
      return {
        changes: { emoji_award: name },
        summary: `Toggled :${name}: emoji reaction.`,
        after: () =>
          transaction(on.db, (tx) => toggleAward(tx, { type, id, noteId: null }, on.place.subject, on.userId, name)),
      };
    },
  },
  guarded(
    'plan',
    ['estimate', 'estimate_time'],
    async (on, argument) => {
      const seconds = parseDuration(argument);
      if (seconds === 0) return await estimating(on, 0, 'Removed the time estimate.');
      if (seconds === null || seconds < 0) return null;
      return await estimating(on, seconds, `Set the time estimate to ${humanDuration(seconds)}.`);
    },
    'times',
  ),
  guarded(
    'plan',
    ['remove_estimate', 'remove_time_estimate'],
    (on) => estimating(on, 0, 'Removed the time estimate.'),
    'times',
  ),
  guarded(
    'plan',
    ['spend', 'spent', 'spend_time'],
    async (on, argument) => {
      const { times } = on.kind;
      const { id } = on.place.noteable;
      const spent = spentIn(argument);
      if (!times || id === null || !spent) return null;
      const { seconds, day } = spent;
      const spentAt = day === null ? undefined : new Date(`${day}T12:00:00Z`);
      return {
        changes: { spend_time: { duration: seconds, user_id: on.userId, spent_at: day } },
        summary: `${seconds > 0 ? 'Added' : 'Subtracted'} ${humanDuration(Math.abs(seconds))} spent time.`,
        after: () => spendTime(on.db, times, { id, noteable: on.place.noteable }, on.userId, { seconds, spentAt }),
      };
    },
    'times',
  ),
  guarded(
    'plan',
    ['remove_time_spent'],
    async (on) => {
      const { times } = on.kind;
      const { id } = on.place.noteable;
      if (!times || id === null) return null;
      return {
        changes: { spend_time: { duration: 'reset', user_id: on.userId } },
        summary: 'Removed spent time.',
        after: () => spendTime(on.db, times, { id, noteable: on.place.noteable }, on.userId, 'reset'),
      };
    },
    'times',
  ),
  guarded(
    'plan',
    ['copy_metadata'],
    async (on, argument) => {
      const found = await on.metadataOf(argument);
      if (!found) return null;
      const { labels, milestoneId } = found;
      const planned = on.kind.fields.has('milestone');
      const milestone = milestoneId === null || !planned ? {} : { milestone_id: milestoneId };
      return {
        changes: { add_label_ids: labels.map(({ id }) => id), ...milestone },
        wish: {
          add_labels: [...(on.wish.add_labels ?? []), ...labels.map(({ title }) => title)],
          ...milestone,
        },
        summary: `Copied labels${planned ? ' and milestone' : ''} from ${argument}.`,
      };
    },
    'metadata',
  ),
];
