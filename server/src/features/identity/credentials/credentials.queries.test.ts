/** The reads behind every request are one indexed query each. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { plansOf, seed } from '../../../../test/plans.queries.ts';
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
  await seed(
    app.database,
    `insert into audit_events (author_id, author_name, entity_type, entity_id, entity_path, event, target_type, target_details)
      select n % 50, 'A', (array['User', 'Group', 'Project'])[1 + n % 3], n % 100, 'a', 'e', 'User', 'a'
        from generate_series(1, 3000) n;
    analyze audit_events`,
  );
  const window = { limit: 21, offset: 0, after: null };
  const sorts = [undefined, 'created_desc', 'created_asc', 'expires_asc', 'last_used_desc', 'name_desc'] as const;
  const whole = await plansOf(app.database, async (db) => {
    for (const sort of sorts) await listTokens(db, { kinds: ['personal'] }, sort, window);
    await listAudit(db, {}, { ...window, after: { id: 100 } });
  });
  expect(whole).toHaveLength(sorts.length + 1);
  for (const plan of whole) {
    expect(plan).toMatch(/Index (Only )?Scan/);
    expect(plan).not.toMatch(/Seq Scan|(?<!Incremental )Sort {2}\(/);
  }
  const ofPlaces = await plansOf(app.database, async (db) => {
    await listTokens(db, { kinds: ['personal'], user_id: 1 }, undefined, window);
    await listTokens(db, { kinds: ['project'], project_id: 1 }, undefined, window);
    await listTokens(db, { kinds: ['group'], namespace_id: 1 }, undefined, window);
    await listAudit(db, { entityType: 'Project', entityId: 1 }, window);
    await listAudit(db, { entityType: 'Project', entityId: 1, authorId: 1 }, window);
    await listAudit(db, { entityType: 'Instance' }, window);
    await listAudit(db, { authorId: 1 }, window);
  });
  expect(ofPlaces).toEqual([
    expect.stringContaining('access_tokens_user'),
    expect.stringContaining('access_tokens_project'),
    expect.stringContaining('access_tokens_namespace'),
    expect.stringContaining('audit_events_entity'),
    expect.stringMatching(/audit_events_(author|entity)/),
    expect.stringContaining('audit_events_kind'),
    expect.stringContaining('audit_events_by'),
  ]);
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
