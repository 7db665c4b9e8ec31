/** Statistics of pipelines: how many succeed, and how long they take. */
import Type from 'typebox';
import { Count, Day, Decimal, Entity, Fields, ListOf, Nullable } from '../../../kernel/http/entity.ts';
import { IdOrPath, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { daysParam, periodOf } from './by-day.ts';
import { pipelineNumbers } from './statistics.queries.ts';

const defaultDays = 30;

const numbers = {
  total: Count(),
  success: Count(),
  failed: Count(),
  other: Count({ description: 'Canceled, skipped, or not finished' }),
  median_duration: Nullable(Count({ description: 'Seconds, of those that succeeded or failed' })),
  p95_duration: Nullable(Count({ description: 'Seconds below which 95 % of them stayed' })),
};

const PipelineStatistics = Entity('PipelineStatistics', {
  from: Day({ description: 'The first day (UTC)' }),
  to: Day({ description: 'The last day (UTC): today' }),
  ...numbers,
  success_rate: Nullable(Decimal({ description: 'Percentage of those that succeeded or failed' })),
  days: ListOf(Fields({ date: Day(), ...numbers }), { description: 'Days with pipelines, the oldest first' }),
});

export const pipelineStatisticsRoute = ({ db }: Pick<CiDependencies, 'db'>): Route =>
  route({
    method: 'GET',
    path: '/projects/:id/pipelines/statistics',
    summary: 'Get counts and durations of the pipelines of a project by day',
    tag: 'Pipelines',
    credentials: ['token', 'session'],
    access: { on: 'project', ability: 'read_pipeline' },
    params: Type.Object({
      id: IdOrPath('Id or path of the project'),
      days: daysParam(defaultDays),
      ref: Optional(Str({ description: 'Only pipelines of this branch or tag' })),
      source: Optional(Str({ description: 'Only pipelines started by this' })),
    }),
    responses: { 200: PipelineStatistics },
    handler: async ({ subject, params }) => {
      const { since, from, to } = periodOf(params.days ?? defaultDays);
      const of = { projectId: subject.project.id, since, ref: params.ref, source: params.source };
      const { days, all } = await pipelineNumbers(db, of);
      const finished = all.success + all.failed;
      return {
        from,
        to,
        ...all,
        success_rate: finished === 0 ? null : Math.round((all.success / finished) * 1000) / 10,
        days,
      };
    },
  });
