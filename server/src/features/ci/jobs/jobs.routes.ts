/** Jobs: lists, one, its log, and what can be done with it. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound, recordNotFound, unauthorized } from '../../../kernel/http/errors.ts';
import {
  keysetPage,
  keysetUnavailable,
  mapPresent,
  offsetPage,
  type Page,
  type Paged,
} from '../../../kernel/http/pagination.ts';
import {
  Bool,
  Hash,
  IdOrPath,
  Int,
  List,
  OneOf,
  OneOrMore,
  Optional,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { Binary, type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { familyOf } from '../downstream/sources.queries.ts';
import { findPipeline } from '../pipelines/pipelines.queries.ts';
import { mayCancel, mayGiveVariables } from '../pipelines/restrictions.ts';
import { jobStatuses } from '../scheduling/job-states.ts';
import { traceAnswer } from '../traces/trace-stream.ts';
import type { ManualVariable } from '../variables/manual.ts';
import { AllowedAgents, allowedAgents } from './agents.entity.ts';
import { findPlace } from './context.queries.ts';
import { BridgeEntity, JobEntity, type JobJson, JobNeeds } from './jobs.entity.ts';
import { findJob, findJobById, type JobFilter, jobOrder, listJobs, listNeeds } from './jobs.queries.ts';
import type { JobsService } from './jobs.service.ts';
import type { PlanNeed } from './plan.ts';
import { presentBridges, presentJob, presentJobs, withWaiting } from './serialize.ts';
import type { WriteAccess } from './write-access.ts';

const tag = 'Jobs';
const credentials = ['token', 'session'] as const;
/** What lists jobs is open to the token of a job too. */
const listCredentials = ['token', 'session', 'job'] as const;
const id = IdOrPath('Id or path of the project');
const jobId = Int({ description: 'Id of the job' });
const scope = Optional(OneOrMore(OneOf(jobStatuses), { description: 'Only jobs in these statuses' }));
const read = { on: 'project', ability: 'read_job' } as const;
const withReasons = Optional(Bool({ default: false, description: 'Also say what those wait for that have not begun' }));
const readPipeline = { on: 'project', ability: 'read_pipeline' } as const;
const update = { on: 'project', ability: 'update_job' } as const;
const one = Type.Object({ id, job_id: jobId });
const inputValues = Optional(Hash(Type.Unknown(), { description: 'Values for the inputs that the job declares' }));
const path = '/projects/:id/jobs/:job_id';

const variablesOf = (description: string) =>
  Optional(
    List(
      Type.Object({
        key: Str({ pattern: '^[A-Za-z0-9_]{1,255}$', description: 'Name' }),
        value: Str({ maxLength: 10_000, description: 'Value of the variable' }),
      }),
      { maxItems: 100, description },
    ),
  );

interface StartParams {
  readonly job_variables_attributes?: readonly ManualVariable[];
  readonly job_inputs?: Readonly<Record<string, unknown>>;
}

/** What the caller gives the run; variables only where the project lets them. */
function givenBy(subject: ProjectSubject, caller: Caller, params: StartParams) {
  const variables = params.job_variables_attributes ?? [];
  if (variables.length > 0 && !mayGiveVariables(caller, subject)) throw forbidden();
  return { variables, inputs: params.job_inputs ?? {} };
}

export function jobRoutes(deps: CiDependencies, jobs: JobsService, access: WriteAccess): Route[] {
  const { db } = deps;

  async function find(subject: ProjectSubject, number: number): Promise<Job> {
    const job = await findJob(db, subject.project.id, number);
    if (!job) throw notFound();
    return job;
  }

  async function pageOfJobs(
    subject: ProjectSubject,
    filter: Omit<JobFilter, 'projectId'>,
    page: Page,
    { direction = 'desc', waiting }: { direction?: 'asc' | 'desc' | undefined; waiting: boolean },
  ): Promise<Paged<JobJson>> {
    const { rows, total } = await listJobs(db, { ...filter, projectId: subject.project.id }, page, direction);
    const paged =
      page.style === 'keyset' ? keysetPage(page, rows, jobOrder(direction).cursorOf) : offsetPage(page, rows, total);
    const plain = await presentJobs(deps, subject, paged.items);
    const shown = waiting ? await withWaiting(deps, subject, paged.items, plain) : plain;
    const byId = new Map(shown.map((json) => [json.id, json]));
    return mapPresent(paged, (row) => byId.get(row.id));
  }

  const list = route({
    method: 'GET',
    path: '/projects/:id/jobs',
    summary: 'List jobs of a project',
    rate: 'jobs_index',
    tag,
    credentials: listCredentials,
    access: read,
    params: Type.Object({
      id,
      scope,
      id_after: Optional(Int({ description: 'Only jobs with an id above this' })),
      id_before: Optional(Int({ description: 'Only jobs with an id below this' })),
      order_by: Optional(Str({ description: 'Keyset pages are in the order of `id` only' })),
      sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' })),
      with_waiting: withReasons,
    }),
    pagination: 'both',
    responses: { 200: ListOf(JobEntity) },
    handler: async ({ subject, params, page }) => {
      if (page.style === 'keyset' && (params.order_by ?? 'id') !== 'id') throw keysetUnavailable();
      const filter = {
        kind: 'job' as const,
        statuses: params.scope ?? [],
        includeRetried: true,
        idAfter: params.id_after,
        idBefore: params.id_before,
      };
      return await pageOfJobs(subject, filter, page, { direction: params.sort, waiting: params.with_waiting ?? false });
    },
  });

  const ofPipeline = route({
    method: 'GET',
    path: '/projects/:id/pipelines/:pipeline_id/jobs',
    summary: 'List jobs of a pipeline',
    tag,
    credentials: listCredentials,
    access: readPipeline,
    params: Type.Object({
      id,
      pipeline_id: Int({ description: 'Id of the pipeline' }),
      scope,
      include_retried: Optional(Bool({ default: false, description: 'Also attempts that were retried' })),
      with_waiting: withReasons,
    }),
    pagination: 'offset',
    responses: { 200: ListOf(JobEntity) },
    handler: async ({ subject, params, page }) => {
      const pipeline = await findPipeline(db, subject.project.id, params.pipeline_id);
      if (!pipeline) throw recordNotFound();
      const filter = {
        kind: 'job' as const,
        pipelineIds: await familyOf(db, pipeline.id),
        statuses: params.scope ?? [],
        includeRetried: params.include_retried ?? false,
      };
      return await pageOfJobs(subject, filter, page, { waiting: params.with_waiting ?? false });
    },
  });

  const bridges = route({
    method: 'GET',
    path: '/projects/:id/pipelines/:pipeline_id/bridges',
    summary: 'List trigger jobs of a pipeline',
    tag,
    credentials,
    access: readPipeline,
    params: Type.Object({ id, pipeline_id: Int({ description: 'Id of the pipeline' }), scope }),
    pagination: 'offset',
    responses: { 200: ListOf(BridgeEntity) },
    handler: async ({ subject, params, page }) => {
      const pipeline = await findPipeline(db, subject.project.id, params.pipeline_id);
      if (!pipeline) throw recordNotFound();
      const filter = {
        projectId: subject.project.id,
        kind: 'bridge' as const,
        pipelineIds: [pipeline.id],
        statuses: params.scope ?? [],
        includeRetried: false,
      };
      const { rows, total } = await listJobs(db, filter, page);
      const shown = new Map((await presentBridges(deps, subject, rows)).map((json) => [json.id, json]));
      return mapPresent(offsetPage(page, rows, total), (row) => shown.get(row.id));
    },
  });

  const needs = route({
    method: 'GET',
    path: '/projects/:id/pipelines/:pipeline_id/needs',
    summary: 'List the jobs of a pipeline in stage order with their needs',
    tag,
    credentials,
    access: readPipeline,
    params: Type.Object({ id, pipeline_id: Int({ description: 'Id of the pipeline' }) }),
    responses: { 200: ListOf(JobNeeds) },
    handler: async ({ subject, params }) => {
      const pipeline = await findPipeline(db, subject.project.id, params.pipeline_id);
      if (!pipeline) throw recordNotFound();
      // Attempts of one job have the same stage and needs; the first one keeps its place.
      const jobs = new Map((await listNeeds(db, pipeline.id)).map((job) => [job.name, job]));
      return [...jobs.values()].map(({ name, stage, needs }) => ({
        name,
        stage,
        needs: (needs as unknown as readonly PlanNeed[] | null)?.map((need) => need.name) ?? null,
      }));
    },
  });

  const get = route({
    method: 'GET',
    path,
    summary: 'Get a job',
    tag,
    credentials,
    access: read,
    params: one,
    responses: { 200: JobEntity },
    handler: async ({ subject, params }) => presentJob(deps, subject, await find(subject, params.job_id)),
  });

  /** The job that the caller's token belongs to. */
  async function ownJob(caller: Caller) {
    if (caller.credential.kind !== 'job') throw caller.user ? notFound('Job') : unauthorized();
    const job = await findJobById(db, caller.credential.job.id);
    const place = job && (await findPlace(db, job.project_id));
    if (!job || !place) throw unauthorized();
    return { job, place };
  }

  const own = route({
    method: 'GET',
    path: '/job',
    summary: 'Get the job that the job token belongs to',
    tag,
    credentials: [...credentials, 'job'],
    access: { on: 'credential' },
    params: Type.Object({}),
    responses: { 200: JobEntity },
    errors: [404],
    handler: async ({ caller }) => {
      const { job, place } = await ownJob(caller);
      return await presentJob(deps, place, job);
    },
  });

  const agents = route({
    method: 'GET',
    path: '/job/allowed_agents',
    summary: 'Get the job that the job token belongs to, with the agents that it may use',
    tag,
    credentials: [...credentials, 'job'],
    access: { on: 'credential' },
    params: Type.Object({}),
    responses: { 200: AllowedAgents },
    errors: [404],
    handler: async ({ caller }) => {
      const { job, place } = await ownJob(caller);
      if (!caller.user) throw unauthorized();
      const subject = await deps.parents.project(String(job.project_id), caller);
      return allowedAgents(job, place, caller.user, subject?.level ?? 0);
    },
  });

  const trace = route({
    method: 'GET',
    path: `${path}/trace`,
    summary: 'Get the log of a job',
    tag,
    credentials,
    access: read,
    params: one,
    responses: { 200: Binary, 206: Binary },
    media: ['text/plain'],
    errors: [416],
    handler: async ({ subject, caller, params, request, signal }) => {
      const job = await find(subject, params.job_id);
      await access.requireRead(subject, caller, job);
      return traceAnswer(deps, job, request.headers.range, signal);
    },
  });

  const play = route({
    method: 'POST',
    path: `${path}/play`,
    summary: 'Start a manual job',
    tag,
    credentials,
    access: update,
    params: Type.Object({
      id,
      job_id: jobId,
      job_variables_attributes: variablesOf('Variables for this run'),
      job_inputs: inputValues,
    }),
    responses: { 200: JobEntity },
    handler: async ({ subject, caller, params }) => {
      const job = await find(subject, params.job_id);
      await access.requireWrite(subject, caller, job);
      const given = givenBy(subject, caller, params);
      await deps.deployments.requireStart(subject, caller, job, false);
      return await presentJob(deps, subject, await jobs.play(job, caller, given));
    },
  });

  const unschedule = route({
    method: 'POST',
    path: `${path}/unschedule`,
    summary: 'Stop the timer of a delayed job',
    tag,
    credentials,
    access: update,
    params: one,
    responses: { 200: JobEntity },
    handler: async ({ subject, caller, params }) => {
      const job = await find(subject, params.job_id);
      await access.requireWrite(subject, caller, job);
      return await presentJob(deps, subject, await jobs.unschedule(job));
    },
  });

  const retry = route({
    method: 'POST',
    path: `${path}/retry`,
    summary: 'Retry a job',
    tag,
    credentials,
    access: update,
    params: Type.Object({
      id,
      job_id: jobId,
      job_variables_attributes: variablesOf(
        'Variables for the new attempt; those given to the last one stay unless they are named again',
      ),
      job_inputs: inputValues,
    }),
    responses: { 201: JobEntity },
    handler: async ({ subject, caller, params }) => {
      const job = await find(subject, params.job_id);
      await access.requireWrite(subject, caller, job);
      const given = givenBy(subject, caller, params);
      await deps.deployments.requireStart(subject, caller, job, true);
      return await presentJob(deps, subject, await jobs.retry(job, caller, given));
    },
  });

  const cancel = route({
    method: 'POST',
    path: `${path}/cancel`,
    summary: 'Cancel a job',
    tag,
    credentials,
    access: update,
    params: Type.Object({
      id,
      job_id: jobId,
      force: Optional(Bool({ default: false, description: 'Do not let after_script run' })),
    }),
    responses: { 201: JobEntity },
    handler: async ({ subject, caller, params }) => {
      if (params.force) requireOnProject(caller, 'update_project', subject);
      if (!mayCancel(caller, subject)) throw forbidden();
      const job = await find(subject, params.job_id);
      await access.requireWrite(subject, caller, job);
      return await presentJob(deps, subject, await jobs.cancel(job, caller, params.force ?? false));
    },
  });

  const erase = route({
    method: 'POST',
    path: `${path}/erase`,
    summary: 'Erase the log and artifacts of a job',
    tag,
    credentials,
    access: { on: 'project', ability: 'erase_job' },
    params: one,
    responses: { 201: JobEntity },
    handler: async ({ subject, caller, params }) => {
      const job = await find(subject, params.job_id);
      await access.requireErase(subject, caller, job);
      return await presentJob(deps, subject, await jobs.erase(job, caller));
    },
  });

  return [list, ofPipeline, bridges, needs, own, agents, get, trace, play, unschedule, retry, cancel, erase];
}
