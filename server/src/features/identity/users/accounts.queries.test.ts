/** What is looked up by a secret, a fingerprint or an address is found by an index. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildUser } from '../../../../test/factories.ts';
import { plansOf } from '../../../../test/plans.queries.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { findEmailToConfirm, findUserToConfirm } from '../confirmations/confirmations.queries.ts';
import { addressTaken } from '../confirmations/index.ts';
import { countGpgKeys } from '../gpg-keys/gpg-keys.queries.ts';
import { findByPublicEmail, findStatusOf, listActivities, listMemberships } from '../profile/profile.queries.ts';
import { findByResetToken } from '../registration/registration.queries.ts';
import { knownAddress } from '../sessions/sessions.queries.ts';
import { findSshKeyByFingerprint, listSshKeys } from '../ssh-keys/ssh-keys.queries.ts';
import { customAttributesOf, withAccounts } from './accounts.queries.ts';
import { findUser, lockAdministrators } from './users.queries.ts';

let app: TestApp;
let person: number;
beforeAll(async () => {
  app = await startTestApp();
  person = (await buildUser(app)).id;
});
afterAll(() => app.close());

const hash = Buffer.alloc(32);
const page = { limit: 21, offset: 0 };
const user = { id: 1, current_sign_in_ip: null, last_sign_in_ip: null };
const accountOf = async (db: Db) => {
  const found = await findUser(db, person);
  if (!found) throw new Error('the user has gone');
  return await withAccounts(db, [found]);
};
const reads: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
  ssh_keys_fingerprint_sha256_key: (db) => findSshKeyByFingerprint(db, { sha256: 'x' }),
  ssh_keys_fingerprint: (db) => findSshKeyByFingerprint(db, { md5: 'x' }),
  ssh_keys_user: (db) => listSshKeys(db, 1, page),
  gpg_keys_user: (db) => countGpgKeys(db, 1),
  users_reset_password_token_key: (db) => findByResetToken(db, hash, 48),
  users_confirmation_token_key: (db) => findUserToConfirm(db, hash, 3),
  emails_confirmation_token_sha256_key: (db) => findEmailToConfirm(db, hash, 3),
  emails_email_key: (db) => addressTaken(db, 'a@example.com', null),
  users_email_key: (db) => addressTaken(db, 'a@example.com', null),
  users_public_email: (db) => findByPublicEmail(db, 'a@example.com'),
  user_statuses_pkey: (db) => findStatusOf(db, String(person)),
  users_activity: (db) => listActivities(db, '2026-01-01', page),
  users_admin: (db) => lockAdministrators(db),
  user_custom_attributes_pkey: (db) => customAttributesOf(db, [1]),
  sessions_user: (db) => knownAddress(db, user, '192.0.2.1'),
  namespaces_owner_key: accountOf,
  identities_user_provider_key: accountOf,
  user_follows_followee: accountOf,
  grants_user: (db) => listMemberships(db, 1, undefined, page),
};

it.each(Object.entries(reads))('%s serves its read', async (index, read) => {
  const plans = (await plansOf(app.database, read)).join('\n');
  expect(plans).toContain(index);
});
