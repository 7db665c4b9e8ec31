/** Issues in archives of projects, and what they have to do with each other. */
import Type, { type Static } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import {
  Bool,
  DateParam,
  DateTimeParam,
  Int,
  List,
  OneOf,
  Optional,
  OrNull,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { awardLines, historyLines, takeAwards, takeHistory } from '../../collaboration/index.ts';
import { takenTimes, timeEntryLines, timeEstimateLine } from '../../collaboration/time-tracking/index.ts';
import {
  type ImportTarget,
  type Relation,
  relation,
  removing,
  reserving,
  rewritingTexts,
} from '../../namespaces/index.ts';
import {
  insertArchivedIssues,
  insertArchivedLink,
  issuesOf,
  linksOf,
  removeLinks,
  settleIssues,
} from './transfer.queries.ts';

const iid = Int({ minimum: 1, maximum: 2_147_483_647 });
const username = Str({ minLength: 1, maxLength: 255 });
const maybe = {
  date: Optional(OrNull(DateParam())),
  time: Optional(OrNull(DateTimeParam())),
  person: Optional(OrNull(username)),
};
/** People, labels, entries of time and changes of state that one issue may have. */
const most = 1000;

const issueLine = Type.Object({
  iid,
  title: Str({ minLength: 1, maxLength: 255 }),
  description: Optional(OrNull(Str({ maxLength: 1_000_000 }))),
  state: OneOf(['opened', 'closed']),
  type: OneOf(['issue', 'incident', 'test_case', 'task']),
  severity: Optional(OneOf(['unknown', 'low', 'medium', 'high', 'critical'])),
  health_status: Optional(OrNull(OneOf(['on_track', 'needs_attention', 'at_risk']))),
  confidential: Bool(),
  discussion_locked: Optional(OrNull(Bool())),
  weight: Optional(OrNull(Int({ minimum: 0, maximum: 2_147_483_647 }))),
  start_date: maybe.date,
  due_date: maybe.date,
  relative_position: Optional(OrNull(Int())),
  time_estimate: timeEstimateLine,
  closed_at: maybe.time,
  last_edited_at: maybe.time,
  created_at: DateTimeParam(),
  updated_at: DateTimeParam(),
  author: maybe.person,
  closed_by: maybe.person,
  last_edited_by: maybe.person,
  assignees: List(username),
  /** Titles; those of the project and of groups above. */
  labels: List(Str({ minLength: 1, maxLength: 255 })),
  milestone: Optional(OrNull(Str({ maxLength: 255 }))),
  iteration: Optional(OrNull(Type.Object({ iid, start_date: DateParam() }))),
  /** Of a group so many levels above the project's own. */
  epic: Optional(
    OrNull(
      Type.Object({
        above: Int({ minimum: 0, maximum: 100 }),
        iid,
        created_at: DateTimeParam(),
        position: Optional(OrNull(Int())),
      }),
    ),
  ),
  history: historyLines,
  award_emoji: awardLines,
  /** Of archives without a history. */
  state_events: Optional(
    List(Type.Object({ state: OneOf(['closed', 'reopened']), by: maybe.person, created_at: DateTimeParam() })),
  ),
  time_entries: timeEntryLines,
});

type IssueRow = Static<typeof issueLine>;

/** What an issue has many of. */
function listsOf(row: IssueRow) {
  const { assignees, labels, state_events: states = [], time_entries: times = [], award_emoji: awards = [] } = row;
  const history = row.history ?? states.map((each) => ({ kind: 'state' as const, ...each }));
  return { assignees, labels, states, history, times, awards };
}

function problemOf(row: IssueRow): string | null {
  if (Object.values(listsOf(row)).some(({ length }) => length > most))
    return `has more than ${most} people, labels, changes, reactions or entries of time`;
  return row.start_date && row.due_date && row.due_date < row.start_date ? 'ends before it begins' : null;
}

/** An issue with the people that its names stand for here. */
async function peopled(row: IssueRow, target: ImportTarget) {
  const { assignees, times } = listsOf(row);
  const author = await target.person(row.author);
  const description =
    // Whoever wrote it is named where they have no account here, or nobody vouches that it is theirs.
    author === null && row.author
      ? `*Opened by ${row.author}*\n\n${row.description ?? ''}`.trimEnd()
      : (row.description ?? null);
  return {
    line: { ...row, description },
    people: {
      authorId: author ?? target.importerId,
      closedById: row.state === 'closed' ? await target.person(row.closed_by) : null,
      editedById: await target.person(row.last_edited_by),
      assignees: await everyone(assignees, target),
      times: await takenTimes(times, target),
    },
  };
}

/** Puts issues in with few statements: projects have very many. */
async function takeIssues(
  tx: Db,
  rows: readonly IssueRow[],
  target: ImportTarget,
): Promise<readonly (string | null)[]> {
  const reasons = rows.map(problemOf);
  const taken = new Map<number, IssueRow>();
  for (const [at, row] of rows.entries())
    if (reasons[at] === null)
      if (taken.has(row.iid)) reasons[at] = 'is there already';
      else taken.set(row.iid, row);
  const issues = [];
  for (const row of taken.values()) issues.push(await peopled(row, target));
  const ids = await insertArchivedIssues(tx, target.projectId, issues);
  for (const [at, row] of rows.entries())
    if (reasons[at] === null && !ids.has(row.iid)) reasons[at] = 'is there already';
  const made = [...ids].flatMap(([iid, id]) => {
    const row = taken.get(iid);
    return row ? [{ id, ...listsOf(row) }] : [];
  });
  const histories = made.map(({ id, history }) => ({ id, lines: history }));
  await takeHistory(tx, 'issue', target, histories, target);
  const awarded = made.map(({ id, awards }) => ({ type: 'issue' as const, noteable_id: id, lines: awards }));
  await takeAwards(tx, awarded, target);
  if (ids.size > 0) await reserve(tx, Math.max(...ids.keys()), target);
  return reasons;
}

export const issueRelation: Relation = relation({
  name: 'issues',
  schema: issueLine,
  rows: issuesOf,
  insert: async (tx, row, target) => (await takeIssues(tx, [row], target))[0] ?? null,
  insertMany: takeIssues,
  arrived: settleIssues,
  texts: rewritingTexts('issues', 'description'),
  remove: removing('issues'),
});

const reserve = reserving('issue');

async function everyone(names: readonly string[], target: ImportTarget): Promise<number[]> {
  const found = await Promise.all(names.map((name) => target.person(name)));
  return [...new Set(found.filter((id) => id !== null))];
}

/** Links between issues of the project, and which of them repeats another. */
export const issueLinkRelation: Relation = relation({
  name: 'issue_links',
  schema: Type.Object({
    source: iid,
    target: iid,
    link_type: OneOf(['relates_to', 'blocks', 'duplicates']),
    created_at: DateTimeParam(),
  }),
  rows: linksOf,
  insert: async (tx, row, { projectId }) => {
    if (row.source === row.target) return 'links an issue with itself';
    const done = await insertArchivedLink(tx, projectId, row);
    return done ? null : 'is there already, or links issues that the archive does not have';
  },
  remove: removeLinks,
});
