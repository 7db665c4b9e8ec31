/** Routes of events: one's own, those of somebody, those of a project or group. */
import Type from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPresent, offsetPage, type Page, slicePage } from '../../../kernel/http/pagination.ts';
import { DateParam, IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findReferences, findUserByIdOrName } from '../../identity/index.ts';
import { groupId } from '../../namespaces/index.ts';
import { ContributionDay, Event, eventJson } from './events.entity.ts';
import { contributionDays, type EventFilter, type EventSource, listEvents } from './events.queries.ts';

const actions = [
  'created',
  'updated',
  'closed',
  'reopened',
  'pushed',
  'commented',
  'merged',
  'joined',
  'left',
  'destroyed',
  'expired',
  'approved',
] as const;
const targets = [
  'issue',
  'milestone',
  'merge_request',
  'note',
  'project',
  'snippet',
  'user',
  'wiki',
  'design',
  'epic',
] as const;

const filters = {
  action: Optional(OneOf(actions, { description: 'Only what was done this way' })),
  target_type: Optional(OneOf(targets, { description: 'Only what was done to objects of this kind' })),
  before: Optional(DateParam({ description: 'Only of days before this one' })),
  after: Optional(DateParam({ description: 'Only of days after this one' })),
  sort: Optional(OneOf(['asc', 'desc'], { description: 'By time; the newest first unless told' })),
};
const common = { method: 'GET', credentials: ['token', 'session'], tag: 'Events' } as const;
const reading = ['api', 'read_api', 'read_user'];

export function eventRoutes(db: Db, externalUrl: string): Route[] {
  async function events(caller: Caller, source: EventSource, filter: EventFilter, page: Page) {
    const { rows, total } = await listEvents(db, caller, source, filter, page);
    const authors = await findReferences(
      db,
      rows.map((row) => row.author_id),
    );
    return mapPresent(offsetPage(page, rows, total), (row) => {
      const author = authors.get(row.author_id);
      return author && eventJson(row, author, externalUrl);
    });
  }

  return [
    route({
      ...common,
      path: '/events',
      acrossProjects: true,
      summary: 'List your events, or those of your projects',
      scopes: reading,
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({
        ...filters,
        scope: Optional(Str({ description: '`all`: of everybody, in all projects of which the caller is a member' })),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(Event) },
      handler: async ({ params: { scope, ...filter }, caller, page }) => {
        if (!caller.user) throw unauthorized();
        return await events(caller, scope === 'all' ? 'memberships' : { authorId: caller.user.id }, filter, page);
      },
    }),
    route({
      ...common,
      path: '/users/:id/contributions',
      summary: 'Count the contributions of a user on each day of the last 53 weeks',
      scopes: reading,
      access: { on: 'public' },
      params: Type.Object({ id: IdOrPath('User, by id or username') }),
      responses: { 200: ListOf(ContributionDay) },
      handler: async ({ params: { id }, caller }) => {
        const user = await findUserByIdOrName(db, id);
        if (!user) throw notFound('User');
        if (user.private_profile && !caller.admin && caller.user?.id !== user.id) return [];
        const after = new Date(Date.now() - 53 * 7 * 86_400_000).toISOString().slice(0, 10);
        return await contributionDays(db, caller, user.id, after);
      },
    }),
    route({
      ...common,
      path: '/users/:id/events',
      acrossProjects: true,
      summary: 'List events of a user',
      scopes: reading,
      access: { on: 'public' },
      params: Type.Object({ ...filters, id: IdOrPath('User, by id or username') }),
      pagination: 'offset',
      responses: { 200: ListOf(Event) },
      handler: async ({ params: { id, ...filter }, caller, page }) => {
        const user = await findUserByIdOrName(db, id);
        if (!user) throw notFound('User');
        if (user.private_profile && !caller.admin && caller.user?.id !== user.id) return slicePage(page, []);
        return await events(caller, { authorId: user.id }, filter, page);
      },
    }),
    route({
      ...common,
      path: '/projects/:id/events',
      summary: 'List events of a project',
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object({ ...filters, id: IdOrPath('Project') }),
      pagination: 'offset',
      responses: { 200: ListOf(Event) },
      handler: async ({ params: { id: _, ...filter }, caller, subject, page }) =>
        await events(caller, { project: subject }, filter, page),
    }),
    route({
      ...common,
      path: '/groups/:id/events',
      acrossProjects: true,
      summary: 'List events of a group and of the groups and projects below it',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({ ...groupId, ...filters }),
      pagination: 'offset',
      responses: { 200: ListOf(Event) },
      handler: async ({ params: { id: _, ...filter }, caller, subject, page }) =>
        await events(caller, { group: subject }, filter, page),
    }),
  ];
}
