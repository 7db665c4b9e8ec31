/** Trigger tokens of projects, and starting pipelines with them. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { PipelineTrigger } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Hash, IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { headerPrefix } from '../../../kernel/names.ts';
import type { CiDependencies } from '../deps.ts';
import { PipelineDetail } from '../pipelines/pipelines.entity.ts';
import { presentPipeline } from '../pipelines/serialize.ts';
import { openTrigger } from './tokens.ts';
import { TriggerEntity, triggerJson } from './triggers.entity.ts';
import { findTrigger, listTriggers, type OwnedTrigger, withOwners } from './triggers.queries.ts';
import type { TriggersService } from './triggers.service.ts';

const common = { tag: 'Pipeline triggers', credentials: ['token', 'session'] } as const;
const admin = { on: 'project', ability: 'admin_pipeline_trigger' } as const;
const id = IdOrPath('Id or path of the project');
const trigger_id = Int({ description: 'Id of the trigger token' });
const description = Str({ description: 'What the token is for' });
const path = '/projects/:id/triggers/:trigger_id';

const starting = {
  ref: Str({ minLength: 1, description: 'Branch or tag' }),
  token: Str({ minLength: 1, description: 'Trigger token of the project, or the token of a running job' }),
  variables: Optional(Hash(Type.Unknown(), { description: 'Variables of the pipeline: texts by name' })),
  inputs: Optional(
    Hash(Type.Unknown(), { description: 'Values for the inputs that the configuration declares, at most 20' }),
  ),
};

export function triggerRoutes(deps: CiDependencies, triggers: TriggersService): Route[] {
  const { db, externalUrl } = deps;

  async function find({ project }: ProjectSubject, number: number): Promise<PipelineTrigger> {
    const trigger = await findTrigger(db, project.id, number);
    if (!trigger) throw notFound('Trigger');
    return trigger;
  }

  const shown = ({ trigger, owner }: OwnedTrigger, caller: Caller) =>
    triggerJson({ trigger, owner, token: openTrigger(deps, trigger), viewerId: caller.user?.id ?? null, externalUrl });

  async function present(trigger: PipelineTrigger, caller: Caller) {
    const [owned = { trigger, owner: null }] = await withOwners(db, [trigger]);
    return shown(owned, caller);
  }

  const start = (startPath: string, summary: string) =>
    route({
      method: 'POST',
      path: startPath,
      summary,
      tag: 'Pipelines',
      credentials: ['body'],
      access: { on: 'credential' },
      params: Type.Object({ id, ...starting }),
      responses: { 201: PipelineDetail },
      handler: async ({ params, given, request }) => {
        // A webhook of pipelines that starts pipelines would never end.
        if (request.headers[`${headerPrefix}Event`.toLowerCase()] === 'Pipeline Hook') throw forbidden();
        const { subject, pipeline } = await triggers.start({
          project: params.id,
          ref: params.ref,
          token: params.token,
          variables: params.variables ?? {},
          inputs: params.inputs,
          given,
        });
        // As it was created, whatever its jobs did since: what clients poll goes on from `created`.
        return await presentPipeline(deps, subject, pipeline);
      },
    });

  return [
    start('/projects/:id/trigger/pipeline', 'Create a pipeline with a trigger token or the token of a job'),
    start(
      '/projects/:id/ref/:ref/trigger/pipeline',
      'Create a pipeline with a token in the address, as webhooks of other systems call it',
    ),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/triggers',
      summary: 'List trigger tokens of a project',
      access: admin,
      params: Type.Object({ id }),
      pagination: 'offset',
      responses: { 200: ListOf(TriggerEntity) },
      handler: async ({ subject, caller, page }) => {
        const { rows, total } = await listTriggers(db, subject.project.id, page);
        return mapPage(offsetPage(page, rows, total), (row) => shown(row, caller));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Get a trigger token',
      access: admin,
      params: Type.Object({ id, trigger_id }),
      responses: { 200: TriggerEntity },
      handler: async ({ subject, caller, params }) => present(await find(subject, params.trigger_id), caller),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/triggers',
      summary: 'Create a trigger token',
      access: admin,
      params: Type.Object({ id, description }),
      responses: { 201: TriggerEntity },
      handler: async (context) => {
        const { subject, caller, params } = context;
        return await present(await triggers.create(subject, caller, params.description, originOf(context)), caller);
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      summary: 'Update a trigger token',
      access: admin,
      params: Type.Object({ id, trigger_id, description: Optional(description) }),
      responses: { 200: TriggerEntity },
      handler: async (context) => {
        const { subject, caller, params } = context;
        const trigger = await find(subject, params.trigger_id);
        const changed = await triggers.describe(subject, caller, trigger, params.description, originOf(context));
        return await present(changed, caller);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Delete a trigger token',
      access: admin,
      params: Type.Object({ id, trigger_id }),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const trigger = await find(context.subject, context.params.trigger_id);
        context.unmodifiedSince(trigger.updated_at);
        await triggers.remove(context.subject, trigger, originOf(context));
      },
    }),
  ];
}
