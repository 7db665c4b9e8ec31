/** Quick actions on merge requests. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { recordNotFound, unprocessable } from '../../../kernel/http/errors.ts';
import type { Place } from '../../collaboration/notes/index.ts';
import {
  type Command,
  type Commandable,
  type Current,
  guarded,
  type Outcome,
  type Running,
  usersIn,
} from '../../collaboration/quick-actions/index.ts';
import type { ApprovalService } from '../approvals/approvals.service.ts';
import type { mergingService } from '../merging/merging.service.ts';
import type { rebasing } from '../merging/rebasing.ts';
import type { ReviewService, ReviewState } from '../reviews/reviews.service.ts';
import { mayUpdateRequest } from './access.ts';
import type { PipelineReader } from './changes.routes.ts';
import { peopleIn } from './history.queries.ts';
import { isDraft } from './merge-requests.entity.ts';
import * as queries from './merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from './merge-requests.service.ts';
import { timedMergeRequest } from './noteable.ts';
import { labelsOf } from './planned.queries.ts';

interface Dependencies extends Pick<MergeRequestDependencies, 'db' | 'changed' | 'projectAs' | 'repository'> {
  readonly requests: Pick<MergeRequestService, 'update'>;
  readonly approvals: Pick<ApprovalService, 'unapprove'>;
  readonly reviews: Pick<ReviewService, 'submit' | 'mayReview' | 'requestAgain'>;
  readonly pipelines: Pick<PipelineReader, 'createForMergeRequest'>;
  readonly merging: Pick<ReturnType<typeof mergingService>, 'accept'>;
  readonly rebases: Pick<ReturnType<typeof rebasing>, 'start'>;
}

/** Arguments of `/submit_review`. */
const outcomes: ReadonlyMap<string, ReviewState> = new Map([
  ['', 'reviewed'],
  ['reviewed', 'reviewed'],
  ['approve', 'approved'],
  ['approved', 'approved'],
  ['requested_changes', 'requested_changes'],
  ['request_changes', 'requested_changes'],
]);
const summaries: Readonly<Record<ReviewState, string>> = {
  reviewed: 'Submitted the current review.',
  approved: 'Submitted the current review and approved the merge request.',
  requested_changes: 'Submitted the current review and requested changes.',
};

const draftMark = /^(\s*(\[draft\]|\(draft\)|draft:|draft\s-\s)\s*)+/i;

export function mergeRequestCommands(deps: Dependencies): Commandable {
  const { db } = deps;

  async function requestAt({ noteable, subject }: Place): Promise<{ row: MergeRequest; subject: ProjectSubject }> {
    const row = noteable.id === null ? null : await queries.byId(db, noteable.id);
    if (!row || subject.kind !== 'project') throw recordNotFound();
    return { row, subject };
  }

  async function metadata(row: MergeRequest): Promise<Pick<Current, 'labels' | 'milestoneId'>> {
    return { labels: (await labelsOf(db, [row.id])).get(row.id) ?? [], milestoneId: row.milestone_id };
  }

  /** Marks as a draft or as ready; left alone where it is that already, but for the name that toggles. */
  const marking = (names: Command['names'], wanted: boolean | 'toggled'): Command =>
    guarded('edit', names, async (on) => {
      const title = on.wish.title ?? on.current.title;
      const now = isDraft(title);
      const draft = wanted === 'toggled' ? !now : wanted;
      const marked = draft ? `Draft: ${title}`.slice(0, 255) : title.replace(draftMark, '');
      if (now === draft || marked === '') return null;
      return {
        changes: { wip_event: draft ? 'draft' : 'ready' },
        wish: { title: marked },
        summary: draft ? 'Marked this merge request as a draft.' : 'Marked this merge request as ready.',
      };
    });

  /** A review with this outcome; null where the caller may not give it. */
  async function reviewed({ place, caller }: Running, state: ReviewState | undefined): Promise<Outcome | null> {
    const { row, subject } = await requestAt(place);
    if (state === undefined || row.state !== 'opened') return null;
    if (state === 'requested_changes' && !(await deps.reviews.mayReview(subject, caller, row))) return null;
    return {
      changes: { reviewer_state: state },
      summary: summaries[state],
      after: () => deps.reviews.submit(place, caller, { reviewer_state: state }),
    };
  }

  /** An open request that the caller may merge, and that no command of the same text makes anew by a rebase. */
  async function toMerge({ place, caller, written }: Running) {
    const { row, subject } = await requestAt(place);
    const { state, head_sha: sha, target_branch: target } = row;
    if (state !== 'opened' || !sha || written.has('rebase')) return null;
    if (!canOnProject(caller, 'accept_merge_request', subject)) return null;
    return (await deps.repository.branchPermissions(subject, caller)).mayMerge(target) ? { row, subject, sha } : null;
  }

  /** Merges what is the head now, or once its pipeline succeeds. */
  async function merge(subject: ProjectSubject, caller: Caller, { iid }: MergeRequest, sha: string): Promise<void> {
    await deps.merging.accept(subject, caller, iid, { sha, whenPipelineSucceeds: true });
  }

  return {
    fields: new Set(['assignees', 'reviewers', 'milestone', 'lock', 'times', 'metadata']),
    times: timedMergeRequest(deps),
    async may(place, caller, what) {
      const { row, subject } = await requestAt(place);
      if (what === 'plan') return canOnProject(caller, 'set_merge_request_metadata', subject);
      return await mayUpdateRequest(db, subject, caller, row);
    },
    async current(place) {
      const { row } = await requestAt(place);
      const [assigneeIds, reviewerIds] = await Promise.all([
        peopleIn(db, row.id, 'assignee'),
        peopleIn(db, row.id, 'reviewer'),
      ]);
      const { title, state, discussion_locked } = row;
      return { title, state, locked: discussion_locked === true, assigneeIds, reviewerIds, ...(await metadata(row)) };
    },
    async update(place, caller, wish) {
      const { row, subject } = await requestAt(place);
      await deps.requests.update(subject, caller, row, wish);
    },
    async metadataOf({ subject }, caller, reference) {
      const [, path, iid] =
        /^(?:https?:\/\/[^/\s]+\/)?([\w./-]*?)(?:!|\/-\/merge_requests\/)(\d{1,9})$/.exec(reference.trim()) ?? [];
      const there = path ? await deps.projectAs(path, caller) : subject;
      if (!iid || there?.kind !== 'project' || !canOnProject(caller, 'read_merge_request', there)) return null;
      const row = await queries.byIid(db, there.project.id, Number(iid));
      return row ? await metadata(row) : null;
    },
    commands: [
      marking(['draft'], true),
      marking(['ready'], false),
      marking(['wip'], 'toggled'),
      guarded('edit', ['target_branch'], async ({ place }, branch) => {
        const { row, subject } = await requestAt(place);
        if (branch === '' || row.state !== 'opened') return null;
        if ((await deps.repository.branch(subject.project, branch)) === null) return null;
        return {
          changes: { target_branch: branch },
          wish: { target_branch: branch },
          summary: `Set target branch to ${branch}.`,
        };
      }),
      guarded(
        'plan',
        ['request_review'],
        async (on, argument) => {
          const named = await usersIn(db, on.caller, argument);
          if (named === null) return null;
          const now = on.wish.reviewer_ids ?? on.current.reviewerIds;
          const again = named.filter((id) => now.includes(id) && on.current.reviewerIds.includes(id));
          if (again.length > 0 && !(await on.kind.may(on.place, on.caller, 'edit'))) return null;
          const ids = [...new Set([...now, ...named])];
          return {
            changes: { reviewer_ids: ids },
            ...(again.length === named.length ? {} : { wish: { reviewer_ids: ids } }),
            summary: `Requested a review from ${argument}.`,
            after: () => deps.reviews.requestAgain(on.place, on.caller, again),
          };
        },
        'reviewers',
      ),
      {
        names: ['approve'],
        async run({ place, caller }) {
          const { row } = await requestAt(place);
          if (row.state !== 'opened') return null;
          return {
            changes: {},
            summary: 'Approved the current merge request.',
            // What the same person has drafted is published with it.
            after: () => deps.reviews.submit(place, caller, { reviewer_state: 'approved' }),
          };
        },
      },
      {
        names: ['unapprove'],
        async run({ place, caller }) {
          const { row, subject } = await requestAt(place);
          if (row.state !== 'opened') return null;
          return {
            changes: {},
            summary: 'Unapproved the merge request.',
            after: async () => void (await deps.approvals.unapprove(subject, caller, row.iid)),
          };
        },
      },
      { names: ['request_changes'], run: (on) => reviewed(on, 'requested_changes') },
      {
        names: ['submit_review'],
        run: (on, argument) => reviewed(on, outcomes.get(argument.trim().toLowerCase())),
      },
      {
        names: ['merge'],
        async run(on) {
          const found = await toMerge(on);
          if (!found) return null;
          const { row, subject, sha } = found;
          return {
            changes: { merge: sha },
            summary: 'Scheduled to merge this merge request.',
            after: () => merge(subject, on.caller, row, sha),
          };
        },
      },
      {
        names: ['run_pipeline'],
        async run({ place, caller }) {
          const { row, subject } = await requestAt(place);
          if (row.state !== 'opened' || !row.head_sha) return null;
          return {
            changes: {},
            summary: 'Started a pipeline for this merge request.',
            after: async () => void (await deps.pipelines.createForMergeRequest(subject, caller, row)),
          };
        },
      },
      {
        names: ['ship'],
        async run(on) {
          const found = await toMerge(on);
          if (!found) return null;
          const { row, subject, sha } = found;
          return {
            changes: { merge: sha },
            summary: 'Started a pipeline, and scheduled to merge this merge request when it succeeds.',
            async after() {
              const { status } = await deps.pipelines.createForMergeRequest(subject, on.caller, row);
              if (status === 'failed') throw unprocessable('The pipeline failed; nothing is merged');
              await merge(subject, on.caller, row, sha);
            },
          };
        },
      },
      {
        names: ['rebase'],
        async run({ place, caller }) {
          const { row } = await requestAt(place);
          if (row.state !== 'opened') return null;
          return {
            changes: { rebase: true },
            summary: 'Scheduled a rebase.',
            after: () => deps.rebases.start(caller, row, false),
          };
        },
      },
    ],
  };
}
