/** Secure files as the API shows them: never with their content. */
import type { Static } from 'typebox';
import type { SecureFile } from '../../../kernel/db/rows.ts';
import { AnyJson, Entity, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';

export const SecureFileEntity = Entity('SecureFile', {
  id: Id(),
  name: Text(),
  checksum: Text({ description: 'Of the content, in hexadecimal digits' }),
  checksum_algorithm: Text({ description: '`sha256`' }),
  created_at: Timestamp(),
  expires_at: Nullable(Timestamp({ description: 'When the certificate or profile in it expires' })),
  metadata: AnyJson({ description: 'What a certificate or profile says of itself; null for other files' }),
});

export function secureFileJson(row: SecureFile): Static<typeof SecureFileEntity> {
  return {
    id: row.id,
    name: row.name,
    checksum: row.sha256.toString('hex'),
    checksum_algorithm: 'sha256',
    created_at: row.created_at,
    expires_at: row.expires_at,
    metadata: row.metadata,
  };
}
