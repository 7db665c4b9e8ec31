/** The runners of the instance as a fleet: which need an update, and how much they are used. Administrators only. */
import Type from 'typebox';
import { Count, Entity, Fields, Id, ListOf, Nullable, Text, Word } from '../../../kernel/http/entity.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { runnerUsage, runnerVersions } from './fleet.queries.ts';
import { updateState, updateStates } from './versions.ts';

const RunnerVersions = Entity('RunnerVersions', {
  api_version: Text({ description: 'Release of the API that this instance serves' }),
  versions: ListOf(
    Fields({
      version: Nullable(Text({ description: 'Null where the runner did not say it' })),
      runners: Count({ description: 'Runners with a process of this version' }),
      managers: Count({ description: 'Processes' }),
      online: Count({ description: 'Processes that called lately' }),
      update: Word(updateStates, {
        description:
          '`available`: an older minor version than the API; `required`: an older major version, which is not supported',
      }),
    }),
    { description: 'The newest first' },
  ),
});
const RunnerUsage = Entity('RunnerUsage', {
  id: Id({ description: 'Of the runner or project' }),
  name: Text({ description: 'Description of the runner, or path of the project' }),
  runner_type: Nullable(Word(['instance_type', 'group_type', 'project_type']), { description: 'Null for projects' }),
  jobs: Count({ description: 'Jobs that started in the month and still exist' }),
  failed: Count({ description: 'Those of them that failed' }),
  minutes: Count({ description: 'Minutes that they ran, rounded' }),
});

const common = {
  method: 'GET',
  tag: 'Runners',
  credentials: ['token', 'session'],
  access: { on: 'instance', ability: 'admin' },
} as const;

export function fleetRoutes({ db }: Pick<CiDependencies, 'db'>, release: string): Route[] {
  return [
    route({
      ...common,
      path: '/admin/runners/versions',
      summary: 'List versions of runners, and which need an update',
      params: Type.Object({}),
      responses: { 200: RunnerVersions },
      handler: async () => ({
        api_version: release,
        versions: (await runnerVersions(db)).map((row) => ({ ...row, update: updateState(row.version, release) })),
      }),
    }),
    route({
      ...common,
      path: '/admin/runners/usage',
      summary: 'List jobs and minutes of a month by runner or project',
      params: Type.Object({
        group_by: Optional(OneOf(['runner', 'project'], { default: 'runner', description: 'What is added up' })),
        month: Optional(
          Str({
            pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
            description: 'Month (UTC) like `2026-01`; default this month',
          }),
        ),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(RunnerUsage) },
      handler: async ({ params, page }) => {
        const month = params.month ?? new Date().toISOString().slice(0, 7);
        const { rows, total } = await runnerUsage(db, params.group_by ?? 'runner', month, page);
        return mapPage(offsetPage(page, rows, total), ({ type, seconds, ...row }) => ({
          ...row,
          runner_type: type as 'instance_type' | null,
          minutes: Math.round(seconds / 60),
        }));
      },
    }),
  ];
}
