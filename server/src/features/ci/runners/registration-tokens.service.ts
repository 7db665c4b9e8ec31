/** Registration tokens of the instance, of groups and of projects: made when they are first read, replaced by a reset. */
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { newToken, tokenHash } from '../../../kernel/secrets/index.ts';
import type { CiDependencies } from '../deps.ts';
import {
  insertRegistrationToken,
  type RegistrationOwner,
  replaceRegistrationToken,
  sealedRegistrationToken,
} from './registration-tokens.queries.ts';

/** Tells registration tokens from authentication tokens: runners decide by it what to call. */
const registrationPrefix = 'GR1348941';

export interface RegistrationTokens {
  /**
   * The owner's token; null while runners do not register with tokens, and where it cannot be read: it was made before
   * tokens were sealed, or nothing may be written now.
   */
  read(owner: RegistrationOwner): Promise<string | null>;
  /** Replaces the owner's token. */
  reset(owner: RegistrationOwner): Promise<string>;
}

export function registrationTokens(deps: Pick<CiDependencies, 'db' | 'settings' | 'secrets'>): RegistrationTokens {
  const { db, settings, secrets } = deps;
  const generate = () => {
    const secret = newToken(registrationPrefix);
    return { secret, stored: { token_sha256: tokenHash(secret), token_sealed: secrets.seal(secret) } };
  };
  return {
    read: async (owner) => {
      const { allow_runner_registration_token: allowed, maintenance_mode: readOnly } = await settings.read();
      if (!allowed) return null;
      const known = await sealedRegistrationToken(db, owner);
      if (known || readOnly) return known?.token_sealed ? secrets.open(known.token_sealed) : null;
      await transaction(db, async (tx: Db) => insertRegistrationToken(tx, owner, generate().stored));
      // Another request may have been faster: the token that is stored is the one that works.
      const sealed = (await sealedRegistrationToken(db, owner))?.token_sealed;
      return sealed ? secrets.open(sealed) : null;
    },
    reset: async (owner) => {
      const { secret, stored } = generate();
      await transaction(db, async (tx: Db) => replaceRegistrationToken(tx, owner, stored));
      return secret;
    },
  };
}
