/** What a merge request does: create, follow its branches, tell whether it can be merged, merge. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import {
  HttpError,
  invalidRecord,
  notFound,
  plainError,
  unauthorized,
  unprocessable,
} from '../../../kernel/http/errors.ts';
import type { Logger } from '../../../kernel/telemetry/index.ts';
import type { RepositoryAccess, Workbench } from '../../repository/index.ts';
import { checksAllow } from '../status-checks/status-checks.service.ts';
import { headFollower } from './following.ts';
import * as heads from './head-pipelines.queries.ts';
import { headRef } from './head-ref.ts';
import { isDraft } from './merge-requests.entity.ts';
import * as queries from './merge-requests.queries.ts';
import {
  type DetailedStatus,
  detailedStatus,
  type PipelineRule,
  pipelineActive,
  pipelineAllows,
  titleAllowed,
} from './mergeability.ts';
import { commitMessage, defaultMergeTemplate, defaultSquashTemplate } from './messages.ts';
import { type LabelChange, type PlanWishes, relabel, wishedMilestone } from './planning.ts';
import { mayCollaborate, ofFork, requestSources } from './sources.ts';
import { type UpdateOptions, updateMergeRequest } from './updating.ts';

/** A fact of this slice, written with the change that it tells. */
export type RecordFact = (
  tx: Db,
  fact: {
    kind: `merge_request.${string}`;
    projectId: number;
    actorId: number | null;
    payload: { merge_request_id: number; iid: number };
  },
) => Promise<void>;

export interface MergeRequestDependencies {
  readonly db: Db;
  readonly log: Logger;
  readonly externalUrl: string;
  readonly repository: RepositoryAccess;
  readonly nextIid: (tx: Db, projectId: number, kind: 'merge_request') => Promise<number>;
  readonly recordFact: RecordFact;
  /** Tells open pages that the request changed. */
  readonly changed: (tx: Db, row: { id: number; project_id: number }) => Promise<void>;
  readonly pipelineStatus: (db: Db, pipelineId: number) => Promise<string | null>;
  /** A project as it is now; null when it is gone. */
  readonly project: (id: number) => Promise<Project | null>;
  /** A project by id or path as somebody has it; whether they may see it is the caller's to ask. */
  readonly projectAs: (idOrPath: string | number, caller: Caller) => Promise<ProjectSubject | null>;
  /** The person and the project as they are now, for work without a request. */
  readonly actingAs: (userId: number, projectId: number) => Promise<{ caller: Caller; subject: ProjectSubject } | null>;
}

/** What of a push is told on with the move of a head: the job that pushed, and that no pipeline is wanted. */
export interface Cause {
  readonly job_id?: number;
  readonly skip_ci?: true;
}

export interface MergeOptions {
  readonly mergeCommitMessage?: string | undefined;
  readonly squashCommitMessage?: string | undefined;
  readonly squash?: boolean | undefined;
  readonly shouldRemoveSourceBranch?: boolean | undefined;
  /** Head that the caller looked at. */
  readonly sha?: string | undefined;
}

export interface CreateOptions extends Pick<PlanWishes, 'labels' | 'milestone_id'> {
  /** Where the source branch is; the project itself by default. */
  readonly source?: ProjectSubject | undefined;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly description: string | null;
  readonly squash: boolean | undefined;
  readonly removeSourceBranch: boolean | undefined;
  readonly allowCollaboration: boolean;
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
}

const told = [
  ...(['title', 'description', 'target_branch', 'state', 'squash', 'discussion_locked', 'head_sha'] as const),
  ...(['milestone_id', 'allow_collaboration', 'merge_status', 'updated_at'] as const),
];

/** Columns that differ, as they were and are. */
const differences = (before: MergeRequest, after: MergeRequest) =>
  Object.fromEntries(
    told
      .filter((column) => String(before[column]) !== String(after[column]))
      .map((column) => [column, { previous: before[column], current: after[column] }]),
  );

export function mergeRequestService(deps: MergeRequestDependencies) {
  const { db, repository } = deps;
  const sources = requestSources(deps);
  const follow = headFollower(deps, { tell: (...told) => tell(...told) }, sources);

  /** With the row as it was, what changed is told too. */
  const tell = async (
    tx: Db,
    kind: `merge_request.${string}`,
    row: MergeRequest,
    actorId: number | null,
    before?: MergeRequest,
    { labels, ...cause }: Cause & { readonly labels?: LabelChange | null } = {},
  ) => {
    await deps.recordFact(tx, {
      kind,
      projectId: row.project_id,
      actorId,
      payload: {
        merge_request_id: row.id,
        iid: row.iid,
        ...(before ? { changes: { ...differences(before, row), ...(labels ? { labels } : {}) } } : {}),
        ...cause,
      },
    });
    await deps.changed(tx, row);
  };

  async function create(subject: ProjectSubject, caller: Caller, options: CreateOptions): Promise<MergeRequest> {
    const project = subject.project;
    const source = options.source?.project ?? project;
    const author = caller.user;
    if (!author) throw unauthorized();
    if (source.id === project.id && options.sourceBranch === options.targetBranch) {
      throw new HttpError(409, { message: ["You can't use same project/branch for source and target"] });
    }
    if (source.id !== project.id && !(await repository.related(source.id, project.id)))
      throw unprocessable('Source project is not a fork of the target project');
    const [head, target] = await Promise.all([
      repository.branch(source, options.sourceBranch),
      repository.branch(project, options.targetBranch),
    ]);
    const reasons: Record<string, string[]> = {};
    if (head === null) reasons.source_branch = ['does not exist'];
    if (target === null) reasons.target_branch = ['does not exist'];
    if (head === null || target === null) throw invalidRecord(reasons);
    if (source.id !== project.id) await repository.carry(project, source, head);
    const base = (await repository.mergeBase(project, target, head)) ?? target;
    const squash = squashAllowed(project.squash_option, options.squash);
    try {
      const made = await transaction(db, async (tx) => {
        const iid = await deps.nextIid(tx, project.id, 'merge_request');
        const row = await queries.insertRow(tx, {
          iid,
          projectId: project.id,
          sourceProjectId: source.id,
          sourceBranch: options.sourceBranch,
          targetBranch: options.targetBranch,
          authorId: author.id,
          title: options.title,
          description: options.description,
          squash,
          forceRemoveSourceBranch: options.removeSourceBranch ?? project.remove_source_branch_after_merge,
          allowCollaboration: options.allowCollaboration && mayCollaborate(source, project),
          headSha: head,
          baseSha: base,
          startSha: target,
          milestoneId: (await wishedMilestone(tx, subject, caller, options)) ?? null,
        });
        await relabel(tx, subject, caller, row.id, options);
        await queries.setPeople(tx, row.id, 'assignee', await queries.activeUsers(tx, options.assigneeIds));
        await queries.setPeople(tx, row.id, 'reviewer', await queries.activeUsers(tx, options.reviewerIds));
        await queries.insertVersion(tx, { id: row.id, headSha: head, baseSha: base, startSha: target });
        const pipeline = await heads.newestPipelineFor(tx, row);
        if (pipeline !== null) await heads.setHeadPipeline(tx, row.id, pipeline);
        await repository.keepRef(tx, project, headRef(iid), head);
        await tell(tx, 'merge_request.opened', row, author.id);
        return pipeline === null ? row : { ...row, head_pipeline_id: pipeline };
      });
      return await caughtUp(made, author.id);
    } catch (error) {
      if (!isUniqueViolation(error, 'merge_requests_open_key')) throw error;
      const [existing] = (await queries.openFromBranch(db, source.id, options.sourceBranch)).filter(
        (row) => row.target_branch === options.targetBranch && row.project_id === project.id,
      );
      throw new HttpError(409, {
        message: [`Another open merge request already exists for this source branch: !${existing?.iid ?? ''}`],
      });
    }
  }

  /** What was pushed while nobody knew yet that there was a request to tell of it. */
  async function caughtUp(row: MergeRequest, actorId: number | null): Promise<MergeRequest> {
    const head = await sources.liveHead(row);
    if (head === null || head === row.head_sha || row.source_project_id === null) return row;
    await follow(row.source_project_id, row.source_branch, head, actorId);
    return (await queries.byId(db, row.id)) ?? row;
  }

  async function lockedOf(
    subject: ProjectSubject,
    caller: Caller,
    { target_branch, author_id }: MergeRequest,
    range: { readonly from: string; readonly to: string },
  ): Promise<'locked_paths' | 'locked_lfs_files' | null> {
    const people = [author_id, caller.user?.id].filter((id) => typeof id === 'number');
    const lock = await repository.lockInTheWay(subject, target_branch, range, people);
    return lock && (lock.lfs ? 'locked_lfs_files' : 'locked_paths');
  }

  /** Brings head, target and mergeability up to date with the repository; cheap when nothing has moved. */
  async function refresh(
    subject: ProjectSubject,
    caller: Caller,
    row: MergeRequest,
  ): Promise<{ row: MergeRequest; status: DetailedStatus; behind: boolean; pipelineRule: PipelineRule }> {
    const project = subject.project;
    const pipelineRule = await heads.pipelineRuleOf(db, project.id);
    const pipelineStatus = row.head_pipeline_id === null ? null : await deps.pipelineStatus(db, row.head_pipeline_id);
    if (row.state !== 'opened') return { row, status: 'not_open', behind: false, pipelineRule };
    const [head, target] = await Promise.all([
      sources.headOf(project, row),
      repository.branch(project, row.target_branch),
    ]);
    if (head === null || target === null) {
      return {
        row,
        status: detailedStatus({
          row,
          project,
          pipelineRule,
          pipelineStatus,
          branchesExist: false,
          upToDate: false,
          checksAllow: false,
          locked: null,
        }),
        behind: false,
        pipelineRule,
      };
    }
    const key = `${target}:${head}`;
    let current = row;
    if (row.checked_against !== key || row.merge_status === 'unchecked' || row.merge_status === 'checking') {
      const attempt = await repository.tryMerge(project, target, head);
      const hasConflicts = attempt.tree === null;
      const nothing = !hasConflicts && head === (await repository.mergeBase(project, target, head));
      const mergeStatus = hasConflicts || nothing ? 'cannot_be_merged' : 'can_be_merged';
      await queries.recordMergeability(db, row.id, { mergeStatus, hasConflicts, checkedAgainst: key });
      current = { ...row, merge_status: mergeStatus, has_conflicts: hasConflicts, checked_against: key };
    }
    const upToDate = project.merge_method === 'merge' || (await repository.isAncestor(project, target, head));
    const facts = {
      row: current,
      project,
      pipelineRule,
      pipelineStatus,
      branchesExist: true,
      upToDate,
      // What was said of the head that is there now, also before the request has followed it.
      checksAllow: await checksAllow(db, project, { ...current, head_sha: head }),
      locked: await lockedOf(subject, caller, row, { from: target, to: head }),
    };
    return {
      row: current,
      status: detailedStatus(facts),
      behind: !upToDate,
      pipelineRule,
    };
  }

  async function mergeNow(
    subject: ProjectSubject,
    caller: Caller,
    id: number,
    options: MergeOptions,
  ): Promise<MergeRequest> {
    const merger = caller.user;
    if (!merger) throw unauthorized();
    const project = subject.project;
    const path = `${subject.namespace.full_path}/${project.path}`;
    let merged: MergeRequest | undefined;
    const outcome: { commit: string; merge: string | null; squash: string | null } = {
      commit: '',
      merge: null,
      squash: null,
    };
    const loaded = await queries.byId(db, id);
    if (!loaded) throw notFound('Merge Request');
    const [withPeople] = await queries.withPeople(db, [loaded]);
    const removes = options.shouldRemoveSourceBranch ?? loaded.force_remove_source_branch ?? false;
    await repository.write({
      subject,
      caller,
      kind: 'merge',
      authorised: true,
      author: loaded.author_id,
      async build(bench: Workbench) {
        // Under the repository's lock nothing moves any more: read the state that the merge is decided on.
        const row = await queries.byId(db, id);
        if (
          row?.state !== 'opened' ||
          isDraft(row.title) ||
          !titleAllowed(row.title, project.merge_request_title_regex)
        )
          throw plainError(405, '405 Method Not Allowed');
        const [head, target] = await Promise.all([
          sources.headOf(project, row),
          repository.branch(project, row.target_branch),
        ]);
        if (head === null || target === null) throw unprocessable('Branch cannot be merged');
        if (options.sha !== undefined && options.sha !== head)
          throw plainError(409, `SHA does not match HEAD of source branch: ${head}`);
        if (!(await checksAllow(db, project, { ...row, head_sha: head })))
          throw plainError(405, '405 Method Not Allowed');
        const committer = { name: merger.name, email: merger.commit_email ?? merger.email };
        const attempt = await bench.merge(target, head);
        if (attempt.tree === null) throw unprocessable('Branch cannot be merged');
        const squash = squashAllowed(project.squash_option, options.squash ?? row.squash);
        const upToDate = await repository.isAncestor(project, target, head);
        if (project.merge_method !== 'merge' && !upToDate)
          throw unprocessable('Branch cannot be merged: it must be rebased first');
        const count = await repository.ahead(project, target, head);
        const commits =
          squash || /%\{(all_commits|first_)/.test(project.merge_commit_template ?? '')
            ? await repository.commitsBetween(subject, target, head, { skip: 0, limit: 100 })
            : [];
        const facts = {
          sourceBranch: row.source_branch,
          targetBranch: row.target_branch,
          title: row.title,
          description: row.description ?? '',
          reference: `${path}!${row.iid}`,
          url: `${deps.externalUrl}/${path}/-/merge_requests/${row.iid}`,
          author: {
            name: withPeople?.author?.name ?? merger.name,
            email: commits.at(-1)?.author_email ?? committer.email,
          },
          mergedBy: committer,
          commitMessages: commits.map((commit) => commit.message).reverse(),
        };
        let tip = head;
        if (squash && count > 1) {
          const message =
            options.squashCommitMessage ??
            commitMessage(project.squash_commit_template ?? defaultSquashTemplate, facts);
          const oldest = commits.at(-1);
          const author = oldest ? { name: oldest.author_name, email: oldest.author_email } : committer;
          tip = await bench.commit({ tree: attempt.tree, parents: [target], message, author, committer });
          outcome.squash = tip;
        }
        if (project.merge_method === 'ff') outcome.commit = tip;
        else {
          const message =
            options.mergeCommitMessage ?? commitMessage(project.merge_commit_template ?? defaultMergeTemplate, facts);
          outcome.merge = await bench.commit({
            tree: attempt.tree,
            parents: [target, tip],
            message,
            author: committer,
            committer,
          });
          outcome.commit = outcome.merge;
        }
        const changes = [{ ref: `refs/heads/${row.target_branch}`, before: target, after: outcome.commit }];
        const keep =
          !removes ||
          ofFork(row) ||
          row.source_branch === project.default_branch ||
          (await repository.isProtected(project, `refs/heads/${row.source_branch}`));
        if (!keep) changes.push({ ref: `refs/heads/${row.source_branch}`, before: head, after: '0'.repeat(40) });
        return changes;
      },
      async within(tx) {
        const now = new Date();
        merged = await queries.updateRow(tx, id, {
          state: 'merged',
          merge_status: 'can_be_merged',
          has_conflicts: false,
          merged_at: now,
          merge_user_id: merger.id,
          merge_commit_sha: outcome.merge,
          squash_commit_sha: outcome.squash,
          merged_commit_sha: outcome.commit,
          auto_merge: false,
          merge_error: null,
        });
        await tell(tx, 'merge_request.merged', merged, merger.id);
      },
    });
    if (!merged) throw new Error('the merge was written without its record');
    if (removes && ofFork(merged)) await sources.removeBranch(merged, caller);
    return merged;
  }

  /** Merges, or waits for the head pipeline when asked to and there is one on its way. */
  async function accept(
    subject: ProjectSubject,
    caller: Caller,
    row: MergeRequest,
    options: MergeOptions & { whenPipelineSucceeds: boolean },
  ): Promise<MergeRequest> {
    if (
      !canOnProject(caller, 'accept_merge_request', subject) ||
      !(await repository.mayMerge(subject, caller, row.target_branch))
    )
      throw unauthorized();
    const current = await refresh(subject, caller, row);
    const status =
      current.row.head_pipeline_id === null ? null : await deps.pipelineStatus(db, current.row.head_pipeline_id);
    if (current.row.state !== 'opened' || isDraft(current.row.title) || current.status === 'broken_status')
      throw plainError(405, '405 Method Not Allowed');
    const head = await sources.headOf(subject.project, row);
    if (options.sha !== undefined && options.sha !== head)
      throw plainError(409, `SHA does not match HEAD of source branch: ${head ?? ''}`);
    if (options.whenPipelineSucceeds && pipelineActive(status)) {
      const waiting = await transaction(db, async (tx) => {
        const params = { ...options, should_remove_source_branch: options.shouldRemoveSourceBranch };
        const changed = await queries.updateRow(tx, row.id, {
          auto_merge: true,
          merge_user_id: caller.user?.id ?? null,
          auto_merge_params: JSON.stringify(params),
        });
        await tell(tx, 'merge_request.updated', changed, caller.user?.id ?? null);
        return changed;
      });
      return mergeIfReady(subject, caller, waiting, options);
    }
    if (current.status === 'conflict') throw unprocessable('Branch cannot be merged');
    if (current.status === 'title_regex' || current.status === 'status_checks_must_pass')
      throw plainError(405, '405 Method Not Allowed');
    if (current.status === 'need_rebase' || !pipelineAllows(current.pipelineRule, status))
      throw plainError(405, '405 Method Not Allowed');
    return mergeNow(subject, caller, row.id, options);
  }

  /** The pipeline may have ended while the wish to wait for it was written: nothing would tell of it again. */
  async function mergeIfReady(
    subject: ProjectSubject,
    caller: Caller,
    row: MergeRequest,
    options: MergeOptions,
  ): Promise<MergeRequest> {
    const status = row.head_pipeline_id === null ? null : await deps.pipelineStatus(db, row.head_pipeline_id);
    if (status !== 'success') return row;
    try {
      return await mergeNow(subject, caller, row.id, options);
    } catch (error) {
      const now = await queries.byId(db, row.id);
      if (now?.state === 'merged') return now;
      throw error;
    }
  }

  async function cancelAutoMerge(row: MergeRequest, caller: Caller): Promise<MergeRequest> {
    return transaction(db, async (tx) => {
      const changed = await queries.updateRow(tx, row.id, {
        auto_merge: false,
        auto_merge_params: null,
        merge_user_id: null,
      });
      await tell(tx, 'merge_request.updated', changed, caller.user?.id ?? null);
      return changed;
    });
  }

  async function update(subject: ProjectSubject, caller: Caller, row: MergeRequest, options: UpdateOptions) {
    const changed = await updateMergeRequest({ ...deps, sources }, tell, subject, caller, row, options);
    return options.state_event === 'reopen' && changed.state === 'opened'
      ? await caughtUp(changed, caller.user?.id ?? null)
      : changed;
  }

  return { create, refresh, accept, mergeNow, update, cancelAutoMerge, tell, follow };
}

export interface MergeRequestService extends ReturnType<typeof mergeRequestService> {}

/** What the project's squash option makes of a wish. */
function squashAllowed(option: string, wish: boolean | undefined): boolean {
  if (option === 'never') return false;
  if (option === 'always') return true;
  return wish ?? option === 'default_on';
}
