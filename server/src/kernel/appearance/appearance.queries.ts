/** The row of `appearances`. */
import type { Db } from '../db/index.ts';
import type { Appearance } from '../db/rows.ts';

/** The channel that tells every process to forget its copy. */
export const appearanceChannel = 'appearance';

export const findAppearance = (db: Db): Promise<Appearance | undefined> =>
  db.selectFrom('appearances').selectAll().executeTakeFirst();
