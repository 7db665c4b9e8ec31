/** Issues in archives of projects, and what they have to do with each other. */
import Type from 'typebox';
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
import { type ImportTarget, type Relation, relation, removing, reserving } from '../../namespaces/index.ts';
import {
  insertArchivedIssue,
  insertArchivedLink,
  issuesOf,
  linksOf,
  removeLinks,
  settleIssues,
} from './transfer.queries.ts';

const iid = Int({ minimum: 1, maximum: 2_147_483_647 });
const username = Str({ minLength: 1, maxLength: 255 });
const seconds = 3_155_760_000;
const maybe = {
  date: Optional(OrNull(DateParam())),
  time: Optional(OrNull(DateTimeParam())),
  person: Optional(OrNull(username)),
};
/** People, labels, entries of time and changes of state that one issue may have. */
const most = 1000;

export const issueRelation: Relation = relation({
  name: 'issues',
  schema: Type.Object({
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
    /** Seconds. */
    time_estimate: Optional(Int({ minimum: 0, maximum: seconds })),
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
    /** Below zero where time was taken back. */
    time_entries: Optional(
      List(
        Type.Object({
          seconds: Int({ minimum: -seconds, maximum: seconds }),
          summary: Optional(OrNull(Str({ maxLength: 255 }))),
          by: maybe.person,
          spent_at: DateTimeParam(),
        }),
      ),
    ),
  }),
  rows: issuesOf,
  insert: async (tx, row, target) => {
    const { assignees, labels, state_events: states = [], time_entries: times = [], award_emoji: awards = [] } = row;
    const history = row.history ?? states.map((each) => ({ kind: 'state' as const, ...each }));
    if ([assignees, labels, states, history, times, awards].some(({ length }) => length > most))
      return `has more than ${most} people, labels, changes, reactions or entries of time`;
    if (row.start_date && row.due_date && row.due_date < row.start_date) return 'ends before it begins';
    const author = await target.person(row.author);
    const made = await insertArchivedIssue(
      tx,
      target.projectId,
      {
        ...row,
        // Whoever wrote it is named where they have no account here, or nobody vouches that it is theirs.
        description:
          author === null && row.author
            ? `*Opened by ${row.author}*\n\n${row.description ?? ''}`.trimEnd()
            : (row.description ?? null),
      },
      {
        authorId: author ?? target.importerId,
        closedById: row.state === 'closed' ? await target.person(row.closed_by) : null,
        editedById: await target.person(row.last_edited_by),
        assignees: await everyone(assignees, target),
        times: await Promise.all(
          times.map(async ({ seconds, summary = null, by, spent_at: spentAt }) => ({
            ...{ seconds, summary, spentAt },
            userId: (await target.person(by)) ?? target.importerId,
          })),
        ),
      },
    );
    if (made === undefined) return 'is there already';
    await takeHistory(tx, { type: 'issue', id: made }, target, history, target);
    await takeAwards(tx, 'issue', { noteable_id: made }, awards, target);
    await reserve(tx, row.iid, target);
    return null;
  },
  arrived: settleIssues,
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
