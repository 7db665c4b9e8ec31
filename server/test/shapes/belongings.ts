/** People in every state and what belongs to people, for random requests. */
import type { World } from '../ci.ts';
import { buildUser, unique } from '../factories.ts';
import { gpgKeyTexts, sshKeyText } from '../keys.ts';

/** Several people in each state, because a request changes one, and what belongs to `users`. */
export async function buildBelongings(world: World, users: readonly number[]) {
  const { app, admin } = world;
  const token = admin.token;
  const post = async (path: string, json: Record<string, unknown>) => {
    const made = await app.api<{ id: number }>('POST', path, { token, json });
    if (made.status !== 201) throw new Error(`${path}: ${made.status} ${JSON.stringify(made.body)}`);
    return made.body;
  };
  const states = ['active', 'blocked', 'banned', 'deactivated', 'blocked_pending_approval'] as const;
  const people = { active: [], blocked: [], banned: [], deactivated: [], blocked_pending_approval: [] } as Record<
    (typeof states)[number],
    number[]
  >;
  const secured: number[] = [];
  for (let count = 0; count < 12; count += 1) {
    for (const state of states) {
      const { id } = await buildUser(app);
      people[state].push(id);
      if (state !== 'active') await app.db.updateTable('users').set({ state }).where('id', '=', id).execute();
    }
    const { id } = await buildUser(app);
    secured.push(id);
    await app.db.updateTable('users').set({ two_factor_enabled: true }).where('id', '=', id).execute();
    const secret = { user_id: id, secret_sealed: Buffer.from('sealed'), confirmed_at: new Date() };
    await app.db.insertInto('totp_secrets').values(secret).execute();
  }
  const identity = { provider: 'directory', saml_provider_id: null };
  for (const id of people.active)
    await app.db
      .insertInto('identities')
      .values({ ...identity, user_id: id, extern_uid: unique('person') })
      .execute();
  const keys = [];
  for (const id of users) {
    keys.push(await post(`/users/${id}/keys`, { title: 'laptop', key: sshKeyText() }));
    const email = `${unique('more')}@example.com`;
    await post(`/users/${id}/emails`, { email, skip_confirmation: true });
    await app.api('PUT', `/users/${id}/custom_attributes/GREETING`, { token, json: { value: 'x' } });
    await app.api('POST', `/users/${id}/follow`, { token });
  }
  const [first] = keys;
  const sshKey = await app.db
    .selectFrom('ssh_keys')
    .select(['id', 'fingerprint_sha256'])
    .where('id', '=', first?.id ?? 0)
    .executeTakeFirstOrThrow();
  const gpgKeys: string[] = [];
  for (let count = 0; count < 6; count += 1)
    gpgKeys.push((await gpgKeyTexts(`${unique('gpg')}@example.com`)).publicKey);
  return {
    people: { ...people, secured },
    sshKey: { id: sshKey.id, fingerprint: `SHA256:${sshKey.fingerprint_sha256}` },
    gpgKeys,
  };
}
