/** The order that people give to epics on boards, which is another one than that of epics below an epic. */
import type { Migration } from './index.ts';

const order = `
alter table epics add column board_position bigint;
create index epics_board_position on epics (namespace_id, board_position, id);
`;

export const epicBoardOrderMigration: Migration = { name: '1020-epic-board-order', statements: [order] };
