/** Variables through the API, and who gets to see their values. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProtocolRunner, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildGroup, buildMember } from '../../../../test/factories.ts';
import { waitingForLocks } from '../../../../test/waiting.queries.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let world: World;
let runner: ProtocolRunner;
let project: TestProject;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  project = await world.project();
});
afterAll(() => world.close());

const call = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path = '',
  parts: { json?: unknown; query?: Record<string, unknown>; token?: string | undefined } = {},
) =>
  world.app.api<Record<string, unknown> & { message: unknown }>(method, `/projects/${project.id}/variables${path}`, {
    token: world.owner.token,
    ...parts,
  });

describe('project variables', () => {
  it('are created, read, changed and deleted', async () => {
    const created = await call('POST', '', { json: { key: 'PLAIN', value: 'one' } });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      variable_type: 'env_var',
      key: 'PLAIN',
      value: 'one',
      hidden: false,
      protected: false,
      masked: false,
      raw: false,
      environment_scope: '*',
      description: null,
    });
    expect((await call('GET', '/PLAIN')).body.value).toBe('one');
    const changed = await call('PUT', '/PLAIN', { json: { value: 'two', protected: true, description: 'why' } });
    expect(changed).toMatchObject({ status: 200, body: { value: 'two', protected: true, description: 'why' } });
    expect((await call('GET')).body).toMatchObject([{ key: 'PLAIN', value: 'two' }]);
    expect((await call('DELETE', '/PLAIN')).status).toBe(204);
    expect((await call('GET', '/PLAIN')).status).toBe(404);
    expect((await call('DELETE', '/PLAIN')).status).toBe(404);
  });

  it('say what is wrong with them', async () => {
    const bad = await call('POST', '', { json: { key: 'a b', value: 'x' } });
    expect(bad).toMatchObject({
      status: 400,
      body: { message: { key: ["can contain only letters, digits and '_'."] } },
    });
    expect(await call('POST', '', { json: { key: 'M', value: 'short', masked: true } })).toMatchObject({
      status: 400,
      body: { message: { value: ['is invalid'] } },
    });
    expect((await call('POST', '', { json: { key: 'NO_VALUE' } })).status).toBe(400);
    await call('POST', '', { json: { key: 'TWICE', value: 'x' } });
    expect(await call('POST', '', { json: { key: 'TWICE', value: 'y' } })).toMatchObject({
      status: 400,
      body: { message: { key: ['(TWICE) has already been taken'] } },
    });
  });

  it('one key has one value per environment scope', async () => {
    for (const scope of ['*', 'prod', 'review/*'])
      await call('POST', '', { json: { key: 'SCOPED', value: scope, environment_scope: scope } });
    expect((await call('GET', '/SCOPED')).status).toBe(409);
    const one = await call('GET', '/SCOPED', { query: { 'filter[environment_scope]': 'prod' } });
    expect(one.body.value).toBe('prod');
    const changed = await call('PUT', '/SCOPED', { json: { value: 'P', filter: { environment_scope: 'prod' } } });
    expect(changed.body).toMatchObject({ value: 'P', environment_scope: 'prod' });
    expect((await call('DELETE', '/SCOPED', { query: { 'filter[environment_scope]': 'review/*' } })).status).toBe(204);
    expect((await call('GET', '/SCOPED', { query: { 'filter[environment_scope]': 'review/*' } })).status).toBe(404);
  });

  it('a scope that somebody else takes at the same time is taken, and what is removed meanwhile is not there', async () => {
    for (const scope of ['one', 'two', 'three'])
      await call('POST', '', { json: { key: 'RACE', value: scope, environment_scope: scope } });
    const moved = (from: string) =>
      call('PUT', '/RACE', { json: { environment_scope: 'target', filter: { environment_scope: from } } });
    const { rows, removed } = await world.app.db.transaction().execute(async (tx) => {
      const own = tx.updateTable('ci_variables').where('key', '=', 'RACE');
      await own.set({ environment_scope: 'target' }).where('environment_scope', '=', 'one').execute();
      await tx.deleteFrom('ci_variables').where('key', '=', 'RACE').where('environment_scope', '=', 'two').execute();
      const pending = { rows: moved('three'), removed: moved('two') };
      await expect.poll(() => waitingForLocks(world.app.db)).toBe(2);
      return pending;
    });
    expect(await rows).toMatchObject({ status: 400, body: { message: { key: ['(RACE) has already been taken'] } } });
    expect((await removed).status).toBe(404);
  });

  it('[security 21] hidden values are never shown again, and none is stored in plain text', async () => {
    const made = await call('POST', '', {
      json: { key: 'HIDDEN', value: 'canary-0123456789', masked_and_hidden: true },
    });
    expect(made).toMatchObject({ status: 201, body: { value: null, hidden: true, masked: true } });
    expect(JSON.stringify((await call('GET')).body)).not.toContain('canary');
    expect((await call('PUT', '/HIDDEN', { json: { protected: true } })).body.value).toBeNull();
    const rows = await world.app.db.selectFrom('ci_variables').selectAll().execute();
    expect(rows.some((row) => row.value_encrypted.includes('canary'))).toBe(false);
    expect(world.app.logs.join('')).not.toContain('canary');
  });

  it('[security 20] are for maintainers', async () => {
    const developer = await world.account();
    const row = await world.app.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', project.id)
      .executeTakeFirstOrThrow();
    await buildMember(world.app, { user: developer.user, of: row, level: Level.developer });
    const stranger = await world.account();
    expect((await call('GET', '', { token: undefined })).status).toBe(401);
    expect((await call('GET', '', { token: stranger.token })).status).toBe(404);
    expect((await call('GET', '', { token: developer.token })).status).toBe(403);
    expect((await call('POST', '', { token: developer.token, json: { key: 'X', value: 'x' } })).status).toBe(403);
    expect((await world.app.api('GET', '/admin/ci/variables', { token: developer.token })).status).toBe(403);
  });
});

describe('what jobs get', () => {
  it('[security 20] protected variables go to protected refs only, decided on the full ref; nearer owners win', async () => {
    const group = await buildGroup(world.app, { owner: world.owner.user });
    const other = await world.project({ namespace_id: group.id });
    const set = (path: string, json: unknown, token = world.owner.token) =>
      world.app.api('POST', path, { token, json });
    const canary = { value: 'protected-canary', protected: true, masked: true };
    await set(`/projects/${other.id}/variables`, { key: 'CANARY', ...canary });
    await set(`/projects/${other.id}/variables`, { key: 'ORDER', value: 'project' });
    await set(`/groups/${group.id}/variables`, { key: 'ORDER', value: 'group' });
    await set(`/groups/${group.id}/variables`, { key: 'FROM_GROUP', value: 'group', variable_type: 'file', raw: true });
    await set('/admin/ci/variables', { key: 'FROM_GROUP', value: 'instance' }, world.admin.token);
    await set('/admin/ci/variables', { key: 'FROM_INSTANCE', value: 'instance' }, world.admin.token);
    await set(`/projects/${other.id}/variables`, { key: 'ONLY_PROD', value: 'x', environment_scope: 'prod' });
    const config = 'a: {script: [x], variables: {ORDER: yaml}}\nleak: {script: [x], rules: [{if: $CANARY}]}';
    const seen = async (): Promise<Record<string, unknown>> => {
      const job = await runner.next();
      await runner.update(job, 'success');
      return Object.fromEntries(job.variables.map((item) => [item.key, item]));
    };
    await other.push(config);
    for (const variables of [await seen(), await seen()]) {
      expect(variables).toMatchObject({
        CANARY: { value: 'protected-canary', masked: true, public: false },
        ORDER: { value: 'project' },
        FROM_GROUP: { value: 'group', file: true, raw: true },
        FROM_INSTANCE: { value: 'instance' },
      });
      expect(variables).not.toHaveProperty('ONLY_PROD');
    }
    const feature = await other.push(`${config}\n#`, { branch: 'feature' });
    expect(Object.keys(await other.statuses(feature.id))).toEqual(['a']);
    expect(await seen()).not.toHaveProperty('CANARY');
    // A tag that is named like a protected branch is not protected by it.
    expect((await set(`/projects/${other.id}/protected_branches`, { name: 'stable' })).status).toBe(201);
    const json = { tag_name: 'stable', ref: feature.sha };
    expect((await set(`/projects/${other.id}/repository/tags`, json)).status).toBe(201);
    const tag = await seen();
    expect(tag).toMatchObject({ CI_COMMIT_TAG: { value: 'stable' }, CI_COMMIT_REF_PROTECTED: { value: 'false' } });
    expect(tag).not.toHaveProperty('CANARY');
  });
});
