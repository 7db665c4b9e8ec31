/** Where the commits of a merge request come from: a branch of the project itself, or of a fork. */
import { ZERO_SHA } from '@millrace/git';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import { HttpError, notFound } from '../../../kernel/http/errors.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import type { RepositoryRow } from '../../repository/index.ts';
import * as queries from './merge-requests.queries.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';

type Sourced = Pick<MergeRequest, 'project_id' | 'source_project_id' | 'source_branch' | 'head_sha'>;

export interface SourceHead {
  readonly head: string | null;
  readonly followed: boolean;
}

/** Requests that are asked about one person who pushes. */
const mostAsked = 100;

export const ofFork = (row: Pick<Sourced, 'project_id' | 'source_project_id'>): boolean =>
  row.source_project_id !== row.project_id;

/** Whether people of the one project may be let push to the other: it is nobody's secret what is there. */
export const mayCollaborate = (
  source: Pick<Project, 'id' | 'visibility'>,
  target: Pick<Project, 'id' | 'visibility'>,
) => source.id !== target.id && source.visibility !== 'private' && target.visibility !== 'private';

export function requestSources(deps: Pick<MergeRequestDependencies, 'db' | 'repository' | 'project' | 'projectAs'>) {
  const { db, repository } = deps;

  /** The branch as it is in the source; null when it, or the source, is gone. */
  async function liveHead(row: Sourced): Promise<string | null> {
    const source = row.source_project_id === null ? null : await deps.project(row.source_project_id);
    return source && (await repository.branch(source, row.source_branch));
  }

  /**
   * The commit that would be merged, null without a branch, and whether the request has followed its branch up to there. What
   * was pushed to a fork is merged when it was brought here.
   */
  async function headOf(target: RepositoryRow, row: Sourced): Promise<SourceHead> {
    const live = ofFork(row) ? await liveHead(row) : await repository.branch(target, row.source_branch);
    return { head: live !== null && ofFork(row) ? row.head_sha : live, followed: live === row.head_sha };
  }

  /** Removes the branch of a fork after its merge, where the caller may and nothing was pushed to it since. */
  async function removeBranch(row: Sourced, caller: Caller): Promise<void> {
    const source = row.source_project_id === null ? null : await deps.projectAs(row.source_project_id, caller);
    const { head_sha: head, source_branch: branch } = row;
    if (!source || head === null || branch === source.project.default_branch) return;
    const ref = `refs/heads/${branch}`;
    if (await repository.isProtected(source.project, ref)) return;
    if (!(await repository.mayPush(source, caller, branch))) return;
    try {
      await repository.write({
        subject: source,
        caller,
        kind: 'api',
        build: async () => [{ ref, before: head, after: ZERO_SHA }],
      });
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
    }
  }

  /** Branches of a project that the caller may push to because they may merge them elsewhere. */
  async function collaborates(source: ProjectSubject, caller: Caller): Promise<ReadonlySet<string>> {
    const branches = new Set<string>();
    const { credential, user } = caller;
    const { project } = source;
    if (!user || credential.kind === 'job' || credential.kind === 'deploy_key') return branches;
    if (project.archived || project.marked_for_deletion_on !== null) return branches;
    if (!canOnProject(caller, 'read_code', source)) return branches;
    for (const row of await queries.collaborations(db, project.id, mostAsked)) {
      if (branches.has(row.source_branch)) continue;
      const target = await deps.projectAs(row.project_id, caller);
      if (!target || !mayCollaborate(project, target.project)) continue;
      if (!canOnProject(caller, 'read_merge_request', target)) continue;
      if (!(await repository.mayMerge(target, caller, row.target_branch))) continue;
      if (!(await repository.isProtected(project, `refs/heads/${row.source_branch}`))) branches.add(row.source_branch);
    }
    return branches;
  }

  /** The project of the source branch where the caller may push to that branch; null where they may not. */
  async function writableSource(caller: Caller, row: Sourced): Promise<ProjectSubject | null> {
    const source = row.source_project_id === null ? null : await deps.projectAs(row.source_project_id, caller);
    if (!source) return null;
    const may =
      (await repository.mayPush(source, caller, row.source_branch)) ||
      (await collaborates(source, caller)).has(row.source_branch);
    return may ? source : null;
  }

  /** The project that a new request is for: one that the caller may read, with merge requests. */
  async function targetOf(source: ProjectSubject, id: number | undefined, caller: Caller): Promise<ProjectSubject> {
    if (id === undefined || id === source.project.id) return source;
    const target = await deps.projectAs(id, caller);
    if (!target) throw notFound('Project');
    requireOnProject(caller, 'read_code', target);
    requireOnProject(caller, 'read_merge_request', target);
    return target;
  }

  return { targetOf, writableSource, liveHead, headOf, removeBranch, collaborates };
}
export type RequestSources = ReturnType<typeof requestSources>;
