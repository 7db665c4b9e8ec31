/** The API of merge trains: who waits, and joining. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { offsetPage, type Page } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, type Route, route } from '../../../kernel/http/route.ts';
import type { TrainPipelines } from '../../ci/index.ts';
import { requireByIid } from '../merge-requests/merge-requests.queries.ts';
import type { MergingService } from '../merging/merging.service.ts';
import { MergeTrainEntry, mergeTrainEntry } from './merge-trains.entity.ts';
import * as queries from './merge-trains.queries.ts';
import { requireTrains } from './merge-trains.service.ts';
import type { JoinStack } from './stack-joining.ts';

const common = { tag: 'Merge trains', credentials: ['token', 'session'] } as const;
const read = { on: 'project', ability: 'read_merge_train' } as const;
const id = IdOrPath('Id or path of the project');
const merge_request_iid = Int({ description: 'Internal id of the merge request' });
const path = '/projects/:id/merge_trains';

const listed = {
  scope: Optional(
    OneOf(['active', 'complete'], { description: 'Only entries that are to be merged, or that have been' }),
  ),
  sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Order in which they were added' })),
};

export interface TrainRouteDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly trainPipelines: Pick<TrainPipelines, 'json'>;
  readonly merging: Pick<MergingService, 'join'>;
  readonly joinStack: JoinStack;
}

export function mergeTrainRoutes({
  db,
  externalUrl,
  trainPipelines,
  merging,
  joinStack,
}: TrainRouteDependencies): Route[] {
  function json(subject: ProjectSubject, loaded: queries.LoadedEntry) {
    const project = `${externalUrl}/${subject.namespace.full_path}/${subject.project.path}`;
    const pipeline = loaded.pipeline && trainPipelines.json(subject, loaded.pipeline);
    return mergeTrainEntry(loaded, pipeline, { base: externalUrl, project });
  }

  async function list(
    subject: ProjectSubject,
    page: Page,
    params: { scope?: 'active' | 'complete' | undefined; sort?: 'asc' | 'desc' | undefined },
    targetBranch?: string,
  ) {
    requireTrains(subject.project);
    const filter: queries.EntryFilter = {
      projectId: subject.project.id,
      scope: params.scope,
      sort: params.sort ?? 'desc',
      ...(targetBranch === undefined ? {} : { targetBranch }),
    };
    const [rows, total] = await Promise.all([queries.listEntries(db, filter, page), queries.countEntries(db, filter)]);
    return offsetPage(
      page,
      rows.map((loaded) => json(subject, loaded)),
      total,
    );
  }

  /** The entries of the train that the request is on now or will be, the newest first; the new one as it has joined. */
  async function trainOf(
    subject: ProjectSubject,
    caller: Caller,
    params: Parameters<MergingService['join']>[3],
    iid: number,
    stack: boolean,
  ) {
    const joined = await (stack ? joinStack : merging.join)(subject, caller, iid, params);
    const branch = joined.entry?.target_branch ?? joined.request.target_branch;
    const train = await queries.activeEntries(db, subject.project.id, branch);
    const entries = train.map((loaded) =>
      loaded.entry.id === joined.entry?.id
        ? { ...loaded, entry: { ...joined.entry, pipeline_id: loaded.entry.pipeline_id } }
        : loaded,
    );
    // It may have come to its end already.
    if (joined.entry && !entries.some(({ entry }) => entry.id === joined.entry?.id))
      entries.push(...(await queries.loadEntries(db, [joined.entry])));
    return { waits: joined.entry === null, entries: entries.reverse().map((loaded) => json(subject, loaded)) };
  }

  return [
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'List the entries of the merge trains of a project',
      access: read,
      pagination: 'offset',
      params: Type.Object({ id, ...listed }),
      responses: { 200: ListOf(MergeTrainEntry) },
      handler: async ({ subject, params, page }) => await list(subject, page, params),
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/:target_branch`,
      summary: 'List the entries of the merge train of a branch',
      access: read,
      pagination: 'offset',
      params: Type.Object({
        id,
        target_branch: Str({ minLength: 1, description: 'Name of the target branch' }),
        ...listed,
      }),
      responses: { 200: ListOf(MergeTrainEntry) },
      handler: async ({ subject, params, page }) => await list(subject, page, params, params.target_branch),
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/merge_requests/:merge_request_iid`,
      summary: 'Get the entry of a merge request on a merge train',
      access: read,
      params: Type.Object({ id, merge_request_iid }),
      responses: { 200: MergeTrainEntry },
      handler: async ({ subject, params }) => {
        requireTrains(subject.project);
        const request = await requireByIid(db, subject.project.id, params.merge_request_iid);
        const entry = await queries.newestEntry(db, request.id);
        const [loaded] = entry ? await queries.loadEntries(db, [entry]) : [];
        if (!loaded) throw notFound('Merge Train Merge Request');
        return json(subject, loaded);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/merge_requests/:merge_request_iid`,
      summary: 'Add a merge request to the merge train of its target branch',
      access: { on: 'project', ability: 'admin_merge_train' },
      params: Type.Object({
        id,
        merge_request_iid,
        auto_merge: Optional(Bool({ description: 'Add it once its pipeline has succeeded' })),
        when_pipeline_succeeds: Optional(Bool({ deprecated: true, description: 'Use `auto_merge`' })),
        sha: Optional(Str({ description: 'Must be the head of the source branch' })),
        squash: Optional(Bool({ description: 'Whether the commits become one when merged' })),
        stack: Optional(
          Bool({
            default: false,
            description: 'Add the merge requests that it stands on as well, the lowest first: all of them or none',
          }),
        ),
      }),
      responses: { 201: ListOf(MergeTrainEntry), 202: ListOf(MergeTrainEntry) },
      errors: [405, 409, 422],
      handler: async ({ subject, caller, params }) => {
        requireTrains(subject.project);
        const options = {
          squash: params.squash,
          sha: params.sha,
          whenPipelineSucceeds: params.auto_merge ?? params.when_pipeline_succeeds ?? false,
        };
        const { waits, entries } = await trainOf(
          subject,
          caller,
          options,
          params.merge_request_iid,
          params.stack ?? false,
        );
        return waits ? answer(202, entries) : entries;
      },
    }),
  ];
}
