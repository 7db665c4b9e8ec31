/** Keeps which issues a merge request closes, and closes issues when requests are merged and commits are pushed that say so. */
import type { Acting } from '../../../kernel/authz/acting.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Issue, MergeRequest } from '../../../kernel/db/rows.ts';
import {
  type Fact,
  type FactConsumer,
  type FactDelivery,
  mergeRequestFacts,
  on,
  pushed,
} from '../../../kernel/events/index.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import type { PushedCommits, StateCause } from '../../collaboration/index.ts';
import { mayReadIssue, mayUpdateIssue } from '../issues/access.ts';
import { issueById, issueByIid } from '../issues/issues.queries.ts';
import type { IssueService } from '../issues/issues.service.ts';
import { isMerge, closedBy as issuesClosedBy, requestById, setClosed } from './closing.queries.ts';
import { closedIn } from './patterns.ts';
import { closingTexts, mostCommits } from './texts.ts';

interface Dependencies {
  readonly db: Db;
  readonly parents: Pick<ParentLoader, 'project'>;
  readonly issues: Pick<IssueService, 'update'>;
  readonly pushedCommits: PushedCommits;
}

type RequestFact = Fact<(typeof mergeRequestFacts)[keyof typeof mergeRequestFacts]>;

export function closingConsumer(deps: Dependencies): FactConsumer {
  const { db, parents, issues } = deps;

  /** Issues that a text closes and that whoever wrote it sees. */
  async function closedBy(text: string, { caller, subject }: Acting): Promise<Issue[]> {
    const found: Issue[] = [];
    for (const { project, iid } of closedIn(text)) {
      const there = project === null ? subject : await parents.project(project, caller);
      const issue = there && (await issueByIid(db, there.project.id, iid));
      if (issue && (await mayReadIssue(db, there, caller, issue))) found.push(issue);
    }
    return found;
  }

  /** By title, description and commits of requests into the default branch, as their author sees them. */
  async function refresh(row: MergeRequest, delivery: FactDelivery): Promise<void> {
    const acting = row.author_id === null ? null : await delivery.actingAs(row.author_id, row.project_id);
    const texts = acting ? await closingTexts(row, acting.subject, deps.pushedCommits) : [];
    const ids = new Set<number>();
    if (acting) for (const text of texts) for (const { id } of await closedBy(text, acting)) ids.add(id);
    await transaction(db, (tx) => setClosed(tx, row.id, [...ids]));
  }

  /** In somebody's name, where they may close it and its project wants that. */
  async function close(issueId: number, actorId: number, cause: StateCause, delivery: FactDelivery): Promise<void> {
    const issue = await issueById(db, issueId);
    if (issue?.state !== 'opened') return;
    const acting = await delivery.actingAs(actorId, issue.project_id);
    if (!acting?.subject.project.autoclose_referenced_issues) return;
    const { caller, subject } = acting;
    if (!(await mayReadIssue(db, subject, caller, issue)) || !(await mayUpdateIssue(db, subject, caller, issue)))
      return;
    await issues.update(subject, caller, issue, { state_event: 'close' }, cause);
  }

  async function changed({ payload }: RequestFact, delivery: FactDelivery): Promise<void> {
    const row = await requestById(db, payload.merge_request_id);
    if (row && row.state !== 'merged') await refresh(row, delivery);
  }

  async function merged({ payload, actor_id }: RequestFact, delivery: FactDelivery): Promise<void> {
    const row = await requestById(db, payload.merge_request_id);
    if (!row || actor_id === null) return;
    await refresh(row, delivery);
    for (const id of await issuesClosedBy(db, row.id)) await close(id, actor_id, { mergeRequestId: row.id }, delivery);
  }

  /** What messages of commits close that come to the default branch. */
  async function pushedTo({ payload, actor_id, project_id }: Fact<typeof pushed>, delivery: FactDelivery) {
    const acting = actor_id === null || project_id === null ? null : await delivery.actingAs(actor_id, project_id);
    if (!acting || actor_id === null || payload.ref !== `refs/heads/${acting.subject.project.default_branch}`) return;
    const commits = await deps.pushedCommits.brought(acting.subject, payload, mostCommits);
    for (const { id: commit, message } of commits.toReversed()) {
      const closed = await closedBy(message, acting);
      // What a merge request closes is closed by it, not by the commit that merges it.
      if (closed.length === 0 || (await isMerge(db, acting.subject.project.id, commit))) continue;
      for (const { id } of closed) await close(id, actor_id, { commit }, delivery);
    }
  }

  return {
    name: 'issues.follow-merge-requests',
    handlers: [
      on(
        [
          mergeRequestFacts.opened,
          mergeRequestFacts.updated,
          mergeRequestFacts.reopened,
          mergeRequestFacts.head_changed,
        ],
        changed,
      ),
      on(mergeRequestFacts.merged, merged),
      on(pushed, pushedTo),
    ],
  };
}
