/** Keeps which issues a merge request closes, as its description says, and closes them when it is merged. */
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import {
  type Fact,
  type FactConsumer,
  type FactDelivery,
  mergeRequestFacts,
  on,
} from '../../../kernel/events/index.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { mayReadIssue, mayUpdateIssue } from '../issues/access.ts';
import { issueById, issueByIid } from '../issues/issues.queries.ts';
import type { IssueService } from '../issues/issues.service.ts';
import { closedBy, requestById, setClosed } from './closing.queries.ts';
import { closedIn } from './patterns.ts';

interface Dependencies {
  readonly db: Db;
  readonly parents: Pick<ParentLoader, 'project'>;
  readonly issues: Pick<IssueService, 'update'>;
}

type RequestFact = Fact<(typeof mergeRequestFacts)[keyof typeof mergeRequestFacts]>;

export function closingConsumer({ db, parents, issues }: Dependencies): FactConsumer {
  /** Issues that the author of the request sees, for requests into the default branch. */
  async function refresh(row: MergeRequest, delivery: FactDelivery): Promise<void> {
    const found: number[] = [];
    const acting = row.author_id === null ? null : await delivery.actingAs(row.author_id, row.project_id);
    if (acting && row.target_branch === acting.subject.project.default_branch)
      for (const { project, iid } of closedIn(row.description ?? '')) {
        const { caller } = acting;
        const there = project === null ? acting.subject : await parents.project(project, caller);
        const issue = there && (await issueByIid(db, there.project.id, iid));
        if (issue && (await mayReadIssue(db, there, caller, issue))) found.push(issue.id);
      }
    await transaction(db, (tx) => setClosed(tx, row.id, found));
  }

  async function changed({ payload }: RequestFact, delivery: FactDelivery): Promise<void> {
    const row = await requestById(db, payload.merge_request_id);
    if (row && row.state !== 'merged') await refresh(row, delivery);
  }

  /** As whoever merged, where they may close the issue and its project wants that. */
  async function merged({ payload, actor_id }: RequestFact, delivery: FactDelivery): Promise<void> {
    const row = await requestById(db, payload.merge_request_id);
    if (!row || actor_id === null) return;
    await refresh(row, delivery);
    for (const id of await closedBy(db, row.id)) {
      const issue = await issueById(db, id);
      if (issue?.state !== 'opened') continue;
      const acting = await delivery.actingAs(actor_id, issue.project_id);
      if (!acting?.subject.project.autoclose_referenced_issues) continue;
      const { caller, subject } = acting;
      if (!(await mayReadIssue(db, subject, caller, issue)) || !(await mayUpdateIssue(db, subject, caller, issue)))
        continue;
      await issues.update(subject, caller, issue, { state_event: 'close' });
    }
  }

  return {
    name: 'issues.follow-merge-requests',
    handlers: [
      on([mergeRequestFacts.opened, mergeRequestFacts.updated, mergeRequestFacts.reopened], changed),
      on(mergeRequestFacts.merged, merged),
    ],
  };
}
