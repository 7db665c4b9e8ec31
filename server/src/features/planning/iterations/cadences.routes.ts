/** The API of iteration cadences. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { Bool, DateParam, IdOrPath, Int, Optional, OrNull, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { countCadences, findCadence, listCadences } from './cadences.queries.ts';
import { cadenceJson, IterationCadence } from './iterations.entity.ts';
import type { IterationService } from './iterations.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Iterations' } as const;
const read = { on: 'group', ability: 'read_group_iteration' } as const;
const write = { on: 'group', ability: 'admin_group_iteration' } as const;
const groupParam = { id: IdOrPath('Group') };
const one = { ...groupParam, cadence_id: Int({ description: 'Id of the cadence' }) };
const base = '/groups/:id/iteration_cadences';

const title = Str({ maxLength: 255, description: 'Title of the cadence' });
const values = {
  description: Optional(OrNull(Str({ maxLength: 1_048_576, description: 'What it is for, in Markdown' }))),
  active: Optional(Bool({ description: 'Whether it schedules iterations; true by default' })),
  automatic: Optional(
    Bool({
      description:
        'Whether iterations are scheduled, which needs `start_date`, `duration_in_weeks` and `iterations_in_advance`; true by default',
    }),
  ),
  start_date: Optional(OrNull(DateParam({ description: 'First day of the first iteration' }))),
  duration_in_weeks: Optional(
    OrNull(Int({ minimum: 1, maximum: 4, description: 'How many weeks each iteration lasts' })),
  ),
  iterations_in_advance: Optional(
    OrNull(Int({ minimum: 1, maximum: 10, description: 'How many upcoming iterations are scheduled' })),
  ),
  roll_over: Optional(Bool({ description: 'Whether open issues of a closed iteration move to the current one' })),
};

export function cadenceRoutes({ db, iterations }: { readonly db: Db; readonly iterations: IterationService }): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: base,
      summary: 'List iteration cadences of a group',
      access: read,
      params: Type.Object(groupParam),
      pagination: 'offset',
      responses: { 200: ListOf(IterationCadence) },
      handler: async ({ page, subject }) => {
        const { id } = subject.group;
        const found = offsetPage(page, ...(await Promise.all([listCadences(db, id, page), countCadences(db, id)])));
        return withItems(found, found.items.map(cadenceJson));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${base}/:cadence_id`,
      summary: 'Get an iteration cadence',
      access: read,
      params: Type.Object(one),
      responses: { 200: IterationCadence },
      handler: async ({ params, subject }) => {
        const row = await findCadence(db, subject.group.id, params.cadence_id);
        if (!row) throw notFound('Iteration Cadence');
        return cadenceJson(row);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: base,
      summary: 'Create an iteration cadence',
      access: write,
      params: Type.Object({ ...groupParam, title, ...values }),
      responses: { 201: IterationCadence },
      handler: async (context) =>
        cadenceJson(await iterations.createCadence(context.subject, context.params, originOf(context))),
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${base}/:cadence_id`,
      summary: 'Update an iteration cadence',
      access: write,
      params: Type.Object(
        { ...one, title: Optional(title), ...values },
        rules(
          atLeastOneOf(
            'title',
            'description',
            'active',
            'automatic',
            'start_date',
            'duration_in_weeks',
            'iterations_in_advance',
            'roll_over',
          ),
        ),
      ),
      responses: { 200: IterationCadence },
      handler: async (context) => {
        const { subject, params } = context;
        return cadenceJson(await iterations.updateCadence(subject, params.cadence_id, params, originOf(context)));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${base}/:cadence_id`,
      summary: 'Delete an iteration cadence with its iterations',
      access: write,
      params: Type.Object(one),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const { subject, params, unmodifiedSince } = context;
        await iterations.removeCadence(subject, params.cadence_id, unmodifiedSince, originOf(context));
      },
    }),
  ];
}
