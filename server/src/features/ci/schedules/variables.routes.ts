/** Variables of pipeline schedules. */
import Type from 'typebox';
import { forbidden } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { RemovedScheduleVariable, ScheduleVariable, scheduleVariable } from './schedules.entity.ts';
import { scheduleFinder } from './schedules.routes.ts';
import type { SchedulesService } from './schedules.service.ts';

const common = { tag: 'Pipeline schedules', credentials: ['token', 'session'] } as const;
const write = { on: 'project', ability: 'create_pipeline_schedule' } as const;
const place = {
  id: IdOrPath('Id or path of the project'),
  pipeline_schedule_id: Int({ description: 'Id of the schedule' }),
};
const key = Str({ description: 'Key of the variable: letters, digits and `_`, at most 255 characters' });
const values = {
  value: Str({ description: 'Value of the variable' }),
  variable_type: Optional(
    OneOf(['env_var', 'file'], {
      description: '`env_var`: a variable of the environment; `file`: the path of a file with the value',
    }),
  ),
};
const path = '/projects/:id/pipeline_schedules/:pipeline_schedule_id/variables';

export function scheduleVariableRoutes(deps: CiDependencies, schedules: SchedulesService): Route[] {
  const find = scheduleFinder(deps);
  return [
    route({
      ...common,
      method: 'POST',
      path,
      summary: 'Create a variable of a pipeline schedule',
      access: write,
      params: Type.Object({ ...place, key, ...values }),
      responses: { 201: ScheduleVariable },
      handler: async ({ subject, caller, params }) => {
        const schedule = await find(subject, params.pipeline_schedule_id);
        return scheduleVariable(await schedules.addVariable(subject, caller, schedule, params), params.value);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/:key`,
      summary: 'Get a variable of a pipeline schedule',
      access: write,
      params: Type.Object({ ...place, key }),
      responses: { 200: ScheduleVariable },
      handler: async ({ subject, caller, params }) => {
        const schedule = await find(subject, params.pipeline_schedule_id);
        if (!schedules.mayAdminister(caller, subject, schedule)) throw forbidden();
        const row = await schedules.variableOf(schedule, params.key);
        return scheduleVariable(row, schedules.opened(row));
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${path}/:key`,
      summary: 'Update a variable of a pipeline schedule',
      access: write,
      params: Type.Object({ ...place, key, ...values }),
      responses: { 200: ScheduleVariable },
      handler: async ({ subject, caller, params }) => {
        const schedule = await find(subject, params.pipeline_schedule_id);
        return scheduleVariable(await schedules.changeVariable(subject, caller, schedule, params), params.value);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/:key`,
      summary: 'Delete a variable of a pipeline schedule',
      access: write,
      params: Type.Object({ ...place, key }),
      responses: { 200: RemovedScheduleVariable },
      conditional: 'A variable is shown without a date of change.',
      handler: async ({ subject, caller, params }) => {
        const schedule = await find(subject, params.pipeline_schedule_id);
        return { key: params.key, value: await schedules.removeVariable(subject, caller, schedule, params.key) };
      },
    }),
  ];
}
