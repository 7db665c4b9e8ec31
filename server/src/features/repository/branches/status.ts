/** How branches stand to the default branch, with their pipelines and merge requests: for lists that people read. */
import type { Static } from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { newestPipelines } from '../commits/commits.queries.ts';
import type { RefData, RepositoryReader } from '../reading/reader.ts';
import type { Branch } from './branches.entity.ts';
import { openRequestsFrom } from './status.queries.ts';

type BranchStatus = NonNullable<Static<typeof Branch>['status']>;

/** By the name of the branch: one statement for all pipelines, one for all merge requests; counts of commits are kept by their ids. */
export async function branchStatuses(
  deps: { readonly db: Db; readonly reader: Pick<RepositoryReader, 'branch' | 'divergence'> },
  subject: ProjectSubject,
  caller: Caller,
  refs: readonly RefData[],
): Promise<ReadonlyMap<string, BranchStatus>> {
  const { project } = subject;
  const may = (ability: 'read_pipeline' | 'read_merge_request') => canOnProject(caller, ability, subject);
  const tips = may('read_pipeline') ? refs.map(({ commit }) => commit) : [];
  const names = may('read_merge_request') ? refs.map(({ name }) => name) : [];
  const [main, pipelines, requests] = await Promise.all([
    project.default_branch === null ? null : deps.reader.branch(project, project.default_branch),
    newestPipelines(deps.db, project.id, tips),
    openRequestsFrom(deps.db, project.id, names),
  ]);
  const statuses = refs.map(async ({ name, commit }) => {
    const { ahead, behind } = main
      ? await deps.reader.divergence(project, main.commit, commit)
      : { ahead: 0, behind: 0 };
    const status = {
      ahead,
      behind,
      pipeline: pipelines.get(commit) ?? null,
      merge_request: requests.get(name) ?? null,
    };
    return [name, status] as const;
  });
  return new Map(await Promise.all(statuses));
}
