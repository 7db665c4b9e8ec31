/** The API of burndown charts: the events that they are drawn from. */
import Type from 'typebox';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { Count, Entity, ListOf, Nullable, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { type Page, slicePage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findMilestone } from '../../collaboration/index.ts';
import { burndownOf } from './burndown.queries.ts';

const BurndownEvent = Entity('BurndownEvent', {
  created_at: Timestamp(),
  weight: Nullable(Count()),
  action: Word(['created', 'closed', 'reopened']),
});

export function burndownRoutes(db: Db): Route[] {
  const milestoneId = { milestone_id: Int({ description: 'Id of the milestone' }) };
  /** Of milestones that say from when to when; others have no chart. */
  async function events(place: GroupSubject | ProjectSubject, id: number, caller: Caller, page: Page) {
    const milestone = await findMilestone(db, place, id);
    if (!milestone) throw recordNotFound();
    const drawn = milestone.start_date !== null && milestone.due_date !== null;
    return slicePage(page, drawn ? await burndownOf(db, place, caller, milestone.id) : []);
  }
  const common = { method: 'GET', credentials: ['token', 'session'], tag: 'Milestones' } as const;
  return [
    route({
      ...common,
      path: '/groups/:id/milestones/:milestone_id/burndown_events',
      summary: 'List burndown events of a milestone of a group',
      access: { on: 'group', ability: 'read_group_milestone' },
      params: Type.Object({ id: IdOrPath('Id or path of the group'), ...milestoneId }),
      pagination: 'offset',
      responses: { 200: ListOf(BurndownEvent) },
      handler: async ({ params, subject, caller, page }) => await events(subject, params.milestone_id, caller, page),
    }),
    route({
      ...common,
      path: '/projects/:id/milestones/:milestone_id/burndown_events',
      summary: 'List burndown events of a milestone of a project',
      access: { on: 'project', ability: 'read_milestone' },
      params: Type.Object({ id: IdOrPath('Id or path of the project'), ...milestoneId }),
      pagination: 'offset',
      responses: { 200: ListOf(BurndownEvent) },
      handler: async ({ params, subject, caller, page }) => await events(subject, params.milestone_id, caller, page),
    }),
  ];
}
