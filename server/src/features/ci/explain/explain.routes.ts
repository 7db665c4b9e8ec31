/** Explaining pipelines: those that were created, and those that an event would create. */
import Type from 'typebox';
import { notFound } from '../../../kernel/http/errors.ts';
import { Hash, IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { findPipeline } from '../pipelines/pipelines.queries.ts';
import { differencesOf, EventExplanation, type ExplanationJson, PipelineExplanation } from './explain.entity.ts';
import { findExplanation } from './explain.queries.ts';
import type { Explain } from './explain.service.ts';

const id = IdOrPath('Id or path of the project');
const sources = ['push', 'web', 'api', 'schedule', 'trigger', 'pipeline', 'parent_pipeline'] as const;
const event = {
  ref: Optional(Str({ description: 'Branch or tag; the default branch when left out' })),
  source: Optional(OneOf(sources, { description: 'What starts the pipeline; `push` when left out' })),
  merge_request_iid: Optional(Int({ description: 'Merge request of the project that the pipeline is for' })),
  variables: Optional(Hash(Str(), { description: 'Variables of the pipeline' })),
};

export function explainRoutes({ db }: Pick<CiDependencies, 'db'>, explain: Explain): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/pipelines/:pipeline_id/explanation',
      summary: 'Explain why each job is in a pipeline or not',
      tag: 'Pipelines',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'read_pipeline' },
      params: Type.Object({ id, pipeline_id: Int({ description: 'Id of the pipeline' }) }),
      responses: { 200: PipelineExplanation },
      handler: async ({ subject, params }) => {
        const pipeline = await findPipeline(db, subject.project.id, params.pipeline_id);
        const found = pipeline && (await findExplanation(db, pipeline.id));
        if (!found) throw notFound('Explanation');
        return found as ExplanationJson;
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/ci/explain',
      summary: 'Explain which jobs an event would run, and compare it with another event',
      tag: 'CI lint',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'lint_ci' },
      params: Type.Object({
        id,
        ...event,
        content: Optional(Str({ description: 'The configuration; that of the commit when left out' })),
        inputs: Optional(
          Hash(Type.Unknown(), { description: 'Values for the inputs that the configuration declares' }),
        ),
        compare: Optional(Type.Object(event, { description: 'Another event' })),
      }),
      responses: { 200: EventExplanation },
      handler: async ({ subject, caller, params }) => {
        const { content, inputs, compare, ...first } = params;
        const configuration = { content, inputs };
        const one = await explain(subject, caller, first, configuration);
        if (!compare) return one;
        const compared = await explain(subject, caller, compare, configuration);
        return { ...one, compared, differences: differencesOf(one, compared) };
      },
    }),
  ];
}
