/** Secrets that the instance knows, searched in everything that it says: answers, headers, logs. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApp } from '../test/app.ts';
import { startWorld, type World } from '../test/ci.ts';
import { buildGroup, unique } from '../test/factories.ts';
import { buildApplication, buildOauthTokens, buildVisitor } from '../test/oauth.ts';
import type { Route } from './kernel/http/route.ts';

let world: World;
let app: TestApp;
const canaries = new Map<string, string>();
const callers: string[] = [];
/** Values for the parameters of paths, by name; `id` depends on what the path is about. */
const known = new Map<string, string>();
let ids: { project: number; group: number; user: number };

interface Made {
  readonly id: number;
  readonly token: string;
}
async function make(name: string, path: string, json: object, token = world.admin.token): Promise<Made> {
  const made = await app.api<Made>('POST', path, { token, json });
  expect([path, made.status]).toEqual([path, 201]);
  canaries.set(name, made.body.token);
  return made.body;
}

/** An application's secret, and the tokens of somebody who lets it use their account. */
async function oauthCanaries(): Promise<ReadonlyArray<readonly [string, string]>> {
  const application = await buildApplication(app);
  const { access_token, refresh_token } = await buildOauthTokens(app, {
    application,
    visitor: await buildVisitor(app),
  });
  return [
    ['OAuth application', application.secret],
    ['OAuth access', access_token],
    ['OAuth refresh', refresh_token],
  ];
}
let oauthSecrets: ReadonlyArray<readonly [string, string]>;

beforeAll(async () => {
  world = await startWorld();
  app = world.app;
  const password = unique('canary-password');
  const { user, token } = world.owner;
  await app.identity.users.setPassword(user.username, password);
  oauthSecrets = await oauthCanaries();
  const group = await buildGroup(app, { owner: user });
  const project = await world.project({ namespace_id: group.id });
  ids = { project: project.id, group: group.id, user: user.id };
  const scoped = { name: unique('canary'), scopes: ['api'] };
  await make('personal', `/users/${user.id}/personal_access_tokens`, scoped);
  known.set(
    'impersonation_token_id',
    String((await make('impersonation', `/users/${user.id}/impersonation_tokens`, scoped)).id),
  );
  const ofProject = await make('project', `/projects/${project.id}/access_tokens`, scoped);
  await make('group', `/groups/${group.id}/access_tokens`, { ...scoped, access_level: 30 });
  known.set('token_id', String(ofProject.id));
  await make('deploy', `/projects/${project.id}/deploy_tokens`, { name: 'canary', scopes: ['read_repository'] });
  const runner = await world.runner();
  canaries.set('runner', runner.token);
  const pipeline = await project.push('job:\n  script: [x]\n');
  const job = await runner.next();
  canaries.set('job', job.token);
  for (const [name, value] of [
    ['user_id', user.id],
    ['runner_id', runner.id],
    ['pipeline_id', pipeline.id],
    ['job_id', job.id],
    ['branch', 'main'],
    ['sha', pipeline.sha],
  ] as const)
    known.set(name, String(value));
  const signedIn = await app.request<{ csrf_token: string }>('POST', '/-/session', {
    json: { login: user.username, password },
  });
  canaries.set('password', password);
  canaries.set('session', /=([^;]+);/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1] ?? '');
  canaries.set('token of the caller', token);
  for (const [name, secret] of oauthSecrets) canaries.set(name, secret);
  for (const [name, secret] of [...canaries]) {
    expect(secret.length, name).toBeGreaterThan(8);
    const hash = createHash('sha256').update(secret).digest();
    canaries.set(`${name} as hex of its hash`, hash.toString('hex'));
    canaries.set(`${name} as base64 of its hash`, hash.toString('base64'));
    canaries.set(`${name} in base64`, Buffer.from(secret).toString('base64').replace(/=+$/, ''));
    canaries.set(`${name} in an address`, encodeURIComponent(secret));
  }
  callers.push(world.admin.token, token, '');
}, 600_000);
afterAll(() => world.close());

const foundIn = (text: string) => [...canaries].filter(([, secret]) => text.includes(secret)).map(([name]) => name);

function addressOf(route: Route): string {
  const about = route.access.on === 'project' ? ids.project : route.access.on === 'group' ? ids.group : ids.user;
  return route.path
    .replaceAll(/:([a-z_]+)/g, (_, name: string) =>
      name === 'id' || name === route.access.on ? String(about) : (known.get(name) ?? '1'),
    )
    .replace(/\*$/, 'README.md');
}

test('security 21: no answer of any reading route holds a secret that the instance keeps', async () => {
  const leaks: string[] = [];
  let answered = 0;
  for (const route of app.routes.filter(({ method }) => method === 'GET'))
    for (const token of callers) {
      const got = await app.server.inject({
        method: 'GET',
        url: `/api/v4${addressOf(route)}?per_page=100&ref=main`,
        headers: token === '' ? {} : { 'private-token': token },
      });
      if (got.statusCode === 200) answered += 1;
      const names = foundIn(`${JSON.stringify(got.headers)}${got.body}`);
      if (names.length > 0) leaks.push(`${route.path}: ${names.join(', ')}`);
    }
  expect(leaks).toEqual([]);
  expect(answered).toBeGreaterThan(80);
}, 600_000);

test('security 21: the events of what happened hold none either', async () => {
  const got = await app.api<unknown[]>('GET', '/audit_events', {
    token: world.admin.token,
    query: { per_page: 100 },
  });
  expect(got.body.length).toBeGreaterThan(4);
  expect(foundIn(JSON.stringify(got.body))).toEqual([]);
});

test('security 21, 23: secrets sent in every place, right or wrong, come back in no refusal and stand in no log', async () => {
  const names =
    'personal,project,group,impersonation,deploy,runner,job,password,OAuth application,OAuth access,OAuth refresh';
  const secrets = names.split(',').map((name) => canaries.get(name) ?? '');
  const leaks: string[] = [];
  for (const secret of secrets) {
    const basic = `Basic ${Buffer.from(`gitlab-ci-token:${secret}`).toString('base64')}`;
    const ways: ReadonlyArray<readonly [string, Record<string, string>]> = [
      [`/api/v4/user?private_token=${secret}`, {}],
      [`/api/v4/user?access_token=${secret}&job_token=${secret}`, {}],
      [`/api/v4/projects/${ids.project}?private_token[]=${secret}`, {}],
      ['/api/v4/user', { 'private-token': secret }],
      ['/api/v4/user', { 'job-token': secret }],
      ['/api/v4/user', { 'deploy-token': secret }],
      ['/api/v4/user', { authorization: `Bearer ${secret}` }],
      ['/api/v4/nothing', { authorization: basic }],
      [`/some/where.git/info/refs?service=git-upload-pack`, { authorization: basic }],
      [`/api/v4/live?topics=x&private_token=${secret}`, {}],
      [`/oauth/token/info?access_token=${secret}`, {}],
      [`/oauth/authorize?client_id=x&client_secret=${secret}&code=${secret}`, {}],
    ];
    for (const [url, headers] of ways) {
      const got = await app.server.inject({ method: 'GET', url, headers });
      const names = foundIn(`${JSON.stringify(got.headers)}${got.body}`);
      if (names.length > 0) leaks.push(`${url.split('?')[0]}: ${names.join(', ')}`);
      expect(got.headers['referrer-policy']).toBe('no-referrer');
    }
  }
  expect(leaks).toEqual([]);
  expect(foundIn(app.logs.join(''))).toEqual([]);
  expect(app.logs.join('')).toContain('private_token=[FILTERED]');
});
