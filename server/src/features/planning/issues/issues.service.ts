/** Creating, changing and removing issues, each in one transaction with the facts that it records. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, together, transaction } from '../../../kernel/db/index.ts';
import type { Issue, Label, User } from '../../../kernel/db/rows.ts';
import { conflict, invalidRecord, recordNotFound, unauthorized } from '../../../kernel/http/errors.ts';
import type { StateCause } from '../../collaboration/index.ts';
import { raiseCounter } from '../../namespaces/index.ts';
import { peopleWhoRead } from './access.ts';
import {
  assigneesOf,
  checkDates,
  checkedTitle,
  type GivenIssue,
  isPlain,
  type NewIssue,
  tellIssue,
  valuesOf,
} from './changes.ts';
import { assigned, beginHistories, beginHistory } from './history.ts';
import * as queries from './issues.queries.ts';
import { labelsOfNew, relabel, wishedEpic, wishedIteration, wishedMilestone } from './planning.ts';
import { updateIssue } from './updating.ts';

/** What is made of an issue: the row, and what it has where that is known without a read. */
export interface MadeIssue {
  readonly issue: Issue;
  readonly known: { readonly labels: readonly Label[]; readonly assignees: readonly User[] } | null;
}

interface PlainIssue {
  readonly project_id: number;
  readonly columns: Omit<queries.NewIssueRow, 'iid'>;
  /** Labels that are there, by id. */
  readonly labels: readonly number[];
  readonly assignees: readonly User[];
}

/** Makes issues of one project that are no more than their columns, labels and people. */
async function makePlain(tx: Db, wanted: readonly [PlainIssue, ...PlainIssue[]]): Promise<MadeIssue[]> {
  const rows = wanted.map(({ columns }) => columns);
  const issues = await queries.insertNextIssues(tx, wanted[0].project_id, rows);
  const given = (idsOf: (one: PlainIssue) => readonly number[]) =>
    wanted.flatMap((one, at) => idsOf(one).map((id): queries.Given => [issues[at]?.id ?? 0, id]));
  const labels = await queries.equip(
    tx,
    given((one) => one.labels),
    given((one) => one.assignees.map(({ id }) => id)),
  );
  const made = wanted.flatMap(({ assignees }, at) => {
    const issue = issues[at];
    return issue ? [{ issue, labels: labels.get(issue.id) ?? [], assignees }] : [];
  });
  await beginHistories(tx, made);
  for (const { issue } of made) await tellIssue(tx, 'opened', issue, issue.author_id);
  return made.map(({ issue, ...known }) => ({ issue, known }));
}

export function issueService(db: Db) {
  /** Those that are plain are written together with others of their project that come meanwhile. */
  const createPlain = together<PlainIssue, MadeIssue>(
    ({ project_id }) => String(project_id),
    (wanted) => transaction(db, (tx) => makePlain(tx, wanted)),
  );

  /** `within` is part of the transaction: what must be true together with the issue. */
  async function create(
    subject: ProjectSubject,
    caller: Caller,
    given: NewIssue,
    within?: (tx: Db, issue: Issue) => Promise<void>,
  ): Promise<MadeIssue> {
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
    const { created_at } = own;
    const columns = {
      ...valuesOf(plan),
      author_id: author.id,
      title,
      description: given.description ?? null,
      confidential: given.confidential ?? false,
      type: special && !may('update_issue') ? 'issue' : (given.issue_type ?? 'issue'),
      user_agent: given.userAgent?.slice(0, 1000) ?? null,
      ip_address: given.address ?? null,
      ...(created_at ? { created_at, updated_at: created_at } : {}),
    } as const;
    if (isPlain({ ...plan, ...own }) && !within && !db.isTransaction) {
      const [labels, assignees] = await Promise.all([
        labelsOfNew(db, subject, caller, plan),
        peopleWhoRead(db, subject, assigneesOf(plan) ?? [], caller),
      ]);
      if (labels) return await createPlain({ project_id, columns, labels, assignees });
    }
    try {
      return await transaction(db, async (tx) => {
        const planned = {
          milestone_id: (await wishedMilestone(tx, subject, plan)) ?? null,
          epic_id: (await wishedEpic(tx, subject, caller, plan)) ?? null,
          iteration_id: (await wishedIteration(tx, subject, plan)) ?? null,
        };
        const people = (await peopleWhoRead(tx, subject, assigneesOf(plan) ?? [], caller)).map(({ id }) => id);
        if (own.iid !== undefined) {
          if (own.iid < 1) throw invalidRecord({ iid: ['must be greater than 0'] });
          await raiseCounter(tx, project_id, 'issue', own.iid);
        }
        const row = { ...columns, ...planned };
        const [issue] =
          own.iid === undefined
            ? await queries.insertNextIssues(tx, project_id, [row])
            : await queries.insertIssues(tx, project_id, [{ ...row, iid: own.iid }]);
        if (!issue) throw recordNotFound();
        await beginHistory(tx, issue, author.id, await relabel(tx, subject, caller, issue.id, plan, { fresh: true }));
        await queries.addAssignees(tx, issue.id, people);
        await assigned(tx, issue, author.id, people);
        await tellIssue(tx, 'opened', issue, author.id);
        await within?.(tx, issue);
        return { issue, known: null };
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'issues_project_id_iid_key')) throw error;
      throw conflict('Duplicated issue');
    }
  }

  async function remove(issue: Issue, caller: Caller): Promise<void> {
    await transaction(db, async (tx) => {
      const row = await queries.lockIssue(tx, issue.id);
      if (!row) throw recordNotFound();
      await queries.deleteIssue(tx, row.id);
      await queries.countOpen(tx, row);
      await tellIssue(tx, 'deleted', row, caller.user?.id ?? null);
    });
  }

  return {
    create,
    remove,
    update: (
      subject: ProjectSubject,
      caller: Caller,
      issue: Issue,
      given: Parameters<typeof updateIssue>[4],
      cause?: StateCause,
    ) => updateIssue(db, subject, caller, issue, given, cause ? { cause } : {}),
    leaveEpic: (subject: ProjectSubject, caller: Caller, issue: Issue, epicId: number) =>
      updateIssue(db, subject, caller, issue, { epic_id: null }, { leaves: epicId }),
  };
}

export type IssueService = ReturnType<typeof issueService>;
