/** The switches of an administrator: what they say, who may turn them, and that other processes hear of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken } from '../../../../test/factories.ts';
import { createSwitches } from '../../../kernel/switches/index.ts';

let app: TestApp;
let token: string;
const name = 'api_redirect_moved_projects';
const path = `/features/${name}`;
beforeAll(async () => {
  app = await startTestApp();
  token = (await buildToken(app, { user: await buildAdmin(app) })).secret;
});
afterAll(() => app.close());

const set = (json: object) => app.api('POST', path, { token, json });

describe('features', () => {
  it('are for administrators', async () => {
    const other = (await buildToken(app)).secret;
    for (const [method, target] of [
      ['GET', '/features'],
      ['GET', '/features/definitions'],
      ['POST', path],
      ['DELETE', path],
    ] as const) {
      expect((await app.api(method, target)).status).toBe(401);
      expect((await app.api(method, target, { token: other })).status).toBe(403);
    }
  });

  it('list what there is and what was set', async () => {
    expect((await app.api('GET', '/features/definitions', { token })).body).toEqual([
      expect.objectContaining({ name, default_enabled: false, milestone: '16.4', type: 'ops' }),
      expect.objectContaining({ name: 'git_push_create_all_pipelines', default_enabled: false, milestone: '11.11' }),
      expect.objectContaining({ name: 'two_factor_for_cli', default_enabled: false, milestone: '13.7', type: 'ops' }),
    ]);
    expect((await app.api('GET', '/features', { token })).body).toEqual([]);
    const on = await set({ value: true });
    expect(on).toMatchObject({
      status: 201,
      body: { name, state: 'on', gates: [{ key: 'boolean', value: true }], definition: { name } },
    });
    expect((await app.api('GET', '/features', { token })).body).toEqual([on.body]);
    expect(await app.api('DELETE', path, { token })).toMatchObject({ status: 204, body: null });
    expect((await app.api('DELETE', path, { token })).status).toBe(204);
    expect((await app.api('GET', '/features', { token })).body).toEqual([]);
  });

  it('take booleans and percentages in every spelling, and refuse the rest', async () => {
    const states = [
      [{ value: 'true' }, 'on', [{ key: 'boolean', value: true }]],
      [{ value: '0' }, 'off', [{ key: 'boolean', value: false }]],
      [{ value: 100 }, 'on', [{ key: 'boolean', value: true }]],
      [{ value: false }, 'off', [{ key: 'boolean', value: false }]],
      [
        { value: 30 },
        'conditional',
        [
          { key: 'boolean', value: false },
          { key: 'percentage_of_time', value: 30 },
        ],
      ],
      [
        { value: 42, key: 'percentage_of_actors' },
        'conditional',
        [
          { key: 'boolean', value: false },
          { key: 'percentage_of_actors', value: 42 },
          { key: 'percentage_of_time', value: 30 },
        ],
      ],
    ] as const;
    for (const [json, state, gates] of states) expect((await set(json)).body).toMatchObject({ state, gates });
    expect((await app.api('POST', path, { token, form: { value: '7' } })).body).toMatchObject({ state: 'conditional' });
    // Typed clients send every text of the request, empty where nothing was chosen.
    const empty = { key: '', feature_group: '', user: '', group: '', namespace: '', project: '', repository: '' };
    expect(await set({ ...empty, value: 'true', force: false })).toMatchObject({ status: 201, body: { state: 'on' } });
    expect(await set({})).toMatchObject({ status: 400, body: { error: 'value is missing' } });
    for (const value of ['maybe', 101, -1, 1.5, [1]])
      expect(await set({ value })).toMatchObject({ status: 400, body: { error: 'value does not have a valid value' } });
    expect(await set({ value: true, user: 'ann' })).toMatchObject({
      status: 400,
      body: { error: 'user is not supported' },
    });
    await app.api('DELETE', path, { token });
  });

  it('of names that nothing has are kept and listed, as scripts of the ecosystem set them', async () => {
    const unknown = '/features/packages_protected_packages';
    const body = { name: 'packages_protected_packages', state: 'on', definition: null };
    expect(await app.api('POST', unknown, { token, json: { value: true } })).toMatchObject({ status: 201, body });
    expect((await app.api<unknown[]>('GET', '/features', { token })).body).toContainEqual(
      expect.objectContaining(body),
    );
    const long = await app.api('POST', `/features/${'x'.repeat(256)}`, { token, json: { value: true } });
    expect(long.status).toBe(400);
    expect((await app.api('DELETE', unknown, { token })).status).toBe(204);
    expect((await app.api('GET', '/features', { token })).body).toEqual([]);
  });

  it('hold in other processes as soon as they are told; percentages choose', async () => {
    const other = createSwitches(app.db, app.kernels.listener, () => 0.299);
    await app.kernels.listener.ready();
    expect(await other.enabled(name, 'Project:1')).toBe(false);
    await set({ value: true });
    await expect.poll(() => other.enabled(name, 'Project:1')).toBe(true);
    await set({ value: 30 });
    await expect.poll(async () => (await other.gates())[0]?.enabled).toBe(false);
    expect(await other.enabled(name, 'Project:1')).toBe(true);
    await set({ value: 29 });
    await expect.poll(() => other.enabled(name, 'Project:1')).toBe(false);
    await set({ value: false });
    await set({ value: 25, key: 'percentage_of_actors' });
    await expect.poll(async () => (await other.gates())[0]?.percentage_of_actors).toBe(25);
    const chosen = [];
    for (let id = 0; id < 400; id += 1) if (await other.enabled(name, `Project:${id}`)) chosen.push(id);
    expect(chosen.length).toBeGreaterThan(60);
    expect(chosen.length).toBeLessThan(140);
    expect(await other.enabled(name, `Project:${chosen[0]}`)).toBe(true);
    await app.api('DELETE', path, { token });
    await expect.poll(() => other.gates()).toEqual([]);
  });
});
