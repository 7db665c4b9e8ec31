/** Adding and removing GPG keys. */
import { type AuditOrigin, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { GpgKey, User } from '../../../kernel/db/rows.ts';
import { invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { letters } from '../mails/index.ts';
import { userEntity } from '../users/index.ts';
import { deleteGpgKey, insertGpgKey } from './gpg-keys.queries.ts';
import { parseGpgKey } from './parse.ts';

export interface GpgKeys {
  /** Throws the API's 400. */
  add(user: User, text: string, origin: AuditOrigin): Promise<GpgKey>;
  /** `revoked`: the owner no longer trusts it, and neither should what was signed with it be trusted. */
  remove(user: User, key: GpgKey, how: 'destroyed' | 'revoked', origin: AuditOrigin): Promise<void>;
}

const taken = ['has already been taken'];
const invalid =
  "is invalid. A valid public GPG key begins with '-----BEGIN PGP PUBLIC KEY BLOCK-----' and ends with '-----END PGP PUBLIC KEY BLOCK-----'";

export function createGpgKeys({ db, mail }: { readonly db: Db; readonly mail: Pick<Mail, 'send'> }): GpgKeys {
  const record = (tx: Db, user: User, key: GpgKey, event: string, origin: AuditOrigin) =>
    recordAudit(tx, {
      ...origin,
      entity: userEntity(user),
      event,
      details: { fingerprint: key.fingerprint },
      target: { type: 'GpgKey', id: key.id, details: key.primary_keyid },
    });
  return {
    add: async (user, text, origin) => {
      const parsed = await parseGpgKey(text);
      if (!parsed) throw invalidRecord({ key: [invalid] });
      try {
        return await transaction(db, async (tx) => {
          const row = await insertGpgKey(tx, user.id, text.trim(), parsed);
          await record(tx, user, row, 'gpg_key_created', origin);
          await mail.send(tx, letters.keyAdded(user, 'GPG', row.primary_keyid));
          return row;
        });
      } catch (error) {
        if (isUniqueViolation(error, 'gpg_keys_fingerprint_key'))
          throw invalidRecord({ fingerprint: taken, key: taken, primary_keyid: taken });
        throw error;
      }
    },
    remove: async (user, key, how, origin) => {
      await transaction(db, async (tx) => {
        if (!(await deleteGpgKey(tx, key.id))) throw notFound('GPG Key');
        await record(tx, user, key, `gpg_key_${how}`, origin);
      });
    },
  };
}
