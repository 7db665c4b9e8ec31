/** Which epics `e` a list is narrowed to by author, labels and the caller's reactions; each also negated. */
import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';

export interface EpicNarrowing {
  readonly author_id?: number | undefined;
  readonly author_username?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  /** Without any label, or with at least one. */
  readonly labelled?: 'none' | 'any' | undefined;
  /** The name of an emoji, `None` or `Any`. */
  readonly my_reaction_emoji?: string | undefined;
}

/** One condition for each filter that is given; of labels one for each. */
export function narrowing(given: EpicNarrowing, caller: Caller): RawBuilder<boolean>[] {
  const found: RawBuilder<boolean>[] = [];
  if (given.author_id !== undefined) found.push(sql`e.author_id = ${given.author_id}`);
  if (given.author_username !== undefined)
    found.push(
      sql`e.author_id in (select u.id from users u where lower(u.username) = lower(${given.author_username}))`,
    );
  for (const title of given.labels ?? [])
    found.push(sql`exists (select from epic_labels k join labels l on l.id = k.label_id
      where k.epic_id = e.id and l.title = ${title})`);
  if (given.labelled) {
    const some = sql<boolean>`exists (select from epic_labels k where k.epic_id = e.id)`;
    found.push(given.labelled === 'any' ? some : sql`not ${some}`);
  }
  const emoji = given.my_reaction_emoji;
  if (emoji !== undefined) {
    const named = /^(none|any)$/i.test(emoji) ? sql`true` : sql`w.name = ${emoji}`;
    const mine = sql<boolean>`exists (select from award_emoji w where w.noteable_type = 'epic' and w.noteable_id = e.id
      and w.note_id is null and w.user_id = ${caller.user?.id ?? null}::bigint and ${named})`;
    found.push(/^none$/i.test(emoji) ? sql`not ${mine}` : mine);
  }
  return found;
}
