/** Pipeline schedules and trigger tokens of a project. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';

export type Schedule = Schemas['PipelineSchedule'];
export type ListedSchedule = Schemas['PipelineScheduleListed'];

export interface ScheduleFilter {
  readonly page?: number | undefined;
  readonly scope?: string | undefined;
}

export const schedulesKey = (path: string) => ['project', path, 'schedules'];

export const schedules = (path: string, { page = 1, scope }: ScheduleFilter) =>
  queryOptions({
    queryKey: [...schedulesKey(path), { page, scope }],
    queryFn: () => {
      const query = { page, per_page: 20, with_last_pipeline: true, ...(scope ? { scope: scope as 'active' } : {}) };
      return unwrapPage(client.GET('/projects/{id}/pipeline_schedules', { params: { path: { id: path }, query } }));
    },
  });

const one = (path: string, pipeline_schedule_id: number) => ({ path: { id: path, pipeline_schedule_id } });

/** With its variables, for those who may see them, and its newest pipeline. */
export const schedule = (path: string, id: number) =>
  queryOptions({
    queryKey: [...schedulesKey(path), id],
    queryFn: () =>
      unwrap(client.GET('/projects/{id}/pipeline_schedules/{pipeline_schedule_id}', { params: one(path, id) })),
  });

export const playSchedule = (path: string, id: number) =>
  unwrap(client.POST('/projects/{id}/pipeline_schedules/{pipeline_schedule_id}/play', { params: one(path, id) }));

export const takeOwnership = (path: string, id: number) =>
  unwrap(
    client.POST('/projects/{id}/pipeline_schedules/{pipeline_schedule_id}/take_ownership', { params: one(path, id) }),
  );

export const deleteSchedule = (path: string, id: number) =>
  unwrap(client.DELETE('/projects/{id}/pipeline_schedules/{pipeline_schedule_id}', { params: one(path, id) }));

export interface ScheduleVariable {
  readonly key: string;
  readonly value: string;
}

export interface ScheduleDraft {
  readonly description: string;
  readonly ref: string;
  readonly cron: string;
  readonly cron_timezone: string;
  readonly active: boolean;
  readonly inputs: { readonly name: string; readonly value?: unknown; readonly destroy?: boolean }[];
}

/** Creates or updates a schedule; answers its id. */
export async function saveSchedule(path: string, id: number | null, draft: ScheduleDraft): Promise<number> {
  if (id === null) {
    const inputs = draft.inputs.filter((input) => input.destroy !== true);
    const body = { ...draft, inputs: inputs.map(({ name, value }) => ({ name, value })) };
    const made = await unwrap(
      client.POST('/projects/{id}/pipeline_schedules', { params: { path: { id: path } }, body }),
    );
    return made.id;
  }
  const address = '/projects/{id}/pipeline_schedules/{pipeline_schedule_id}';
  return (await unwrap(client.PUT(address, { params: one(path, id), body: draft }))).id;
}

/** Brings the variables of a schedule from `before` to `after`; those that stay the same are not sent. */
export async function saveScheduleVariables(
  path: string,
  id: number,
  before: readonly ScheduleVariable[],
  after: readonly ScheduleVariable[],
): Promise<void> {
  const all = '/projects/{id}/pipeline_schedules/{pipeline_schedule_id}/variables';
  const each = '/projects/{id}/pipeline_schedules/{pipeline_schedule_id}/variables/{key}';
  const place = { id: path, pipeline_schedule_id: id };
  const values = new Map(before.map(({ key, value }) => [key, value]));
  const kept = new Set(after.map(({ key }) => key));
  for (const { key } of before)
    if (!kept.has(key)) await unwrap(client.DELETE(each, { params: { path: { ...place, key } } }));
  for (const { key, value } of after)
    if (!values.has(key)) await unwrap(client.POST(all, { params: { path: place }, body: { key, value } }));
    else if (values.get(key) !== value)
      await unwrap(client.PUT(each, { params: { path: { ...place, key } }, body: { value } }));
}

export const triggerTokens = (path: string) =>
  queryOptions({
    queryKey: ['project', path, 'triggers'],
    queryFn: () =>
      unwrapAll(client.GET('/projects/{id}/triggers', { params: { path: { id: path }, query: { per_page: 100 } } })),
  });

export const createTrigger = (path: string, description: string) =>
  unwrap(client.POST('/projects/{id}/triggers', { params: { path: { id: path } }, body: { description } }));

export const deleteTrigger = (path: string, trigger_id: number) =>
  unwrap(client.DELETE('/projects/{id}/triggers/{trigger_id}', { params: { path: { id: path, trigger_id } } }));
