/** The history of things in archives: what a line has, and the way back. */
import Type, { type Static } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import {
  DateParam,
  DateTimeParam,
  Int,
  List,
  OneOf,
  Optional,
  OrNull,
  Str,
} from '../../../kernel/http/params/schema.ts';
import type { ImportTarget } from '../../namespaces/index.ts';
import type { Within } from '../meant.queries.ts';
import { type HistoryLine, insertHistory } from './transfer.queries.ts';

const title = Optional(Str({ minLength: 1, maxLength: 255 }));
const line = Type.Object({
  kind: OneOf(['label', 'milestone', 'iteration', 'state', 'weight']),
  action: Optional(OneOf(['add', 'remove'])),
  label: title,
  milestone: title,
  iteration: Optional(Type.Object({ iid: Int({ minimum: 1, maximum: 2_147_483_647 }), start_date: DateParam() })),
  state: Optional(OneOf(['opened', 'closed', 'reopened', 'merged'])),
  weight: Optional(Int({ minimum: 0, maximum: 2_147_483_647 })),
  commit: Optional(Str({ pattern: '^[0-9a-f]{40}$' })),
  created_at: DateTimeParam(),
  by: Optional(OrNull(Str({ maxLength: 255 }))),
});

export const historyLines = Optional(List(line));

/** Whether a change says what its kind needs; others are left out. */
const whole = ({ kind, action, state }: HistoryLine): boolean =>
  kind === 'state' ? state !== undefined && action === undefined : (kind === 'weight') === (action === undefined);

/** The changes of several things of a place at once. */
export async function takeHistory(
  tx: Db,
  type: Parameters<typeof insertHistory>[1],
  place: Within,
  things: readonly { readonly id: number; readonly lines: readonly Static<typeof line>[] | undefined }[],
  { person }: Pick<ImportTarget, 'person'>,
): Promise<void> {
  const named = [];
  for (const { id, lines = [] } of things)
    for (const { by, ...each } of lines)
      if (whole(each)) named.push({ ...each, noteable_id: id, user_id: await person(by) });
  await insertHistory(tx, type, place, named);
}
