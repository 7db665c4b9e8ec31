/** Variables of groups and of the instance: the same routes as of projects, for other people. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildGroup, buildMember, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let places: readonly { readonly path: string; readonly token: string; readonly lesser: string }[];

beforeAll(async () => {
  app = await startTestApp();
  const owner = await buildToken(app);
  const group = await buildGroup(app, { owner: owner.user });
  const maintainer = await buildToken(app);
  await buildMember(app, { user: maintainer.user, of: group, level: Level.maintainer });
  const admin = await buildToken(app, { user: await buildAdmin(app) });
  places = [
    { path: `/groups/${group.id}/variables`, token: owner.secret, lesser: maintainer.secret },
    { path: '/admin/ci/variables', token: admin.secret, lesser: owner.secret },
  ];
});
afterAll(() => app.close());

describe.each([0, 1])('place %i', (at) => {
  test('a variable is made, listed, read, changed and removed by those who may, and by nobody else', async () => {
    const place = places[at];
    if (!place) throw new Error('no place');
    const { path, token, lesser } = place;
    const json = { key: 'DEPLOY_HOST', value: 'host.example', description: 'Where it goes' };
    for (const refused of [lesser, undefined]) {
      const wanted = refused === undefined ? [401, 404] : [403];
      expect(wanted).toContain((await app.api('POST', path, { token: refused, json })).status);
      expect(wanted).toContain((await app.api('GET', path, { token: refused })).status);
      expect(wanted).toContain((await app.api('DELETE', `${path}/DEPLOY_HOST`, { token: refused })).status);
    }
    expect((await app.api('POST', path, { token, json: { key: 'no blanks', value: 'x' } })).status).toBe(400);
    expect((await app.api('POST', path, { token, json })).body).toMatchObject(json);
    expect((await app.api('GET', path, { token })).body).toMatchObject([json]);
    expect((await app.api('GET', `${path}/DEPLOY_HOST`, { token })).body).toMatchObject(json);
    const changed = await app.api('PUT', `${path}/DEPLOY_HOST`, { token, json: { value: 'other.example', raw: true } });
    expect([changed.status, changed.body]).toMatchObject([200, { ...json, value: 'other.example', raw: true }]);
    expect((await app.api('DELETE', `${path}/DEPLOY_HOST`, { token })).status).toBe(204);
    expect((await app.api('GET', `${path}/DEPLOY_HOST`, { token })).status).toBe(404);
    expect((await app.api('PUT', `${path}/DEPLOY_HOST`, { token, json: { value: 'x' } })).status).toBe(404);
  });
});
