/** Routes of what is measured of repositories, and of their upkeep. */
import Type from 'typebox';
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import {
  Count,
  Day,
  Decimal,
  Entity,
  Fields,
  Id,
  ListOf,
  MapOf,
  Text,
  Timestamp,
} from '../../../kernel/http/entity.ts';
import { forbidden, unauthorized } from '../../../kernel/http/errors.ts';
import { IdOrPath, OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { FetchCounter } from './fetches.ts';
import { fetchesOf } from './measuring.queries.ts';
import type { RepositoryMeasuring } from './measuring.ts';

const common = { credentials: ['token', 'session'], tag: 'Around projects' } as const;
const id = { id: IdOrPath('Project') };

const Statistics = Entity('ProjectFetches', {
  fetches: Fields(
    { total: Count(), days: ListOf(Fields({ count: Count(), date: Day() })) },
    { description: 'Clones and fetches of the last 30 days' },
  ),
});
const Storage = Entity('ProjectStorage', {
  project_id: Id(),
  disk_path: Text({ description: 'Below the directory of the storage, without `.git`' }),
  created_at: Timestamp(),
  repository_storage: Text(),
});
const Done = Entity('Created', { message: Text() });

export function measuringRoutes(deps: {
  readonly db: Db;
  readonly measuring: RepositoryMeasuring;
  readonly fetches: Pick<FetchCounter, 'flush'>;
}): Route[] {
  const { db, measuring } = deps;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/languages',
      summary: 'Get the languages of the default branch, in percent',
      access: { on: 'project', ability: 'read_code' },
      params: Type.Object(id),
      responses: { 200: MapOf(Decimal()) },
      handler: async ({ subject }) =>
        Object.fromEntries((await measuring.languages(subject.project)).map(({ name, share }) => [name, share])),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/statistics',
      summary: 'Get the fetches of a project by day',
      access: { on: 'project', ability: 'read_fetch_statistics' },
      params: Type.Object(id),
      responses: { 200: Statistics },
      handler: async ({ subject }) => {
        // What this process has counted and not written yet.
        await deps.fetches.flush();
        const days = await fetchesOf(db, subject.project.id);
        return { fetches: { total: days.reduce((sum, { count }) => sum + count, 0), days } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/housekeeping',
      summary: 'Start housekeeping of the repository, in the background',
      access: { on: 'project', ability: 'housekeep_project' },
      params: Type.Object({
        ...id,
        task: Optional(
          OneOf(['eager', 'prune'], { default: 'eager', description: '`prune` also drops what nothing refers to' }),
        ),
      }),
      responses: { 201: Done },
      handler: async ({ subject, caller, params }) => {
        const prune = params.task === 'prune';
        await measuring.askHousekeeping(subject.project.id, prune);
        await recordAudit(db, {
          ...originOfCaller(caller),
          entity: entityOfPlace(subject),
          event: 'project_housekeeping_started',
          details: { prune },
        });
        return { message: '201 Created' };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/repository_size',
      summary: 'Recalculate the repository size, in the background',
      access: { on: 'project', ability: 'housekeep_project' },
      params: Type.Object(id),
      responses: { 201: Done },
      handler: async ({ subject }) => {
        await measuring.due(db, subject.project.id);
        return { message: '201 Created' };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/storage',
      summary: 'Get the storage of the repository',
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object(id),
      responses: { 200: Storage },
      handler: async ({ subject: { project }, caller }) => {
        if (!caller.admin) throw caller.user ? forbidden() : unauthorized();
        return {
          project_id: project.id,
          disk_path: project.repository_path.replace(/\.git$/, ''),
          created_at: project.created_at,
          repository_storage: project.repository_storage,
        };
      },
    }),
  ];
}
