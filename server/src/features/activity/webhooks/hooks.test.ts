/** Webhooks of groups and projects: kept with their secrets sealed, addresses checked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
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
const url = 'https://hooks.example.com/in';

describe.each(['groups', 'projects'] as const)('webhooks of %s', (kind) => {
  const place = async () => {
    const group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
    await buildMember(app, { user: developer.user, of: group, level: Level.developer });
    const id = kind === 'groups' ? group.id : (await buildProject(app, { namespace: group, visibility: 'public' })).id;
    return { id, path: `/${kind}/${id}/hooks` };
  };

  it('are added, read, changed and removed; events are switches', async () => {
    const { id, path } = await place();
    const made = await call('POST', path, owner, {
      url,
      name: 'In',
      description: 'Tells us',
      token: 'very-secret',
      job_events: true,
      push_events_branch_filter: 'release/*',
      enable_ssl_verification: false,
      ...(kind === 'groups' ? { subgroup_events: true } : {}),
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        url,
        name: 'In',
        description: 'Tells us',
        push_events: true,
        job_events: true,
        tag_push_events: false,
        push_events_branch_filter: 'release/*',
        branch_filter_strategy: 'wildcard',
        enable_ssl_verification: false,
        alert_status: 'executable',
        disabled_until: null,
        custom_headers: [],
        url_variables: [],
        ...(kind === 'groups' ? { group_id: id, subgroup_events: true, member_events: false } : { project_id: id }),
      },
    });
    expect('subgroup_events' in made.body).toBe(kind === 'groups');
    const one = `${path}/${made.body.id}`;
    expect((await call('GET', one, owner)).body).toEqual(made.body);
    expect((await call<Json[]>('GET', path, owner)).body).toEqual([made.body]);
    const changed = await call('PUT', one, owner, { push_events: false, name: null, branch_filter_strategy: 'regex' });
    expect(changed).toMatchObject({
      status: 200,
      body: { push_events: false, job_events: true, name: null, branch_filter_strategy: 'regex', url },
    });
    expect((await call('PUT', one, owner, { branch_filter_strategy: 'none' })).status).toBe(400);
    expect((await call('POST', path, owner, {})).body).toEqual({ error: 'url is missing' });
    const events = await app.db
      .selectFrom('audit_events')
      .select(['event', 'details'])
      .where('target_id', '=', Number(made.body.id))
      .where('target_type', 'in', ['GroupHook', 'ProjectHook'])
      .orderBy('id')
      .execute();
    expect(events.map(({ event }) => event)).toEqual(['webhook_created', 'webhook_updated']);
    expect((await call('DELETE', one, owner)).status).toBe(204);
    expect(await call('GET', one, owner)).toMatchObject({ status: 404, body: { message: '404 Not found' } });
    expect((await call('DELETE', one, owner)).status).toBe(404);
    expect((await call('PUT', one, owner, { name: 'x' })).status).toBe(404);
  });

  it('security 8: addresses in the local network are refused unless the instance allows them', async () => {
    const { path } = await place();
    const tries = [
      'http://127.0.0.1/',
      'http://localhost:3000/',
      'http://[::1]/',
      'http://0x7f.1/',
      'http://169.254.169.254/',
      'ftp://example.com/',
      'nonsense',
      'https://hooks.example.com/a b',
    ];
    for (const bad of tries)
      expect([bad, await call('POST', path, owner, { url: bad })]).toMatchObject([
        bad,
        { status: 422, body: { error: 'Invalid url given' } },
      ]);
    const made = await call('POST', path, owner, { url });
    expect((await call('PUT', `${path}/${made.body.id}`, owner, { url: 'http://10.0.0.1/' })).status).toBe(422);
  });

  it('take tokens and headers only as far as a header can carry them', async () => {
    const { path } = await place();
    const made = await call('POST', path, owner, { url, token: 'a token, größer' });
    expect(made.status).toBe(201);
    for (const token of ['a\nb', 'a\r\nX-Other: b', 'a\0', '\u20ac'])
      for (const [method, at] of [
        ['POST', path],
        ['PUT', `${path}/${made.body.id}`],
      ] as const)
        expect([token, await call(method, at, owner, { url, token })]).toMatchObject([
          token,
          { status: 400, body: { error: 'token is invalid' } },
        ]);
    const custom_headers = [{ key: 'X-Price', value: '\u20ac' }];
    expect((await call('POST', path, owner, { url, custom_headers })).status).toBe(400);
  });

  it('security 21: secrets are sealed, have names only, and do not follow to another address', async () => {
    const { path } = await place();
    const made = await call('POST', path, owner, {
      url: 'https://hooks.example.com/{path}/in',
      token: 'canary-token',
      custom_headers: [{ key: 'X-Auth', value: 'canary-header' }],
      url_variables: [{ key: 'path', value: 'canary-variable' }],
    });
    expect(made).toMatchObject({
      status: 201,
      body: { custom_headers: [{ key: 'X-Auth' }], url_variables: [{ key: 'path' }] },
    });
    const one = `${path}/${made.body.id}`;
    expect((await call('PUT', `${one}/custom_headers/X-More`, owner, { value: 'canary-more' })).status).toBe(204);
    expect((await call('GET', one, owner)).body.custom_headers).toEqual([{ key: 'X-Auth' }, { key: 'X-More' }]);
    expect((await call('DELETE', `${one}/custom_headers/X-Auth`, owner)).status).toBe(204);
    expect((await call('DELETE', `${one}/custom_headers/X-Auth`, owner)).status).toBe(404);
    expect((await call('PUT', `${one}/custom_headers/X%20Y`, owner, { value: 'x' })).status).toBe(400);
    expect((await call('PUT', `${one}/custom_headers/X`, owner, { value: 'a\r\nb: c' })).status).toBe(400);
    expect((await call('PUT', `${one}/url_variables/path`, owner, { value: 'other' })).status).toBe(204);
    expect((await call('PUT', `${one}/url_variables/unused`, owner, { value: 'x' })).status).toBe(204);
    expect((await call('DELETE', `${one}/url_variables/unused`, owner)).status).toBe(204);
    expect((await call('DELETE', `${one}/url_variables/path`, owner)).status).toBe(422);
    const rows = JSON.stringify([
      await app.db.selectFrom('web_hooks').selectAll().execute(),
      await app.db.selectFrom('audit_events').selectAll().execute(),
      (await call('GET', path, owner)).body,
    ]);
    expect(rows).not.toContain('canary');
    expect((await call('PUT', one, owner, { url: 'https://evil.example/{path}' })).status).toBe(422);
    const moved = await call('PUT', one, owner, { url: 'https://elsewhere.example/in' });
    expect(moved).toMatchObject({ status: 200, body: { url_variables: [], custom_headers: [] } });
  });

  it('belong to those in charge', async () => {
    const { path } = await place();
    const made = await call('POST', path, owner, { url });
    for (const [token, status] of [
      [undefined, 401],
      [developer, 403],
    ] as const) {
      expect((await call('GET', path, token)).status).toBe(status);
      expect((await call('GET', `${path}/${made.body.id}`, token)).status).toBe(status);
      expect((await call('POST', path, token, { url })).status).toBe(status);
      expect((await call('PUT', `${path}/${made.body.id}`, token, { url })).status).toBe(status);
      expect((await call('DELETE', `${path}/${made.body.id}`, token)).status).toBe(status);
    }
    // Security 17: a webhook of another place is not here.
    const other = await place();
    expect((await call('GET', `${other.path}/${made.body.id}`, owner)).status).toBe(404);
    expect((await call('PUT', `${other.path}/${made.body.id}`, owner, { name: 'x' })).status).toBe(404);
  });
});
