/** Reactions as archives hold them. */
import { type RawBuilder, sql } from 'kysely';
import { type Db, insertMany } from '../../../kernel/db/index.ts';
import type { NoteableType } from '../notes/kinds.ts';

/** All reactions to a thing, or with `note_id` to a comment, as one JSON value. */
export const awardsJson = (
  on: { readonly type: NoteableType; readonly id: RawBuilder<unknown> } | { readonly noteId: RawBuilder<unknown> },
): RawBuilder<unknown> => sql`
  coalesce((select jsonb_agg(jsonb_build_object('name', award.name, 'created_at', award.created_at,
      'by', (select username from users where id = award.user_id)) order by award.id)
    from award_emoji award where ${
      'noteId' in on
        ? sql`award.note_id = ${on.noteId}`
        : sql`award.noteable_type = ${on.type} and award.noteable_id = ${on.id}`
    }), '[]')`;

export interface NewAward {
  readonly name: string;
  readonly user_id: number;
  readonly created_at: Date;
}

/** What reactions are to: a thing, or with `note_id` a comment on one. */
export type Awarded = { readonly noteable_id: number } | { readonly note_id: number };

export async function insertAwards(
  tx: Db,
  awards: readonly (NewAward & Awarded & { readonly noteable_type: NoteableType })[],
): Promise<void> {
  await insertMany(
    tx,
    'award_emoji',
    awards.map((award) => ({ ...award, updated_at: award.created_at })),
  );
}
