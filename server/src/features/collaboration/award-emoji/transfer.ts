/** Reactions in archives: what a line has, and the way back. They are nobody's where their names are not known here. */
import Type, { type Static } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { DateTimeParam, List, Optional, Str } from '../../../kernel/http/params/schema.ts';
import type { ImportTarget } from '../../namespaces/index.ts';
import type { NoteableType } from '../notes/kinds.ts';
import { type Awarded, insertAwards } from './transfer.queries.ts';

const line = Type.Object({
  name: Str({ pattern: '^[a-zA-Z0-9_+-]{1,255}$' }),
  by: Str({ minLength: 1, maxLength: 255 }),
  created_at: DateTimeParam(),
});

export const awardLines = Optional(List(line));

/** The reactions to several things at once. */
export async function takeAwards(
  tx: Db,
  things: readonly (Awarded & {
    readonly type: NoteableType;
    readonly lines: readonly Static<typeof line>[] | undefined;
  })[],
  { person }: Pick<ImportTarget, 'person'>,
): Promise<void> {
  const awards = [];
  for (const { type, lines = [], ...on } of things)
    for (const { name, by, created_at } of lines) {
      const user_id = await person(by);
      if (user_id !== null) awards.push({ ...on, noteable_type: type, name, user_id, created_at });
    }
  await insertAwards(tx, awards);
}
