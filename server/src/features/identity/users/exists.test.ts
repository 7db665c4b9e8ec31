/** `/users/:username/exists`, as sign-up forms ask it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildGroup, buildToken, unique } from '../../../../test/factories.ts';
import { defaultSettings } from '../../../kernel/settings/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const ask = (username: string, token?: string) =>
  app.request<{ exists: boolean }>('GET', `/users/${encodeURIComponent(username)}/exists`, { token });

it('tells whether a user or a top-level group has the name, in any case', async () => {
  const { user } = await buildToken(app);
  const group = await buildGroup(app);
  const below = await buildGroup(app, { parent: group });
  const answer = await ask(user.username.toUpperCase());
  expect(answer).toMatchObject({ status: 200, body: { exists: true } });
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect((await ask(group.path)).body).toEqual({ exists: true });
  expect((await ask(below.path)).body).toEqual({ exists: false });
  expect((await ask(`${unique('free')}.name`)).body).toEqual({ exists: false });
});

it('security: without registration only signed-in callers get an answer', async () => {
  const { user, secret } = await buildToken(app);
  await app.settings.write({ signup_enabled: false });
  try {
    expect(await ask(user.username)).toMatchObject({
      status: 401,
      body: { error: 'You must be authenticated to access this path.' },
    });
    expect(await ask(user.username, secret)).toMatchObject({ status: 200, body: { exists: true } });
  } finally {
    await app.settings.write({ signup_enabled: true });
  }
});

it('security: is limited by address, so that accounts cannot be listed', async () => {
  await app.settings.write({ username_exists_limit: 2 });
  try {
    const statuses = [];
    for (let request = 0; request < 8; request += 1) statuses.push((await ask('somebody')).status);
    expect(statuses.at(-1)).toBe(429);
  } finally {
    await app.settings.write({ username_exists_limit: defaultSettings.username_exists_limit });
  }
});
