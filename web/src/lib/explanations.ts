/** Why jobs are in a pipeline or not. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from './api.ts';

export type Explanation = Schemas['PipelineExplanation'];
export type ExplainedJob = Explanation['jobs'][number];
export type ExplainedRule = ExplainedJob['rules'][number];

export const explanation = (path: string, id: number) =>
  queryOptions({
    // It never changes: it is what decided when the pipeline was created.
    queryKey: ['project', path, 'pipeline-explanation', id],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/pipelines/{pipeline_id}/explanation', {
          params: { path: { id: path, pipeline_id: id } },
        }),
      ),
  });
