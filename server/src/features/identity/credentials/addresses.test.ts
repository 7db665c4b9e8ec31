/** The limit of addresses from which a person may act. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken } from '../../../../test/factories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';

let app: TestApp;
let person: BuiltToken;
beforeAll(async () => {
  app = await startTestApp({ environment: { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' } });
  person = await buildToken(app);
});
afterAll(() => app.close());

const from = async (address: string, who = person) => {
  const headers = { 'X-Forwarded-For': address };
  return await app.api<{ message?: string }>('GET', '/user', { token: who.secret, headers });
};
const statuses = async (...addresses: string[]) => {
  const found = [];
  for (const address of addresses) found.push((await from(address)).status);
  return found;
};

test('a person acts from as many addresses as the instance allows, others are refused until one was not seen for the time', async () => {
  expect(await statuses('192.0.2.1', '192.0.2.2', '192.0.2.3')).toEqual([200, 200, 200]);
  await app.settings.write({
    ...{ unique_ips_limit_enabled: true, unique_ips_limit_per_user: 2, unique_ips_limit_time_window: 600 },
  });
  expect(await statuses('192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.1', '192.0.2.2')).toEqual([
    ...[200, 200, 403],
    ...[200, 200],
  ]);
  expect((await from('192.0.2.3')).body.message).toBe('403 Forbidden - Too many logins from different IPs');
  // Everybody has addresses of their own.
  expect((await from('192.0.2.3', await buildToken(app))).status).toBe(200);
  const past = new Date(Date.now() - 601_000);
  await app.db
    .updateTable('user_addresses')
    .set({ seen_at: past })
    .where('user_id', '=', person.user.id)
    .where('address', '=', '192.0.2.2')
    .execute();
  expect(await statuses('192.0.2.3', '192.0.2.4')).toEqual([200, 403]);
  await runTask(app, 'identity.forget_addresses');
  const left = await app.db
    .selectFrom('user_addresses')
    .select('address')
    .where('user_id', '=', person.user.id)
    .orderBy('address')
    .execute();
  expect(left.map(({ address }) => address)).toEqual(['192.0.2.1', '192.0.2.3']);
  await app.settings.write({ unique_ips_limit_enabled: false });
  expect(await statuses('192.0.2.4')).toEqual([200]);
});

test('sessions count like tokens', async () => {
  const secret = randomBytes(16).toString('hex');
  const { user } = await buildToken(app);
  const expires_at = new Date(Date.now() + 60_000);
  await app.db
    .insertInto('sessions')
    .values({ user_id: user.id, token_sha256: tokenHash(secret), expires_at, remember: false })
    .execute();
  const opened = async (address: string) => {
    const headers = { 'X-Forwarded-For': address, Cookie: `_gitlab_session=${secret}` };
    return (await app.api('GET', '/user', { headers })).status;
  };
  await app.settings.write({ unique_ips_limit_enabled: true, unique_ips_limit_per_user: 1 });
  expect([await opened('192.0.2.1'), await opened('192.0.2.2'), await opened('192.0.2.1')]).toEqual([200, 403, 200]);
});
