/** The reads behind every request are one indexed query each. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { plansOf } from '../../../../test/plans.queries.ts';
import { listAudit } from '../../../kernel/audit/index.ts';
import { listTokens } from '../tokens/index.ts';
import { listUsers, type UserOrder, userOrder } from '../users/users.queries.ts';
import { findDeployToken, findSessionHolder, findTokenHolder } from './credentials.queries.ts';

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
  const deploy = await plansOf(app.database, (db) => findDeployToken(db, hash, 'deployer'));
  expect(deploy).toEqual([expect.stringContaining('deploy_tokens_token_sha256_key')]);
  expect([...token, ...session, ...deploy].join()).not.toContain('Seq Scan');
});

it('each list of tokens and of audit events has its index', async () => {
  const window = { limit: 21, offset: 0 };
  const plans = await plansOf(app.database, async (db) => {
    for (const sort of [undefined, 'created_desc', 'name_asc'] as const)
      await listTokens(db, { kinds: ['personal'] }, sort, window);
    await listTokens(db, { kinds: ['personal'], user_id: 1 }, undefined, window);
    await listTokens(db, { kinds: ['project'], project_id: 1 }, undefined, window);
    await listTokens(db, { kinds: ['group'], namespace_id: 1 }, undefined, window);
    await listAudit(db, {}, { ...window, before: 100 });
    await listAudit(db, { entityType: 'Project', entityId: 1 }, { ...window, before: null });
    await listAudit(db, { entityType: 'Project', entityId: 1, authorId: 1 }, { ...window, before: null });
  });
  expect(plans).toHaveLength(9);
  for (const plan of plans) {
    expect(plan).toMatch(/Index (Only )?Scan/);
    expect(plan).not.toMatch(/Seq Scan|(?<!Incremental )Sort {2}\(/);
  }
});

it('each order of users has its index, and a search too', async () => {
  for (const name of ['id', 'name', 'username', 'created_at', 'updated_at'] satisfies UserOrder[]) {
    const value = name.endsWith('_at') ? '2026-01-01T00:00:00.000Z' : 'a';
    const after = name === 'id' ? { id: 1 } : { [name]: value, id: 1 };
    const window = { order: userOrder(name, 'asc'), limit: 21, after };
    const [plan] = await plansOf(app.database, (db) => listUsers(db, { privateEmails: true }, window));
    expect(plan).toMatch(/Index (Only )?Scan/);
    expect(plan).not.toMatch(/Seq Scan|(?<!Incremental )Sort {2}\(/);
  }
  const first = { order: userOrder('id', 'desc'), limit: 21, after: null };
  const search = await plansOf(app.database, (db) => listUsers(db, { search: 'nobody', privateEmails: false }, first));
  expect(search.join()).not.toContain('Seq Scan');
});
