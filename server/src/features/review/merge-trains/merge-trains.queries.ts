/** SQL of merge trains. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest, MergeTrainEntry, Pipeline } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import type { Person } from '../merge-requests/merge-requests.queries.ts';
import { activeStatuses, completeStatuses, statesBefore } from './decision.ts';

export interface EntryFilter {
  readonly projectId: number;
  readonly targetBranch?: string;
  readonly scope?: 'active' | 'complete' | undefined;
  readonly sort: 'asc' | 'desc';
}

/** An entry with what the API shows of it. */
export interface LoadedEntry {
  readonly entry: MergeTrainEntry;
  readonly request: MergeRequest;
  readonly user: Person;
  readonly pipeline: Pipeline | null;
}

const inScope = { active: activeStatuses, complete: completeStatuses } as const;

function filtered(db: Db, filter: EntryFilter) {
  let query = db.selectFrom('merge_train_entries').where('project_id', '=', filter.projectId);
  if (filter.targetBranch !== undefined) query = query.where('target_branch', '=', filter.targetBranch);
  if (filter.scope) query = query.where('status', 'in', [...inScope[filter.scope]]);
  return query;
}

/** Adds requests, people and pipelines, with one query each. */
export async function loadEntries(db: Db, entries: readonly MergeTrainEntry[]): Promise<LoadedEntry[]> {
  if (entries.length === 0) return [];
  const ids = <T>(of: (entry: MergeTrainEntry) => T) => [...new Set(entries.map(of))];
  const pipelineIds = ids(({ pipeline_id }) => pipeline_id).filter((id) => id !== null);
  const [requests, users, pipelines] = await Promise.all([
    db
      .selectFrom('merge_requests')
      .selectAll()
      .where(
        'id',
        'in',
        ids(({ merge_request_id }) => merge_request_id),
      )
      .execute(),
    db
      .selectFrom('users')
      .select(['id', 'name', 'username', 'state', 'avatar_object_key', 'locked_until', 'public_email'])
      .where(
        'id',
        'in',
        ids(({ user_id }) => user_id),
      )
      .execute(),
    pipelineIds.length === 0 ? [] : db.selectFrom('pipelines').selectAll().where('id', 'in', pipelineIds).execute(),
  ]);
  return entries.flatMap((entry) => {
    const request = requests.find(({ id }) => id === entry.merge_request_id);
    const user = users.find(({ id }) => id === entry.user_id);
    // Removed between the queries.
    if (!request || !user) return [];
    return [{ entry, request, user, pipeline: pipelines.find(({ id }) => id === entry.pipeline_id) ?? null }];
  });
}

export async function listEntries(db: Db, filter: EntryFilter, page: Page): Promise<LoadedEntry[]> {
  const rows = await filtered(db, filter)
    .selectAll()
    .orderBy('id', filter.sort)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return await loadEntries(db, rows);
}

export const countEntries = (db: Db, filter: EntryFilter): Promise<number> =>
  countUpTo(db, filtered(db, filter).select('id'));

/** All that a train still has to merge, in order. */
export async function activeEntries(db: Db, projectId: number, targetBranch: string): Promise<LoadedEntry[]> {
  const filter = { projectId, targetBranch, scope: 'active', sort: 'asc' } as const;
  return await loadEntries(db, await filtered(db, filter).selectAll().orderBy('id').execute());
}

/** The newest entry of a merge request. */
export async function newestEntry(db: Db, mergeRequestId: number): Promise<MergeTrainEntry | null> {
  const row = await db
    .selectFrom('merge_train_entries')
    .selectAll()
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

export async function activeEntryOf(db: Db, mergeRequestId: number): Promise<MergeTrainEntry | null> {
  const row = await db
    .selectFrom('merge_train_entries')
    .selectAll()
    .where('merge_request_id', '=', mergeRequestId)
    .where('status', 'in', [...activeStatuses])
    .executeTakeFirst();
  return row ?? null;
}

export interface NewEntry
  extends Pick<
    MergeTrainEntry,
    'project_id' | 'merge_request_id' | 'user_id' | 'target_branch' | 'source_sha' | 'below_id'
  > {
  readonly options: string;
}

export async function insertEntry(tx: Db, entry: NewEntry): Promise<MergeTrainEntry> {
  return await tx.insertInto('merge_train_entries').values(entry).returningAll().executeTakeFirstOrThrow();
}

/** Records a merge that passed the train. */
export async function insertSkipped(tx: Db, entry: NewEntry): Promise<void> {
  await tx
    .insertInto('merge_train_entries')
    .values({ ...entry, status: 'skip_merged', merged_at: new Date(), duration: 0 })
    .execute();
}

type Changes = Partial<
  Pick<
    MergeTrainEntry,
    | 'status'
    | 'base_sha'
    | 'commit_sha'
    | 'merge_commit_sha'
    | 'squash_commit_sha'
    | 'problem'
    | 'untested'
    | 'pipeline_id'
  >
>;

/** Changes an entry that is still on its train; false where it has left, or cannot come to the status. */
export async function updateEntry(tx: Db, id: number, values: Changes): Promise<boolean> {
  const from = values.status === undefined ? activeStatuses : statesBefore(values.status);
  const row = await tx
    .updateTable('merge_train_entries')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('status', 'in', [...from])
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends an entry as merged; false where it has left the train or ended before. */
export async function finishEntry(tx: Db, id: number, status: 'merged' | 'skip_merged'): Promise<boolean> {
  const row = await tx
    .updateTable('merge_train_entries')
    .set({
      status,
      updated_at: sql`now()`,
      merged_at: sql`now()`,
      duration: sql`extract(epoch from now() - created_at)::integer`,
    })
    .where('id', '=', id)
    .where('status', 'in', [...activeStatuses])
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Takes an entry off its train; null where it is not there, or is being merged and `also` does not include that. */
export async function removeEntry(
  tx: Db,
  id: number,
  also: 'merging' | null = null,
): Promise<Pick<MergeTrainEntry, 'pipeline_id'> | null> {
  const row = await tx
    .deleteFrom('merge_train_entries')
    .where('id', '=', id)
    .where(
      'status',
      'in',
      activeStatuses.filter((status) => also !== null || status !== 'merging'),
    )
    .returning('pipeline_id')
    .executeTakeFirst();
  return row ?? null;
}

/** A train: whoever works on it holds its lock. */
export interface TrainKey {
  readonly project_id: number;
  readonly target_branch: string;
}

const active = sql`status in ('idle', 'stale', 'fresh', 'merging')`;

/** Trains that a push to a branch concerns: into it, or with an entry from it. */
export async function trainsOfBranch(db: Db, projectId: number, branch: string): Promise<TrainKey[]> {
  const { rows } = await sql<TrainKey>`
    select project_id, target_branch from merge_train_entries
    where project_id = ${projectId} and target_branch = ${branch} and ${active}
    union
    select e.project_id, e.target_branch from merge_train_entries e join merge_requests m on m.id = e.merge_request_id
    where m.source_project_id = ${projectId} and m.source_branch = ${branch} and m.state = 'opened'
      and e.status in ('idle', 'stale', 'fresh', 'merging')`.execute(db);
  return rows;
}

export async function trainOfPipeline(db: Db, pipelineId: number): Promise<TrainKey[]> {
  return await db
    .selectFrom('merge_train_entries')
    .select(['project_id', 'target_branch'])
    .where('pipeline_id', '=', pipelineId)
    .where('status', 'in', [...activeStatuses])
    .execute();
}

export async function trainOfRequest(db: Db, mergeRequestId: number): Promise<TrainKey[]> {
  return await db
    .selectFrom('merge_train_entries')
    .select(['project_id', 'target_branch'])
    .where('merge_request_id', '=', mergeRequestId)
    .where('status', 'in', [...activeStatuses])
    .execute();
}

/** All trains that have something to merge. */
export async function allTrains(db: Db): Promise<TrainKey[]> {
  return await db
    .selectFrom('merge_train_entries')
    .select(['project_id', 'target_branch'])
    .distinct()
    .where('status', 'in', [...activeStatuses])
    .execute();
}

/** Makes another user the one who added entries, when theirs is removed. */
export async function moveEntries(tx: Db, from: number, to: number): Promise<void> {
  await tx.updateTable('merge_train_entries').set({ user_id: to }).where('user_id', '=', from).execute();
}
