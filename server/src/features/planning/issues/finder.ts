/** Issues of any project as a caller sees them, for domains that link to them. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue as IssueRow } from '../../../kernel/db/rows.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { mayReadIssue, visibleIssues } from './access.ts';
import { type IssueJson, issueJson } from './issues.entity.ts';
import { issueByIid, issuesById, withDetails } from './issues.queries.ts';

export interface IssueFinder {
  /** The issue of this number in a project; undefined where the caller does not see it. */
  numbered(project: string, iid: number, caller: Caller): Promise<IssueRow | undefined>;
  /** Of issues with these ids, those that the caller sees, by id; written as in texts of the project. */
  shown(ids: readonly number[], caller: Caller, projectId: number): Promise<ReadonlyMap<number, IssueJson>>;
}

export function issueFinder(db: Db, base: string, parents: Pick<ParentLoader, 'project' | 'projects'>): IssueFinder {
  return {
    async numbered(project, iid, caller) {
      const subject = await parents.project(project, caller);
      const issue = subject && (await issueByIid(db, subject.project.id, iid));
      return issue && (await mayReadIssue(db, subject, caller, issue)) ? issue : undefined;
    },
    async shown(ids, caller, projectId) {
      if (ids.length === 0) return new Map();
      const rows = await visibleIssues(db, parents, await issuesById(db, ids), caller);
      const loaded = await withDetails(db, rows, caller);
      return new Map(loaded.map((each) => [each.row.id, issueJson(each, base, { projectId })]));
    },
  };
}
