/** Reactions to comments, for pages that show many of them. */
import type { Db } from '../../../kernel/db/index.ts';
import type { AwardEmoji } from '../../../kernel/db/rows.ts';

/** Of one page: what is beyond is not shown. */
const most = 2000;

export async function reactionsTo(db: Db, noteIds: readonly number[]): Promise<AwardEmoji[]> {
  if (noteIds.length === 0) return [];
  return await db
    .selectFrom('award_emoji')
    .selectAll()
    .where('note_id', 'in', [...noteIds])
    .orderBy('id')
    .limit(most)
    .execute();
}
