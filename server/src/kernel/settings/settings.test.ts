/** Application settings: defaults, changes, and changes of other processes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { type ChangeFeed, createSettings, defaultSettings } from './index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

function feed() {
  const handlers: Array<(payload: string) => void> = [];
  const state = { connected: true, lost: [] as Array<() => void> };
  const changes: ChangeFeed = {
    get connected() {
      return state.connected;
    },
    on: (_channel, callback) => handlers.push(callback),
    onLost: (callback) => state.lost.push(callback),
  };
  const notify = () => {
    for (const handler of handlers) handler('');
  };
  return { changes, state, notify };
}

it('answers the defaults until a value is stored, and ignores rows that nobody knows', async () => {
  await app.db.insertInto('application_settings').values({ name: 'from_the_future', value: '1' }).execute();
  expect(await app.settings.read()).toEqual(defaultSettings);
  await app.settings.write({ default_branch_name: 'trunk', restricted_visibility_levels: ['public'] });
  expect(await app.settings.read()).toMatchObject({
    default_branch_name: 'trunk',
    restricted_visibility_levels: ['public'],
    can_create_group: true,
  });
  await app.settings.write({ default_branch_name: 'main' });
  expect((await app.settings.read()).default_branch_name).toBe('main');
});

it('[1/limits.other-limits/4] another process sees a change when it is told, or after a minute, or at once while it listens to nobody', async () => {
  const clock = { now: 0 };
  const { changes, state, notify } = feed();
  const other = createSettings(
    { db: app.db, changes, secrets: app.kernels.secrets, storages: ['default'] },
    () => clock.now,
  );
  const attempts = async () => (await other.read()).max_login_attempts;
  expect(await attempts()).toBe(10);
  await app.settings.write({ max_login_attempts: 5 });
  expect(await attempts()).toBe(10);
  notify();
  expect(await attempts()).toBe(5);
  await app.settings.write({ max_login_attempts: 6 });
  clock.now = 60_000;
  expect(await attempts()).toBe(6);
  state.connected = false;
  await app.settings.write({ max_login_attempts: 7 });
  expect(await attempts()).toBe(7);
});
