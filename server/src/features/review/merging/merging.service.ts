/** Merging: accepting a merge, auto-merge, and the merge itself under the repository's lock. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ZERO_SHA } from '@millrace/git';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest, MergeTrainEntry } from '../../../kernel/db/rows.ts';
import { forbidden, HttpError, unauthorized, unprocessable } from '../../../kernel/http/errors.ts';
import { type MergeTry, stackBase } from '../../repository/index.ts';
import { type FactSource, type MergeFacts, mergeFacts } from '../merge-checks/merge-check.ts';
import type { LoadedCandidate, MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import { isPipelineActive } from '../merge-checks/pipeline.check.ts';
import * as heads from '../merge-requests/head-pipelines.queries.ts';
import { isEarly, mergeAfterTask } from '../merge-requests/merge-after.ts';
import * as queries from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from '../merge-requests/merge-requests.service.ts';
import { ofFork, requestSources } from '../merge-requests/sources.ts';
import { activeEntryOf } from '../merge-trains/merge-trains.queries.ts';
import { type Joined, type MergeTrainService, trainsEnabled } from '../merge-trains/merge-trains.service.ts';
import { asksForRemoval, type MergeAcceptance, type Merger, mergedColumns, removesBranch } from './acceptance.ts';
import { type MergeCommits, type MergeOptions, mergeCommits } from './merge-commits.ts';

export interface AcceptOptions extends MergeOptions {
  readonly whenPipelineSucceeds: boolean;
  /** Merges ahead of everybody on the train; the project has to allow it. */
  readonly skipMergeTrain?: boolean | undefined;
}

export function mergingService(
  deps: MergeRequestDependencies,
  requests: Pick<MergeRequestService, 'tell'>,
  checks: MergeCheckService,
  acceptance: MergeAcceptance,
  trains: Pick<MergeTrainService, 'passed' | 'join' | 'leave'>,
  /** Has the train of a new entry looked at at once, so that whoever joins it sees their pipeline. */
  board: (entry: MergeTrainEntry) => Promise<void>,
) {
  const { db, repository } = deps;
  const { atHead, mergerOf, setAutoMerge } = acceptance;
  const sources = requestSources(deps);

  async function mergeNow(
    { subject, caller, permissions }: Merger,
    request: Pick<MergeRequest, 'id' | 'author_id'>,
    options: MergeOptions & { readonly skipMergeTrain?: boolean | undefined },
  ): Promise<MergeRequest> {
    const { user } = caller;
    if (!user) throw unauthorized();
    let done: MergeCommits | undefined;
    let merged: MergeRequest | undefined;
    await repository.write({
      subject,
      caller,
      kind: 'merge',
      authorised: true,
      author: request.author_id,
      async build(bench) {
        // Under the repository's lock no branch moves any more: the facts are those of what is merged.
        const found = await checks.load(subject, caller, request);
        // Commits of a fork cannot be brought here under the lock: the one that was accepted is merged.
        const candidate = ofFork(found.row) ? found : await atHead(found);
        const { project } = subject;
        const attempt: FactSource<MergeTry> = async (_candidate, tips) =>
          bench.merge(tips.target, tips.head, await stackBase(repository, project, candidate.row, tips));
        const facts: MergeFacts = mergeFacts(candidate, async (_candidate, tips) => {
          const [{ tree }, { ahead }] = await Promise.all([
            facts.get(attempt, tips),
            facts.get(checks.divergence, tips),
          ]);
          return { hasConflicts: tree === null, empty: tree !== null && ahead === 0 };
        });
        await checks.requireImmediate(facts, options.sha);
        await checks.requireAwaitable(facts);
        const tips = facts.heads;
        const tree = tips && (await facts.get(attempt, tips)).tree;
        if (tips === null || tree === null) throw unprocessable('Branch cannot be merged');
        const { ahead } = await facts.get(checks.divergence, tips);
        done = await mergeCommits(deps, bench, { candidate, merger: user, tips, tree, ahead }, options);
        const { row } = candidate;
        const changes = [{ ref: `refs/heads/${row.target_branch}`, before: tips.target, after: done.commit }];
        if (asksForRemoval(row, options) && removesBranch(candidate, permissions))
          changes.push({ ref: `refs/heads/${row.source_branch}`, before: tips.head, after: ZERO_SHA });
        return changes;
      },
      async within(tx) {
        if (!done) throw new Error('the merge was written without its commits');
        merged = await queries.updateRow(tx, request.id, mergedColumns(done, user.id));
        // Where trains are off no entry waits: their worker drops those that were on one.
        if (trainsEnabled(subject.project) || options.skipMergeTrain)
          await trains.passed(tx, merged, user.id, options.skipMergeTrain ?? false);
        await requests.tell(tx, 'merge_request.merged', merged, user.id);
      },
    });
    if (!merged) throw new Error('the merge was written without its record');
    if (asksForRemoval(merged, options) && ofFork(merged)) await sources.removeBranch(merged, caller);
    return merged;
  }

  /** Sets auto-merge. The pipeline may have ended meanwhile, and nothing would report it again: then merges at once. */
  async function mergeLater(merger: Merger, row: MergeRequest, options: MergeOptions): Promise<MergeRequest> {
    const { subject, caller } = merger;
    const waiting = await setAutoMerge(row, caller, {
      ...options,
      should_remove_source_branch: options.shouldRemoveSourceBranch,
    });
    const { pipelineStatus } = await checks.load(subject, caller, waiting);
    if (pipelineStatus !== 'success' || isEarly(waiting)) return waiting;
    try {
      return await mergeOrJoin(merger, waiting, options);
    } catch (error) {
      const now = await queries.byId(db, row.id);
      if (now?.state === 'merged') return now;
      throw error;
    }
  }

  /** Auto-merge of a request that waits no longer: onto the train, where the project has trains. */
  async function mergeOrJoin(merger: Merger, row: MergeRequest, options: MergeOptions): Promise<MergeRequest> {
    const { subject, caller } = merger;
    if (!trainsEnabled(subject.project)) return await mergeNow(merger, row, options);
    const facts = checks.knownFacts(await checks.load(subject, caller, row));
    await checks.requireImmediate(facts, options.sha);
    await checks.requireOnTrain(facts);
    return (await ontoTrain(merger, row, options)).request;
  }

  async function ontoTrain(merger: Merger, row: MergeRequest, options: MergeOptions): Promise<Joined> {
    const joined = await trains.join(merger, row, options);
    // What fails here is done by the look that waits in the queue.
    await board(joined.entry).catch((err: unknown) => deps.log.warn({ err }, 'a merge train could not be looked at'));
    return joined;
  }

  async function cancelAutoMerge(row: MergeRequest, caller: Caller): Promise<MergeRequest> {
    await trains.leave(row, caller);
    return await transaction(db, async (tx) => {
      const changed = await queries.updateRow(tx, row.id, {
        auto_merge: false,
        auto_merge_params: null,
        merge_user_id: null,
      });
      await requests.tell(tx, 'merge_request.updated', changed, caller.user?.id ?? null);
      return changed;
    });
  }

  /** What is known of a request. Pipelines are made moments after a push or a new request: auto-merge waits for those moments. */
  async function factsFor(found: LoadedCandidate, whenPipelineSucceeds: boolean): Promise<MergeFacts> {
    const facts = checks.knownFacts(await atHead(found));
    const isComing = async () =>
      whenPipelineSucceeds && facts.pipelineStatus === null && (await heads.pipelineIsComing(db, facts.row));
    if (!(await isComing())) return facts;
    do await sleep(25);
    while (await isComing());
    return checks.knownFacts(await atHead(await checks.load(found.subject, found.caller, facts.row)));
  }

  /** Merges, or waits for the head pipeline where that was asked for and one is on its way. */
  async function accept(
    subject: ProjectSubject,
    caller: Caller,
    iid: number,
    options: AcceptOptions,
  ): Promise<MergeRequest> {
    const found = await checks.load(subject, caller, { projectId: subject.project.id, iid });
    if (!canOnProject(caller, 'accept_merge_request', subject)) throw unauthorized();
    const merger = await mergerOf(subject, caller, found.row);
    if (options.skipMergeTrain && !subject.project.merge_trains_skip_train_allowed)
      throw forbidden('The project does not allow merges that skip the merge train');
    const facts = await factsFor(found, options.whenPipelineSucceeds);
    await checks.requireImmediate(facts, options.sha);
    if (options.whenPipelineSucceeds && hasToWait(facts)) return await mergeLater(merger, facts.row, options);
    if (options.whenPipelineSucceeds && trainsEnabled(subject.project) && !options.skipMergeTrain) {
      await checks.requireOnTrain(facts);
      return (await ontoTrain(merger, facts.row, options)).request;
    }
    await checks.requireAwaitable(facts);
    return await mergeNow(merger, facts.row, options);
  }

  /** Adds a request to the train of its target branch, now or, with no entry yet, once its pipeline has succeeded. */
  async function join(
    subject: ProjectSubject,
    caller: Caller,
    iid: number,
    options: AcceptOptions,
  ): Promise<{ readonly request: MergeRequest; readonly entry: MergeTrainEntry | null }> {
    const found = await checks.load(subject, caller, { projectId: subject.project.id, iid });
    const merger = await mergerOf(subject, caller, found.row);
    const facts = await factsFor(found, options.whenPipelineSucceeds);
    await checks.requireImmediate(facts, options.sha);
    if (options.whenPipelineSucceeds && hasToWait(facts)) {
      const request = await mergeLater(merger, facts.row, options);
      return { request, entry: await activeEntryOf(db, request.id) };
    }
    await checks.requireOnTrain(facts);
    return await ontoTrain(merger, facts.row, options);
  }

  /** Merges a request that is set to auto-merge; whoever set it sees why it was not merged. */
  async function mergeWaitingRequest(request: MergeRequest): Promise<void> {
    const context = await deps.actingAs(request.merge_user_id ?? 0, request.project_id);
    if (!context) return;
    const { subject, caller } = context;
    const options = { ...(request.auto_merge_params as MergeOptions | null), sha: request.head_sha ?? undefined };
    try {
      await mergeOrJoin(await mergerOf(subject, caller, request), request, options);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      await transaction(db, async (tx) => {
        const changed = await queries.updateRow(tx, request.id, { auto_merge: false, merge_error: error.message });
        await requests.tell(tx, 'merge_request.updated', changed, request.merge_user_id);
      });
    }
  }

  /** Merges the requests that wait for a pipeline; those whose time has not come wait on. */
  async function mergeWaiting(pipelineId: number): Promise<void> {
    for (const request of await heads.waitingForPipeline(db, pipelineId))
      if (!isEarly(request)) await mergeWaitingRequest(request);
  }

  /** Merges a request whose time has come, unless its pipeline still runs: then the end of that merges it. */
  const mergeDue = mergeAfterTask(async (id) => {
    const row = await queries.byId(db, id);
    if (row?.state !== 'opened' || !row.auto_merge || isEarly(row) || (await activeEntryOf(db, id))) return;
    const pipeline = row.head_sha === null ? null : await heads.newestPipelineOf(db, id, row.head_sha);
    if (!isPipelineActive(pipeline?.status ?? null)) await mergeWaitingRequest(row);
  });

  return { accept, join, mergeWaiting, cancelAutoMerge, tasks: [mergeDue] };
}

/** Whether auto-merge has something to wait for. */
const hasToWait = ({ row, pipelineStatus }: MergeFacts) => isPipelineActive(pipelineStatus) || isEarly(row);

export interface MergingService extends ReturnType<typeof mergingService> {}
