/** Boards in archives of projects and groups, with their lists. */
import Type, { type Static } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { Bool, DateParam, Int, List, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import type { Within } from '../../collaboration/index.ts';
import {
  type GroupRelation,
  groupRelation,
  type ImportTarget,
  type Relation,
  relation,
  removing,
  removingOfGroup,
} from '../../namespaces/index.ts';
import { boardLinesOf, insertArchivedBoard } from './transfer.queries.ts';

const title = Str({ minLength: 1, maxLength: 255 });
const maybe = Optional(OrNull(title));
/** Lists of one board. */
const mostLists = 500;

const iteration = Optional(
  OrNull(Type.Object({ iid: Int({ minimum: 1, maximum: 2_147_483_647 }), start_date: DateParam() })),
);

const board = {
  name: 'boards',
  schema: Type.Object({
    name: title,
    hide_backlog_list: Optional(Bool()),
    hide_closed_list: Optional(Bool()),
    /** Titles and usernames: which issues it is about. */
    milestone: maybe,
    assignee: maybe,
    labels: Optional(List(title)),
    weight: Optional(OrNull(Int({ minimum: 0, maximum: 2_147_483_647 }))),
    /** From the left; each is of one label, milestone, iteration or person. */
    lists: List(Type.Object({ label: maybe, milestone: maybe, iteration, assignee: maybe })),
  }),
};

async function insert(
  tx: Db,
  row: Static<typeof board.schema>,
  place: Within,
  { person }: Pick<ImportTarget, 'person'>,
): Promise<string | null> {
  if (row.lists.length > mostLists) return `has more than ${mostLists} lists`;
  const lists = [];
  for (const { assignee, ...list } of row.lists) {
    const userId = assignee ? await person(assignee) : null;
    const { label, milestone, iteration: of } = list;
    if (label || milestone || of || userId !== null) lists.push({ label, milestone, iteration: of, userId });
  }
  await insertArchivedBoard(tx, place, row, await person(row.assignee), lists);
  return null;
}

export const boardRelation: Relation = relation({
  ...board,
  rows: (db, projectId) => boardLinesOf(db, { projectId }),
  insert: (tx, row, target) => insert(tx, row, { projectId: target.projectId }, target),
  remove: removing('boards'),
});

export const groupBoardRelation: GroupRelation = groupRelation({
  ...board,
  rows: (db, groupId) => boardLinesOf(db, { groupId }),
  insert: (tx, row, target) => insert(tx, row, { groupId: target.groupId }, target),
  remove: removingOfGroup('boards'),
});
