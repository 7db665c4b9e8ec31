/** What the artifacts of a project take, its quota, and what the clean-up of expired ones removed. */
import Type from 'typebox';
import { Count, Entity, Fields, ListOf, Nullable, Text } from '../../../kernel/http/entity.ts';
import { IdOrPath } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { artifactUsage, listRemovals } from './usage.queries.ts';

const days = 30;

const ArtifactStatistics = Entity('ArtifactStatistics', {
  count: Count({ description: 'Artifacts that are stored, reports included' }),
  size: Count({ description: 'Bytes of all of them' }),
  expiring_size: Count({ description: 'Bytes of those that expire one day' }),
  quota: Nullable(Count({ description: 'Bytes that they may have together (`artifacts_quota`); null for no limit' })),
  removals: ListOf(
    Fields({ removed_on: Text({ description: 'Day (UTC)' }), count: Count(), size: Count({ description: 'Bytes' }) }),
    { description: 'Expired artifacts that were removed, by day: the newest 30 days with any' },
  ),
});

export function artifactUsageRoutes({ db }: Pick<CiDependencies, 'db'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/ci/artifacts/statistics',
      summary: 'Get size, quota and removals of the artifacts of a project',
      tag: 'Job artifacts',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'update_project' },
      params: Type.Object({ id: IdOrPath('Id or path of the project') }),
      responses: { 200: ArtifactStatistics },
      handler: async ({ subject }) => {
        const [{ count, size, quota, expiring }, removals] = await Promise.all([
          artifactUsage(db, subject.project.id),
          listRemovals(db, subject.project.id, days),
        ]);
        return { count, size, expiring_size: expiring, quota, removals };
      },
    }),
  ];
}
