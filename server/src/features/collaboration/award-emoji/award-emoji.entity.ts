/** JSON of reactions. */
import type { Static } from 'typebox';
import type { AwardEmoji as AwardRow } from '../../../kernel/db/rows.ts';
import { Entity, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { type ReferenceRow, UserReference, userReference } from '../../identity/index.ts';
import { noteableType } from '../notes/index.ts';

export const AwardEmoji = Entity('AwardEmoji', {
  id: Id(),
  name: Text({ description: 'Name of the emoji' }),
  user: UserReference,
  created_at: Timestamp(),
  updated_at: Timestamp(),
  awardable_id: Id({ description: 'Id of the thing or of the comment' }),
  awardable_type: Text({ description: '`Issue`, `MergeRequest`, `Snippet`, `Epic` or `Note`' }),
  url: Nullable(Text(), { description: 'Picture of an emoji of a group; always null' }),
});

export const awardJson = (row: AwardRow, user: ReferenceRow, externalUrl: string): Static<typeof AwardEmoji> => ({
  id: row.id,
  name: row.name,
  user: userReference(user, externalUrl),
  created_at: row.created_at,
  updated_at: row.updated_at,
  awardable_id: row.note_id ?? row.noteable_id ?? 0,
  awardable_type: row.note_id === null ? noteableType(row) : 'Note',
  url: null,
});
