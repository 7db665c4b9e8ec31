/** Reactions by name. */
import type { Db } from '../../../kernel/db/index.ts';
import { type Awardable, deleteOwnAward, insertAward } from './award-emoji.queries.ts';

/** Other names of the two that are counted. */
const aliases: Readonly<Record<string, string>> = { '+1': 'thumbsup', '-1': 'thumbsdown' };

/** The name of an emoji, written with or without colons; null for what is none. */
export function emojiName(written: string): string | null {
  const [, name] = /^:?([a-zA-Z0-9_+-]{1,255}):?$/.exec(written.trim()) ?? [];
  return name === undefined ? null : (aliases[name] ?? name);
}

/** Reacts like that, or takes the same reaction back. */
export async function toggleAward(tx: Db, awardable: Awardable, userId: number, name: string): Promise<void> {
  if (!(await deleteOwnAward(tx, awardable, userId, name))) await insertAward(tx, awardable, userId, name);
}
