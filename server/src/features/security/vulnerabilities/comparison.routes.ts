/** Route of the comparison of a merge request with its target branch. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { Count, Entity, Id, ListOf, Nullable } from '../../../kernel/http/entity.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int32 } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { comparedPipelines, findingsOnlyIn } from './comparison.queries.ts';
import { ListedFindingEntity, listedFindingJson } from './vulnerabilities.entity.ts';

/** Findings of each kind that are listed; more are counted. */
const mostListed = 100;

const Comparison = Entity('VulnerabilityComparison', {
  base_pipeline_id: Nullable(Id({ description: 'Latest pipeline with reports of the target branch' })),
  head_pipeline_id: Nullable(Id({ description: 'Latest pipeline with reports of the merge request' })),
  added_count: Count(),
  fixed_count: Count(),
  added: ListOf(ListedFindingEntity, { description: 'Only in the merge request, at most 100, the worst first' }),
  fixed: ListOf(ListedFindingEntity, { description: 'Only in the target branch, at most 100, the worst first' }),
});

export const comparisonRoute = (db: Db): Route =>
  route({
    method: 'GET',
    path: '/projects/:id/merge_requests/:merge_request_iid/vulnerability_comparison',
    summary: 'Compare the findings of a merge request with its target branch',
    tag: 'Vulnerabilities',
    credentials: ['token', 'session'],
    access: { on: 'project', ability: 'read_vulnerability' },
    params: Type.Object({
      id: IdOrPath('Id or path of the project'),
      merge_request_iid: Int32({ minimum: 1, description: 'Iid of the merge request' }),
    }),
    responses: { 200: Comparison },
    handler: async ({ subject, params }) => {
      const { id: projectId } = subject.project;
      const pipelines = await comparedPipelines(db, projectId, params.merge_request_iid);
      if (!pipelines) throw recordNotFound();
      const { base, head } = pipelines;
      const only = (pipelineId: number | null, notIn: number | null) =>
        // Without a scan on both sides everything or nothing would seem new.
        pipelineId === null || head === null
          ? { rows: [], total: 0 }
          : findingsOnlyIn(db, { projectId, pipelineId, notIn }, mostListed);
      const [added, fixed] = await Promise.all([only(head, base), only(base, head)]);
      return {
        base_pipeline_id: base,
        head_pipeline_id: head,
        added_count: added.total,
        fixed_count: fixed.total,
        added: added.rows.map((row) => listedFindingJson(row, subject)),
        fixed: fixed.rows.map((row) => listedFindingJson(row, subject)),
      };
    },
  });
