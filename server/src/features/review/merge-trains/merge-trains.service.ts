/** Joining and leaving merge trains. What the trains do then is the worker's. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest, MergeTrainEntry, Project } from '../../../kernel/db/rows.ts';
import { forbidden, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { addJob } from '../../../kernel/queue/index.ts';
import type { TrainPipelines } from '../../ci/index.ts';
import { ofProject, systemNote } from '../../collaboration/notes/index.ts';
import * as requestQueries from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from '../merge-requests/merge-requests.service.ts';
import type { Merger } from '../merging/acceptance.ts';
import type { MergeOptions } from '../merging/merge-commits.ts';
import * as queries from './merge-trains.queries.ts';

/** Trains test merged results: without these there are none. */
export const trainsEnabled = (project: Pick<Project, 'merge_pipelines_enabled' | 'merge_trains_enabled'>): boolean =>
  project.merge_pipelines_enabled && project.merge_trains_enabled;

/** 403 where the project has no merge trains. */
export function requireTrains(project: Project): void {
  if (!trainsEnabled(project)) throw forbidden();
}

export const advanceTask = { name: 'merge-trains.advance', maxAttempts: 10 };

/** Has the worker look at a train; a look that waits already is enough. */
export const lookAt = (tx: Db, { project_id, target_branch }: queries.TrainKey, runAt?: Date): Promise<void> =>
  addJob(
    tx,
    advanceTask,
    { project_id, target_branch },
    { jobKey: `${advanceTask.name}:${project_id}:${target_branch}`, ...(runAt ? { runAt } : {}) },
  );

const boardedMs = 2000;

/** What is written under the request of an entry that joins or leaves. */
export const trainNote = (
  tx: Db,
  row: Pick<MergeRequest, 'id' | 'iid' | 'project_id'>,
  authorId: number,
  body: string,
) => systemNote(tx, ofProject('merge_request', row), authorId, 'merge', body);

export interface Joined {
  readonly entry: MergeTrainEntry;
  readonly request: MergeRequest;
}

export interface TrainDependencies extends Pick<MergeRequestDependencies, 'db' | 'changed'> {
  readonly trainPipelines: Pick<TrainPipelines, 'cancel'>;
}

export function mergeTrainService(deps: TrainDependencies, requests: Pick<MergeRequestService, 'tell'>) {
  const { db } = deps;

  /** Puts a request at the end of a train, once: that of its target branch, or that of the request below it in a stack. */
  async function add(
    tx: Db,
    userId: number,
    row: MergeRequest,
    options: MergeOptions,
    below?: Joined,
  ): Promise<Joined> {
    const { sha: _, ...stored } = options;
    const params = JSON.stringify({ ...stored, should_remove_source_branch: options.shouldRemoveSourceBranch });
    const now = await requestQueries.lockById(tx, row.id);
    // Closed, pushed to or retargeted since the checks.
    if (now?.state !== 'opened' || now.head_sha === null || now.head_sha !== row.head_sha)
      throw plainError(405, '405 Method Not Allowed');
    if (below && now.target_branch !== row.target_branch) throw plainError(405, '405 Method Not Allowed');
    const target = below?.entry.target_branch ?? now.target_branch;
    const known = await queries.activeEntryOf(tx, row.id);
    if (known && known.target_branch !== target) throw plainError(405, '405 Method Not Allowed');
    if (known) return { entry: known, request: now };
    const entry = await queries.insertEntry(tx, {
      project_id: row.project_id,
      merge_request_id: row.id,
      user_id: userId,
      target_branch: target,
      source_sha: now.head_sha,
      options: params,
      below_id: below?.request.id ?? null,
    });
    const request = await requestQueries.updateRow(tx, row.id, {
      auto_merge: true,
      merge_user_id: userId,
      auto_merge_params: params,
      merge_error: null,
    });
    await requests.tell(tx, 'merge_request.updated', request, userId);
    await trainNote(tx, row, userId, 'added this merge request to the merge train');
    // Whoever joins has it looked at themselves; this is for when they do not come to it.
    await lookAt(tx, entry, new Date(Date.now() + boardedMs));
    return { entry, request };
  }

  /** Puts requests that the checks have passed on a train in their order, each on the one before; all of them or none. */
  async function joinAll(
    { caller }: Pick<Merger, 'caller'>,
    rows: readonly MergeRequest[],
    options: MergeOptions,
  ): Promise<Joined[]> {
    const userId = caller.user?.id;
    if (userId === undefined) throw unauthorized();
    try {
      return await transaction(db, async (tx) => {
        const joined: Joined[] = [];
        for (const row of rows) joined.push(await add(tx, userId, row, options, joined.at(-1)));
        return joined;
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'merge_train_entries_active')) throw error;
      return await joinAll({ caller }, rows, options);
    }
  }

  /** Puts a request that the checks have passed at the end of the train of its target branch; once. */
  async function join(merger: Pick<Merger, 'caller'>, row: MergeRequest, options: MergeOptions): Promise<Joined> {
    const [joined] = await joinAll(merger, [row], options);
    if (!joined) throw new Error('nothing has joined the merge train');
    return joined;
  }

  /** Takes a request off its train, if it is on one; refused while it is being merged. */
  async function leave(row: MergeRequest, caller: Caller): Promise<void> {
    const entry = await queries.activeEntryOf(db, row.id);
    if (!entry) return;
    const removed = await transaction(db, async (tx) => {
      const gone = await queries.removeEntry(tx, entry.id);
      if (gone) {
        await trainNote(tx, row, caller.user?.id ?? entry.user_id, 'removed this merge request from the merge train');
        await lookAt(tx, entry);
      }
      return gone;
    });
    if (!removed) {
      if ((await queries.activeEntryOf(db, row.id)) === null) return;
      throw plainError(405, '405 Method Not Allowed');
    }
    if (removed.pipeline_id !== null) await deps.trainPipelines.cancel(removed.pipeline_id);
  }

  /** Records a merge that did not go through the train, in its transaction. */
  async function passed(tx: Db, row: MergeRequest, userId: number, skips: boolean): Promise<void> {
    const entry = await queries.activeEntryOf(tx, row.id);
    if (entry) await queries.finishEntry(tx, entry.id, 'skip_merged');
    else if (skips && row.head_sha !== null)
      await queries.insertSkipped(tx, {
        project_id: row.project_id,
        merge_request_id: row.id,
        user_id: userId,
        target_branch: row.target_branch,
        source_sha: row.head_sha,
        options: '{}',
        below_id: null,
      });
  }

  return { join, joinAll, leave, passed };
}

export type MergeTrainService = ReturnType<typeof mergeTrainService>;
