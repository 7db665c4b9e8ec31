/** The API of iterations: those of groups, and as the projects below see them. */
import Type, { type Static } from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import {
  Bool,
  DateParam,
  DateTimeParam,
  IdOrPath,
  Int,
  List,
  OneOf,
  Optional,
  OrNull,
  rules,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Place } from '../../namespaces/index.ts';
import { IterationReference, iterationJson } from './iterations.entity.ts';
import {
  countIterations,
  findIteration,
  type IterationList,
  iterationReached,
  listIterations,
  searchedFields,
} from './iterations.queries.ts';
import type { IterationService } from './iterations.service.ts';
import { dayOf } from './scheduling.ts';

const common = { credentials: ['token', 'session'], tag: 'Iterations' } as const;
const write = { on: 'group', ability: 'admin_group_iteration' } as const;
const groupParam = { id: IdOrPath('Group') };
const one = { ...groupParam, iteration_id: Int({ description: 'Id of the iteration' }) };

const filters = {
  state: Optional(
    OneOf(['opened', 'upcoming', 'current', 'closed', 'all'], {
      default: 'all',
      description: 'Only those in this state; `opened` are those that are current or upcoming',
    }),
  ),
  search: Optional(Str({ maxLength: 255, description: 'Only those with this text in one of the fields of `in`' })),
  in: Optional(
    List(OneOf(searchedFields), {
      commas: true,
      maxItems: 10,
      description: 'Where `search` looks: `title` (default), `cadence_title`',
    }),
  ),
  include_ancestors: Optional(Bool({ default: true, description: 'Also those of the groups above' })),
  include_descendants: Optional(Bool({ default: false, description: 'Also those of the groups below' })),
  updated_before: Optional(DateTimeParam({ description: 'Only those changed at or before this time' })),
  updated_after: Optional(DateTimeParam({ description: 'Only those changed at or after this time' })),
};
const asked = Type.Object(filters);

const texts = {
  title: Optional(OrNull(Str({ maxLength: 255, description: 'Title of the iteration' }))),
  description: Optional(OrNull(Str({ maxLength: 1_048_576, description: 'What it is for, in Markdown' }))),
};
const startDate = DateParam({ description: 'First day' });
const dueDate = DateParam({ description: 'Last day' });

const listOf = (place: Place, caller: Caller, params: Static<typeof asked>): IterationList => ({
  place,
  caller,
  ancestors: params.include_ancestors ?? true,
  descendants: params.include_descendants ?? false,
  state: params.state ?? 'all',
  search: params.search,
  searched: params.in && params.in.length > 0 ? params.in : ['title'],
  updatedBefore: params.updated_before,
  updatedAfter: params.updated_after,
  today: dayOf(new Date()),
});

const kinds = [
  { kind: 'group', noun: 'Group', access: { on: 'group', ability: 'read_group_iteration' } },
  { kind: 'project', noun: 'Project', access: { on: 'project', ability: 'read_iteration' } },
] as const;

export function iterationRoutes({
  db,
  externalUrl,
  iterations,
}: {
  readonly db: Db;
  readonly externalUrl: string;
  readonly iterations: IterationService;
}): Route[] {
  async function shown(groupId: number, id: number) {
    const row = await findIteration(db, groupId, id);
    if (!row) throw notFound('Iteration');
    return iterationJson(row, externalUrl);
  }

  const lists = kinds.map(({ kind, noun, access }) =>
    route({
      ...common,
      method: 'GET',
      path: `/${kind}s/:id/iterations`,
      summary: kind === 'group' ? 'List iterations of a group' : 'List iterations of the groups above a project',
      access,
      params: Type.Object({ id: IdOrPath(noun), ...filters }),
      pagination: 'offset',
      responses: { 200: ListOf(IterationReference) },
      handler: async ({ params, page, subject, caller }) => {
        const list = listOf(subject, caller, params);
        const [rows, total] = await Promise.all([listIterations(db, list, page), countIterations(db, list)]);
        const found = offsetPage(page, rows, total);
        return withItems(
          found,
          found.items.map((row) => iterationJson(row, externalUrl)),
        );
      },
    }),
  );

  const singles = kinds.map(({ kind, noun, access }) =>
    route({
      ...common,
      method: 'GET',
      path: `/${kind}s/:id/iterations/:iteration_id`,
      summary:
        kind === 'group'
          ? 'Get an iteration of a group or the groups above'
          : 'Get an iteration of the groups above a project',
      access,
      params: Type.Object({ id: IdOrPath(noun), iteration_id: one.iteration_id }),
      responses: { 200: IterationReference },
      handler: async ({ params, subject, caller }) => {
        const row = await iterationReached(db, subject, caller, params.iteration_id);
        if (!row) throw notFound('Iteration');
        return iterationJson(row, externalUrl);
      },
    }),
  );

  return [
    ...lists,
    ...singles,
    route({
      ...common,
      method: 'POST',
      path: '/groups/:id/iterations',
      summary: 'Create an iteration',
      access: write,
      params: Type.Object({
        ...groupParam,
        ...texts,
        start_date: startDate,
        due_date: dueDate,
        iteration_cadence_id: Optional(
          Int({ description: 'Cadence without automatic scheduling; by default the first such cadence of the group' }),
        ),
      }),
      responses: { 201: IterationReference },
      handler: async (context) => {
        const { params, subject } = context;
        const id = await iterations.create(subject, params, params.iteration_cadence_id, originOf(context));
        return await shown(subject.group.id, id);
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/groups/:id/iterations/:iteration_id',
      summary: 'Update an iteration',
      access: write,
      params: Type.Object(
        { ...one, ...texts, start_date: Optional(startDate), due_date: Optional(dueDate) },
        rules(atLeastOneOf('title', 'description', 'start_date', 'due_date')),
      ),
      responses: { 200: IterationReference },
      handler: async (context) => {
        const { params, subject } = context;
        await iterations.update(subject, params.iteration_id, params, originOf(context));
        return await shown(subject.group.id, params.iteration_id);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/groups/:id/iterations/:iteration_id',
      summary: 'Delete an iteration',
      access: write,
      params: Type.Object(one),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const { params, subject, unmodifiedSince } = context;
        await iterations.remove(subject, params.iteration_id, unmodifiedSince, originOf(context));
      },
    }),
  ];
}
