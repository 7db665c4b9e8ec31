/** Boards in archives of projects, with their lists. */
import Type from 'typebox';
import { Bool, Int, List, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { type Relation, relation, removing } from '../../namespaces/index.ts';
import { boardLinesOf, insertArchivedBoard } from './transfer.queries.ts';

const title = Str({ minLength: 1, maxLength: 255 });
const maybe = Optional(OrNull(title));
/** Lists of one board. */
const mostLists = 500;

export const boardRelation: Relation = relation({
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
    /** From the left; each is of one label, milestone or person. */
    lists: List(Type.Object({ label: maybe, milestone: maybe, assignee: maybe })),
  }),
  rows: boardLinesOf,
  insert: async (tx, row, target) => {
    if (row.lists.length > mostLists) return `has more than ${mostLists} lists`;
    const lists = [];
    for (const { label, milestone, assignee } of row.lists) {
      const userId = assignee ? await target.person(assignee) : null;
      if (label || milestone || userId !== null) lists.push({ label, milestone, userId });
    }
    await insertArchivedBoard(tx, target.projectId, row, await target.person(row.assignee), lists);
    return null;
  },
  remove: removing('boards'),
});
