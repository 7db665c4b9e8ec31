/** The API of burnup and burndown charts of milestones and iterations, and of the velocity of cadences. */
import Type from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { Count, Day, Entity, Fields, ListOf, Nullable } from '../../../kernel/http/entity.ts';
import { notFound, recordNotFound } from '../../../kernel/http/errors.ts';
import { offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findMilestone } from '../../collaboration/index.ts';
import type { Place } from '../../namespaces/index.ts';
import { findCadence } from '../iterations/cadences.queries.ts';
import { IterationReference, iterationJson } from '../iterations/iterations.entity.ts';
import { countBegun, iterationReached, listBegun } from '../iterations/iterations.queries.ts';
import { dayOf } from '../iterations/scheduling.ts';
import { type Planned, reportSource } from './report.queries.ts';
import { reportedDays, reportOf } from './report.ts';

const Amount = Fields({
  count: Count({ description: 'Number of issues' }),
  weight: Count({ description: 'Sum of their weights' }),
});

const BurnupReport = Entity('BurnupReport', {
  start_date: Nullable(Day()),
  due_date: Nullable(Day()),
  scope: Amount,
  completed: Amount,
  days: ListOf(
    Fields({
      date: Day(),
      scope: Amount,
      completed: Amount,
    }),
    {
      description: 'What was planned, and completed of it, at the end of each day in UTC; of long spans every nth day',
    },
  ),
});

const IterationVelocity = Entity('IterationVelocity', {
  iteration: IterationReference,
  committed: Fields(
    { count: Count(), weight: Count() },
    { description: 'What was planned at the end of the first day' },
  ),
  completed: Fields({ count: Count(), weight: Count() }, { description: 'What was closed by the last day' }),
});

const none = { count: 0, weight: 0 };

const kinds = [
  {
    kind: 'group',
    noun: 'Group',
    milestone: { on: 'group', ability: 'read_group_milestone' },
    iteration: { on: 'group', ability: 'read_group_iteration' },
  },
  {
    kind: 'project',
    noun: 'Project',
    milestone: { on: 'project', ability: 'read_milestone' },
    iteration: { on: 'project', ability: 'read_iteration' },
  },
] as const;

export function reportRoutes(db: Db, base: string): Route[] {
  async function report(
    place: Place,
    caller: Caller,
    planned: Planned,
    span: { readonly start_date: string | null; readonly due_date: string | null },
  ) {
    const { start_date, due_date } = span;
    const today = dayOf(new Date());
    const { issues, events } = await reportSource(db, place, caller, planned);
    const days = start_date && due_date ? reportOf(issues, events, reportedDays(start_date, due_date, today)) : [];
    // Without days the chart is empty; what is planned is known all the same.
    const [now] = reportOf(issues, events, [today]);
    const { scope = none, completed = none } = days.at(-1) ?? now ?? {};
    return { start_date, due_date, scope, completed, days };
  }

  const common = { method: 'GET', credentials: ['token', 'session'] } as const;
  const ofPlaces = kinds.flatMap(({ kind, noun, milestone, iteration }) => [
    route({
      ...common,
      tag: 'Milestones',
      path: `/${kind}s/:id/milestones/:milestone_id/burnup_report`,
      summary: `Get the burnup and burndown of a milestone of a ${kind}`,
      access: milestone,
      params: Type.Object({ id: IdOrPath(noun), milestone_id: Int({ description: 'Id of the milestone' }) }),
      responses: { 200: BurnupReport },
      handler: async ({ params, subject, caller }) => {
        const found = await findMilestone(db, subject, params.milestone_id);
        if (!found) throw recordNotFound();
        return await report(subject, caller, { kind: 'milestone', id: found.id }, found);
      },
    }),
    route({
      ...common,
      tag: 'Iterations',
      path: `/${kind}s/:id/iterations/:iteration_id/burnup_report`,
      summary: `Get the burnup and burndown of an iteration for the issues of a ${kind}`,
      access: iteration,
      params: Type.Object({ id: IdOrPath(noun), iteration_id: Int({ description: 'Id of the iteration' }) }),
      responses: { 200: BurnupReport },
      handler: async ({ params, subject, caller }) => {
        const found = await iterationReached(db, subject, caller, params.iteration_id);
        if (!found) throw notFound('Iteration');
        return await report(subject, caller, { kind: 'iteration', id: found.id }, found);
      },
    }),
  ]);

  return [
    ...ofPlaces,
    route({
      ...common,
      tag: 'Iterations',
      path: '/groups/:id/iteration_cadences/:cadence_id/velocity',
      summary: 'List iterations of a cadence that have begun, the newest first, with what was committed and completed',
      access: { on: 'group', ability: 'read_group_iteration' },
      params: Type.Object({ id: IdOrPath('Group'), cadence_id: Int({ description: 'Id of the cadence' }) }),
      pagination: 'offset',
      responses: { 200: ListOf(IterationVelocity) },
      handler: async ({ params, subject, caller, page }) => {
        const cadence = await findCadence(db, subject.group.id, params.cadence_id);
        if (!cadence) throw notFound('Iteration Cadence');
        const today = dayOf(new Date());
        const [rows, total] = await Promise.all([
          listBegun(db, cadence.id, today, page),
          countBegun(db, cadence.id, today),
        ]);
        const found = offsetPage(page, rows, total);
        const shown = [];
        for (const row of found.items) {
          const { days } = await report(subject, caller, { kind: 'iteration', id: row.id }, row);
          shown.push({
            iteration: iterationJson(row, base),
            committed: days[0]?.scope ?? none,
            completed: days.at(-1)?.completed ?? none,
          });
        }
        return withItems(found, shown);
      },
    }),
  ];
}
