/** The API of dependencies: merge requests that must be merged before another one. */
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { lockInTransaction, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest as MergeRequestRow } from '../../../kernel/db/rows.ts';
import { Entity, Id, ListOf } from '../../../kernel/http/entity.ts';
import { conflict, notFound, recordNotFound, unprocessable } from '../../../kernel/http/errors.ts';
import { slicePage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import { requestsById } from '../merge-requests/history.queries.ts';
import { MergeRequest, mergeRequestJson } from '../merge-requests/merge-requests.entity.ts';
import { byId, requireByIid, withPeople } from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from '../merge-requests/merge-requests.service.ts';
import {
  type Dependency,
  deleteDependency,
  dependenciesOf,
  insertDependency,
  waitsFor,
} from './dependencies.queries.ts';

const common = { tag: 'Merge requests', credentials: ['token', 'session'] } as const;
const read = { on: 'project', ability: 'read_merge_request' } as const;
const path = '/projects/:id/merge_requests/:merge_request_iid';
const one = {
  id: IdOrPath('Id or path of the project'),
  merge_request_iid: Int({ description: 'Internal id of the merge request' }),
};
/** More are refused: each is looked at before a merge. */
const most = 100;

const MergeRequestDependency = Entity('MergeRequestDependency', {
  id: Id(),
  project_id: Id(),
  blocking_merge_request: MergeRequest,
  blocked_merge_request: MergeRequest,
});

export function dependencyRoutes(
  deps: Pick<MergeRequestDependencies, 'db' | 'externalUrl' | 'projectAs'> & Pick<MergeCheckService, 'statusesOf'>,
  service: Pick<MergeRequestService, 'tell'>,
): Route[] {
  const { db } = deps;
  const urls = { base: deps.externalUrl };

  async function mayRead(caller: Caller, projectId: number): Promise<boolean> {
    const subject = await deps.projectAs(projectId, caller);
    return subject !== null && canOnProject(caller, 'read_merge_request', subject);
  }

  /** Those of which the caller sees both sides. */
  async function shown(caller: Caller, found: readonly Dependency[]) {
    const ids = new Set(found.flatMap(({ blocking_id, blocked_id }) => [blocking_id, blocked_id]));
    const rows = await requestsById(db, [...ids]);
    const readable = new Set<number>();
    for (const projectId of new Set(rows.map(({ project_id }) => project_id)))
      if (await mayRead(caller, projectId)) readable.add(projectId);
    const seen = rows.filter(({ project_id }) => readable.has(project_id));
    const [loaded, statusOf] = await Promise.all([withPeople(db, seen), deps.statusesOf(seen, caller)]);
    const json = new Map(loaded.map((each) => [each.row.id, mergeRequestJson(each, urls, statusOf(each.row))]));
    return found.flatMap(({ id, blocking_id, blocked_id }) => {
      const [blocking, blocked] = [json.get(blocking_id), json.get(blocked_id)];
      if (!blocking || !blocked) return [];
      return [{ id, project_id: blocked.project_id, blocking_merge_request: blocking, blocked_merge_request: blocked }];
    });
  }

  const list = (last: string, side: 'blocking_id' | 'blocked_id', summary: string): Route =>
    route({
      ...common,
      method: 'GET',
      path: `${path}/${last}`,
      summary,
      access: read,
      pagination: 'offset',
      params: Type.Object(one),
      responses: { 200: ListOf(MergeRequestDependency) },
      handler: async ({ params, subject, caller, page }) => {
        const row = await requireByIid(db, subject.project.id, params.merge_request_iid);
        return slicePage(page, await shown(caller, await dependenciesOf(db, side, row.id)));
      },
    });

  async function blockingRequest(caller: Caller, id: number): Promise<MergeRequestRow> {
    const row = await byId(db, id);
    if (!row || !(await mayRead(caller, row.project_id))) throw recordNotFound();
    return row;
  }

  async function blocked(subject: ProjectSubject, caller: Caller, iid: number): Promise<MergeRequestRow> {
    const row = await requireByIid(db, subject.project.id, iid);
    requireOnProject(caller, 'update_merge_request', subject);
    return row;
  }

  return [
    list('blocks', 'blocked_id', 'List the merge requests that must be merged before a merge request'),
    list('blockees', 'blocking_id', 'List the merge requests that wait for a merge request'),
    route({
      ...common,
      method: 'POST',
      path: `${path}/blocks`,
      summary: 'Add a merge request that blocks a merge request',
      access: read,
      params: Type.Object({
        ...one,
        blocking_merge_request_id: Int({ description: 'Id, not internal id, of the one that is merged first' }),
      }),
      responses: { 201: MergeRequestDependency },
      errors: [409, 422],
      handler: async ({ params, subject, caller }) => {
        const row = await blocked(subject, caller, params.merge_request_iid);
        const blocking = await blockingRequest(caller, params.blocking_merge_request_id);
        if (blocking.id === row.id) throw unprocessable('A merge request cannot wait for itself');
        const made = await transaction(db, async (tx) => {
          // Two that are made at the same time must not close a circle.
          await lockInTransaction(tx, 'merge request dependencies', 0);
          if (await waitsFor(tx, blocking.id, row.id))
            throw unprocessable('The merge request waits for this one already');
          if ((await dependenciesOf(tx, 'blocked_id', row.id)).length >= most)
            throw unprocessable(`A merge request waits for at most ${most} others`);
          const dependency = await insertDependency(tx, { blocking_id: blocking.id, blocked_id: row.id });
          if (!dependency) throw conflict('The merge request waits for this one already');
          await service.tell(tx, 'merge_request.updated', row, caller.user?.id ?? null);
          return dependency;
        });
        const [json] = await shown(caller, [made]);
        if (!json) throw recordNotFound();
        return json;
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/blocks/:block_id`,
      summary: 'Remove a merge request that blocks a merge request',
      conditional: 'A dependency never changes: it is there or not.',
      access: read,
      params: Type.Object({ ...one, block_id: Int({ description: 'Id of the dependency' }) }),
      responses: { 204: Empty },
      handler: async ({ params, subject, caller }) => {
        const row = await blocked(subject, caller, params.merge_request_iid);
        await transaction(db, async (tx) => {
          if (!(await deleteDependency(tx, row.id, params.block_id))) throw notFound('Dependency');
          await service.tell(tx, 'merge_request.updated', row, caller.user?.id ?? null);
        });
      },
    }),
  ];
}
