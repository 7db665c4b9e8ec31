/** Creating, changing and removing issues, each in one transaction with the facts that it records. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import { invalidRecord, recordNotFound, unauthorized } from '../../../kernel/http/errors.ts';
import { nextIid, raiseCounter } from '../../namespaces/index.ts';
import { peopleWhoRead } from './access.ts';
import {
  assigneesOf,
  checkDates,
  checkedTitle,
  type GivenIssue,
  type NewIssue,
  tellIssue,
  valuesOf,
} from './changes.ts';
import { assigned, beginHistory } from './history.ts';
import * as queries from './issues.queries.ts';
import { relabel, wishedEpic, wishedIteration, wishedMilestone } from './planning.ts';
import { updateIssue } from './updating.ts';

export function issueService(db: Db) {
  /** `within` is part of the transaction: what must be true together with the issue. */
  async function create(
    subject: ProjectSubject,
    caller: Caller,
    given: NewIssue,
    within?: (tx: Db) => Promise<void>,
  ): Promise<Issue> {
    const author = caller.user;
    if (!author) throw unauthorized();
    const title = checkedTitle(given.title);
    const may = (ability: Parameters<typeof canOnProject>[1]) => canOnProject(caller, ability, subject);
    // Whoever is no member only proposes; owners alone say when something was, and as which number.
    const plan: GivenIssue = may('set_new_issue_metadata') ? given : {};
    const own = may('set_issue_created_at') ? { created_at: given.created_at, iid: given.iid } : {};
    const special = given.issue_type === 'incident' || given.issue_type === 'test_case';
    checkDates({ start_date: plan.start_date ?? null, due_date: plan.due_date ?? null });
    const project_id = subject.project.id;
    try {
      return await transaction(db, async (tx) => {
        if (own.iid !== undefined) {
          if (own.iid < 1) throw invalidRecord({ iid: ['must be greater than 0'] });
          await raiseCounter(tx, project_id, 'issue', own.iid);
        }
        const created = own.created_at;
        const issue = await queries.insertIssue(tx, {
          ...valuesOf(plan),
          project_id,
          iid: own.iid ?? (await nextIid(tx, project_id, 'issue')),
          author_id: author.id,
          title,
          description: given.description ?? null,
          confidential: given.confidential ?? false,
          type: special && !may('update_issue') ? 'issue' : (given.issue_type ?? 'issue'),
          milestone_id: (await wishedMilestone(tx, subject, plan)) ?? null,
          epic_id: (await wishedEpic(tx, subject, caller, plan)) ?? null,
          iteration_id: (await wishedIteration(tx, subject, plan)) ?? null,
          user_agent: given.userAgent?.slice(0, 1000) ?? null,
          ip_address: given.address ?? null,
          ...(created ? { created_at: created, updated_at: created } : {}),
        });
        await beginHistory(tx, issue, author.id, await relabel(tx, subject, caller, issue.id, plan));
        const people = await peopleWhoRead(tx, subject, assigneesOf(plan) ?? []);
        if (people.length > 0) await queries.setAssignees(tx, issue.id, people);
        await assigned(tx, issue, author.id, people);
        await queries.countOpen(tx, project_id, 1);
        await tellIssue(tx, 'opened', issue, author.id);
        await within?.(tx);
        return issue;
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'issues_project_id_iid_key')) throw error;
      throw invalidRecord({ iid: ['has already been taken'] });
    }
  }

  async function remove(issue: Issue, caller: Caller): Promise<void> {
    await transaction(db, async (tx) => {
      const row = await queries.lockIssue(tx, issue.id);
      if (!row) throw recordNotFound();
      await queries.deleteIssue(tx, row.id);
      if (row.state === 'opened') await queries.countOpen(tx, row.project_id, -1);
      await tellIssue(tx, 'deleted', row, caller.user?.id ?? null);
    });
  }

  return {
    create,
    remove,
    update: (subject: ProjectSubject, caller: Caller, issue: Issue, given: Parameters<typeof updateIssue>[4]) =>
      updateIssue(db, subject, caller, issue, given),
  };
}

export type IssueService = ReturnType<typeof issueService>;
