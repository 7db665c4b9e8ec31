/** Pipelines of a group: of all projects below it that the reader may see, filtered and by the page. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildGroup, buildMember, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface Listed {
  readonly id: number;
  readonly ref: string;
  readonly project: { readonly id: number; readonly path_with_namespace: string };
  readonly details?: { readonly commit_title: string | null; readonly stages: readonly unknown[] };
}
let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let path: string;
let ids: number[];
beforeAll(async () => {
  app = await startTestApp({ background: true });
  [owner, guest] = [await buildToken(app), await buildToken(app)];
  const top = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  const sub = await buildGroup(app, { parent: top, visibility: 'public' });
  const open = await buildRepositoryProject(app, { owner, visibility: 'public', settings: { namespace_id: top.id } });
  const closed = await buildRepositoryProject(app, { owner, settings: { namespace_id: sub.id } });
  await buildMember(app, { of: top, user: guest.user, level: Level.guest });
  ids = [open.id, closed.id];
  path = `/groups/${top.id}/pipelines`;
  for (const [at, project] of [open, closed].entries()) {
    await project.commit('main', { '.gitlab-ci.yml': 'one: {script: [x]}\n' }, { commit_message: `Build ${at}` });
    // One after the other, so that their order is known.
    await eventually('the pipeline', async () => (await list()).length === at + 1);
  }
});
afterAll(() => app.close());

const list = async (query = '', who: BuiltToken | null = owner) =>
  (await app.api<Listed[]>('GET', `${path}${query}`, who ? { token: who.secret } : {})).body;

it('are those of all projects below, the newest first, with project, title and stages', async () => {
  const found = await list();
  expect(found.map(({ project }) => project.id)).toEqual([...ids].reverse());
  expect(found).toMatchObject([
    { ref: 'main', details: { commit_title: 'Build 1', stages: [{ name: 'test' }] } },
    { ref: 'main', details: { commit_title: 'Build 0' } },
  ]);
  expect((await list('?per_page=1&page=2')).map(({ project }) => project.id)).toEqual([ids[0]]);
});

it('are filtered by status, ref, source and person', async () => {
  const count = async (query: string) => (await list(query)).length;
  expect(await count(`?ref=main&source=push&username=${owner.user.username}`)).toBe(2);
  for (const query of ['ref=other', 'source=schedule', `username=${guest.user.username}`, 'status=success'])
    expect(await count(`?${query}`)).toBe(0);
  expect((await app.api('GET', `${path}?status=nonsense`, { token: owner.secret })).status).toBe(400);
});

it('are left out where the reader does not see those of the project', async () => {
  const seen = async (who: BuiltToken | null) => (await list('', who)).map(({ project }) => project.id);
  expect(await seen(null)).toEqual([ids[0]]);
  const outsider = await buildToken(app);
  expect(await seen(outsider)).toEqual([ids[0]]);
  const json = { public_jobs: false };
  expect((await app.api('PUT', `/projects/${ids[0]}`, { token: owner.secret, json })).status).toBe(200);
  for (const who of [null, outsider]) expect(await seen(who)).toEqual([]);
  expect(await seen(owner)).toHaveLength(2);
  // Guests see those of a private project whose jobs are for everybody in it.
  expect(await seen(guest)).toEqual([ids[1]]);
});
