/** Runners: lists, one, changes, its jobs and processes. */
import Type from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Job, Runner } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound, plainError } from '../../../kernel/http/errors.ts';
import { keysetPage, mapPage, mapPresent, offsetPage, type Page } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf, mutuallyExclusive } from '../../../kernel/http/params/groups.ts';
import { Bool, Int, List, OneOf, Optional, OrNull, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { findPlace } from '../jobs/context.queries.ts';
import { jobOrder } from '../jobs/jobs.queries.ts';
import { presentJobs, withWaiting } from '../jobs/serialize.ts';
import { queueOf } from '../runner-protocol/queue.queries.ts';
import { notifyPending } from '../scheduling/process.queries.ts';
import { RunnerJob, type RunnerJobJson, runnerJob } from './runner-jobs.entity.ts';
import { runnerStatuses } from './runner-status.ts';
import {
  listedRunner,
  managerJson,
  RunnerDetail,
  RunnerEntity,
  RunnerManagerEntity,
  runnerDetail,
  runnerJson,
} from './runners.entity.ts';
import {
  busyRunners,
  creatorsOf,
  deleteRunner,
  findGroup,
  type JobViewer,
  jobsOfRunner,
  lastManagers,
  listRunners,
  managersOf,
  ownersOf,
  projectsOf,
  type RunnerFilter,
  type RunnerScope,
  updateRunner,
} from './runners.queries.ts';
import { checkSettings, cleanTags, isBuiltIn, type RunnerAccess, requireReplaceable } from './runners.service.ts';

const tag = 'Runners';
const credentials = ['token', 'session'] as const;
const signedIn = { on: 'instance', ability: 'signed_in' } as const;
const id = Int({ description: 'Id of the runner' });
const runnerTypes = ['instance_type', 'group_type', 'project_type'] as const;

/** Parameters of every list of runners. */
export const listParams = {
  scope: Optional(
    OneOf(
      ['specific', 'shared', 'instance_type', 'group_type', 'project_type', 'active', 'paused', 'online', 'offline'],
      { deprecated: true, description: 'Use `type`, `status` or `paused`' },
    ),
  ),
  type: Optional(OneOf(runnerTypes, { description: 'Only of this kind' })),
  status: Optional(
    OneOf([...runnerStatuses, 'active', 'paused'], {
      description: 'Only in this status; `active` and `paused` are deprecated, use the parameter `paused`',
    }),
  ),
  paused: Optional(Bool({ description: 'Only runners that take no new jobs, or only those that do' })),
  tag_list: Optional(List(Str(), { commas: true, description: 'Runners with all of these tags' })),
  version_prefix: Optional(
    Str({ pattern: '^[0-9]', description: 'First numbers of the version, like `17`, `17.2` or `17.2.1`' }),
  ),
  with_details: Optional(
    Bool({ default: false, description: 'Also tags, version, last contact and the owner of each runner' }),
  ),
};

/** What of a runner people change. */
const changeable = {
  description: Optional(Str({ description: 'What users recognise the runner by' })),
  active: Optional(Bool({ deprecated: true, description: 'The opposite of `paused`' })),
  paused: Optional(Bool({ description: 'It takes no new jobs' })),
  tag_list: Optional(
    List(Str(), { commas: true, description: 'Only jobs with all of their tags among these run on it' }),
  ),
  run_untagged: Optional(Bool({ description: 'Whether it runs jobs without tags' })),
  locked: Optional(Bool({ description: 'It cannot be enabled for other projects' })),
  access_level: Optional(
    OneOf(['not_protected', 'ref_protected'], {
      description: 'Whether it runs jobs of all refs or of protected ones only',
    }),
  ),
  maximum_timeout: Optional(OrNull(Int({ description: 'Seconds that a job may take' }))),
  maintenance_note: Optional(OrNull(Str({ description: 'Notes for who runs the runner' }))),
};

interface FilterValues {
  readonly scope?: string | undefined;
  readonly type?: (typeof runnerTypes)[number] | undefined;
  readonly status?: string | undefined;
  readonly paused?: boolean | undefined;
  readonly tag_list?: readonly string[] | undefined;
  readonly version_prefix?: string | undefined;
  readonly with_details?: boolean | undefined;
}

const types: Readonly<Record<string, RunnerFilter['types']>> = {
  specific: ['group_type', 'project_type'],
  shared: ['instance_type'],
  instance_type: ['instance_type'],
  group_type: ['group_type'],
  project_type: ['project_type'],
};

/** The old words and the new ones as one filter. */
function filterOf(params: FilterValues): RunnerFilter {
  const word = params.status ?? params.scope;
  const paused = params.paused ?? (word === 'paused' ? true : word === 'active' ? false : undefined);
  return {
    types: params.type ? [params.type] : types[params.scope ?? ''],
    status: runnerStatuses.find((status) => status === word),
    paused,
    tags: params.tag_list,
    versionPrefix: params.version_prefix,
  };
}

export type Lister = (scope: RunnerScope, params: FilterValues, page: Page) => Promise<unknown>;

/** A page of runners as JSON. */
export function runnerLister(deps: Pick<CiDependencies, 'db' | 'externalUrl' | 'builtIn'>): Lister {
  const { db, externalUrl, builtIn } = deps;
  return async (scope, params, page) => {
    const { rows, total } = await listRunners(db, scope, filterOf(params), page);
    const ids = rows.map((row) => row.id);
    const [managers, busy, creators, owners] = await Promise.all([
      lastManagers(db, ids),
      busyRunners(db, ids),
      creatorsOf(db, rows),
      params.with_details ? ownersOf(db, ids) : null,
    ]);
    return mapPage(offsetPage(page, rows, total), (runner) => {
      const parts = {
        runner,
        manager: managers.get(runner.id),
        creator: creators.get(runner.created_by_id ?? 0),
        busy: busy.has(runner.id),
        externalUrl,
      };
      if (!owners) return runnerJson(parts);
      return listedRunner(parts, { owner: owners.get(runner.id), builtIn: isBuiltIn(runner, builtIn) });
    });
  };
}

export function runnerRoutes(deps: CiDependencies, access: RunnerAccess): Route[] {
  const { db } = deps;
  const list = runnerLister(deps);

  async function detail(runner: Runner, caller: Caller, details = false) {
    const [managers, busy, creators, projects, group] = await Promise.all([
      lastManagers(db, [runner.id]),
      busyRunners(db, [runner.id]),
      creatorsOf(db, [runner]),
      // Which projects an instance's runner worked for is nobody's business.
      runner.runner_type === 'project_type' && (await access.manages(caller, runner)) ? projectsOf(db, runner.id) : [],
      runner.namespace_id === null ? undefined : findGroup(db, runner.namespace_id),
    ]);
    return runnerDetail({
      runner,
      manager: managers.get(runner.id),
      creator: creators.get(runner.created_by_id ?? 0),
      projects,
      group,
      busy: busy.has(runner.id),
      externalUrl: deps.externalUrl,
      details: details ? { builtIn: isBuiltIn(runner, deps.builtIn) } : undefined,
    });
  }

  const viewerOf = ({ user, admin }: Caller): JobViewer => ({ userId: user?.id ?? 0, admin });

  /** Jobs of one runner are from many projects: presented project by project, and where asked with what they wait for. */
  async function presentMixed(jobs: readonly Job[], waiting = false): Promise<Map<number, RunnerJobJson>> {
    const byId = new Map<number, RunnerJobJson>();
    for (const [projectId, own] of Map.groupBy(jobs, (job) => job.project_id)) {
      const place = await findPlace(db, projectId);
      if (!place) continue;
      const shown = await presentJobs(deps, place, own);
      for (const json of waiting ? await withWaiting(deps, place, own, shown) : shown)
        byId.set(json.id, runnerJob(json, place));
    }
    return byId;
  }

  return [
    route({
      method: 'GET',
      path: '/runners',
      summary: 'List runners that you manage',
      tag,
      credentials,
      access: signedIn,
      params: Type.Object(listParams),
      pagination: 'offset',
      responses: { 200: ListOf(RunnerEntity) },
      handler: async ({ caller, params, page }) => {
        if (types[params.scope ?? '']) throw plainError(400, 'Scope contains invalid value');
        return await list({ of: 'user', userId: caller.user?.id ?? 0 }, params, page);
      },
    }),
    route({
      method: 'GET',
      path: '/runners/all',
      summary: 'List all runners',
      tag,
      credentials,
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object(listParams),
      pagination: 'offset',
      responses: { 200: ListOf(RunnerEntity) },
      handler: async ({ params, page }) => list({ of: 'instance' }, params, page),
    }),
    route({
      method: 'GET',
      path: '/runners/:id',
      summary: 'Get a runner',
      tag,
      credentials,
      access: signedIn,
      params: Type.Object({
        id,
        with_details: Optional(Bool({ default: false, description: 'Also whether it is the built-in runner' })),
      }),
      responses: { 200: RunnerDetail },
      handler: async ({ caller, params }) =>
        detail(await access.toRead(caller, params.id), caller, params.with_details),
    }),
    route({
      scopes: ['api', 'manage_runner'],
      method: 'PUT',
      path: '/runners/:id',
      summary: 'Update a runner',
      tag,
      credentials,
      access: signedIn,
      params: Type.Object(
        { id, ...changeable },
        rules(atLeastOneOf(...Object.keys(changeable)), mutuallyExclusive('active', 'paused')),
      ),
      responses: { 200: RunnerDetail },
      handler: async ({ caller, params }) => {
        const runner = await access.toChange(caller, params.id);
        const tags = params.tag_list === undefined ? runner.tag_list : cleanTags(params.tag_list);
        checkSettings(params, tags, params.run_untagged ?? runner.run_untagged);
        const paused = params.paused ?? (params.active === undefined ? runner.paused : !params.active);
        const changed = await transaction(db, async (tx) => {
          const row = await updateRunner(tx, runner.id, {
            paused,
            tag_list: tags,
            description: params.description ?? runner.description,
            maintenance_note: params.maintenance_note === undefined ? runner.maintenance_note : params.maintenance_note,
            run_untagged: params.run_untagged ?? runner.run_untagged,
            locked: params.locked ?? runner.locked,
            access_level: params.access_level ?? runner.access_level,
            maximum_timeout: params.maximum_timeout === undefined ? runner.maximum_timeout : params.maximum_timeout,
          });
          // It may now take what waited.
          await notifyPending(tx);
          return row;
        });
        if (!changed) throw notFound('Runner');
        return await detail(changed, caller);
      },
    }),
    route({
      scopes: ['api', 'manage_runner'],
      method: 'DELETE',
      path: '/runners/:id',
      summary: 'Delete a runner',
      tag,
      credentials,
      access: signedIn,
      params: Type.Object({ id }),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ caller, params, unmodifiedSince }) => {
        const runner = await access.toChange(caller, params.id);
        requireReplaceable(runner, deps.builtIn);
        if (!caller.admin && runner.runner_type === 'project_type' && (await projectsOf(db, runner.id)).length > 1)
          throw forbidden('Runner associated with more than one project');
        unmodifiedSince(runner.updated_at);
        if (!(await transaction(db, (tx) => deleteRunner(tx, runner.id)))) throw notFound('Runner');
      },
    }),
    route({
      method: 'GET',
      path: '/runners/:id/jobs',
      summary: 'List jobs of a runner',
      tag,
      credentials,
      access: signedIn,
      params: Type.Object({
        id,
        system_id: Optional(Str({ description: 'Tells machines apart that use the same runner token' })),
        status: Optional(OneOf(['running', 'success', 'failed', 'canceled'], { description: 'Only in this status' })),
        order_by: Optional(OneOf(['id'], { description: 'What the list is ordered by' })),
        sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' })),
      }),
      pagination: 'both',
      responses: { 200: ListOf(RunnerJob) },
      handler: async ({ caller, params, page }) => {
        const runner = await access.toListJobs(caller, params.id);
        const filter = { status: params.status, direction: params.sort ?? 'desc' };
        const { rows, total } = await jobsOfRunner(db, runner.id, viewerOf(caller), filter, page);
        const paged =
          page.style === 'keyset'
            ? keysetPage(page, rows, jobOrder(filter.direction).cursorOf)
            : offsetPage(page, rows, total);
        const shown = await presentMixed(paged.items);
        return mapPresent(paged, (row) => shown.get(row.id));
      },
    }),
    route({
      method: 'GET',
      path: '/runners/:id/waiting_jobs',
      summary: 'List jobs that wait and that a runner may take',
      tag,
      credentials,
      access: signedIn,
      params: Type.Object({ id }),
      pagination: 'offset',
      responses: { 200: ListOf(RunnerJob) },
      handler: async ({ caller, params, page }) => {
        const runner = await access.toListJobs(caller, params.id);
        const builtIn = { exists: deps.builtIn.exists(), serves: deps.builtIn.serves() };
        const { rows, total } = await queueOf(db, runner.id, viewerOf(caller), builtIn, page);
        const shown = await presentMixed(rows, true);
        return mapPresent(offsetPage(page, rows, total), (row) => shown.get(row.id));
      },
    }),
    route({
      method: 'GET',
      path: '/runners/:id/managers',
      summary: 'List the processes of a runner',
      tag,
      credentials,
      access: signedIn,
      params: Type.Object({ id }),
      responses: { 200: ListOf(RunnerManagerEntity) },
      handler: async ({ caller, params }) =>
        (await managersOf(db, (await access.toRead(caller, params.id)).id)).map(managerJson),
    }),
  ];
}
