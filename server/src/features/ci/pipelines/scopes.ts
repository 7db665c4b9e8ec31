/** Kinds of pipelines that the old `scope` of lists asks for. */
import type { PipelineFilter } from './pipelines.queries.ts';

export const pipelineScopes = ['running', 'pending', 'finished', 'branches', 'tags'] as const;

/** What the scope means as filters; nothing without one. */
export function pipelineScope(scope: (typeof pipelineScopes)[number] | undefined): Partial<PipelineFilter> {
  switch (scope) {
    case 'running':
    case 'pending':
      return { statuses: [scope] };
    case 'finished':
      return { statuses: ['success', 'failed', 'canceled'] };
    case 'branches':
      return { tag: false, newestOfEachRef: true };
    case 'tags':
      return { tag: true, newestOfEachRef: true };
    case undefined:
      return {};
  }
}
