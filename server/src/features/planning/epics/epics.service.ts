/** Creating, changing and removing epics, each in one transaction with the facts that it records. */
import { originOfCaller } from '../../../kernel/audit/index.ts';
import { canOnGroup } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Epic, Label } from '../../../kernel/db/rows.ts';
import { epicFacts, publish, recordFact } from '../../../kernel/events/index.ts';
import { invalidRecord, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import {
  labelsNamed,
  recordLabels,
  recordState,
  resolveTodos,
  type TaskChange,
  withTask,
} from '../../collaboration/index.ts';
import { systemNote } from '../../collaboration/notes/index.ts';
import type { TimeKept } from '../../collaboration/time-tracking/index.ts';
import { healthText } from '../health.ts';
import { checkedTitle } from '../issues/changes.ts';
import { placeLast } from './children.queries.ts';
import * as queries from './epics.queries.ts';
import { epicNoteableOf } from './place.ts';

export interface GivenEpic {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  /** One check box of the description. */
  readonly update_task?: TaskChange | undefined;
  readonly confidential?: boolean | undefined;
  readonly discussion_locked?: boolean | undefined;
  readonly health_status?: Epic['health_status'] | undefined;
  readonly color?: string | undefined;
  readonly start_date_is_fixed?: boolean | undefined;
  readonly start_date_fixed?: string | null | undefined;
  readonly due_date_is_fixed?: boolean | undefined;
  readonly due_date_fixed?: string | null | undefined;
  readonly parent_id?: number | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
  readonly add_labels?: readonly string[] | null | undefined;
  readonly remove_labels?: readonly string[] | null | undefined;
  readonly state_event?: 'close' | 'reopen' | undefined;
}

const plain = [
  'description',
  'confidential',
  'discussion_locked',
  'health_status',
  'color',
  'start_date_is_fixed',
  'start_date_fixed',
  'due_date_is_fixed',
  'due_date_fixed',
] as const;
const valuesOf = (given: GivenEpic): queries.EpicValues =>
  Object.fromEntries(plain.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));

function checkDates({ start_date_fixed: start, due_date_fixed: due }: queries.EpicValues): void {
  if (start && due && due < start)
    throw invalidRecord({ due_date_fixed: ['must be greater than or equal to start date'] });
}

async function tell(tx: Db, event: keyof typeof epicFacts, epic: Epic, actorId: number | null): Promise<void> {
  const { id, iid, title, namespace_id } = epic;
  await recordFact(tx, epicFacts[event], { epic_id: id, iid, title }, { namespace_id, actor_id: actorId });
  await publish(tx, `epic:${id}`, `group:${namespace_id}:epics`);
}

/** Time that people spend on epics. */
export const timedEpic: TimeKept = {
  table: 'epics',
  async changed(tx, id, actorId) {
    const row = await queries.epicById(tx, id);
    if (row) await tell(tx, 'updated', row, actorId);
  },
};

/** Says under an epic what was planned otherwise. */
async function note(tx: Db, before: Epic, after: Epic, actor: number | null): Promise<void> {
  if (actor === null) return;
  const noteable = epicNoteableOf(after);
  if (before.discussion_locked !== after.discussion_locked) {
    const did = after.discussion_locked ? 'locked' : 'unlocked';
    await systemNote(tx, noteable, actor, did, `${did} the discussion in this epic`);
  }
  const text = healthText(before.health_status, after.health_status);
  if (text !== null) await systemNote(tx, noteable, actor, 'health_status', text);
}

export function epicService(db: Db) {
  async function relabel(tx: Db, subject: GroupSubject, caller: Caller, id: number, given: GivenEpic): Promise<void> {
    const { labels, add_labels, remove_labels } = given;
    const [more, less] = [add_labels ?? [], new Set((remove_labels ?? []).map((title) => title.trim()))];
    if (labels === undefined && more.length === 0 && less.size === 0) return;
    const maker = canOnGroup(caller, 'admin_group_label', subject) ? originOfCaller(caller) : null;
    const before = (await queries.labelsOf(tx, [id])).get(id) ?? [];
    const kept = labels === undefined ? before.filter(({ title }) => !less.has(title)).map((label) => label.id) : [];
    const wished = [...(labels ?? []), ...more].filter((title) => !less.has(title.trim()));
    await queries.setLabels(tx, id, [...kept, ...(await labelsNamed(tx, subject, wished, maker))]);
    const after = (await queries.labelsOf(tx, [id])).get(id) ?? [];
    const idsOf = (labels: readonly Label[]) => labels.map((label) => label.id);
    await recordLabels(tx, { type: 'epic', id }, caller.user?.id ?? null, {
      before: idsOf(before),
      after: idsOf(after),
    });
  }

  /** The epic that is to be above; undefined leaves it as it is. */
  async function parentFor(
    tx: Db,
    subject: GroupSubject,
    caller: Caller,
    wanted: number | null | undefined,
    id: number | null,
  ) {
    if (wanted === undefined || wanted === null) return wanted;
    const root = subject.group.traversal_ids[0] ?? subject.group.id;
    await queries.lockTree(tx, root);
    const parent = await queries.epicInTree(tx, root, caller, wanted);
    if (!parent) throw notFound('Epic');
    const above = await queries.chainAbove(tx, parent.id);
    if (id !== null && above.includes(id))
      throw invalidRecord({ parent: ['cannot be the epic itself or one below it'] });
    if (above.length + (id === null ? 1 : await queries.depthBelow(tx, id)) > queries.deepest)
      throw invalidRecord({ parent: [`cannot have more than ${queries.deepest} levels of epics`] });
    return parent.id;
  }

  /** In the transaction of whoever changes more than the epic. */
  async function updateIn(tx: Db, subject: GroupSubject, caller: Caller, id: number, given: GivenEpic): Promise<Epic> {
    const before = await queries.lockEpic(tx, id);
    if (!before) throw notFound('Epic');
    const actor = caller.user?.id ?? null;
    const described = given.update_task ? { description: withTask(before.description, given.update_task) } : {};
    const edited = given.title !== undefined || given.description !== undefined || given.update_task !== undefined;
    const state = given.state_event === undefined ? before.state : given.state_event === 'close' ? 'closed' : 'opened';
    const values: queries.EpicValues = {
      ...valuesOf(given),
      ...described,
      ...(given.title === undefined ? {} : { title: checkedTitle(given.title) }),
      ...(edited ? { last_edited_at: new Date(), last_edited_by_id: actor } : {}),
      ...(state === before.state
        ? {}
        : {
            state,
            closed_at: state === 'closed' ? new Date() : null,
            closed_by_id: state === 'closed' ? actor : null,
          }),
    };
    checkDates({ ...before, ...values });
    const parent_id = await parentFor(tx, subject, caller, given.parent_id, id);
    const after = await queries.updateEpic(tx, id, {
      ...values,
      ...(parent_id === undefined ? {} : { parent_id }),
    });
    if (parent_id && parent_id !== before.parent_id) await placeLast(tx, id, parent_id);
    await relabel(tx, subject, caller, id, given);
    const what = { type: 'epic', id } as const;
    if (state !== before.state) await recordState(tx, what, actor, state === 'closed' ? 'closed' : 'reopened');
    if (actor !== null) await resolveTodos(tx, what, actor);
    await note(tx, before, after, actor);
    await tell(tx, state === before.state ? 'updated' : state === 'closed' ? 'closed' : 'reopened', after, actor);
    return after;
  }

  return {
    updateIn,

    create: (
      subject: GroupSubject,
      caller: Caller,
      given: GivenEpic & { readonly title: string; readonly created_at?: Date | undefined },
    ): Promise<Epic> => {
      const author = caller.user;
      if (!author) throw unauthorized();
      // Owners alone say when something was.
      const { created_at } = caller.admin || subject.level >= Level.owner ? given : {};
      const values = {
        ...valuesOf(given),
        ...(created_at ? { created_at, updated_at: created_at } : {}),
        title: checkedTitle(given.title),
        author_id: author.id,
      };
      checkDates(values);
      return transaction(db, async (tx) => {
        const parent_id = (await parentFor(tx, subject, caller, given.parent_id, null)) ?? null;
        const epic = await queries.insertEpic(tx, subject.group.id, { ...values, parent_id });
        if (parent_id !== null) await placeLast(tx, epic.id, parent_id);
        await relabel(tx, subject, caller, epic.id, given);
        await tell(tx, 'opened', epic, author.id);
        return epic;
      });
    },

    update: (subject: GroupSubject, caller: Caller, id: number, given: GivenEpic): Promise<Epic> =>
      transaction(db, (tx) => updateIn(tx, subject, caller, id, given)),

    remove: (id: number, caller: Caller): Promise<void> =>
      transaction(db, async (tx) => {
        const epic = await queries.lockEpic(tx, id);
        if (!epic) throw notFound('Epic');
        await queries.deleteEpic(tx, id);
        await tell(tx, 'deleted', epic, caller.user?.id ?? null);
      }),
  };
}
export type EpicService = ReturnType<typeof epicService>;
