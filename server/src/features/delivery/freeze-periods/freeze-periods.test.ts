/** Freeze periods: their API, and the variable that jobs get. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld, type World } from '../../../../test/ci.ts';
import { isFrozen } from './freezing.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

it.each([
  ['2026-07-17T22:59:00Z', false],
  ['2026-07-17T23:00:00Z', true],
  ['2026-07-19T12:00:00Z', true],
  ['2026-07-20T06:59:00Z', true],
  ['2026-07-20T07:00:00Z', false],
  ['2026-07-22T12:00:00Z', false],
])('%s is frozen from Friday night to Monday morning: %s', (at, frozen) => {
  const period = { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1', cron_timezone: 'UTC' };
  expect(isFrozen(period, new Date(at))).toBe(frozen);
});

it('are created, changed and deleted by maintainers, and rules of pipelines see them', async () => {
  const project = await world.project();
  const list = `/projects/${project.id}/freeze_periods`;
  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: object, token = world.owner.token) =>
    world.app.api<Record<string, unknown>>(method, path, { token, ...(json ? { json } : {}) });
  const values = { freeze_start: '0 0 1 1 *', freeze_end: '0 0 31 12 *' };
  const made = await call('POST', list, { ...values, cron_timezone: 'Berlin' });
  expect(made).toMatchObject({ status: 201, body: { ...values, cron_timezone: 'Berlin' } });
  const bad = await call('POST', list, { freeze_start: 'never', freeze_end: '0 0 * * *', cron_timezone: 'Nowhere' });
  expect(bad).toMatchObject({
    status: 400,
    body: { message: { freeze_start: [' is invalid syntax'], cron_timezone: [' is invalid syntax'] } },
  });
  const path = `${list}/${made.body.id}`;
  // Always: each minute begins one, and none ends before the next.
  const always = { freeze_start: '* * * * *', freeze_end: '0 0 1 1 *', cron_timezone: 'UTC' };
  expect((await call('PUT', path, always)).body).toMatchObject(always);
  const config =
    'frozen: {script: [x], rules: [{if: $CI_DEPLOY_FREEZE}]}\nopen: {script: [x], rules: [{if: $CI_DEPLOY_FREEZE == null}]}\n';
  expect(Object.keys(await project.statuses((await project.push(config)).id))).toEqual(['frozen']);
  expect((await call('GET', path)).body).toMatchObject(always);
  expect((await call('GET', list)).body).toHaveLength(1);
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('GET', path)).status).toBe(404);
  const next = await project.push(config, { files: { a: '1' } });
  expect(Object.keys(await project.statuses(next.id))).toEqual(['open']);
  const other = await world.account();
  expect((await call('GET', list, undefined, other.token)).status).toBe(404);
});
