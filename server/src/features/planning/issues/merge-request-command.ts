/** The quick action that begins work on an issue: a branch, and a merge request that closes the issue. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { ofProject, systemNote } from '../../collaboration/notes/index.ts';
import type { Command } from '../../collaboration/quick-actions/index.ts';
import type { RefService, RepositoryAccess } from '../../repository/index.ts';
import type { NewMergeRequest } from '../../review/index.ts';
import { branchNameOf } from './branches.ts';
import { issueAt } from './commanded.ts';
import { labelsOf } from './issues.queries.ts';

export interface Beginnings {
  readonly refs: Pick<RefService, 'createBranch'>;
  readonly repository: Pick<RepositoryAccess, 'branch' | 'mayPush'>;
  readonly createMergeRequest: (
    subject: ProjectSubject,
    caller: Caller,
    given: NewMergeRequest,
  ) => Promise<Pick<MergeRequest, 'iid'>>;
}

/** Names that are tried where a branch is there already. */
const mostNames = 100;

export function mergeRequestCommand(db: Db, { refs, repository, createMergeRequest }: Beginnings): Command {
  /** The name itself, or the first free one with a number behind it. */
  async function free({ project }: ProjectSubject, name: string): Promise<string | null> {
    for (let at = 1; at <= mostNames; at++) {
      const tried = at === 1 ? name : `${name}-${at}`;
      if ((await repository.branch(project, tried)) === null) return tried;
    }
    return null;
  }

  return {
    names: ['create_merge_request'],
    async run({ place, caller, userId }, argument) {
      const { row, subject } = await issueAt(db, place);
      const { project } = subject;
      const target = project.default_branch;
      if (!target || !canOnProject(caller, 'create_merge_request', subject)) return null;
      if ((await repository.branch(project, target)) === null) return null;
      const suggested = () => free(subject, branchNameOf(row, project.issue_branch_template));
      const branch = argument === '' ? await suggested() : argument;
      if (branch === null || !(await repository.mayPush(subject, caller, branch))) return null;
      if ((await repository.branch(project, branch)) !== null) return null;
      return {
        changes: { create_merge_request: { branch_name: branch, issue_iid: row.iid } },
        summary: `Created branch '${branch}' and a merge request to resolve this issue.`,
        async after() {
          await refs.createBranch(subject, caller, branch, target);
          const labels = (await labelsOf(db, [row.id])).get(row.id) ?? [];
          const made = await createMergeRequest(subject, caller, {
            sourceBranch: branch,
            targetBranch: target,
            title: `Draft: Resolve "${row.title}"`.slice(0, 255),
            description: `Closes #${row.iid}`,
            ...{ squash: undefined, removeSourceBranch: undefined, allowCollaboration: false },
            ...{ assigneeIds: [userId], reviewerIds: [] },
            labels: labels.map(({ title }) => title),
            milestone_id: row.milestone_id,
          });
          const text = `created merge request !${made.iid} to address this issue`;
          await transaction(db, async (tx) => {
            await systemNote(tx, ofProject('issue', row), userId, 'merge', text);
          });
        },
      };
    },
  };
}
