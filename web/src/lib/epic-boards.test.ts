/** Which epics a column of an epic board shows, and what moving one between columns changes of it. */
import { expect, it } from 'vitest';
import type { Board } from './boards.ts';
import { changeBy, narrowedTo } from './epic-boards.ts';

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

it('a move changes labels between lists and the state at the end', () => {
  expect(changeBy(board(), { from: 'backlog', to: '1' })).toEqual({ add_labels: ['now'] });
  expect(changeBy(board(), { from: '1', to: '2' })).toEqual({ add_labels: ['next'], remove_labels: ['now'] });
  expect(changeBy(board(), { from: '1', to: 'backlog' })).toEqual({ remove_labels: ['now', 'next'] });
  expect(changeBy(board(), { from: '1', to: 'closed' })).toEqual({ state_event: 'close' });
  expect(changeBy(board(), { from: 'closed', to: '2' })).toEqual({ add_labels: ['next'], state_event: 'reopen' });
});
