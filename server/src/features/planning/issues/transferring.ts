/** Issues that go on elsewhere: moved or cloned to a project, promoted to an epic, closed as the duplicate of another. */
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Epic, Issue } from '../../../kernel/db/rows.ts';
import { badRequest, recordNotFound, unauthorized } from '../../../kernel/http/errors.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import {
  copyComments,
  copyFollowers,
  labelsNamed,
  milestoneNamed,
  milestonesById,
  type TextMoves,
} from '../../collaboration/index.ts';
import { ofProject, systemNote } from '../../collaboration/notes/index.ts';
import { copyTimes } from '../../collaboration/time-tracking/index.ts';
import { epicAbove } from '../epics/epics.queries.ts';
import { epicService } from '../epics/epics.service.ts';
import { epicNoteableOf } from '../epics/place.ts';
import { iterationAbove } from '../iterations/above.queries.ts';
import { moveMetricImages } from '../metric-images/metric-images.queries.ts';
import type { IssueFollower } from '../ports.ts';
import { peopleWhoRead } from './access.ts';
import * as queries from './issues.queries.ts';
import { issueService } from './issues.service.ts';
import { copyLinks } from './links.queries.ts';
import { linkIssues, referenceFrom } from './links.service.ts';
import { updateIssue } from './updating.ts';

export interface CloneOptions {
  readonly withNotes: boolean;
}

/** Of the titles, those of labels that a place has: a copy creates none. */
async function known(tx: Db, place: ProjectSubject | GroupSubject, titles: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const title of titles) if ((await labelsNamed(tx, place, [title], null)).length > 0) found.push(title);
  return found;
}

export interface TransferDependencies {
  readonly db: Db;
  readonly parents: Pick<ParentLoader, 'group'>;
  readonly texts: TextMoves;
  readonly followers: readonly IssueFollower[];
}

export function issueTransfers({ db, parents, texts, followers }: TransferDependencies) {
  /** A new issue with what the other project can show of the old one: people, labels and dates that exist there. */
  async function copy(
    tx: Db,
    caller: Caller,
    row: Issue,
    target: ProjectSubject,
    description: string | null,
  ): Promise<Issue> {
    const labels = (await queries.labelsOf(tx, [row.id])).get(row.id) ?? [];
    const [milestone] = await milestonesById(tx, row.milestone_id === null ? [] : [row.milestone_id]);
    const epic = row.epic_id === null ? undefined : await epicAbove(tx, target, caller, { id: row.epic_id });
    const iteration = row.iteration_id === null ? undefined : await iterationAbove(tx, target, row.iteration_id);
    const { title, confidential, discussion_locked, weight, start_date, due_date } = row;
    const people = await peopleWhoRead(tx, target, await queries.assigneeIds(tx, row.id), caller);
    const made = await issueService(tx).create(target, caller, {
      ...{ title, description, confidential, discussion_locked, weight, start_date, due_date },
      issue_type: row.type,
      health_status: row.health_status,
      severity: row.severity,
      assignee_ids: people.map(({ id }) => id),
      labels: await known(
        tx,
        target,
        labels.map((label) => label.title),
      ),
      milestone_id: (milestone && (await milestoneNamed(tx, target, milestone.title)))?.id ?? null,
      epic_id: epic?.id,
      iteration_id: iteration?.id,
    });
    return made.issue;
  }

  function requireTransfer(verb: 'move' | 'clone', subject: ProjectSubject, caller: Caller, target: ProjectSubject) {
    if (!caller.user) throw unauthorized();
    if (verb === 'move' && subject.project.id === target.project.id)
      throw badRequest('Cannot move issue to project it originates from!');
    if (!canOnProject(caller, 'update_issue', subject) || !canOnProject(caller, 'update_issue', target))
      throw badRequest(`Cannot ${verb} issue due to insufficient permissions!`);
    return caller.user.id;
  }

  return {
    /** The issue in another project, with all that was said about it; the old one is closed and leads there. */
    async move(subject: ProjectSubject, caller: Caller, issue: Issue, target: ProjectSubject): Promise<Issue> {
      const userId = requireTransfer('move', subject, caller, target);
      const there = { caller, from: subject, to: target };
      return await texts.along(there, issue.description, ofProject('issue', issue), async (tx, moved) => {
        const row = await queries.lockIssue(tx, issue.id);
        if (!row) throw recordNotFound();
        if (row.moved_to_id !== null || row.promoted_to_epic_id !== null)
          throw badRequest('Cannot move issue due to insufficient permissions!');
        const made = await copy(tx, caller, row, target, moved.text(row.description));
        const [from, to] = [ofProject('issue', row), ofProject('issue', made)];
        await copyComments(tx, from, to, moved.comments);
        await copyFollowers(tx, from, to);
        await copyLinks(tx, row.id, made.id);
        await copyTimes(tx, 'issues', row.id, made.id);
        await moveMetricImages(tx, row.id, made.id);
        for (const each of followers) await each.issueMoved(tx, row.id, made.id);
        await systemNote(tx, to, userId, 'moved', `moved from ${await referenceFrom(tx, made, row)}`);
        await systemNote(tx, from, userId, 'moved', `moved to ${await referenceFrom(tx, row, made)}`);
        await updateIssue(tx, subject, caller, row, { state_event: 'close' }, { successor: { moved_to_id: made.id } });
        // Who wrote it and when stays as it was.
        return await queries.updateIssue(tx, made.id, { author_id: row.author_id, created_at: row.created_at });
      });
    },

    /** A copy by whoever asks, in the same or another project, with the comments where these are wanted. */
    async clone(
      subject: ProjectSubject,
      caller: Caller,
      issue: Issue,
      target: ProjectSubject,
      { withNotes }: CloneOptions,
    ): Promise<Issue> {
      const userId = requireTransfer('clone', subject, caller, target);
      const there = { caller, from: subject, to: target };
      const said = withNotes ? ofProject('issue', issue) : null;
      return await texts.along(there, issue.description, said, async (tx, moved) => {
        const row = await queries.lockIssue(tx, issue.id);
        if (!row) throw recordNotFound();
        const made = await copy(tx, caller, row, target, moved.text(row.description));
        const [from, to] = [ofProject('issue', row), ofProject('issue', made)];
        if (withNotes) await copyComments(tx, from, to, moved.comments);
        await systemNote(tx, to, userId, 'cloned', `cloned from ${await referenceFrom(tx, made, row)}`);
        await systemNote(tx, from, userId, 'cloned', `cloned to ${await referenceFrom(tx, row, made)}`);
        return made;
      });
    },

    /** The group in which the caller may make an epic of an issue; null where they may not. */
    async groupToPromote(subject: ProjectSubject, caller: Caller, issue: Issue): Promise<GroupSubject | null> {
      if (subject.namespace.kind !== 'group' || issue.type !== 'issue' || issue.promoted_to_epic_id !== null)
        return null;
      if (issue.moved_to_id !== null || !canOnProject(caller, 'update_issue', subject)) return null;
      const group = await parents.group(String(subject.namespace.id), caller);
      return group && canOnGroup(caller, 'create_epic', group) ? group : null;
    },

    /** An epic with the texts, labels and comments of the issue, which is closed. */
    async promote(subject: ProjectSubject, caller: Caller, issue: Issue): Promise<Epic> {
      const { user } = caller;
      const group = await this.groupToPromote(subject, caller, issue);
      if (!group || !user) throw badRequest('Cannot promote issue due to insufficient permissions.');
      const there = { caller, from: subject, to: group };
      return await texts.along(there, issue.description, ofProject('issue', issue), async (tx, moved) => {
        const row = await queries.lockIssue(tx, issue.id);
        if (!row) throw recordNotFound();
        if (row.promoted_to_epic_id !== null) throw badRequest('Issue already promoted to epic.');
        const labels = (await queries.labelsOf(tx, [row.id])).get(row.id) ?? [];
        const above = row.epic_id === null ? undefined : await epicAbove(tx, subject, caller, { id: row.epic_id });
        const epic = await epicService(tx).create(group, caller, {
          title: row.title,
          description: moved.text(row.description),
          confidential: row.confidential,
          parent_id: above?.id,
          labels: await known(
            tx,
            group,
            labels.map((label) => label.title),
          ),
        });
        const [from, to] = [ofProject('issue', row), epicNoteableOf(epic)];
        await copyComments(tx, from, to, moved.comments);
        await copyFollowers(tx, from, to);
        const path = `${subject.namespace.full_path}/${subject.project.path}`;
        await systemNote(tx, to, user.id, 'issue_promoted', `promoted from issue ${path}#${row.iid}`);
        await systemNote(tx, from, user.id, 'issue_promoted', `promoted to epic ${group.group.full_path}&${epic.iid}`);
        await updateIssue(
          tx,
          subject,
          caller,
          row,
          { state_event: 'close' },
          { successor: { promoted_to_epic_id: epic.id } },
        );
        return epic;
      });
    },

    /** Closes an issue that says the same as another one, and links the two. */
    async duplicate(subject: ProjectSubject, caller: Caller, issue: Issue, original: Issue): Promise<Issue> {
      const { user } = caller;
      if (!user) throw unauthorized();
      return await transaction(db, async (tx) => {
        await linkIssues(tx, issue, original, 'relates_to', user.id);
        const [here, there] = [ofProject('issue', issue), ofProject('issue', original)];
        const [other, own] = [await referenceFrom(tx, issue, original), await referenceFrom(tx, original, issue)];
        await systemNote(tx, here, user.id, 'duplicate', `marked this issue as a duplicate of ${other}`);
        await systemNote(tx, there, user.id, 'duplicate', `marked ${own} as a duplicate of this issue`);
        return await updateIssue(
          tx,
          subject,
          caller,
          issue,
          { state_event: 'close' },
          { successor: { duplicated_to_id: original.id } },
        );
      });
    },
  };
}
export type IssueTransfers = ReturnType<typeof issueTransfers>;
