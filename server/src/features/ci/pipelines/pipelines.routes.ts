/** Pipelines: lists, one, creation, retry, cancel, deletion. */
import { ZERO_SHA } from '@millrace/git';
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, invalidRecord, recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import {
  Bool,
  DateTimeParam,
  Hash,
  IdOrPath,
  Int,
  List,
  OneOf,
  Optional,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { upstreamOf } from '../downstream/upstream-of.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { pipelineVariableRows } from '../jobs/context.queries.ts';
import type { JobsService } from '../jobs/jobs.service.ts';
import { projectUrl } from '../jobs/serialize.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { pipelineStatuses } from '../scheduling/pipeline-states.ts';
import { lockPipeline } from '../scheduling/process.queries.ts';
import { sealed } from '../variables/sealing.ts';
import type { Pipelines } from './create.ts';
import { detailsOf } from './list-details.ts';
import { PipelineDetail, PipelineListed, PipelineVariable, pipelineListed } from './pipelines.entity.ts';
import { findPipeline, listPipelines, newestPipeline, type PipelineFilter } from './pipelines.queries.ts';
import { mayNotRunOn, mayRunOn, type Reference, resolveReference } from './references.ts';
import { removePipeline } from './removal.ts';
import { mayCancel, mayGiveVariables } from './restrictions.ts';
import { pipelineScope, pipelineScopes } from './scopes.ts';
import { presentPipeline } from './serialize.ts';

const tag = 'Pipelines';
const credentials = ['token', 'session'] as const;
const id = IdOrPath('Id or path of the project');
const pipelineId = Int({ description: 'Id of the pipeline' });
const one = Type.Object({ id, pipeline_id: pipelineId });
const read = { on: 'project', ability: 'read_pipeline' } as const;
const update = { on: 'project', ability: 'update_pipeline' } as const;
const path = '/projects/:id/pipelines/:pipeline_id';

export function pipelineRoutes(
  deps: CiDependencies,
  pipelines: Pipelines,
  jobs: JobsService,
  access: WriteAccess,
): Route[] {
  const { db, repository } = deps;

  async function find(subject: ProjectSubject, number: number): Promise<Pipeline> {
    const pipeline = await findPipeline(db, subject.project.id, number);
    if (!pipeline) throw recordNotFound();
    return pipeline;
  }

  async function resolveRef(subject: ProjectSubject, name: string): Promise<Reference> {
    const found = await resolveReference(repository, subject, name);
    if (!found) throw invalidRecord({ base: ['Reference not found'] });
    if (found.ambiguous) throw invalidRecord({ base: ['Ref is ambiguous'] });
    return found;
  }

  async function requireRef(subject: ProjectSubject, caller: Caller, ref: string): Promise<void> {
    if (await mayRunOn(repository, subject, caller, ref)) return;
    throw invalidRecord({ base: [mayNotRunOn(ref)] });
  }

  const list = route({
    method: 'GET',
    path: '/projects/:id/pipelines',
    summary: 'List pipelines of a project',
    tag,
    credentials,
    access: read,
    params: Type.Object({
      id,
      scope: Optional(
        OneOf(pipelineScopes, { description: 'Only pipelines in this state, or the latest of each branch or tag' }),
      ),
      status: Optional(OneOf(pipelineStatuses, { description: 'Only pipelines in this status' })),
      ref: Optional(Str({ description: 'Only pipelines of this branch or tag' })),
      sha: Optional(Str({ description: 'Only pipelines of this commit' })),
      source: Optional(Str({ description: 'Only pipelines started by this' })),
      username: Optional(Str({ description: 'Who caused it' })),
      name: Optional(Str({ description: 'Only pipelines with this name' })),
      yaml_errors: Optional(Bool({ description: 'Only those whose configuration is broken' })),
      updated_after: Optional(DateTimeParam({ description: 'Only those changed at or after this time' })),
      updated_before: Optional(DateTimeParam({ description: 'Only those changed at or before this time' })),
      created_after: Optional(DateTimeParam({ description: 'Only those created at or after this time' })),
      created_before: Optional(DateTimeParam({ description: 'Only those created at or before this time' })),
      order_by: Optional(
        OneOf(['id', 'status', 'ref', 'updated_at', 'user_id'], {
          default: 'id',
          description: 'What the list is ordered by',
        }),
      ),
      sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' })),
      with_details: Optional(
        Bool({ default: false, description: 'Also title of the commit, person, duration and states of the stages' }),
      ),
    }),
    pagination: 'offset',
    responses: { 200: ListOf(PipelineListed) },
    handler: async ({ subject, params, page }) => {
      const filter: PipelineFilter = {
        ...pipelineScope(params.scope),
        ...(params.status ? { statuses: [params.status] } : {}),
        projectId: subject.project.id,
        ref: params.ref,
        sha: params.sha,
        source: params.source,
        username: params.username,
        name: params.name,
        yamlErrors: params.yaml_errors,
        updatedAfter: params.updated_after,
        updatedBefore: params.updated_before,
        createdAfter: params.created_after,
        createdBefore: params.created_before,
      };
      const order = { by: params.order_by ?? 'id', direction: params.sort ?? 'desc' };
      const { rows, total } = await listPipelines(db, filter, order, page);
      const url = projectUrl(deps, subject);
      const paged = offsetPage(page, rows, total);
      const details = params.with_details
        ? await detailsOf(deps, new Map([[subject.project.id, subject]]), paged.items)
        : null;
      return mapPage(paged, (row) => pipelineListed(row, url, details?.get(row.id)));
    },
  });

  const latest = route({
    method: 'GET',
    path: '/projects/:id/pipelines/latest',
    summary: 'Get the latest pipeline of the latest commit of a branch or tag',
    tag,
    credentials,
    access: read,
    params: Type.Object({ id, ref: Optional(Str({ description: 'The default branch when left out' })) }),
    responses: { 200: PipelineDetail },
    handler: async ({ subject, params }) => {
      const name = params.ref ?? subject.project.default_branch ?? '';
      const branch = await repository.resolve(subject.project, `refs/heads/${name}`);
      const sha = branch ?? (await repository.resolve(subject.project, `refs/tags/${name}`));
      const pipeline =
        sha === null
          ? undefined
          : await newestPipeline(db, subject.project.id, { ref: name, tag: branch === null, sha });
      if (!pipeline) throw recordNotFound();
      return await presentPipeline(deps, subject, pipeline);
    },
  });

  const create = route({
    method: 'POST',
    path: '/projects/:id/pipeline',
    summary: 'Create a pipeline for a branch or tag',
    tag,
    credentials,
    access: { on: 'project', ability: 'create_pipeline' },
    params: Type.Object({
      id,
      ref: Str({ description: 'Branch or tag' }),
      variables: Optional(
        List(
          Type.Object({
            key: Str({ pattern: '^[A-Za-z0-9_]{1,255}$', description: 'Name' }),
            value: Str({ maxLength: 10_000, description: 'Value of the variable' }),
            variable_type: Optional(
              OneOf(['env_var', 'file'], {
                description: '`env_var`: a variable of the environment; `file`: the path of a file with the value',
              }),
            ),
            raw: Optional(Bool({ description: 'Whether `$` in the value stays as it is' })),
          }),
          { maxItems: 200, description: 'Variables of the pipeline' },
        ),
      ),
      inputs: Optional(
        Hash(Type.Unknown(), { description: 'Values for the inputs that the configuration declares, at most 20' }),
      ),
    }),
    responses: { 201: PipelineDetail },
    handler: async ({ subject, caller, params }) => {
      const { ref, sha } = await resolveRef(subject, params.ref);
      await requireRef(subject, caller, ref);
      const keys = (params.variables ?? []).map(({ key }) => key);
      const repeated = [...new Set(keys.filter((key, at) => keys.indexOf(key) !== at))];
      if (repeated.length > 0)
        throw invalidRecord({
          base: [`Duplicate variable name${repeated.length > 1 ? 's' : ''}: ${repeated.join(', ')}`],
        });
      if (keys.length > 0 && !mayGiveVariables(caller, subject))
        throw invalidRecord({ base: ['Insufficient permissions to set pipeline variables'] });
      const outcome = await pipelines.create({
        subject,
        caller,
        ref,
        sha,
        beforeSha: ZERO_SHA,
        // From a page, as rules tell it.
        source: caller.credential.kind === 'session' ? 'web' : 'api',
        keepBroken: false,
        ...(params.inputs ? { inputs: params.inputs } : {}),
        variables: (params.variables ?? []).map((item) => ({
          ...item,
          variable_type: item.variable_type ?? 'env_var',
          raw: item.raw ?? false,
        })),
      });
      if (outcome.kind === 'refused') throw invalidRecord({ base: outcome.reasons });
      return await presentPipeline(deps, subject, await find(subject, outcome.pipeline.id));
    },
  });

  return [
    list,
    latest,
    create,
    route({
      method: 'GET',
      path,
      summary: 'Get a pipeline',
      tag,
      credentials,
      access: read,
      params: one,
      responses: { 200: PipelineDetail },
      handler: async ({ subject, caller, params }) => {
        const pipeline = await find(subject, params.pipeline_id);
        const [shown, upstream] = await Promise.all([
          presentPipeline(deps, subject, pipeline),
          upstreamOf(deps, subject, caller, pipeline),
        ]);
        return { ...shown, ...(upstream ? { upstream } : {}) };
      },
    }),
    route({
      method: 'GET',
      path: `${path}/variables`,
      summary: 'List variables that a pipeline was created with',
      tag,
      credentials,
      access: read,
      params: one,
      responses: { 200: ListOf(PipelineVariable) },
      handler: async ({ subject, caller, params }) => {
        const pipeline = await find(subject, params.pipeline_id);
        // Whoever created it knows what they gave it.
        const own = caller.user !== null && pipeline.user_id === caller.user.id;
        if (!canOnProject(caller, 'read_pipeline_variable', subject)) {
          if (!own) throw forbidden();
          requireOnProject(caller, 'update_pipeline', subject);
        }
        return (await pipelineVariableRows(db, pipeline.id)).map((row) => ({
          key: row.key,
          variable_type: row.variable_type,
          value: deps.secrets.open(row.value_encrypted, sealed.pipelineVariable),
          raw: row.raw,
        }));
      },
    }),
    route({
      method: 'POST',
      path: `${path}/retry`,
      summary: 'Retry the failed and canceled jobs of a pipeline',
      tag,
      credentials,
      access: update,
      params: one,
      responses: { 201: PipelineDetail },
      handler: async ({ subject, caller, params }) => {
        const pipeline = await find(subject, params.pipeline_id);
        await access.requireWrite(subject, caller, pipeline);
        await jobs.retryAll(pipeline.id, caller);
        return await presentPipeline(deps, subject, await find(subject, pipeline.id));
      },
    }),
    route({
      method: 'POST',
      path: `${path}/cancel`,
      summary: 'Cancel the jobs of a pipeline',
      tag,
      credentials,
      access: update,
      params: one,
      responses: { 200: PipelineDetail },
      handler: async ({ subject, caller, params }) => {
        const found = await find(subject, params.pipeline_id);
        if (!mayCancel(caller, subject)) throw forbidden();
        await access.requireWrite(subject, caller, found);
        await transaction(db, async (tx) => {
          const pipeline = await lockPipeline(tx, found.id);
          if (pipeline) await cancelJobs(deps, tx, pipeline, caller.user?.id ?? null);
        });
        return await presentPipeline(deps, subject, await find(subject, found.id));
      },
    }),
    route({
      method: 'DELETE',
      path,
      summary: 'Delete a pipeline with its jobs, logs and artifacts',
      tag,
      credentials,
      access: { on: 'project', ability: 'remove_pipeline' },
      params: one,
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ subject, caller, params, unmodifiedSince }) => {
        const found = await find(subject, params.pipeline_id);
        unmodifiedSince(found.updated_at);
        const removed = await removePipeline(deps, subject.project, found.id, async (tx, pipeline) => {
          await cancelJobs(deps, tx, pipeline, caller.user?.id ?? null);
          return true;
        });
        if (!removed) throw recordNotFound();
      },
    }),
  ];
}
