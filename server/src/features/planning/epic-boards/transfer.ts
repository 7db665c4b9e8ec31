/** Epic boards in archives of groups, with their lists. */
import Type from 'typebox';
import { Bool, List, Str } from '../../../kernel/http/params/schema.ts';
import { type GroupRelation, groupRelation, removingOfGroup } from '../../namespaces/index.ts';
import { epicBoardLinesOf, insertArchivedEpicBoard } from './transfer.queries.ts';

const title = Str({ minLength: 1, maxLength: 255 });
/** Lists and labels of one board. */
const most = 500;

export const epicBoardRelation: GroupRelation = groupRelation({
  name: 'epic_boards',
  schema: Type.Object({
    name: title,
    hide_backlog_list: Bool(),
    hide_closed_list: Bool(),
    labels: List(title),
    /** From the left. */
    lists: List(Type.Object({ label: title, collapsed: Bool() })),
  }),
  rows: epicBoardLinesOf,
  insert: async (tx, row, { groupId }) => {
    if (row.lists.length > most || row.labels.length > most) return `has more than ${most} lists or labels`;
    await insertArchivedEpicBoard(tx, groupId, row);
    return null;
  },
  remove: removingOfGroup('epic_boards'),
});
