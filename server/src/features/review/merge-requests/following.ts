/** How merge requests follow pushes and pipelines: heads move, targets move, waiting merges happen. */
import { ZERO_SHA } from '@millrace/git';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import {
  type Fact,
  type FactConsumer,
  type FactDelivery,
  mergeRequestFacts,
  on,
  onMany,
  pipelineFacts,
  projectDeleted,
  projectFacts,
  pushed,
} from '../../../kernel/events/index.ts';
import { baseOf, type RepositoryAccess, readPushOptions } from '../../repository/index.ts';
import { approvalsAfterPush } from '../approvals/reset-on-push.ts';
import type { MergingService } from '../merging/merging.service.ts';
import { threadsAfterPush } from '../threads/threads-after-push.ts';
import { commitsAfterPush } from './added-commits.ts';
import * as heads from './head-pipelines.queries.ts';
import { headRef, keepVersion } from './head-ref.ts';
import * as queries from './merge-requests.queries.ts';
import type { Cause, MergeRequestDependencies, MergeRequestService } from './merge-requests.service.ts';
import { ofFork, type RequestSources, requestSources } from './sources.ts';
import { insertVersion } from './versions.queries.ts';

const branchOf = (ref: string): string | undefined => /^refs\/heads\/(.+)$/.exec(ref)?.[1];

type Push = Fact<typeof pushed>;
type PipelineFact = Fact<(typeof pipelineFacts)['created' | 'finished']>;

/** After these a project is no fork any more. */
const endsOfForks = [projectDeleted, projectFacts.unrelated] as const;

/** After these a request has a head whose pipeline may be there already. */
const newHeads = [mergeRequestFacts.opened, mergeRequestFacts.reopened, mergeRequestFacts.head_changed] as const;
type HeadFact = Fact<(typeof newHeads)[number]>;

interface FollowDependencies extends Pick<MergeRequestDependencies, 'db' | 'project' | 'actingAs'> {
  readonly repository: Pick<
    RepositoryAccess,
    | 'advanceRef'
    | 'branch'
    | 'carry'
    | 'changedPaths'
    | 'codeOwners'
    | 'commitsBetween'
    | 'filePatch'
    | 'isAncestor'
    | 'keepRef'
    | 'keptRef'
    | 'mergeBase'
    | 'patchId'
    | 'pushed'
    | 'resolve'
  >;
}

/** How often a head is looked for anew that others move at the same time; then the fact comes again. */
const attempts = 10;

/** Brings open requests from a branch to the branch's head. */
export function headFollower(
  deps: FollowDependencies,
  service: Pick<MergeRequestService, 'tell'>,
  sources: Pick<RequestSources, 'liveHead'>,
) {
  const { db, repository } = deps;

  /** One look: false where somebody else moved the request's ref meanwhile. */
  async function advance(
    request: MergeRequest,
    subject: ProjectSubject,
    actorId: number | null,
    cause: Cause | undefined,
  ): Promise<boolean> {
    const { project } = subject;
    const ref = headRef(request.iid);
    // First what is here, then the branch, which may be newer than any fact: so nobody writes an older head over a newer.
    const before = await repository.keptRef(project, ref);
    const target = await repository.branch(project, request.target_branch);
    const head = target === null ? null : await sources.liveHead(request);
    if (target === null || head === null || head === request.head_sha) return true;
    if (ofFork(request)) {
      const source = await deps.project(request.source_project_id ?? 0);
      if (!source) return true;
      await repository.carry(project, source, head);
    }
    const base = await baseOf(repository, project, request, { target, head });
    const [settle, moveThreads, sayWhatCame] = await Promise.all([
      approvalsAfterPush(deps, project, request, { head, base, target }),
      threadsAfterPush(deps, project, request, { base_sha: base, start_sha: target, head_sha: head }),
      request.head_sha === null
        ? null
        : commitsAfterPush(repository, subject, request, { before: request.head_sha, head, target }),
    ]);
    await keepVersion(deps, project, request.iid, { before, head });
    // Before the transaction: a merge holds the project's row while it waits for the request's.
    if (!(await repository.advanceRef(db, project, ref, before, head))) return false;
    await transaction(db, async (tx) => {
      const row = await queries.lockById(tx, request.id);
      if (row?.state !== 'opened' || row.head_sha === head) return;
      // Whoever has moved the ref on since has a newer head, and writes it.
      if ((await repository.keptRef(project, ref)) !== head) return;
      // Whoever looked between the push and this has tried the merge of these two commits.
      const tried = row.checked_against === queries.checkedAgainst({ target, head });
      const changed = await queries.updateRow(tx, row.id, {
        head_sha: head,
        base_sha: base,
        start_sha: target,
        ...(tried ? {} : { merge_status: 'unchecked', checked_against: null }),
        merge_error: null,
        // What was approved to merge by itself was another commit.
        auto_merge: false,
        auto_merge_params: null,
        merge_user_id: null,
      });
      await insertVersion(tx, { id: row.id, headSha: head, baseSha: base, startSha: target });
      await settle(tx);
      await moveThreads(tx);
      if (actorId !== null && row.head_sha === request.head_sha) await sayWhatCame?.(tx, actorId);
      const pipeline = await heads.newestPipelineOf(tx, row.id, head);
      if (pipeline) await heads.setHeadPipeline(tx, row.id, pipeline.id);
      await service.tell(tx, 'merge_request.head_changed', changed, actorId, row, cause);
    });
    return true;
  }

  /** `projectId` and `branch` are the source's. */
  return async function follow(
    projectId: number,
    branch: string,
    after: string,
    actorId: number | null,
    cause?: Cause,
    { actingAs }: Pick<FactDelivery, 'actingAs'> = deps,
  ): Promise<void> {
    for (const request of await queries.openFromBranch(db, projectId, branch)) {
      if (request.head_sha === after) continue;
      const context = await actingAs(actorId ?? request.author_id ?? 0, request.project_id);
      if (!context) continue;
      for (let left = attempts; !(await advance(request, context.subject, actorId, cause)); left -= 1)
        if (left === 0) throw new Error(`the head of merge request ${request.id} moves too fast to be followed`);
    }
  };
}

/** The consumers of facts that keep requests up to date. Each may be called again with the same fact. */
export function followers(
  deps: MergeRequestDependencies,
  service: MergeRequestService,
  merging: Pick<MergingService, 'mergeWaiting'>,
): FactConsumer[] {
  const { db, repository } = deps;
  const sources = requestSources(deps);
  const follow = headFollower(deps, service, sources);

  /** Without its source branch a request has nothing to merge. */
  async function sourceDeleted(fact: Push, delivery: FactDelivery, projectId: number, branch: string): Promise<void> {
    for (const request of await queries.openFromBranch(db, projectId, branch)) {
      const context = await delivery.actingAs(fact.actor_id ?? request.author_id ?? 0, request.project_id);
      // The branch may be back since.
      if (!context || (await sources.liveHead(request)) !== null) continue;
      await close(fact, request.id);
    }
  }

  async function close(fact: Pick<Push, 'actor_id'>, id: number): Promise<void> {
    await transaction(db, async (tx) => {
      const row = await queries.lockById(tx, id);
      if (row?.state !== 'opened') return;
      const changed = await queries.updateRow(tx, row.id, {
        state: 'closed',
        closed_at: new Date(),
        closed_by_id: fact.actor_id,
        auto_merge: false,
        auto_merge_params: null,
        merge_user_id: null,
      });
      await service.tell(tx, 'merge_request.closed', changed, fact.actor_id);
    });
  }

  /** A fork that is gone, or is none any more. */
  async function forkGone(fact: Fact<(typeof endsOfForks)[number]>): Promise<void> {
    for (const id of await queries.openFromFork(db, fact.payload.project_id)) await close(fact, id);
  }

  async function targetMoved(fact: Push, delivery: FactDelivery, projectId: number, branch: string): Promise<void> {
    for (const request of await queries.openIntoBranch(db, projectId, branch)) {
      const context = await delivery.actingAs(fact.actor_id ?? request.author_id ?? 0, projectId);
      if (!context || request.head_sha === null) continue;
      const target = await repository.branch(context.subject.project, branch);
      if (target === null) continue;
      // A head that the target contains was merged by hand.
      const merged =
        request.base_sha !== request.head_sha &&
        (await repository.isAncestor(context.subject.project, request.head_sha, target));
      await transaction(db, async (tx) => {
        const row = await queries.lockById(tx, request.id);
        if (row?.state !== 'opened') return;
        if (!merged) {
          // Whether it can be merged was known of another commit.
          if (!row.checked_against?.startsWith(`${target}:`)) await queries.forgetMergeability(tx, row.id);
          await deps.changed(tx, row);
          return;
        }
        const changed = await queries.updateRow(tx, row.id, {
          state: 'merged',
          merged_at: new Date(),
          merge_user_id: fact.actor_id,
          merged_commit_sha: row.head_sha,
        });
        await service.tell(tx, 'merge_request.merged', changed, fact.actor_id);
      });
    }
  }

  /** Of a push of hundreds of branches few have requests: the others are found by one query, so that they hold up no push after it. */
  async function followPushes(facts: readonly Push[], delivery: FactDelivery): Promise<void> {
    const projectId = facts[0]?.project_id ?? null;
    if (projectId === null) return;
    const branches = new Set(facts.flatMap(({ payload }) => branchOf(payload.ref) ?? []));
    const wanted = await queries.branchesOfRequests(db, projectId, [...branches]);
    const failures: unknown[] = [];
    for (const fact of facts) {
      if (!wanted.has(branchOf(fact.payload.ref) ?? '')) continue;
      await followPush(fact, delivery).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async function followPush(fact: Push, delivery: FactDelivery): Promise<void> {
    const { payload, project_id: projectId, actor_id: actorId } = fact;
    const branch = branchOf(payload.ref);
    if (branch === undefined || projectId === null) return;
    if (payload.after === ZERO_SHA) return await sourceDeleted(fact, delivery, projectId, branch);
    const skipped = readPushOptions(payload.push_options).ci;
    const cause: Cause = {
      ...(payload.job_id === undefined ? {} : { job_id: payload.job_id }),
      ...(skipped.skip || skipped.none ? { skip_ci: true } : {}),
    };
    await follow(projectId, branch, payload.after, actorId, cause, delivery);
    await targetMoved(fact, delivery, projectId, branch);
  }

  async function followPipelines(facts: readonly PipelineFact[]): Promise<void> {
    const ids = facts.map(({ payload }) => payload.pipeline_id);
    for (const { pipeline_id: pipelineId, ...request } of await heads.openForPipelines(db, ids)) {
      await transaction(db, async (tx) => {
        await heads.setHeadPipeline(tx, request.id, pipelineId);
        await deps.changed(tx, request);
      });
    }
  }

  async function pipelineFinished(fact: Fact<(typeof pipelineFacts)['finished']>): Promise<void> {
    await followPipelines([fact]);
    if (fact.payload.status === 'success') await merging.mergeWaiting(fact.payload.pipeline_id);
  }

  /**
   * A pipeline that is created while a request is opened or its head moves is seen by neither: the transaction of each began
   * before the other's ended. Of what is committed now, the newest counts; of what comes later, its own fact tells.
   */
  async function findPipeline({ payload }: HeadFact): Promise<void> {
    const request = await queries.byId(db, payload.merge_request_id);
    if (request?.state !== 'opened' || request.head_sha === null) return;
    const pipeline = await heads.newestPipelineOf(db, request.id, request.head_sha);
    if (pipeline === null || pipeline.id <= (request.head_pipeline_id ?? 0)) return;
    await transaction(db, async (tx) => {
      await heads.setHeadPipeline(tx, request.id, pipeline.id);
      await deps.changed(tx, request);
    });
  }

  return [
    {
      name: 'merge-requests.find-pipelines',
      handlers: [on(newHeads, findPipeline)],
    },
    {
      name: 'merge-requests.follow-forks',
      handlers: [on(endsOfForks, forkGone)],
    },
    {
      name: 'merge-requests.follow-pushes',
      prompt: true,
      handlers: [onMany(pushed, followPushes)],
    },
    {
      name: 'merge-requests.follow-pipelines',
      handlers: [onMany(pipelineFacts.created, followPipelines), on(pipelineFacts.finished, pipelineFinished)],
    },
  ];
}
