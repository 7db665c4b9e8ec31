/** Reactions by name. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { AwardEmoji } from '../../../kernel/db/rows.ts';
import { emojiFacts, recordFact, toInstant } from '../../../kernel/events/index.ts';
import { keptEmojiName } from '../../../kernel/markdown/index.ts';
import { type Awardable, deleteOwnAward, insertAward } from './award-emoji.queries.ts';

/** The name that is kept of an emoji, written with or without colons; null for what is none. */
export function emojiName(written: string): string | null {
  const [, name = ''] = /^:?([a-zA-Z0-9_+-]{1,255}):?$/.exec(written.trim()) ?? [];
  return keptEmojiName(name) ?? null;
}

/** Where a reaction is: projects tell of it, groups do not. */
export type AwardPlace = Pick<ProjectSubject, 'kind' | 'project'> | { readonly kind: 'group' };

export async function recordAward(
  tx: Db,
  what: keyof typeof emojiFacts,
  award: AwardEmoji,
  place: AwardPlace,
  actorId: number,
): Promise<void> {
  if (place.kind === 'group') return;
  const { created_at, updated_at, ...told } = award;
  await recordFact(
    tx,
    emojiFacts[what],
    { ...told, created_at: toInstant(created_at), updated_at: toInstant(updated_at) },
    { project_id: place.project.id, namespace_id: place.project.namespace_id, actor_id: actorId },
  );
}

/** Reacts like that, or takes the same reaction back. */
export async function toggleAward(
  tx: Db,
  awardable: Awardable,
  place: AwardPlace,
  userId: number,
  name: string,
): Promise<void> {
  const gone = await deleteOwnAward(tx, awardable, userId, name);
  const made = gone ? undefined : await insertAward(tx, awardable, userId, name);
  if (gone) await recordAward(tx, 'revoked', gone, place, userId);
  if (made) await recordAward(tx, 'awarded', made, place, userId);
}
