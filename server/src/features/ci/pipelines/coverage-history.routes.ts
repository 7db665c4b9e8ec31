/** How the coverage of a branch went: of each group of jobs, what the last pipeline of a day measured. */

import { Readable } from 'node:stream';
import { groupName } from '@millrace/ci-config';
import Type from 'typebox';
import { csvLine, inert } from '../../../kernel/csv.ts';
import { Day, Decimal, Entity, Fields, ListOf, Nullable, Text } from '../../../kernel/http/entity.ts';
import { IdOrPath, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, type Route, route, streamed } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { daysParam, periodOf } from './by-day.ts';
import { type MeasuredJob, measuredJobs } from './coverage-history.queries.ts';

const defaultDays = 90;

const CoverageHistory = Entity('CoverageHistory', {
  ref: Nullable(Text({ description: 'The branch; null in an empty repository' })),
  from: Day({ description: 'The first day (UTC)' }),
  to: Day({ description: 'The last day (UTC): today' }),
  groups: ListOf(
    Fields({
      name: Text({ description: 'Of the jobs, without numbers and values of parallel ones' }),
      days: ListOf(Fields({ date: Day(), coverage: Decimal({ description: 'Percent' }) }), {
        description: 'Days with pipelines that measured it, the oldest first',
      }),
    }),
    { description: 'By name' },
  ),
});

interface CoverageGroup {
  readonly name: string;
  readonly days: ReadonlyArray<{ readonly date: string; readonly coverage: number }>;
}

/** Jobs come in order: those of a later pipeline take the place of earlier ones. */
function groupsOf(jobs: readonly MeasuredJob[]): CoverageGroup[] {
  const groups = Map.groupBy(jobs, ({ name }) => groupName(name));
  return [...groups]
    .map(([name, own]) => ({
      name,
      days: [...Map.groupBy(own, ({ date }) => date)].map(([date, ofDay]) => {
        const last = Math.max(...ofDay.map((job) => job.pipeline_id));
        const counted = ofDay.filter((job) => job.pipeline_id === last);
        const sum = counted.reduce((all, { coverage }) => all + coverage, 0);
        return { date, coverage: Math.round((sum / counted.length) * 100) / 100 };
      }),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function coverageHistoryRoutes({ db }: Pick<CiDependencies, 'db'>): Route[] {
  const common = {
    method: 'GET',
    tag: 'Pipelines',
    credentials: ['token', 'session'],
    access: { on: 'project', ability: 'read_pipeline' },
    params: Type.Object({
      id: IdOrPath('Id or path of the project'),
      days: daysParam(defaultDays),
      ref: Optional(Str({ description: 'The branch, the default one without it' })),
    }),
  } as const;
  async function historyOf(
    project: { readonly id: number; readonly default_branch: string | null },
    params: { readonly days?: number | undefined; readonly ref?: string | undefined },
  ) {
    const { since, from, to } = periodOf(params.days ?? defaultDays);
    const ref = params.ref ?? project.default_branch;
    const jobs = ref === null ? [] : await measuredJobs(db, { projectId: project.id, ref, since });
    return { ref, from, to, groups: groupsOf(jobs) };
  }
  return [
    route({
      ...common,
      path: '/projects/:id/pipelines/coverage',
      summary: 'Get the coverage of a branch by day',
      responses: { 200: CoverageHistory },
      handler: async ({ subject, params }) => await historyOf(subject.project, params),
    }),
    route({
      ...common,
      path: '/projects/:id/pipelines/coverage/csv',
      summary: 'Export the coverage of a branch by day as CSV',
      media: ['text/csv'],
      responses: { 200: Binary },
      handler: async ({ subject, params }) => {
        const { from, to, groups } = await historyOf(subject.project, params);
        const rows = groups
          .flatMap(({ name, days }) => days.map(({ date, coverage }) => [date, inert(name), coverage.toFixed(2)]))
          .toSorted(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0));
        const lines = [['date', 'group_name', 'coverage'], ...rows].map(csvLine);
        return streamed(Readable.from(lines), 'text/csv; charset=utf-8', {
          'Content-Disposition': `attachment; filename="coverage_${from}_${to}.csv"`,
        });
      },
    }),
  ];
}
