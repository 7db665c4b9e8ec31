/** Creating and changing merge requests, and the facts that both record. */
import type { Acting } from '../../../kernel/authz/acting.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import { mergeRequestFacts, recordFact } from '../../../kernel/events/index.ts';
import { invalidRecord, unauthorized, unprocessable } from '../../../kernel/http/errors.ts';
import type { Markdown } from '../../../kernel/markdown/index.ts';
import type { Logger } from '../../../kernel/telemetry/index.ts';
import { squashes } from '../../namespaces/index.ts';
import type { RepositoryAccess } from '../../repository/index.ts';
import { pushersOf } from '../approvals/people.queries.ts';
import { anotherOpen } from './duplicate.ts';
import { headFollower } from './following.ts';
import * as heads from './head-pipelines.queries.ts';
import { headRef } from './head-ref.ts';
import { assign, keepHistory, type PeopleChange } from './history.ts';
import * as queries from './merge-requests.queries.ts';
import { type LabelChange, type PlanWishes, relabel, wishedMilestone } from './planning.ts';
import { mayCollaborate, requestSources } from './sources.ts';
import { requireEnoughApprovals, sameBranches, type UpdateOptions, updateMergeRequest } from './updating.ts';
import { insertVersion } from './versions.queries.ts';

/** A kind of fact about a merge request. */
export type MergeRequestFactKind = `merge_request.${keyof typeof mergeRequestFacts}`;

export interface MergeRequestDependencies {
  readonly db: Db;
  readonly log: Logger;
  readonly externalUrl: string;
  readonly markdown: Pick<Markdown, 'html'>;
  readonly repository: RepositoryAccess;
  readonly nextIid: (tx: Db, projectId: number, kind: 'merge_request') => Promise<number>;
  /** Tells open pages that the request changed. */
  readonly changed: (tx: Db, row: { id: number; project_id: number }) => Promise<void>;
  /** A project as it is now; null when it is gone. */
  readonly project: (id: number) => Promise<Project | null>;
  /** A project by id or path as somebody has it; whether they may see it is the caller's to ask. */
  readonly projectAs: (idOrPath: string | number, caller: Caller) => Promise<ProjectSubject | null>;
  /** The person and the project as they are now, for work without a request. */
  readonly actingAs: (userId: number, projectId: number) => Promise<Acting | null>;
}

/** What is told on with a change: people who changed, that it merges by itself; of a push, the job, and that no pipeline is wanted. */
export interface Cause {
  readonly people?: { readonly assignee?: PeopleChange; readonly reviewer?: PeopleChange };
  readonly job_id?: number;
  readonly auto_merge?: true;
  readonly skip_ci?: true;
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
  readonly mergeAfter?: Date | null;
  readonly approvalsBeforeMerge?: number | undefined;
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
    kind: MergeRequestFactKind,
    row: MergeRequest,
    actorId: number | null,
    before?: MergeRequest,
    { labels, ...cause }: Cause & { readonly labels?: LabelChange | null } = {},
  ) => {
    await recordFact(
      tx,
      mergeRequestFacts[kind.slice('merge_request.'.length) as keyof typeof mergeRequestFacts],
      {
        merge_request_id: row.id,
        iid: row.iid,
        ...(before ? { changes: { ...differences(before, row), ...(labels ? { labels } : {}) } } : {}),
        ...cause,
      },
      { project_id: row.project_id, actor_id: actorId },
    );
    await keepHistory(tx, kind, row, actorId, { before, labels });
    await deps.changed(tx, row);
  };

  async function create(subject: ProjectSubject, caller: Caller, options: CreateOptions): Promise<MergeRequest> {
    const project = subject.project;
    const source = options.source?.project ?? project;
    requireEnoughApprovals(project, options.approvalsBeforeMerge);
    const author = caller.user;
    if (!author) throw unauthorized();
    if (source.id === project.id && options.sourceBranch === options.targetBranch) {
      throw sameBranches();
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
    const squash = squashes(project.squash_option, options.squash);
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
          mergeAfter: options.mergeAfter ?? null,
          approvalsBeforeMerge: options.approvalsBeforeMerge ?? null,
          milestoneId: (await wishedMilestone(tx, subject, caller, options)) ?? null,
        });
        const labels = await relabel(tx, subject, caller, row.id, options);
        await keepHistory(tx, 'labels', row, author.id, { labels });
        await assign(tx, row, 'assignee', options.assigneeIds, author.id);
        await assign(tx, row, 'reviewer', options.reviewerIds, author.id);
        await insertVersion(tx, { id: row.id, headSha: head, baseSha: base, startSha: target });
        const pipeline = (await heads.newestPipelineOf(tx, row.id, head))?.id ?? null;
        if (pipeline !== null) await heads.setHeadPipeline(tx, row.id, pipeline);
        await repository.keepRef(tx, project, headRef(iid), head);
        await tell(tx, 'merge_request.opened', row, author.id);
        return pipeline === null ? row : { ...row, head_pipeline_id: pipeline };
      });
      return await catchUp(made);
    } catch (error) {
      if (!isUniqueViolation(error, 'merge_requests_open_key')) throw error;
      throw await anotherOpen(db, {
        ...{ project_id: project.id, source_project_id: source.id },
        ...{ source_branch: options.sourceBranch, target_branch: options.targetBranch },
      });
    }
  }

  /**
   * Brings a request to the head of its branch before the push that moved it is processed. It is the work of whoever
   * pushed, with their rights, and not of who happens to look first.
   */
  async function catchUp(row: MergeRequest): Promise<MergeRequest> {
    const head = await sources.liveHead(row);
    if (head === null || head === row.head_sha || row.source_project_id === null) return row;
    const pushed = await pushersOf(db, [row.source_project_id], [head]);
    await follow(row.source_project_id, row.source_branch, head, pushed.at(-1)?.user_id ?? row.author_id);
    return (await queries.byId(db, row.id)) ?? row;
  }

  async function update(subject: ProjectSubject, caller: Caller, row: MergeRequest, options: UpdateOptions) {
    const changed = await updateMergeRequest({ ...deps, sources }, tell, subject, caller, row, options);
    return options.state_event === 'reopen' && changed.state === 'opened' ? await catchUp(changed) : changed;
  }

  return { create, update, tell, follow, catchUp };
}

export interface MergeRequestService extends ReturnType<typeof mergeRequestService> {}
