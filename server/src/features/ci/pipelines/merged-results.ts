/**
 * Pipelines of merged results: what a merge request and its target branch are together, tested before they are merged. They
 * run in the target project, as their commit is there.
 */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import { type RepositoryAccess, stackBase } from '../../repository/index.ts';
import type { CiDependencies } from '../deps.ts';
import { mergedRef, refOfRequest } from './references.ts';
import type { MergedSources } from './request.ts';

/** What the pipeline of a merge request runs on. */
export interface RequestRun {
  readonly ref: string;
  readonly sha: string;
  readonly merged?: MergedSources;
}

const committer = { name: 'Millrace', email: 'noreply@millrace.invalid' };

/** The head alone: where merged results are off or the two do not fit. */
const detachedRun = (request: MergeRequest, head: string, project: Pick<Project, 'id'>): RequestRun => ({
  ref: refOfRequest(request, project.id),
  sha: head,
});

/**
 * The merge of the request's head into its target, made where `place` is the target project and has merged results switched
 * on; else, and where there are conflicts or nothing to merge, the head alone.
 */
export async function requestRun(
  { repository }: Pick<CiDependencies, 'repository'>,
  { project }: ProjectSubject,
  request: MergeRequest,
  head: string,
): Promise<RequestRun> {
  const detached = detachedRun(request, head, project);
  if (!project.merge_pipelines_enabled || project.id !== request.project_id) return detached;
  const made = await buildMergedResult(repository, project, request, head);
  return made === null ? detached : { ref: made.ref, sha: made.commit, merged: { source: head, target: made.target } };
}

export interface MergedResult {
  readonly ref: string;
  readonly commit: string;
  /** Head of the target branch, the first parent. */
  readonly target: string;
}

/**
 * Merges a request's head into its target under the request's own ref, without moving a branch. Null where there are
 * conflicts, nothing to merge, or no such branch.
 */
export async function buildMergedResult(
  repository: Pick<RepositoryAccess, 'branch' | 'construct' | 'isAncestor' | 'mergeBase' | 'resolve'>,
  project: Project,
  request: Pick<MergeRequest, 'iid' | 'target_branch' | 'stack_base_sha'>,
  head: string,
): Promise<MergedResult | null> {
  const target = await repository.branch(project, request.target_branch);
  if (target === null || (await repository.resolve(project, head)) === null) return null;
  if ((await repository.mergeBase(project, target, head)) === head) return null;
  const below = await stackBase(repository, project, request, { target, head });
  const ref = mergedRef(request.iid);
  const made = await repository.construct(project, ref, async (bench) => {
    const { tree } = await bench.merge(target, head, below);
    if (tree === null) return null;
    const message = `Merge ${head} into ${target}`;
    return {
      commit: await bench.commit({ tree, parents: [target, head], message, author: committer, committer }),
    };
  });
  return made === null ? null : { ref, commit: made.commit, target };
}
