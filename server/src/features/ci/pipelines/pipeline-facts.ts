/** What variables say about a stored pipeline: kind, ref, merge request. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest, Namespace, Pipeline, Project } from '../../../kernel/db/rows.ts';
import { squashes } from '../../namespaces/index.ts';
import type { CiDependencies } from '../deps.ts';
import { upstreamFacts } from '../downstream/sources.queries.ts';
import {
  assigneeNames,
  findMergeRequest,
  findPlace,
  mergeRequestWords,
  openMergeRequestsOf,
  scheduleDescription,
} from '../jobs/context.queries.ts';
import { openTrigger, shortToken } from '../triggers/tokens.ts';
import { findTriggerById } from '../triggers/triggers.queries.ts';
import { fullPath, type MergeRequestFacts, type PipelineFacts } from '../variables/predefined.ts';
import { releaseDescription } from './releases.queries.ts';

interface Place {
  readonly project: Project;
  readonly namespace: Namespace;
}

/** A merge request as variables show it; `place` is where its pipeline runs. */
export async function mergeRequestFacts(
  deps: Pick<CiDependencies, 'repository' | 'externalUrl' | 'approvals'>,
  db: Db,
  place: Place,
  row: MergeRequest,
): Promise<MergeRequestFacts> {
  const { repository } = deps;
  const placeOf = async (id: number | null) =>
    id === place.project.id ? place : id === null ? undefined : await findPlace(db, id);
  const source = await placeOf(row.source_project_id);
  // Its target goes only together with the request.
  const target = (await placeOf(row.project_id)) ?? place;
  const urlOf = (of: Place) => `${deps.externalUrl}/${fullPath(of)}`;
  const words = await mergeRequestWords(db, row.id);
  return {
    row,
    target: {
      id: target.project.id,
      path: fullPath(target),
      url: urlOf(target),
      branchProtected: await repository.isProtected(target.project, `refs/heads/${row.target_branch}`),
    },
    source: source
      ? {
          id: source.project.id,
          path: fullPath(source),
          url: urlOf(source),
          branchProtected: await repository.isProtected(source.project, `refs/heads/${row.source_branch}`),
        }
      : null,
    targetBranchSha: await repository.resolve(target.project, `refs/heads/${row.target_branch}`),
    assignees: await assigneeNames(db, row.id),
    labels: words.labels,
    milestone: words.milestone,
    versionId: words.version_id,
    approved: await deps.approvals.approved(target, row),
    squash: squashes(target.project.squash_option, row.squash),
  };
}

/** Requests that are looked at; fewer are named. */
const mostOpenRequests = 20;

/** The open requests of a branch that whoever runs its pipeline may read: they may be of other projects. */
export async function readableRequestsOf(
  deps: Pick<CiDependencies, 'actingAs'>,
  db: Db,
  userId: number | null,
  projectId: number,
  branch: string,
): Promise<string[]> {
  const open = userId === null ? [] : await openMergeRequestsOf(db, projectId, branch, mostOpenRequests);
  const readable = new Set<number>();
  for (const id of new Set(open.map((request) => request.projectId))) {
    const acting = userId === null ? null : await deps.actingAs(userId, id);
    if (acting && canOnProject(acting.caller, 'read_merge_request', acting.subject)) readable.add(id);
  }
  return open.flatMap((request) => (readable.has(request.projectId) ? [request.reference] : []));
}

/** What a pipeline of a merge request says of open ones: its own, while that is. */
export const ownRequest = ({ row, target }: MergeRequestFacts): string[] =>
  row.state === 'opened' ? [`${target.path}!${row.iid}`] : [];

/**
 * The facts of a pipeline of a merge train that stands for that of a push: for configurations without jobs for merge requests.
 * Its jobs know the source branch, as after a push to it.
 */
export const asPush = (facts: PipelineFacts): PipelineFacts =>
  facts.mergeRequest !== null && facts.source === 'push'
    ? { ...facts, ref: facts.mergeRequest.row.source_branch, mergeRequest: null, openMergeRequests: [] }
    : facts;

/** What pipelines are whose origin is a job of another one. */
const downstreamSources: ReadonlySet<string> = new Set(['parent_pipeline', 'pipeline']);

/** The facts of a stored pipeline; `noRequests` where it is known that its branch has no open merge request. */
export async function pipelineFactsOf(
  deps: Pick<CiDependencies, 'repository' | 'secrets' | 'externalUrl' | 'approvals' | 'actingAs'>,
  db: Db,
  place: { project: Project; namespace: Namespace },
  pipeline: Pipeline,
  noRequests = false,
): Promise<PipelineFacts> {
  const request =
    pipeline.merge_request_id === null ? undefined : await findMergeRequest(db, pipeline.merge_request_id);
  const branch = !pipeline.tag && !request && !noRequests;
  const trigger = pipeline.trigger_id === null ? undefined : await findTriggerById(db, pipeline.trigger_id);
  const merge = request ? await mergeRequestFacts(deps, db, place, request) : null;
  return asPush({
    sha: pipeline.sha,
    beforeSha: pipeline.before_sha,
    ref: pipeline.ref,
    tag: pipeline.tag,
    tagMessage: pipeline.tag ? await deps.repository.tagMessage(place.project, pipeline.ref) : null,
    releaseDescription: pipeline.tag ? await releaseDescription(db, pipeline.project_id, pipeline.ref) : null,
    refProtected: pipeline.ref_protected,
    source: pipeline.source,
    mergeRequest: merge,
    triggerShortToken: trigger ? shortToken(openTrigger(deps, trigger)) : null,
    scheduleDescription: await scheduleDescription(db, pipeline.schedule_id),
    upstream: downstreamSources.has(pipeline.source) ? await upstreamFacts(db, pipeline.id) : null,
    openMergeRequests: merge
      ? ownRequest(merge)
      : branch
        ? await readableRequestsOf(deps, db, pipeline.user_id, pipeline.project_id, pipeline.ref)
        : [],
  });
}
