/**
 * Carries out what the decision function says, one worker per train at a time. Everything that matters is in the rows and
 * refs: a worker that ends anywhere leaves a train that the next one decides about anew.
 */
import { setTimeout } from 'node:timers/promises';
import { ZERO_SHA } from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction, withLockIfFree } from '../../../kernel/db/index.ts';
import type { MergeRequest, MergeTrainEntry, Project } from '../../../kernel/db/rows.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import type { TrainPipelines } from '../../ci/index.ts';
import { ofProject } from '../../collaboration/notes/index.ts';
import { createTodo } from '../../collaboration/todos/index.ts';
import { mergeFacts } from '../merge-checks/merge-check.ts';
import type { MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import * as requestQueries from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from '../merge-requests/merge-requests.service.ts';
import { ofFork, type RequestSources } from '../merge-requests/sources.ts';
import {
  asksForRemoval,
  type MergeAcceptance,
  type Merger,
  mergedColumns,
  removesBranch,
} from '../merging/acceptance.ts';
import { type Action, decide, type Entry, parallelPipelines, type Verdict } from './decision.ts';
import * as queries from './merge-trains.queries.ts';
import { lookAt, trainNote, trainsEnabled } from './merge-trains.service.ts';
import { failureOf, reasons } from './reasons.ts';
import { onTop } from './stack-joining.ts';
import { optionsOf, trainCommit } from './train-commit.ts';

export interface WorkerDependencies
  extends Pick<
    MergeRequestDependencies,
    'db' | 'repository' | 'externalUrl' | 'actingAs' | 'project' | 'changed' | 'log'
  > {
  /** A handle over connections that only hold locks. */
  readonly lockDb: Db;
  readonly trainPipelines: TrainPipelines;
}

/** The branches are not as they were when it was decided: decide again. */
class Moved extends Error {}

/** Rounds of one look; what is left then is for the next. */
const mostRounds = 200;
/** Trains that one process works on at a time: each keeps a connection for locks, and needs another one for its writes. */
const mostTrains = 2;
const busyMs = 500;
/** How long whoever joins a train waits for its worker. */
const boardingMs = 3000;

interface LoadedTrain {
  readonly project: Project;
  readonly target: string | null;
  readonly cars: readonly Car[];
}

interface Car extends queries.LoadedEntry {
  /** Why it cannot be merged any more. */
  readonly refusal: string | null;
  readonly landed: boolean;
}

function verdictOf({ entry, pipeline }: queries.LoadedEntry): Verdict {
  if (entry.problem !== null) return 'failed';
  if (entry.untested) return 'passed';
  if (pipeline === null) return 'missing';
  if (pipeline.status === 'success') return 'passed';
  return ['failed', 'canceled', 'skipped'].includes(pipeline.status) ? 'failed' : 'running';
}

const entryOf = (car: Car): Entry => ({
  id: car.entry.id,
  status: car.entry.status,
  build: car.entry.base_sha === null ? null : { base: car.entry.base_sha, commit: car.entry.commit_sha },
  verdict: verdictOf(car),
  landed: car.landed,
  refused: car.refusal !== null,
});

/** What the product refuses is a reason to drop an entry; everything else is a fault, and tried again. */
function refusalText(error: unknown): string {
  if (!(error instanceof HttpError) || error.status >= 500) throw error;
  return error.message;
}

export function trainWorker(
  deps: WorkerDependencies,
  requests: Pick<MergeRequestService, 'tell' | 'update'>,
  checks: MergeCheckService,
  acceptance: Pick<MergeAcceptance, 'mergerOf'>,
  sources: Pick<RequestSources, 'liveHead' | 'removeBranch'>,
) {
  const { db, repository, trainPipelines } = deps;
  let working = 0;

  /** An entry of a stack may target the branch of the one below until that is merged, and stands or falls with it. */
  async function misplaced(
    { entry, request }: queries.LoadedEntry,
    onTrain: ReadonlySet<number>,
  ): Promise<string | null> {
    const targets = [entry.target_branch];
    if (entry.below_id !== null) {
      const below = await requestQueries.byId(db, entry.below_id);
      if (below?.state !== 'merged' && !onTrain.has(entry.below_id)) return reasons.below;
      if (below) targets.push(below.source_branch);
    }
    return targets.includes(request.target_branch) ? null : reasons.retargeted;
  }

  async function refusalOf(
    project: Project,
    target: string | null,
    loaded: queries.LoadedEntry,
    onTrain: ReadonlySet<number>,
  ): Promise<string | null> {
    const { entry, request } = loaded;
    if (!trainsEnabled(project)) return reasons.disabled;
    if (request.state !== 'opened') return reasons.closed;
    const place = await misplaced(loaded, onTrain);
    if (place !== null) return place;
    if (target === null) return reasons.target_deleted;
    const head = await sources.liveHead(request);
    if (head === null) return reasons.source_deleted;
    return head === entry.source_sha ? null : reasons.pushed;
  }

  /** Ids of the entries whose merge the target branch has. One that stands on the target has none ahead that is in it. */
  async function landed(
    project: Project,
    target: string | null,
    entries: readonly queries.LoadedEntry[],
  ): Promise<ReadonlySet<number>> {
    const found = new Set(entries.filter(({ request }) => request.state === 'merged').map(({ entry }) => entry.id));
    for (const { entry } of entries) {
      const { id, base_sha: base, commit_sha: commit } = entry;
      if (base === target || target === null) break;
      if (commit !== null && (await repository.isAncestor(project, commit, target))) found.add(id);
    }
    return found;
  }

  async function load({ project_id, target_branch }: queries.TrainKey): Promise<LoadedTrain | null> {
    const project = await deps.project(project_id);
    if (!project) return null;
    const entries = await queries.activeEntries(db, project_id, target_branch);
    if (entries.length === 0) return null;
    const target = await repository.branch(project, target_branch);
    const done = await landed(project, target, entries);
    const onTrain = new Set(entries.map(({ request }) => request.id));
    const cars = await Promise.all(
      entries.map(async (loaded) => ({
        ...loaded,
        landed: done.has(loaded.entry.id),
        refusal: await refusalOf(project, target, loaded, onTrain),
      })),
    );
    return { project, target, cars };
  }

  /** Whoever added the entry, as they are now; null where they may not merge any more. */
  async function mergerOf({ entry, request }: queries.LoadedEntry): Promise<Merger | null> {
    const context = await deps.actingAs(entry.user_id, entry.project_id);
    if (!context) return null;
    try {
      return await acceptance.mergerOf(context.subject, context.caller, request);
    } catch (error) {
      if (error instanceof HttpError) return null;
      throw error;
    }
  }

  async function drop({ entry, request }: queries.LoadedEntry, why: string): Promise<void> {
    const removed = await transaction(db, async (tx) => {
      const gone = await queries.removeEntry(tx, entry.id, 'merging');
      if (!gone) return null;
      await trainNote(tx, request, entry.user_id, `removed this merge request from the merge train because ${why}`);
      const now = await requestQueries.lockById(tx, request.id);
      if (now?.state !== 'opened') return gone;
      const noteable = ofProject('merge_request', request);
      for (const userId of new Set([entry.user_id, request.author_id ?? entry.user_id]))
        await createTodo(tx, { userId, authorId: entry.user_id, noteable, action: 'merge_train_removed' });
      const changed = await requestQueries.updateRow(tx, now.id, {
        auto_merge: false,
        auto_merge_params: null,
        merge_user_id: null,
        // A new head begins without the errors of the old one.
        merge_error: why === reasons.pushed ? null : `Removed from the merge train: ${why}.`,
      });
      await requests.tell(tx, 'merge_request.updated', changed, entry.user_id);
      return gone;
    });
    if (removed?.pipeline_id != null) await trainPipelines.cancel(removed.pipeline_id);
  }

  /** The merge happened, and whoever did it did not come to write it down. */
  async function record({ entry, request }: queries.LoadedEntry): Promise<void> {
    await transaction(db, async (tx) => {
      const now = await requestQueries.lockById(tx, request.id);
      const done = { commit: entry.commit_sha ?? '', merge: entry.merge_commit_sha, squash: entry.squash_commit_sha };
      if (now?.state === 'opened') {
        const merged = await requestQueries.updateRow(tx, request.id, mergedColumns(done, entry.user_id));
        await requests.tell(tx, 'merge_request.merged', merged, entry.user_id);
      }
      const byTrain = now?.merged_commit_sha == null || now.merged_commit_sha === entry.commit_sha;
      await queries.finishEntry(tx, entry.id, byTrain ? 'merged' : 'skip_merged');
    });
  }

  async function merge(car: queries.LoadedEntry): Promise<void> {
    const { entry } = car;
    const merger = await mergerOf(car);
    const { base_sha: base, commit_sha: commit } = entry;
    if (!merger) return await drop(car, reasons.not_allowed);
    if (base === null || commit === null) return;
    if (!(await queries.updateEntry(db, entry.id, { status: 'merging' }))) return;
    try {
      if (car.request.target_branch !== entry.target_branch) {
        // The one below was merged just now.
        const stack_base_sha = (await belowOf(car))?.head_sha ?? undefined;
        const { subject, caller } = merger;
        await requests.update(subject, caller, car.request, { target_branch: entry.target_branch, stack_base_sha });
      }
      await mergeTested(car, merger, base, commit);
    } catch (error) {
      if (error instanceof Moved) return void (await queries.updateEntry(db, entry.id, { status: 'fresh' }));
      if (!(error instanceof HttpError) || error.status >= 500) throw error;
      await drop(car, error.status === 405 ? 'it cannot be merged any more' : error.message);
    }
  }

  /** Points the target branch at the commit that was tested, if the branches are as they were when it was built. */
  async function mergeTested(
    { entry, request }: queries.LoadedEntry,
    { subject, caller, permissions }: Merger,
    base: string,
    commit: string,
  ): Promise<void> {
    const options = optionsOf(entry);
    let merged: MergeRequest | undefined;
    await repository.write({
      subject,
      caller,
      kind: 'merge',
      authorised: true,
      author: request.author_id,
      async build() {
        const candidate = await checks.load(subject, caller, { id: request.id });
        const { row, heads } = candidate;
        if (heads?.target !== base || heads.head !== entry.source_sha || row.head_sha !== entry.source_sha)
          throw new Moved();
        const facts = mergeFacts(candidate, async () => ({ hasConflicts: false, empty: false }));
        await checks.requireImmediate(facts, undefined);
        await checks.requireOnTrain(facts);
        const changes = [{ ref: `refs/heads/${row.target_branch}`, before: base, after: commit }];
        if (asksForRemoval(row, options) && removesBranch(candidate, permissions))
          changes.push({ ref: `refs/heads/${row.source_branch}`, before: heads.head, after: ZERO_SHA });
        return changes;
      },
      async within(tx) {
        const done = { commit, merge: entry.merge_commit_sha, squash: entry.squash_commit_sha };
        merged = await requestQueries.updateRow(tx, request.id, mergedColumns(done, entry.user_id));
        await queries.finishEntry(tx, entry.id, 'merged');
        await requests.tell(tx, 'merge_request.merged', merged, entry.user_id);
      },
    });
    if (merged && asksForRemoval(merged, options) && ofFork(merged)) await sources.removeBranch(merged, caller);
  }

  /** Builds and starts one entry; the base for the next one, null where the entry has left meanwhile. */
  async function build(car: queries.LoadedEntry, base: string): Promise<string | null> {
    const { entry } = car;
    const outdated = entry.pipeline_id;
    const blank = { base_sha: null, commit_sha: null, merge_commit_sha: null, squash_commit_sha: null };
    const there = await queries.updateEntry(db, entry.id, {
      ...blank,
      ...(entry.base_sha === null ? {} : { status: 'stale' }),
      problem: null,
      untested: false,
      pipeline_id: null,
    });
    if (outdated !== null) await trainPipelines.cancel(outdated);
    if (!there) return null;
    const merger = await mergerOf(car);
    const made = merger ? await commitOf(car, merger, base).catch(refusalText) : 'not_allowed';
    if (typeof made === 'string')
      return (await queries.updateEntry(db, entry.id, { base_sha: base, problem: made, status: 'fresh' }))
        ? base
        : null;
    const stored = await queries.updateEntry(db, entry.id, {
      base_sha: base,
      commit_sha: made.commit,
      merge_commit_sha: made.merge,
      squash_commit_sha: made.squash,
    });
    if (!stored || !merger) return null;
    return (await start(car, merger, { base, commit: made.commit })) ? made.commit : base;
  }

  const belowOf = async ({ entry }: queries.LoadedEntry): Promise<MergeRequest | null> =>
    entry.below_id === null ? null : await requestQueries.byId(db, entry.below_id);

  async function commitOf(car: queries.LoadedEntry, merger: Merger, base: string) {
    const candidate = await checks.load(merger.subject, merger.caller, { id: car.request.id });
    const below = candidate.row.target_branch === car.entry.target_branch ? null : await belowOf(car);
    return await trainCommit(deps, checks, below ? onTop(candidate, below, car.entry) : candidate, car.entry, base);
  }

  /** Starts the pipeline of an entry that has its commit; false where nothing behind it should stand on it. */
  async function start(
    { entry, request }: queries.LoadedEntry,
    { subject, caller }: { readonly subject: ProjectSubject; readonly caller: Caller },
    { base, commit }: { readonly base: string; readonly commit: string },
  ): Promise<boolean> {
    const run = await trainPipelines.start(subject, caller, request, {
      sha: commit,
      source: entry.source_sha,
      target: base,
    });
    const fresh = { status: 'fresh' } as const;
    if (run.kind === 'pipeline') {
      const there = await queries.updateEntry(db, entry.id, { ...fresh, pipeline_id: run.id });
      if (!there) await trainPipelines.cancel(run.id);
      return true;
    }
    const { rules } = await checks.load(subject, caller, { id: request.id });
    const untested = run.kind === 'untested' && !rules.pipeline.required;
    const problem = run.kind === 'refused' ? `its pipeline could not be created: ${run.reason}` : reasons.unconfigured;
    await queries.updateEntry(db, entry.id, untested ? { ...fresh, untested } : { ...fresh, problem });
    return untested;
  }

  async function carryOut(action: Action, cars: ReadonlyMap<number, Car>): Promise<void> {
    if (action.do === 'build') {
      let base: string | null = action.base;
      for (const id of action.entries) {
        const car = cars.get(id);
        // One that left changes what is behind it: decide again.
        if (!car || base === null) return;
        base = await build(car, base);
      }
      return;
    }
    const car = cars.get(action.entry);
    if (!car) return;
    if (action.do === 'record') return await record(car);
    if (action.do === 'merge') return await merge(car);
    if (action.do === 'drop')
      return await drop(
        car,
        action.why === 'refused' ? (car.refusal ?? '') : failureOf(car.entry, car.pipeline?.status ?? null),
      );
    if (action.do === 'mark') return void (await queries.updateEntry(db, car.entry.id, { status: action.status }));
    const merger = await mergerOf(car);
    const { base_sha: base, commit_sha: commit } = car.entry;
    if (!merger || base === null || commit === null) return await drop(car, reasons.not_allowed);
    await start(car, merger, { base, commit });
  }

  /** One look at a train: decides and acts until there is nothing left but to wait. */
  async function work(key: queries.TrainKey): Promise<void> {
    let before = '';
    for (let round = 0; round < mostRounds; round++) {
      const train = await load(key);
      if (!train) return;
      // Without a target branch everything is refused.
      const target = train.target ?? '';
      const actions = decide({ target, entries: train.cars.map(entryOf), limit: parallelPipelines });
      if (actions.length === 0) return;
      const now = JSON.stringify([target, actions]);
      if (now === before) {
        deps.log.warn({ ...key, actions }, 'a merge train does not come on');
        return await lookAt(db, key, new Date(Date.now() + busyMs));
      }
      before = now;
      const cars = new Map(train.cars.map((car) => [car.entry.id, car]));
      for (const action of actions) await carryOut(action, cars);
    }
    await lookAt(db, key);
  }

  /** One look, unless somebody else looks: then false. */
  async function tryLook(key: queries.TrainKey): Promise<boolean> {
    if (working >= mostTrains) return false;
    working += 1;
    try {
      return await withLockIfFree(deps.lockDb, ['merge-train', key.project_id, key.target_branch], () => work(key));
    } finally {
      working -= 1;
    }
  }

  /** Looks at a train. Whoever looks now may not see what happened just now, so another look follows. */
  async function advance(key: queries.TrainKey): Promise<void> {
    if (!(await tryLook(key))) await lookAt(db, key, new Date(Date.now() + busyMs));
  }

  /** Looks at a train at once, so that whoever has joined it is told of their pipeline; gives up after a while. */
  async function board(entry: MergeTrainEntry): Promise<void> {
    const deadline = Date.now() + boardingMs;
    while (!(await tryLook(entry)) && Date.now() < deadline) {
      await setTimeout(50);
      const now = await queries.activeEntryOf(db, entry.merge_request_id);
      if (now?.pipeline_id !== null) return;
    }
  }

  return { advance, board };
}
