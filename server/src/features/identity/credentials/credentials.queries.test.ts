/** The reads behind every request are one indexed query each. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { plansOf } from '../../../../test/plans.queries.ts';
import { listUsers, type UserOrder } from '../users/index.ts';
import { findSessionHolder, findTokenHolder } from './credentials.queries.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

it('a token and a session are found by the index of their hash', async () => {
  const hash = Buffer.alloc(32);
  const token = await plansOf(app.database, (db) => findTokenHolder(db, hash));
  expect(token).toEqual([expect.stringContaining('access_tokens_token_sha256_key')]);
  const session = await plansOf(app.database, (db) => findSessionHolder(db, hash));
  expect(session).toEqual([expect.stringContaining('sessions_token_sha256_key')]);
  expect([...token, ...session].join()).not.toContain('Seq Scan');
});

it('each order of users has its index, and a search too', async () => {
  for (const order of ['id', 'name', 'username', 'created_at', 'updated_at'] satisfies UserOrder[]) {
    const window = {
      order,
      direction: 'asc',
      limit: 21,
      after: { value: order.endsWith('_at') ? '2026-01-01' : 'a', id: 1 },
    } as const;
    const [plan] = await plansOf(app.database, (db) => listUsers(db, { privateEmails: true }, window));
    expect(plan).toMatch(/Index (Only )?Scan/);
    expect(plan).not.toMatch(/Seq Scan|(?<!Incremental )Sort {2}\(/);
  }
  const first = { order: 'id', direction: 'desc', limit: 21, after: null } as const;
  const search = await plansOf(app.database, (db) => listUsers(db, { search: 'nobody', privateEmails: false }, first));
  expect(search.join()).not.toContain('Seq Scan');
});
