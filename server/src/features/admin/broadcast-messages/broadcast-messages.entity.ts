/** A broadcast message as the API shows it. */
import type { Static } from 'typebox';
import type { BroadcastMessage as Row } from '../../../kernel/db/rows.ts';
import { Entity, Flag, Id, ListOf, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';

export const broadcastTypes = ['banner', 'notification'] as const;
export const themes = [
  ...(['indigo', 'light-indigo', 'blue', 'light-blue', 'green'] as const),
  ...(['light-green', 'red', 'light-red', 'dark', 'light'] as const),
] as const;

export const BroadcastMessage = Entity('BroadcastMessage', {
  id: Id(),
  message: Text({ description: 'Text with links' }),
  starts_at: Timestamp(),
  ends_at: Timestamp(),
  color: Text({ description: 'Background, for clients that show it' }),
  font: Text({ description: 'Foreground, for clients that show it' }),
  target_access_levels: ListOf(Id(), {
    description: 'Roles in a project with which its pages show it; everybody sees it where there is none',
  }),
  target_path: Nullable(Text({ description: 'Pattern of paths of pages, with `*` for anything' })),
  broadcast_type: Word(broadcastTypes),
  theme: Word(themes),
  dismissable: Flag(),
  active: Flag({ description: 'Whether it has begun and not ended' }),
});

export const broadcastMessageJson = (row: Row, now = new Date()): Static<typeof BroadcastMessage> => ({
  id: row.id,
  message: row.message,
  starts_at: row.starts_at,
  ends_at: row.ends_at,
  color: row.color,
  font: row.font,
  target_access_levels: row.target_access_levels,
  target_path: row.target_path,
  broadcast_type: row.broadcast_type,
  theme: row.theme,
  dismissable: row.dismissable,
  active: row.starts_at <= now && now < row.ends_at,
});
