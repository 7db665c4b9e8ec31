/** Badges of groups and projects: kept, filled in, inherited. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let developer: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  [owner, developer] = [await buildToken(app), await buildToken(app)];
});
afterAll(() => app.close());

const call = callsOf(() => app);
const urls = (part: string) => ({
  link_url: `https://ci.example/${part}`,
  image_url: `https://ci.example/${part}.svg`,
});

describe.each(['groups', 'projects'] as const)('badges of %s', (kind) => {
  const place = async (visibility: 'private' | 'public' = 'public') => {
    const group = await buildGroup(app, { owner: owner.user, visibility });
    await buildMember(app, { user: developer.user, of: group, level: Level.developer });
    const id = kind === 'groups' ? group.id : (await buildProject(app, { namespace: group, visibility })).id;
    return `/${kind}/${id}/badges`;
  };

  it('are added, read, changed and removed by who is in charge', async () => {
    const path = await place();
    const made = await call('POST', path, owner, { ...urls('%{project_id}'), name: 'CI' });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'CI', ...urls('%{project_id}'), kind: kind.slice(0, -1) },
    });
    const one = `${path}/${made.body.id}`;
    expect((await call('GET', one)).body).toEqual(made.body);
    expect((await call<Json[]>('GET', path)).body).toEqual([made.body]);
    expect((await call<Json[]>('GET', path, undefined, undefined, { name: 'other' })).body).toEqual([]);
    const preview = await call('GET', `${path}/render`, owner, undefined, urls('x'));
    expect(preview).toMatchObject({ status: 200, body: { rendered_link_url: 'https://ci.example/x' } });
    const changed = await call('PUT', one, owner, { link_url: 'https://ci.example/else', name: null });
    expect(changed).toMatchObject({ status: 200, body: { name: null, rendered_link_url: 'https://ci.example/else' } });
    expect((await call('PUT', one, owner, {})).status).toBe(400);
    expect((await call('DELETE', one, owner)).status).toBe(204);
    for (const method of ['GET', 'DELETE'] as const)
      expect(await call(method, one, owner)).toMatchObject({ status: 404, body: { message: '404 Badge Not Found' } });
    const events = await app.db
      .selectFrom('audit_events')
      .select('event')
      .where('target_id', '=', Number(made.body.id))
      .where('target_type', '=', 'Badge')
      .orderBy('id')
      .execute();
    const noun = kind.slice(0, -1);
    expect(events.map(({ event }) => event)).toEqual(
      ['created', 'updated', 'destroyed'].map((word) => `${noun}_badge_${word}`),
    );
  });

  it('belong to those in charge, and are seen by who sees the place', async () => {
    const path = await place();
    for (const [token, status] of [
      [undefined, 401],
      [developer, 403],
    ] as const) {
      expect((await call('POST', path, token, urls('x'))).status).toBe(status);
      expect((await call('GET', `${path}/render`, token, undefined, urls('x'))).status).toBe(status);
      expect((await call('PUT', `${path}/1`, token, { name: 'x' })).status).toBe(status);
      expect((await call('DELETE', `${path}/1`, token)).status).toBe(status);
    }
    expect((await call('GET', await place('private'))).status).toBe(404);
    // Security 17: a badge of another place is not here.
    const other = await call('POST', await place(), owner, urls('x'));
    expect((await call('GET', `${path}/${other.body.id}`, owner)).status).toBe(404);
  });

  it('security 9: lead nowhere but to the web', async () => {
    const path = await place();
    for (const link_url of ['javascript:alert(1)', 'data:text/html,x', 'ftp://example.com', 'nowhere'])
      expect(await call('POST', path, owner, { ...urls('x'), link_url })).toMatchObject({
        status: 400,
        body: { message: { link_url: [expect.stringMatching(/^is blocked/)] } },
      });
    expect((await call('POST', path, owner, { link_url: 'https://example.com' })).body).toEqual({
      error: 'image_url is missing',
    });
  });
});

it('placeholders are filled in; values cannot leave their part of the address', async () => {
  const group = await buildGroup(app, { owner: owner.user });
  const project = await buildRepositoryProject(app, { owner, settings: { namespace_id: group.id, name: 'A + B' } });
  const [commit] = (await project.api<Json[]>('GET', '/repository/commits')).body;
  await project.api('POST', '/repository/tags', { json: { tag_name: 'v1.0', ref: 'main' } });
  const row = await project.row();
  const link_url =
    'https://x.example/%{project_path}/%{project_title}/%{project_name}/%{project_id}/%{project_namespace}/%{group_name}/%{gitlab_server}/%{default_branch}/%{commit_sha}/%{latest_tag}/%{unknown}';
  const got = await call('GET', `/projects/${project.id}/badges/render`, owner, undefined, {
    ...urls('%{default_branch}'),
    link_url,
  });
  expect(got.body).toEqual({
    link_url,
    image_url: 'https://ci.example/%{default_branch}.svg',
    rendered_image_url: 'https://ci.example/main.svg',
    rendered_link_url: [
      'https://x.example',
      `${group.full_path}/${row.path}`,
      'A%20%2B%20B',
      row.path,
      project.id,
      group.full_path,
      group.name,
      encodeURIComponent(new URL(app.url).host),
      'main',
      commit?.id,
      'v1.0',
      '%{unknown}',
    ].join('/'),
  });
});

it('a project shows the badges of the groups above it first, and changes only its own', async () => {
  const top = await buildGroup(app, { owner: owner.user });
  const group = await buildGroup(app, { parent: top });
  const project = await buildProject(app, { namespace: group });
  const own = await call('POST', `/projects/${project.id}/badges`, owner, urls('own'));
  const near = await call('POST', `/groups/${group.id}/badges`, owner, urls('near'));
  const far = await call('POST', `/groups/${top.id}/badges`, owner, urls('%{project_id}'));
  // The group has no project of its own that could fill it in.
  expect(far.body.rendered_link_url).toBe('https://ci.example/%{project_id}');
  const listed = await call<Json[]>('GET', `/projects/${project.id}/badges`, owner);
  expect(listed.body.map(({ id, kind }) => [id, kind])).toEqual([
    [far.body.id, 'group'],
    [near.body.id, 'group'],
    [own.body.id, 'project'],
  ]);
  expect(listed.body[0]?.rendered_link_url).toBe(`https://ci.example/${project.id}`);
  const refused = await call('DELETE', `/projects/${project.id}/badges/${near.body.id}`, owner);
  expect(refused).toMatchObject({ status: 403 });
});

it('security 17: a group badge tells nothing of a project that the caller does not see', async () => {
  const group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  await buildProject(app, { namespace: group, path: 'hidden' });
  const made = await call('POST', `/groups/${group.id}/badges`, owner, urls('%{project_path}'));
  expect(made.body.rendered_link_url).toBe(`https://ci.example/${group.full_path}/hidden`);
  const seen = await call('GET', `/groups/${group.id}/badges/${made.body.id}`);
  expect(seen.body.rendered_link_url).toBe('https://ci.example/%{project_path}');
});
