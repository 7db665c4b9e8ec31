/** Resource groups: how they order their jobs, which job has the resource, and which come next. */
import Type, { type Static } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { ResourceGroup } from '../../../kernel/db/rows.ts';
import { Entity, Id, ListOf, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, mapPresent, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { JobEntity } from '../jobs/jobs.entity.ts';
import { presentJob, presentJobs } from '../jobs/serialize.ts';
import { currentJob, findGroup, listGroups, listUpcoming, setProcessMode } from './resource-groups.queries.ts';

const common = { tag: 'Resource groups', credentials: ['token', 'session'] } as const;
const id = IdOrPath('Id or path of the project');
const key = Str({ description: 'Key of the group, as `resource_group` of jobs names it' });
const read = { on: 'project', ability: 'read_resource_group' } as const;
const modes = ['unordered', 'oldest_first', 'newest_first', 'newest_ready_first'] as const;
const path = '/projects/:id/resource_groups/:key';

const ResourceGroupEntity = Entity('ResourceGroup', {
  id: Id(),
  key: Text(),
  process_mode: Text({ description: 'Which of the jobs that wait is next' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});

const groupJson = (group: ResourceGroup): Static<typeof ResourceGroupEntity> => ({
  id: group.id,
  key: group.key,
  process_mode: group.process_mode,
  created_at: group.created_at,
  updated_at: group.updated_at,
});

export function resourceGroupRoutes(deps: CiDependencies): Route[] {
  const { db } = deps;
  async function find({ project }: ProjectSubject, name: string): Promise<ResourceGroup> {
    const group = await findGroup(db, project.id, name);
    if (!group) throw notFound();
    return group;
  }
  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/resource_groups',
      summary: 'List resource groups of a project',
      access: read,
      params: Type.Object({ id }),
      pagination: 'offset',
      responses: { 200: ListOf(ResourceGroupEntity) },
      handler: async ({ subject, page }) => {
        const { rows, total } = await listGroups(db, subject.project.id, page);
        return mapPage(offsetPage(page, rows, total), groupJson);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Get a resource group',
      access: read,
      params: Type.Object({ id, key }),
      responses: { 200: ResourceGroupEntity },
      handler: async ({ subject, params }) => groupJson(await find(subject, params.key)),
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      summary: 'Update the process mode of a resource group',
      access: { on: 'project', ability: 'update_resource_group' },
      params: Type.Object({
        id,
        key,
        process_mode: Optional(OneOf(modes, { description: 'Which of the jobs that wait is next' })),
      }),
      responses: { 200: ResourceGroupEntity },
      handler: async ({ subject, params }) => {
        const group = await find(subject, params.key);
        const mode = params.process_mode ?? group.process_mode;
        const changed = await transaction(db, async (tx) => setProcessMode(tx, group.id, mode));
        if (!changed) throw notFound();
        return groupJson(changed);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/current_job`,
      summary: 'Get the job that has the resource of a group',
      access: read,
      params: Type.Object({ id, key }),
      responses: { 200: JobEntity },
      handler: async ({ subject, params }) => {
        const job = await currentJob(db, await find(subject, params.key));
        if (!job) throw notFound();
        return await presentJob(deps, subject, job);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/upcoming_jobs`,
      summary: 'List jobs of a resource group that have not begun, in its order',
      access: read,
      params: Type.Object({ id, key }),
      pagination: 'offset',
      responses: { 200: ListOf(JobEntity) },
      handler: async ({ subject, params, page }) => {
        const { rows, total } = await listUpcoming(db, await find(subject, params.key), page);
        const shown = new Map((await presentJobs(deps, subject, rows)).map((json) => [json.id, json]));
        return mapPresent(offsetPage(page, rows, total), (row) => shown.get(row.id));
      },
    }),
  ];
}
