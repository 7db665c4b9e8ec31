/** Route of the trend of vulnerabilities: how many were open at the end of each day. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { Count, Day, Entity, Fields, ListOf } from '../../../kernel/http/entity.ts';
import { IdOrPath, Int32, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { openByDay } from './trend.queries.ts';

const VulnerabilityTrend = Entity('VulnerabilityTrend', {
  days: ListOf(
    Fields({
      date: Day(),
      total: Count(),
      critical: Count(),
      high: Count(),
      medium: Count(),
      low: Count(),
      unknown: Count(),
      info: Count(),
    }),
    { description: 'The oldest first; days are those of UTC' },
  ),
});

export const trendRoute = (db: Db): Route =>
  route({
    method: 'GET',
    path: '/projects/:id/vulnerability_trend',
    summary: 'Count open vulnerabilities of a project at the end of each day, by severity',
    tag: 'Vulnerabilities',
    credentials: ['token', 'session'],
    access: { on: 'project', ability: 'read_vulnerability' },
    params: Type.Object({
      id: IdOrPath('Id or path of the project'),
      days: Optional(Int32({ minimum: 1, maximum: 90, default: 30, description: 'How many days, today included' })),
    }),
    responses: { 200: VulnerabilityTrend },
    handler: async ({ subject, params }) => ({ days: await openByDay(db, subject.project.id, params.days ?? 30) }),
  });
