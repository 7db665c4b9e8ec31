/** Epics in archives of groups, and what they have to do with each other. */
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
import { takenTimes, timeEntryLines, timeEstimateLine } from '../../collaboration/time-tracking/index.ts';
import { type GroupRelation, groupRelation, removingOfGroup } from '../../namespaces/index.ts';
import {
  epicLinesOf,
  epicLinkLinesOf,
  insertArchivedEpic,
  insertArchivedEpicLink,
  removeEpicLinks,
} from './transfer.queries.ts';

const iid = Int({ minimum: 1, maximum: 2_147_483_647 });
const maybe = {
  date: Optional(OrNull(DateParam())),
  time: Optional(OrNull(DateTimeParam())),
  person: Optional(OrNull(Str({ maxLength: 255 }))),
};
/** Labels, reactions and changes that one epic may have. */
const most = 10_000;

export const epicRelation: GroupRelation = groupRelation({
  name: 'epics',
  schema: Type.Object({
    iid,
    title: Str({ minLength: 1, maxLength: 255 }),
    description: Optional(OrNull(Str({ maxLength: 1_000_000 }))),
    state: OneOf(['opened', 'closed']),
    confidential: Bool(),
    color: Str({ pattern: '^#[0-9a-fA-F]{6}$' }),
    start_date_is_fixed: Bool(),
    start_date_fixed: maybe.date,
    due_date_is_fixed: Bool(),
    due_date_fixed: maybe.date,
    closed_at: maybe.time,
    last_edited_at: maybe.time,
    created_at: DateTimeParam(),
    updated_at: DateTimeParam(),
    author: maybe.person,
    closed_by: maybe.person,
    last_edited_by: maybe.person,
    /** Titles; those of the group and of groups above. */
    labels: List(Str({ minLength: 1, maxLength: 255 })),
    discussion_locked: Optional(Bool()),
    health_status: Optional(OrNull(OneOf(['on_track', 'needs_attention', 'at_risk']))),
    time_estimate: timeEstimateLine,
    history: historyLines,
    award_emoji: awardLines,
    time_entries: timeEntryLines,
  }),
  rows: epicLinesOf,
  insert: async (
    tx,
    { author: name, closed_by, last_edited_by, history, award_emoji, time_entries, ...row },
    target,
  ) => {
    const { groupId, importerId, person } = target;
    if ([row.labels, history ?? [], award_emoji ?? [], time_entries ?? []].some(({ length }) => length > most))
      return `has more than ${most} labels, reactions, changes or entries of time`;
    const author = await person(name);
    // Whoever wrote it is named where they have no account here, or nobody vouches that it is theirs.
    const by = author === null && name ? `*Opened by ${name}*\n\n` : '';
    const description = `${by}${row.description ?? ''}`.trimEnd() || null;
    const id = await insertArchivedEpic(
      tx,
      groupId,
      { ...row, description: by === '' ? (row.description ?? null) : description },
      {
        author_id: author ?? importerId,
        closed_by_id: row.state === 'closed' ? await person(closed_by) : null,
        last_edited_by_id: await person(last_edited_by),
      },
      await takenTimes(time_entries ?? [], target),
    );
    if (id === undefined) return 'is there already';
    await takeHistory(tx, 'epic', { groupId }, [{ id, lines: history }], target);
    await takeAwards(tx, [{ type: 'epic', noteable_id: id, lines: award_emoji }], target);
    return null;
  },
  remove: removingOfGroup('epics'),
});

const name = Type.Object({ group: Str({ maxLength: 1024 }), iid });

/** Which epic is above which, and links between them; after the epics of all groups. */
export const epicLinkRelation: GroupRelation = groupRelation({
  name: 'epic_links',
  schema: Type.Object({
    source: name,
    target: name,
    link_type: OneOf(['relates_to', 'blocks', 'parent']),
    position: Optional(OrNull(Int())),
    created_at: DateTimeParam(),
  }),
  acrossGroups: true,
  rows: (db, groupId, { rootId }) => epicLinkLinesOf(db, groupId, rootId),
  insert: (tx, row, { rootId }) => insertArchivedEpicLink(tx, rootId, row),
  remove: removeEpicLinks,
});
