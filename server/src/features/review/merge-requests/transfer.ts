/** Merge requests in archives of projects. */
import Type, { type Static } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { Bool, DateTimeParam, Int, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { awardLines, historyLines, takeAwards, takeHistory } from '../../collaboration/index.ts';
import { takenTimes, timeEntryLines, timeEstimateLine } from '../../collaboration/time-tracking/index.ts';
import { type ImportTarget, type Relation, relation, reserving, rewritingTexts } from '../../namespaces/index.ts';
import {
  insertMergeRequests,
  mergeRequestsOf,
  type NewMergeRequest,
  removeMergeRequests,
  settleMergeRequests,
} from './transfer.queries.ts';

const sha = Str({ pattern: '^[0-9a-f]{40}$' });
const username = Str({ minLength: 1, maxLength: 255 });
const branch = Str({ minLength: 1, maxLength: 1024 });
const maybe = {
  sha: Optional(OrNull(sha)),
  date: Optional(OrNull(DateTimeParam())),
  flag: Optional(OrNull(Bool())),
  person: Optional(OrNull(username)),
};

/** Changes and reactions that one merge request may have. */
const most = 10_000;

const reserve = reserving('merge_request');

const requestLine = Type.Object({
  iid: Int({ minimum: 1, maximum: 2_147_483_647 }),
  source_branch: branch,
  target_branch: branch,
  title: Str({ minLength: 1, maxLength: 255 }),
  description: Optional(OrNull(Str({ maxLength: 1_000_000 }))),
  state: OneOf(['opened', 'closed', 'merged']),
  own_source: Bool(),
  head_sha: maybe.sha,
  base_sha: maybe.sha,
  start_sha: maybe.sha,
  squash: Bool(),
  force_remove_source_branch: maybe.flag,
  discussion_locked: maybe.flag,
  merge_commit_sha: maybe.sha,
  squash_commit_sha: maybe.sha,
  merged_commit_sha: maybe.sha,
  changes_count: Optional(OrNull(Str({ maxLength: 20 }))),
  merged_at: maybe.date,
  closed_at: maybe.date,
  prepared_at: maybe.date,
  created_at: DateTimeParam(),
  updated_at: DateTimeParam(),
  author: maybe.person,
  merged_by: maybe.person,
  closed_by: maybe.person,
  assignees: List(username),
  reviewers: List(username),
  labels: Optional(List(Str({ minLength: 1, maxLength: 255 }))),
  milestone: Optional(OrNull(Str({ maxLength: 255 }))),
  history: historyLines,
  award_emoji: awardLines,
  allow_collaboration: Optional(Bool()),
  override_requested_changes: Optional(Bool()),
  merge_after: maybe.date,
  approvals_before_merge: Optional(OrNull(Int({ minimum: 0, maximum: 1000 }))),
  time_estimate: timeEstimateLine,
  time_entries: timeEntryLines,
  /** Who has requested changes. */
  requested_changes: Optional(List(Type.Object({ by: username, created_at: DateTimeParam() }))),
  context_commits: Optional(List(Type.Object({ sha, committed_at: DateTimeParam() }))),
  versions: List(Type.Object({ head_sha: sha, base_sha: sha, start_sha: sha, created_at: DateTimeParam() })),
});

type RequestRow = Static<typeof requestLine>;

async function problemOf(row: RequestRow, target: ImportTarget): Promise<string | null> {
  const { history, award_emoji, requested_changes, context_commits, time_entries } = row;
  const lists = [history, award_emoji, requested_changes, context_commits, time_entries];
  if (lists.some((list) => (list ?? []).length > most))
    return `has more than ${most} changes, reactions, commits or entries of time`;
  const commits = [row.head_sha, row.base_sha, row.start_sha].filter((id) => id !== null && id !== undefined);
  for (const id of commits) if (!(await target.hasCommit(id))) return 'is about commits that the archive does not have';
  if (row.state === 'opened' && (!row.own_source || commits.length < 3))
    return 'is open for a branch that the archive does not have';
  return null;
}

/** A merge request with the people and commits that its names stand for here. */
async function resolved(row: RequestRow, target: ImportTarget): Promise<NewMergeRequest> {
  const { requested_changes = [], context_commits = [], time_entries = [] } = row;
  const versions = [];
  for (const version of row.versions)
    if ((await target.hasCommit(version.head_sha)) && (await target.hasCommit(version.base_sha)))
      versions.push(version);
  const context = [];
  for (const commit of context_commits) if (await target.hasCommit(commit.sha)) context.push(commit);
  const author = await target.person(row.author);
  const by = async (name: string | null | undefined) => (await target.person(name)) ?? target.importerId;
  return {
    line: { ...row, versions, description: described(row, author === null) },
    people: {
      authorId: author ?? target.importerId,
      mergedById: row.state === 'merged' ? await by(row.merged_by) : null,
      closedById: row.state === 'closed' ? await by(row.closed_by) : null,
      assignees: await everyone(row.assignees, target),
      reviewers: await everyone(row.reviewers, target),
    },
    context,
    requested: await Promise.all(
      requested_changes.map(async ({ by: name, created_at }) => ({ created_at, user_id: await target.person(name) })),
    ),
    times: await takenTimes(time_entries, target),
  };
}

/** Puts merge requests in with few statements: projects have very many. */
async function takeRequests(
  tx: Db,
  rows: readonly RequestRow[],
  target: ImportTarget,
): Promise<readonly (string | null)[]> {
  const reasons: (string | null)[] = [];
  const taken = new Map<number, RequestRow>();
  const requests = [];
  for (const row of rows) {
    const reason = taken.has(row.iid) ? 'is there already' : await problemOf(row, target);
    reasons.push(reason);
    if (reason !== null) continue;
    taken.set(row.iid, row);
    requests.push(await resolved(row, target));
  }
  const ids = await insertMergeRequests(tx, target.projectId, requests);
  for (const [at, row] of rows.entries())
    if (reasons[at] === null && !ids.has(row.iid)) reasons[at] = 'is there already';
  const made = [...ids].flatMap(([iid, id]) => {
    const row = taken.get(iid);
    return row ? [{ id, row }] : [];
  });
  const histories = made.map(({ id, row }) => ({ id, lines: row.history }));
  await takeHistory(tx, 'merge_request', target, histories, target);
  const type = 'merge_request' as const;
  await takeAwards(
    tx,
    made.map(({ id, row }) => ({ type, noteable_id: id, lines: row.award_emoji })),
    target,
  );
  if (ids.size > 0) await reserve(tx, Math.max(...ids.keys()), target);
  return reasons;
}

export const mergeRequestRelation: Relation = relation({
  name: 'merge_requests',
  schema: requestLine,
  rows: mergeRequestsOf,
  insert: async (tx, row, target) => (await takeRequests(tx, [row], target))[0] ?? null,
  insertMany: takeRequests,
  arrived: settleMergeRequests,
  texts: rewritingTexts('merge_requests', 'description'),
  remove: removeMergeRequests,
});

/** Whoever wrote it is named where they have no account here, or nobody vouches that it is theirs. */
const described = (row: { description?: string | null; author?: string | null }, nobody: boolean): string | null =>
  nobody && row.author ? `*Opened by ${row.author}*\n\n${row.description ?? ''}`.trimEnd() : (row.description ?? null);

async function everyone(names: readonly string[], target: ImportTarget): Promise<number[]> {
  const found = await Promise.all(names.slice(0, 200).map((name) => target.person(name)));
  return found.filter((id) => id !== null);
}
