/** Pipeline schedules: lists, one, creation, changes, ownership, runs. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { PipelineSchedule } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, DateTimeParam, IdOrPath, Int, List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { projectUrl } from '../jobs/serialize.ts';
import { PipelineBasic, pipelineBasic } from '../pipelines/pipelines.entity.ts';
import { listPipelines } from '../pipelines/pipelines.queries.ts';
import { queuePriorities } from '../pipelines/priority.ts';
import { pipelineScope, pipelineScopes } from '../pipelines/scopes.ts';
import { pipelineStatuses } from '../scheduling/pipeline-states.ts';
import { PlayedSchedule, ScheduleEntity, ScheduleListed, scheduleJson, scheduleListed } from './schedules.entity.ts';
import {
  findSchedule,
  lastPipelineOf,
  lastPipelinesOf,
  listSchedules,
  scheduleWithOwner,
} from './schedules.queries.ts';
import type { SchedulesService } from './schedules.service.ts';

const common = { tag: 'Pipeline schedules', credentials: ['token', 'session'] } as const;
const id = IdOrPath('Id or path of the project');
const pipeline_schedule_id = Int({ description: 'Id of the schedule' });
const one = Type.Object({ id, pipeline_schedule_id });
const read = { on: 'project', ability: 'read_pipeline_schedule' } as const;
const write = { on: 'project', ability: 'create_pipeline_schedule' } as const;
const path = '/projects/:id/pipeline_schedules/:pipeline_schedule_id';

const words = {
  description: Str({ description: 'What the schedule is for' }),
  ref: Str({ minLength: 1, description: 'Branch or tag, as a short or full name' }),
  cron: Str({ description: 'When it runs, as five fields: minute, hour, day of the month, month, day of the week' }),
};
const cron_timezone = Optional(
  Str({ description: 'Time zone of `cron`: a name of the IANA database, or of Rails (`Pacific Time (US & Canada)`)' }),
);
const queue_priority = Optional(
  OneOf(queuePriorities, {
    description: 'Where jobs of its pipelines stand among those of the project; `high` only by maintainers',
  }),
);
const active = Optional(Bool({ description: 'Whether it runs by itself' }));
const input = {
  name: Str({ minLength: 1, description: 'Name of the input' }),
  value: Optional(Type.Unknown({ description: 'Text, number, boolean or list' })),
};
const inputs = 'Values for the inputs that the configuration declares, at most 20';

/** The schedule that a path names, for this file and that of the variables. */
export function scheduleFinder({ db }: Pick<CiDependencies, 'db'>) {
  return async ({ project }: ProjectSubject, number: number): Promise<PipelineSchedule> => {
    const schedule = await findSchedule(db, project.id, number);
    if (!schedule) throw notFound('Pipeline Schedule');
    return schedule;
  };
}

export function scheduleRoutes(deps: CiDependencies, schedules: SchedulesService): Route[] {
  const { db, externalUrl } = deps;
  const find = scheduleFinder(deps);

  async function present(subject: ProjectSubject, caller: Caller, schedule: PipelineSchedule) {
    const [owned, lastPipeline, variables] = await Promise.all([
      scheduleWithOwner(db, schedule),
      lastPipelineOf(db, schedule.id),
      schedules.variables(subject, caller, schedule),
    ]);
    return scheduleJson({ ...owned, lastPipeline, variables, projectUrl: projectUrl(deps, subject), externalUrl });
  }

  const list = route({
    ...common,
    method: 'GET',
    path: '/projects/:id/pipeline_schedules',
    summary: 'List pipeline schedules of a project',
    access: read,
    params: Type.Object({
      id,
      scope: Optional(
        OneOf(['active', 'inactive'], { description: 'Only schedules that run by themselves, or do not' }),
      ),
      with_last_pipeline: Optional(
        Bool({ default: false, description: 'Also tell the newest pipeline that each created' }),
      ),
    }),
    pagination: 'offset',
    responses: { 200: ListOf(ScheduleListed) },
    handler: async ({ subject, params, page }) => {
      const wanted = params.scope === undefined ? undefined : params.scope === 'active';
      const { rows, total } = await listSchedules(db, subject.project.id, wanted, page);
      const ids = rows.map(({ schedule }) => schedule.id);
      const last = params.with_last_pipeline ? await lastPipelinesOf(db, ids) : null;
      const url = projectUrl(deps, subject);
      return mapPage(offsetPage(page, rows, total), (row) => {
        const pipeline = last?.get(row.schedule.id);
        return {
          ...scheduleListed(row, externalUrl),
          ...(last ? { last_pipeline: pipeline ? pipelineBasic(pipeline, url) : null } : {}),
        };
      });
    },
  });

  const pipelines = route({
    ...common,
    method: 'GET',
    path: `${path}/pipelines`,
    summary: 'List pipelines that a schedule created',
    access: read,
    params: Type.Object({
      id,
      pipeline_schedule_id,
      scope: Optional(
        OneOf(pipelineScopes, { description: 'Only pipelines in this state, or the latest of each branch or tag' }),
      ),
      status: Optional(OneOf(pipelineStatuses, { description: 'Only pipelines in this status' })),
      updated_after: Optional(DateTimeParam({ description: 'Only those changed after this time' })),
      updated_before: Optional(DateTimeParam({ description: 'Only those changed before this time' })),
      created_after: Optional(DateTimeParam({ description: 'Only those created after this time' })),
      created_before: Optional(DateTimeParam({ description: 'Only those created before this time' })),
      sort: Optional(OneOf(['asc', 'desc'], { default: 'asc', description: 'Direction of the order, which is by id' })),
    }),
    pagination: 'offset',
    responses: { 200: ListOf(PipelineBasic) },
    handler: async ({ subject, params, page }) => {
      const schedule = await find(subject, params.pipeline_schedule_id);
      const filter = {
        ...pipelineScope(params.scope),
        ...(params.status ? { statuses: [params.status] } : {}),
        projectId: subject.project.id,
        scheduleId: schedule.id,
        updatedAfter: params.updated_after,
        updatedBefore: params.updated_before,
        createdAfter: params.created_after,
        createdBefore: params.created_before,
      };
      const { rows, total } = await listPipelines(db, filter, { by: 'id', direction: params.sort ?? 'asc' }, page);
      const url = projectUrl(deps, subject);
      // This list alone calls the source so.
      return mapPage(offsetPage(page, rows, total), (row) => ({ ...pipelineBasic(row, url), source: 'scheduled' }));
    },
  });

  const create = route({
    ...common,
    method: 'POST',
    path: '/projects/:id/pipeline_schedules',
    summary: 'Create a pipeline schedule',
    access: write,
    params: Type.Object({
      id,
      ...words,
      cron_timezone,
      active,
      queue_priority,
      inputs: Optional(List(Type.Object(input), { description: inputs })),
    }),
    responses: { 201: ScheduleEntity },
    handler: async ({ subject, caller, params: { id: _, ...params } }) => {
      const values = {
        ...params,
        cron_timezone: params.cron_timezone ?? 'UTC',
        active: params.active ?? true,
        queue_priority: params.queue_priority ?? 'normal',
      };
      return await present(subject, caller, await schedules.create(subject, caller, values));
    },
  });

  const update = route({
    ...common,
    method: 'PUT',
    path,
    summary: 'Update a pipeline schedule; its next run is rescheduled',
    access: write,
    params: Type.Object({
      id,
      pipeline_schedule_id,
      description: Optional(words.description),
      ref: Optional(words.ref),
      cron: Optional(words.cron),
      cron_timezone,
      active,
      queue_priority,
      inputs: Optional(
        List(Type.Object({ ...input, destroy: Optional(Bool({ description: 'Whether the input is removed' })) }), {
          description: inputs,
        }),
      ),
    }),
    responses: { 200: ScheduleEntity },
    handler: async ({ subject, caller, params: { id: _, pipeline_schedule_id: number, ...change } }) => {
      const schedule = await find(subject, number);
      return await present(subject, caller, await schedules.update(subject, caller, schedule, change));
    },
  });

  return [
    list,
    pipelines,
    create,
    update,
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Get a pipeline schedule',
      access: read,
      params: one,
      responses: { 200: ScheduleEntity },
      handler: async ({ subject, caller, params }) =>
        present(subject, caller, await find(subject, params.pipeline_schedule_id)),
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/take_ownership`,
      summary: 'Take ownership of a pipeline schedule',
      access: write,
      params: one,
      responses: { 201: ScheduleEntity, 200: ScheduleEntity },
      handler: async ({ subject, caller, params }) => {
        const before = await find(subject, params.pipeline_schedule_id);
        const { schedule, already } = await schedules.takeOwnership(subject, caller, before);
        return answer(already ? 200 : 201, await present(subject, caller, schedule));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Delete a pipeline schedule',
      access: write,
      params: one,
      responses: { 200: ScheduleEntity },
      conditional: true,
      handler: async ({ subject, caller, params, unmodifiedSince }) => {
        const schedule = await find(subject, params.pipeline_schedule_id);
        if (!schedules.mayAdminister(caller, subject, schedule)) throw forbidden();
        unmodifiedSince(schedule.updated_at);
        const last = await present(subject, caller, schedule);
        await schedules.remove(subject, schedule);
        return last;
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/play`,
      summary: 'Run a pipeline schedule now; its next run stays as it is',
      access: write,
      params: one,
      responses: { 201: PlayedSchedule },
      handler: async ({ subject, caller, params }) => {
        await schedules.play(subject, caller, await find(subject, params.pipeline_schedule_id));
        return { message: '201 Created' };
      },
    }),
  ];
}
