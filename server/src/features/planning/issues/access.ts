/** Who sees and changes a single issue: the roles of the project, and who wrote it or is to do it. */
import { inPerson } from '../../../kernel/authz/acting.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue, User } from '../../../kernel/db/rows.ts';
import { forbidden, recordNotFound, unauthorized } from '../../../kernel/http/errors.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { findUser } from '../../identity/index.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import { isAssigned, issueByIid } from './issues.queries.ts';

type Judged = Pick<Issue, 'id' | 'author_id' | 'confidential'>;

/** Whether the caller wrote it or is to do it. */
async function isInvolved(db: Db, caller: Caller, issue: Judged): Promise<boolean> {
  if (caller.user === null) return false;
  return issue.author_id === caller.user.id || (await isAssigned(db, issue.id, caller.user.id));
}

export async function mayReadIssue(db: Db, subject: ProjectSubject, caller: Caller, issue: Judged): Promise<boolean> {
  if (!canOnProject(caller, 'read_issue', subject)) return false;
  return (
    !issue.confidential ||
    canOnProject(caller, 'read_confidential_issue', subject) ||
    (await isInvolved(db, caller, issue))
  );
}

/** Of issues of any projects, those that the caller sees. */
export async function visibleIssues(
  db: Db,
  parents: Pick<ParentLoader, 'projects'>,
  rows: readonly Issue[],
  caller: Caller,
): Promise<Issue[]> {
  const subjects = await parents.projects([...new Set(rows.map(({ project_id }) => project_id))], caller);
  const seen = await Promise.all(
    rows.map(async (row) => {
      const subject = subjects.get(row.project_id);
      return subject !== undefined && (await mayReadIssue(db, subject, caller, row));
    }),
  );
  return rows.filter((_row, at) => seen[at]);
}

/** Texts and state: also by whoever wrote it or is to do it, while the project takes changes. */
export async function mayUpdateIssue(db: Db, subject: ProjectSubject, caller: Caller, issue: Judged): Promise<boolean> {
  return (
    canOnProject(caller, 'update_issue', subject) ||
    (canOnProject(caller, 'create_issue', subject) && (await isInvolved(db, caller, issue)))
  );
}

/** The project's issue of the number. 404 for what the caller does not see. */
export async function findIssue(db: Db, subject: ProjectSubject, caller: Caller, iid: number): Promise<Issue> {
  const issue = await issueByIid(db, subject.project.id, iid);
  if (!issue || !(await mayReadIssue(db, subject, caller, issue))) throw recordNotFound();
  return issue;
}

/** The same for changes of its texts and state. */
export async function findIssueToUpdate(db: Db, subject: ProjectSubject, caller: Caller, iid: number): Promise<Issue> {
  const issue = await findIssue(db, subject, caller, iid);
  if (!(await mayUpdateIssue(db, subject, caller, issue))) throw caller.user === null ? unauthorized() : forbidden();
  return issue;
}

/**
 * Of the given people, those who are active and see the issues of a project, each once and in the given order. The caller,
 * who loaded the project and is most often among them, is at hand.
 */
export async function peopleWhoRead(
  db: Db,
  subject: ProjectSubject,
  ids: readonly number[],
  caller: Caller,
): Promise<User[]> {
  const found = await Promise.all(
    [...new Set(ids)].map(async (id) => {
      const [user, theirs] =
        id === caller.user?.id
          ? [caller.user, subject]
          : await Promise.all([findUser(db, id), findProjectSubject(db, String(subject.project.id), id)]);
      const reads = user?.state === 'active' && theirs && canOnProject(inPerson(user), 'read_issue', theirs);
      return reads ? [user] : [];
    }),
  );
  return found.flat();
}
