/** JSON of GPG keys. */
import type { Static } from 'typebox';
import type { GpgKey } from '../../../kernel/db/rows.ts';
import { Entity, Id, Text, Timestamp } from '../../../kernel/http/entity.ts';

export const GpgKeyEntity = Entity('GPGKey', {
  id: Id(),
  key: Text(),
  created_at: Timestamp(),
  fingerprint: Text(),
  primary_keyid: Text(),
});

export const gpgKey = (key: GpgKey): Static<typeof GpgKeyEntity> => ({
  id: key.id,
  key: key.key,
  created_at: key.created_at,
  fingerprint: key.fingerprint,
  primary_keyid: key.primary_keyid,
});
