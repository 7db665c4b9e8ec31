/** New projects go to the repository storages by their weights. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken, unique } from '../../../../test/factories.ts';
import { storageFor } from './storages.ts';

let directory: string;
let app: TestApp;
let admin: BuiltToken;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'storages-'));
  const at = (name: string) => `${name}=${path.join(directory, name)}`;
  app = await startTestApp({ environment: { MILLRACE_REPOSITORIES: `${at('default')},${at('second')}` } });
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true, force: true });
});

it('takes each storage as often as its weight says, and the first one where none has a weight', () => {
  const storages = ['a', 'b', 'c'];
  const at = (number: number) => storageFor(storages, { a: 1, c: 3, gone: 50 }, () => number);
  expect([0, 1, 2, 3].map(at)).toEqual(['a', 'c', 'c', 'c']);
  expect(storageFor(storages, {}, () => 0)).toBe('a');
  expect(storageFor(storages, { a: 0, gone: 5 }, () => 0)).toBe('a');
});

it('[3/api.application-settings/27] repository_storages_weighted decides where the repository of a new project is', async () => {
  const storage = async () => {
    const json = { name: unique('stored'), initialize_with_readme: true };
    const { status, body } = await app.api<Record<string, unknown>>('POST', '/projects', { token: admin.secret, json });
    expect(status).toBe(201);
    const file = await app.api('GET', `/projects/${body.id}/repository/files/README.md?ref=main`, {
      token: admin.secret,
    });
    expect(file.status).toBe(200);
    return body.repository_storage;
  };
  const set = async (weights: object) =>
    expect(
      await app.api('PUT', '/application/settings', {
        token: admin.secret,
        json: { repository_storages_weighted: weights },
      }),
    ).toMatchObject({ status: 200 });
  expect(await storage()).toBe('default');
  expect(await readdir(path.join(directory, 'second'))).toEqual([]);
  await set({ default: 0, second: 100 });
  expect(await storage()).toBe('second');
  expect(await readdir(path.join(directory, 'second'))).not.toEqual([]);
  await set({ default: 100 });
  expect(await storage()).toBe('default');
});
