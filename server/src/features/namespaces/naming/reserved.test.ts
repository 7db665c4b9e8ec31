/** Words that no path may be, and what is at a path already: groups, users and projects share one tree. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildProject,
  buildToken,
  buildUser,
  unique,
} from '../../../../test/factories.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { freePath, isReserved } from './naming.ts';
import { reservedAtTheTop, reservedBelow } from './reserved.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let admin: BuiltToken;
let ann: BuiltToken;
let top: Namespace;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  ann = await buildToken(app);
  top = await buildGroup(app, { owner: ann.user });
});
afterAll(() => app.close());

const send = (method: 'POST' | 'PUT', target: string, json: Json, token = ann) =>
  app.api<Json & { id: number }>(method, target, { token: token.secret, json });
const group = (path: string, parent?: Namespace) =>
  send('POST', '/groups', { name: unique('Group'), path, ...(parent ? { parent_id: parent.id } : {}) });
const project = (path: string, space: Namespace) =>
  send('POST', '/projects', { name: unique('Project'), path, namespace_id: space.id });
const user = (username: string) =>
  send(
    'POST',
    '/users',
    { name: 'U', username, email: `${unique('mail')}@example.com`, force_random_password: true },
    admin,
  );
const reserved = (path: string, key = 'path') => ({
  status: 400,
  body: { message: { [key]: [expect.stringMatching(`^${path.replaceAll('.', '\\.')} is a reserved name$`)] } },
});
const reservedGroup = (path: string) => ({
  status: 400,
  body: { message: `Failed to save group {:path=>["${path} is a reserved name"]}` },
});

describe('reserved words', () => {
  const words = (of: ReadonlySet<string>) => [...of].filter((word) => /^[a-z0-9_.]+$/.test(word));

  it('words of pages are no group at the top and no username; below a group they are names like others', async () => {
    for (const word of words(reservedAtTheTop)) expect(await group(word)).toMatchObject(reservedGroup(word));
    for (const word of ['admin', 'Dashboard', 'v2', 'favicon.ico'])
      expect(await user(word)).toMatchObject(reserved(word, 'username'));
    expect(await group('OAuth')).toMatchObject(reservedGroup('OAuth'));
    expect(words(reservedAtTheTop).filter((word) => isReserved(word, 'a'))).toEqual(['files']);
  });

  it('words of projects are no project and no group below another; at the top they are names like others', async () => {
    for (const word of words(reservedBelow)) {
      expect(await group(word, top)).toMatchObject(reservedGroup(word));
      expect(await project(word, top)).toMatchObject(reserved(word));
    }
    expect(await project('Blob', top)).toMatchObject(reserved('Blob'));
    expect(words(reservedBelow).filter((word) => isReserved(word, null))).toEqual(['files']);
  });

  it('some are ends of whole paths, and count below the top alone', async () => {
    const environments = (await group('environments', top)).body as unknown as Namespace;
    expect(await group('Folders', environments)).toMatchObject(reservedGroup('Folders'));
    expect(await project('folders', environments)).toMatchObject(reserved('folders'));
    expect((await project('other', environments)).status).toBe(201);
    expect([
      isReserved('folders', 'environments'),
      isReserved('objects', 'a/info/lfs'),
      isReserved('objects', 'a'),
    ]).toEqual([false, true, false]);
  });

  it('names are not changed to them, and nothing is moved to where its name is reserved', async () => {
    const badges = await group('badges');
    expect(badges.status).toBe(201);
    expect(await send('PUT', `/groups/${badges.body.id}`, { path: 'api' })).toMatchObject(reserved('api'));
    expect(await send('POST', `/groups/${badges.body.id}/transfer`, { group_id: top.id })).toMatchObject({
      status: 400,
      body: { message: 'Transfer failed: badges is a reserved name' },
    });
    const api = await group('api', top);
    expect(api.status).toBe(201);
    expect(await send('POST', `/groups/${api.body.id}/transfer`, {})).toMatchObject({
      status: 400,
      body: { message: 'Transfer failed: api is a reserved name' },
    });
    const inside = await project('inside', top);
    expect(await send('PUT', `/projects/${inside.body.id}`, { path: 'wikis' })).toMatchObject(reserved('wikis'));
    expect((await send('PUT', `/users/${ann.user.id}`, { username: 'explore' }, admin)).status).toBe(400);
  });

  it('usernames do not end like files', async () => {
    for (const end of ['json', 'html', 'PNG', 'xml'])
      expect(await user(`${unique('u')}.${end}`)).toMatchObject({
        status: 400,
        body: { message: { username: ['ending with a reserved file extension is not allowed.'] } },
      });
    expect((await user(`${unique('u')}.doe`)).status).toBe(201);
    expect((await group(`${unique('g')}.json`)).status).toBe(201);
  });

  it('what is suggested can be given: neither taken, nor reserved, nor too long', () => {
    expect(freePath('v', new Set(['v', 'v1']), null)).toBe('v3');
    expect(freePath('v', new Set(['v', 'v1']), 'a')).toBe('v2');
    const long = 'x'.repeat(255);
    expect(freePath(long, new Set([long]), null)).toBe(`${'x'.repeat(254)}1`);
  });
});

describe('collisions', () => {
  const takenPath = { status: 400, body: { message: { path: ['has already been taken'] } } };
  const takenGroup = { status: 400, body: { message: 'Failed to save group {:path=>["has already been taken"]}' } };
  const takenName = { status: 409, body: { message: 'Username has already been taken' } };

  it('between users and groups at the top, whatever the case', async () => {
    const made = await buildUser(app);
    expect(await group(made.username.toUpperCase())).toMatchObject(takenGroup);
    expect(await user(top.path.toUpperCase())).toMatchObject(takenName);
    expect(await send('PUT', `/groups/${top.id}`, { path: made.username })).toMatchObject(takenPath);
    expect(await send('PUT', `/users/${made.id}`, { username: top.path }, admin)).toMatchObject(takenName);
    expect((await group(made.username, top)).status).toBe(201);
  });

  it('between groups and projects of one group, not of different ones', async () => {
    const inner = await buildGroup(app, { parent: top });
    const inside = await buildProject(app, { namespace: top });
    expect(await group(inside.path.toUpperCase(), top)).toMatchObject(takenGroup);
    expect(await project(inner.path.toUpperCase(), top)).toMatchObject(takenPath);
    expect(await send('PUT', `/groups/${inner.id}`, { path: inside.path })).toMatchObject(takenPath);
    expect(await send('PUT', `/projects/${inside.id}`, { path: inner.path })).toMatchObject(takenPath);
    expect((await project(inside.path, inner)).status).toBe(201);
  });

  it('what waits for its removal has given its path free', async () => {
    const leaving = await group(unique('leaving'));
    const path = leaving.body.path as string;
    expect((await app.api('DELETE', `/groups/${leaving.body.id}`, { token: ann.secret })).status).toBe(202);
    expect((await group(path)).status).toBe(201);
    // It comes back as long as nobody is at its place.
    const back = await app.api<Json>('POST', `/groups/${leaving.body.id}/restore`, { token: ann.secret });
    expect([back.status, back.body.path === path]).toEqual([expect.any(Number), false]);
  });
});
