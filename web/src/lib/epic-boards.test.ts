/** Which epics a column of an epic board shows. */
import { expect, it } from 'vitest';
import type { Board } from './boards.ts';
import { narrowedTo } from './epic-boards.ts';

const list = (id: number, name: string) => ({
  ...{ id, position: id },
  label: { name, color: '#000000', description: null },
});
const board = (labels: string[] = []): Board => ({
  ...{ id: 1, name: 'Epics', hide_backlog_list: false, hide_closed_list: false },
  ...{ milestone: null, assignee: null, weight: null },
  labels: labels.map((name) => ({ name })),
  lists: [list(1, 'now'), list(2, 'next')],
});

it('columns are narrowed to the labels of the board and of their list', () => {
  expect(narrowedTo(board(['team']), '2')).toEqual({ state: 'opened', labels: ['team', 'next'] });
  expect(narrowedTo(board(), 'backlog')).toEqual({ state: 'opened', labels: [], 'not[labels]': 'now,next' });
  expect(narrowedTo(board(['team']), 'closed')).toEqual({ state: 'closed', labels: ['team'] });
  expect(narrowedTo({ ...board(), lists: [] }, 'backlog')).toEqual({ state: 'opened', labels: [] });
});
