/** The API of freeze periods: when deployments of a project are frozen. */
import Type, { type Static } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { FreezePeriod as FreezePeriodRow } from '../../../kernel/db/rows.ts';
import { Entity, Id, ListOf, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { invalidRecord, recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { timingProblems } from '../../ci/index.ts';
import * as queries from './freeze-periods.queries.ts';

const FreezePeriod = Entity('FreezePeriod', {
  id: Id(),
  freeze_start: Text({ description: 'When it begins, in cron syntax' }),
  freeze_end: Text({ description: 'When it ends, in cron syntax' }),
  cron_timezone: Text(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});

const json = (row: FreezePeriodRow): Static<typeof FreezePeriod> => ({
  id: row.id,
  freeze_start: row.freeze_start,
  freeze_end: row.freeze_end,
  cron_timezone: row.cron_timezone,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

type Values = Pick<FreezePeriodRow, 'freeze_start' | 'freeze_end' | 'cron_timezone'>;

/** What is wrong with when it begins and ends, by attribute. */
export function freezeProblems(values: Values): Readonly<Record<string, readonly string[]>> {
  const zone = timingProblems({ cron: '0 0 * * *', cron_timezone: values.cron_timezone });
  const problems: Record<string, readonly string[]> = { ...zone };
  for (const key of ['freeze_start', 'freeze_end'] as const) {
    const { cron } = timingProblems({ cron: values[key], cron_timezone: 'UTC' });
    if (cron) problems[key] = cron;
  }
  return problems;
}

function checked(given: Values): Values {
  const values = { ...given, freeze_start: given.freeze_start.trim(), freeze_end: given.freeze_end.trim() };
  const problems = freezeProblems(values);
  if (Object.keys(problems).length > 0) throw invalidRecord(problems);
  return values;
}

const common = { tag: 'Freeze periods', credentials: ['token', 'session'] } as const;
const id = IdOrPath('Id or path of the project');
const one = Type.Object({ id, freeze_period_id: Int({ description: 'Id of the freeze period' }) });
const path = '/projects/:id/freeze_periods/:freeze_period_id';
const read = { on: 'project', ability: 'read_freeze_period' } as const;
const admin = { on: 'project', ability: 'admin_freeze_period' } as const;
const cron = (description: string) => Str({ minLength: 1, maxLength: 255, description });
const zone = Str({ minLength: 1, maxLength: 255, description: 'Time zone of both' });

export function freezePeriodRoutes(db: Db): Route[] {
  async function find({ project }: ProjectSubject, number: number): Promise<FreezePeriodRow> {
    const found = await queries.findFreezePeriod(db, project.id, number);
    if (!found) throw recordNotFound();
    return found;
  }
  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/freeze_periods',
      summary: 'List freeze periods of a project',
      access: read,
      pagination: 'offset',
      params: Type.Object({ id }),
      responses: { 200: ListOf(FreezePeriod) },
      handler: async ({ subject, page }) => {
        const { rows, total } = await queries.listFreezePeriods(db, subject.project.id, page);
        return mapPage(offsetPage(page, rows, total), json);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Get a freeze period',
      access: read,
      params: one,
      responses: { 200: FreezePeriod },
      handler: async ({ subject, params }) => json(await find(subject, params.freeze_period_id)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/freeze_periods',
      summary: 'Create a freeze period',
      access: admin,
      params: Type.Object({
        id,
        freeze_start: cron('When it begins, in cron syntax'),
        freeze_end: cron('When it ends, in cron syntax'),
        cron_timezone: Optional(Type.String({ ...zone, default: 'UTC' })),
      }),
      responses: { 201: FreezePeriod },
      handler: async ({ subject, params: { freeze_start, freeze_end, cron_timezone = 'UTC' } }) => {
        const values = checked({ freeze_start, freeze_end, cron_timezone });
        return json(
          await transaction(db, (tx) => queries.insertFreezePeriod(tx, { project_id: subject.project.id, ...values })),
        );
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      summary: 'Update a freeze period',
      access: admin,
      params: Type.Object({
        ...one.properties,
        freeze_start: Optional(cron('When it begins, in cron syntax')),
        freeze_end: Optional(cron('When it ends, in cron syntax')),
        cron_timezone: Optional(zone),
      }),
      responses: { 200: FreezePeriod },
      handler: async ({ subject, params: { freeze_period_id, freeze_start, freeze_end, cron_timezone } }) => {
        const found = await find(subject, freeze_period_id);
        const values = checked({
          freeze_start: freeze_start ?? found.freeze_start,
          freeze_end: freeze_end ?? found.freeze_end,
          cron_timezone: cron_timezone ?? found.cron_timezone,
        });
        const changed = await transaction(db, (tx) => queries.updateFreezePeriod(tx, found.id, values));
        if (!changed) throw recordNotFound();
        return json(changed);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Delete a freeze period',
      access: admin,
      params: one,
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ subject, params, unmodifiedSince }) => {
        const found = await find(subject, params.freeze_period_id);
        unmodifiedSince(found.updated_at);
        if (!(await transaction(db, (tx) => queries.deleteFreezePeriod(tx, found.id)))) throw recordNotFound();
        return answer(204, undefined);
      },
    }),
  ];
}
