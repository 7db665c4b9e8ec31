/** The name of a pipeline and its priority, given after it was created. */
import Type from 'typebox';
import { Level } from '../../../kernel/authz/levels.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { forbidden, plainError, recordNotFound } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int, OneOf, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { PipelineDetail } from './pipelines.entity.ts';
import { findPipeline, prioritizePipeline, renamePipeline } from './pipelines.queries.ts';
import { queuePriorities } from './priority.ts';
import { presentPipeline } from './serialize.ts';

/** Characters of a name. */
const maxName = 255;

function checkedName(text: string): string {
  const name = text.trim();
  const length = [...name].length;
  const problem =
    length === 0
      ? 'Name is too short (minimum is 1 character)'
      : length > maxName
        ? `Name is too long (maximum is ${maxName} characters)`
        : null;
  if (problem !== null) throw plainError(400, `Failed to update pipeline - ${problem}`);
  return name;
}

export function pipelineMetadataRoutes(deps: CiDependencies, access: WriteAccess): Route[] {
  const { db } = deps;
  return [
    route({
      method: 'PUT',
      path: '/projects/:id/pipelines/:pipeline_id/metadata',
      summary: 'Update the name of a pipeline',
      tag: 'Pipelines',
      credentials: ['token', 'session', 'job'],
      access: { on: 'project', ability: 'update_pipeline' },
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        pipeline_id: Int({ description: 'Id of the pipeline' }),
        name: Str({ description: `Name, up to ${maxName} characters` }),
      }),
      responses: { 200: PipelineDetail },
      handler: async ({ subject, caller, params }) => {
        const pipeline = await findPipeline(db, subject.project.id, params.pipeline_id);
        if (!pipeline) throw recordNotFound();
        await access.requireWrite(subject, caller, pipeline);
        const name = checkedName(params.name);
        const named = await transaction(db, async (tx) => {
          await deps.announce(tx, `pipeline:${pipeline.id}`);
          await deps.announce(tx, `project:${pipeline.project_id}:pipelines`);
          return await renamePipeline(tx, pipeline.id, name);
        });
        if (!named) throw recordNotFound();
        return await presentPipeline(deps, subject, named);
      },
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/pipelines/:pipeline_id/queue_priority',
      summary: 'Set the queue priority of a pipeline',
      tag: 'Pipelines',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'update_pipeline' },
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        pipeline_id: Int({ description: 'Id of the pipeline' }),
        queue_priority: OneOf(queuePriorities, {
          description:
            'Jobs of `high` pipelines are given to runners before, those of `low` ones after the others of the project',
        }),
      }),
      responses: { 200: PipelineDetail },
      handler: async ({ subject, caller, params }) => {
        const pipeline = await findPipeline(db, subject.project.id, params.pipeline_id);
        if (!pipeline) throw recordNotFound();
        await access.requireWrite(subject, caller, pipeline);
        if (!caller.admin && subject.level < Level.maintainer) throw forbidden();
        const changed = await transaction(db, async (tx) => {
          await deps.announce(tx, `pipeline:${pipeline.id}`);
          return await prioritizePipeline(tx, pipeline.id, params.queue_priority);
        });
        if (!changed) throw recordNotFound();
        return await presentPipeline(deps, subject, changed);
      },
    }),
  ];
}
