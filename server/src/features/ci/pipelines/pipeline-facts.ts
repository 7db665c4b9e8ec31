/** What variables say about a stored pipeline: kind, ref, merge request. */
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest, Namespace, Pipeline, Project } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import { assigneeNames, findMergeRequest, findPlace, openMergeRequestsOf } from '../jobs/context.queries.ts';
import { fullPath, type MergeRequestFacts, type PipelineFacts } from '../variables/predefined.ts';

/** A merge request as variables show it; `place` is its target project. */
export async function mergeRequestFacts(
  deps: Pick<CiDependencies, 'repository'>,
  db: Db,
  place: { project: Project; namespace: Namespace },
  row: MergeRequest,
): Promise<MergeRequestFacts> {
  const { repository } = deps;
  const same = row.source_project_id === place.project.id;
  const other = same || row.source_project_id === null ? undefined : await findPlace(db, row.source_project_id);
  const source = same ? place : other;
  return {
    row,
    target: {
      id: place.project.id,
      path: fullPath(place),
      branchProtected: await repository.isProtected(place.project, row.target_branch),
    },
    source: source
      ? {
          id: source.project.id,
          path: fullPath(source),
          branchProtected: await repository.isProtected(source.project, row.source_branch),
        }
      : null,
    targetBranchSha: await repository.resolve(place.project, `refs/heads/${row.target_branch}`),
    assignees: await assigneeNames(db, row.id),
  };
}

/** The facts of a stored pipeline. */
export async function pipelineFactsOf(
  deps: Pick<CiDependencies, 'repository'>,
  db: Db,
  place: { project: Project; namespace: Namespace },
  pipeline: Pipeline,
): Promise<PipelineFacts> {
  const request =
    pipeline.merge_request_id === null ? undefined : await findMergeRequest(db, pipeline.merge_request_id);
  const branch = !pipeline.tag && !request;
  return {
    sha: pipeline.sha,
    beforeSha: pipeline.before_sha,
    ref: pipeline.ref,
    tag: pipeline.tag,
    refProtected: pipeline.ref_protected,
    source: pipeline.source,
    mergeRequest: request ? await mergeRequestFacts(deps, db, place, request) : null,
    openMergeRequests: branch ? await openMergeRequestsOf(db, pipeline.project_id, pipeline.ref) : [],
  };
}
