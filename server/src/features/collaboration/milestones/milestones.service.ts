/** Making, changing, removing and promoting milestones, and the facts that tell of it. */
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { Milestone } from '../../../kernel/db/rows.ts';
import { milestoneFacts, recordFact, toInstant } from '../../../kernel/events/index.ts';
import { invalidRecord, recordNotFound } from '../../../kernel/http/errors.ts';
import type { Place } from '../../namespaces/index.ts';
import { type Labeled, replaceMilestones } from '../inherited-labels.ts';
import { type TaskChange, withTask } from '../tasks/index.ts';
import {
  deleteMilestones,
  insertMilestone,
  lockMilestone,
  type MilestoneValues,
  ofTitleBelow,
  titleTaken,
  updateMilestone,
} from './milestones.queries.ts';

export interface GivenMilestone {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly start_date?: string | null | undefined;
  readonly due_date?: string | null | undefined;
}

const taken = () => invalidRecord({ title: ['already being used for another group or project milestone.'] });

/** What is kept of what was given. Throws the API's 400. */
function valuesOf(given: GivenMilestone): MilestoneValues {
  const { description, start_date, due_date } = given;
  const title = given.title?.trim();
  if (title === '') throw invalidRecord({ title: ["can't be blank"] });
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(start_date === undefined ? {} : { start_date }),
    ...(due_date === undefined ? {} : { due_date }),
  };
}

function checkDates({ start_date, due_date }: Pick<MilestoneValues, 'start_date' | 'due_date'>): void {
  if (start_date && due_date && due_date <= start_date)
    throw invalidRecord({ due_date: ['must be greater than start date'] });
}

export function milestoneService(db: Db, labeled: readonly Labeled[]) {
  const inTransaction = <T>(work: (tx: Db) => Promise<T>): Promise<T> =>
    transaction(db, work).catch((error: unknown) => {
      const known = ['milestones_namespace_title_key', 'milestones_project_title_key'];
      throw known.some((name) => isUniqueViolation(error, name)) ? taken() : error;
    });

  async function free(tx: Db, place: Place, title: string, exceptId: number | null): Promise<void> {
    if (await titleTaken(tx, place, title, exceptId)) throw taken();
  }

  const record = (tx: Db, caller: Caller, event: keyof typeof milestoneFacts, milestone: Milestone) => {
    const { id, iid, project_id, namespace_id, title, description, state, start_date, due_date } = milestone;
    return recordFact(
      tx,
      milestoneFacts[event],
      {
        milestone_id: id,
        ...{ id, iid, project_id, namespace_id, title, description, state, start_date, due_date },
        created_at: toInstant(milestone.created_at),
        updated_at: toInstant(milestone.updated_at),
      },
      { project_id, namespace_id, actor_id: caller.user?.id ?? null },
    );
  };

  const audited = (tx: Db, place: Place, origin: AuditOrigin, milestone: Milestone, event: string) =>
    recordAudit(tx, {
      ...origin,
      entity: entityOfPlace(place),
      event: `${place.kind}_milestone_${event}`,
      details: { state: milestone.state },
      target: { type: 'Milestone', id: milestone.id, details: milestone.title },
    });

  return {
    create: (
      place: Place,
      caller: Caller,
      given: GivenMilestone & { readonly title: string },
      origin: AuditOrigin,
    ): Promise<Milestone> => {
      const values = { ...valuesOf(given), title: given.title.trim() };
      checkDates(values);
      return inTransaction(async (tx) => {
        await free(tx, place, values.title, null);
        const made = await insertMilestone(tx, place, values);
        await record(tx, caller, 'created', made);
        await audited(tx, place, origin, made, 'created');
        return made;
      });
    },

    update: (
      place: Place,
      caller: Caller,
      id: number,
      given: GivenMilestone & {
        /** One check box of the description. */
        readonly update_task?: TaskChange | undefined;
        readonly state_event?: 'close' | 'activate' | undefined;
      },
      origin: AuditOrigin,
    ): Promise<void> => {
      const values = valuesOf(given);
      return inTransaction(async (tx) => {
        const before = await lockMilestone(tx, id);
        if (!before) throw recordNotFound();
        checkDates({ ...before, ...values });
        if (values.title !== undefined && values.title !== before.title) await free(tx, place, values.title, id);
        const state =
          given.state_event === undefined ? before.state : given.state_event === 'close' ? 'closed' : 'active';
        const described = given.update_task ? { description: withTask(before.description, given.update_task) } : {};
        const after = await updateMilestone(tx, id, { ...values, ...described, state });
        const event = state === before.state ? 'updated' : state === 'closed' ? 'closed' : 'reopened';
        await record(tx, caller, event, after);
        await audited(tx, place, origin, after, 'updated');
      });
    },

    remove: (place: Place, caller: Caller, id: number, origin: AuditOrigin): Promise<void> =>
      inTransaction(async (tx) => {
        const milestone = await lockMilestone(tx, id);
        if (!milestone) throw recordNotFound();
        await deleteMilestones(tx, [id]);
        await record(tx, caller, 'deleted', milestone);
        await audited(tx, place, origin, milestone, 'destroyed');
      }),

    /** Becomes one of the group, with all that is planned for those of its title in the group's projects. */
    promote: (
      subject: ProjectSubject,
      group: GroupSubject,
      caller: Caller,
      id: number,
      origin: AuditOrigin,
    ): Promise<Milestone> =>
      inTransaction(async (tx) => {
        const milestone = await lockMilestone(tx, id);
        if (!milestone) throw recordNotFound();
        const same = await ofTitleBelow(tx, group.group.id, milestone.title);
        const { title, description, start_date, due_date } = milestone;
        const made = await insertMilestone(tx, group, { title, description, start_date, due_date });
        await replaceMilestones(labeled, tx, { from: same, to: made.id });
        await deleteMilestones(tx, same);
        await record(tx, caller, 'created', made);
        await audited(tx, subject, origin, made, 'promoted');
        return made;
      }),
  };
}
