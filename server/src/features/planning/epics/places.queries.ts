/** SQL of the order that people give to epics on boards. */
import { sql } from 'kysely';
import { below } from '../../namespaces/index.ts';
import { placesOf } from '../places.queries.ts';

/** Positions are compared within a top-level group: boards show epics of the groups below theirs. */
export const { lockOrder, reorder } = placesOf({
  table: sql.table('epics'),
  position: sql.ref('board_position'),
  holder: sql.ref('namespace_id'),
  holders: sql.table('namespaces'),
  holdersIn: below,
  lock: 'epic_order',
});
