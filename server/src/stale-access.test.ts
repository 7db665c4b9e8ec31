/** Access that ended: every write is tried again after it, over the API and git. Generated from the declared routes. Slow, sampled: every route that writes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../test/app.ts';
import { buildAdmin, buildGroup, buildMember, buildToken, buildUser } from '../test/factories.ts';
import { buildOauthTokens, buildVisitor, password, refresh } from '../test/oauth.ts';
import { buildRepositoryProject } from '../test/repositories.ts';
import { type Place, pathOf } from '../test/routes.ts';
import { announceChange } from './features/identity/changes/index.ts';
import { Level } from './kernel/authz/levels.ts';
import type { User } from './kernel/db/rows.ts';
import type { Route } from './kernel/http/route.ts';

let app: TestApp;
let admin: string;
beforeAll(async () => {
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
});
afterAll(() => app.close());

interface Scene {
  readonly place: Place;
  readonly user: number;
  readonly token: { readonly id: number; readonly secret: string };
  /** The token as the API reads it. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the token came of, when it is one of OAuth. */
  readonly oauth: Awaited<ReturnType<typeof buildOauthTokens>> | null;
  readonly gitPath: string;
}

const oauthToken = async (user: User) => {
  const oauth = await buildOauthTokens(app, { visitor: await buildVisitor(app, user), scope: 'api' });
  const secret = oauth.access_token;
  return { oauth, token: { id: 0, secret }, headers: { authorization: `Bearer ${secret}` } };
};
const personalToken = async (user: User) => {
  const { row, secret } = await buildToken(app, { user });
  return { oauth: null, token: { id: row.id, secret }, headers: { 'private-token': secret } };
};

/** Somebody who owns a private group and its project, and has just used both: nothing about them is unknown. */
async function scene(kind: 'personal' | 'OAuth' = 'personal'): Promise<Scene> {
  const maker = await buildToken(app);
  const group = await buildGroup(app, { owner: maker.user });
  const made = await buildRepositoryProject(app, { owner: maker, settings: { namespace_id: group.id } });
  const project = await app.db.selectFrom('projects').selectAll().where('id', '=', made.id).executeTakeFirstOrThrow();
  const user = await buildUser(app, { password });
  const proven = await (kind === 'OAuth' ? oauthToken : personalToken)(user);
  await buildMember(app, { user, of: group, level: Level.owner });
  const found: Scene = {
    place: { group, project },
    user: user.id,
    ...proven,
    gitPath: `/${made.fullPath}.git/info/refs`,
  };
  const looks = [await app.api('GET', `/projects/${project.id}`, { headers: found.headers }), await push(found)];
  expect(looks.map(({ status }) => status)).toEqual([200, 200]);
  return found;
}

const push = ({ gitPath, token }: Scene) =>
  app.request('GET', `${gitPath}?service=git-receive-pack`, {
    headers: { Authorization: `Basic ${Buffer.from(`git:${token.secret}`).toString('base64')}` },
  });

const isWrite = (route: Route) => route.method !== 'GET' && route.credentials.includes('token');

/** Every write that is answered otherwise than expected. */
async function replay(
  { place, headers }: Scene,
  routes: readonly Route[],
  expected: (route: Route) => readonly [number, string],
): Promise<string[]> {
  const wrong: string[] = [];
  for (const route of routes) {
    const url = `/api/v4${pathOf(route, place)}`;
    const got = await app.server.inject({ method: route.method, url, headers });
    const [status, message] = expected(route);
    if (got.statusCode !== status || got.body !== JSON.stringify({ message }))
      wrong.push(`${route.method} ${route.path}: ${got.statusCode} ${got.body.slice(0, 100)}`);
  }
  return wrong;
}

const hidden = (route: Route) =>
  [404, route.access.on === 'project' ? '404 Project Not Found' : '404 Group Not Found'] as const;
const nobody = () => [401, '401 Unauthorized'] as const;

/** Rights that ended on the place: the person stays who they are. */
const losses: ReadonlyArray<readonly [string, (scene: Scene) => Promise<unknown>]> = [
  [
    'they were removed',
    ({ place, user }) => app.api('DELETE', `/groups/${place.group.id}/members/${user}`, { token: admin }),
  ],
  [
    'their membership expired',
    ({ user }) => app.db.updateTable('grants').set({ expires_at: '2020-01-01' }).where('user_id', '=', user).execute(),
  ],
];
/** Credentials that ended: nobody asks any more. */
const ends: ReadonlyArray<readonly [string, (scene: Scene) => Promise<unknown>]> = [
  [
    'they were blocked',
    async ({ user }) => {
      await app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user).execute();
      await announceChange(app.db);
    },
  ],
  [
    'their token was revoked',
    ({ token }) => app.api('DELETE', `/personal_access_tokens/${token.id}`, { token: admin }),
  ],
  [
    'their token was rotated',
    ({ token }) => app.api('POST', `/personal_access_tokens/${token.id}/rotate`, { token: admin }),
  ],
  [
    'their token expired',
    async ({ token }) => {
      await app.db.updateTable('access_tokens').set({ expires_at: '2020-01-01' }).where('id', '=', token.id).execute();
      await announceChange(app.db);
    },
  ],
];

const oauthEnds: typeof ends = [
  ...ends.slice(0, 1),
  [
    'they took it back from the application',
    ({ oauth }) =>
      app.api('DELETE', `/user/authorized_applications/${oauth?.application.id}`, {
        headers: oauth?.visitor.headers ?? {},
      }),
  ],
  [
    'the application was removed',
    ({ oauth }) => app.api('DELETE', `/applications/${oauth?.application.id}`, { token: admin }),
  ],
  [
    'their token was refreshed',
    async ({ oauth }) => oauth && (await refresh(app, oauth.application, oauth.refresh_token)),
  ],
  [
    'the application revoked it',
    async ({ oauth }) => {
      const { application_id = '', secret = '' } = oauth?.application ?? {};
      const form = { token: oauth?.access_token ?? '', client_id: application_id, client_secret: secret };
      return await app.request('POST', '/oauth/revoke', { form });
    },
  ],
  [
    'their token expired',
    async ({ user }) => {
      await app.db
        .updateTable('oauth_tokens')
        .set({ expires_at: new Date(0) })
        .where('user_id', '=', user)
        .execute();
      await announceChange(app.db);
    },
  ],
];

describe('security 18', () => {
  test.each(losses)('after %s, every write on the place is refused', async (_what, lose) => {
    const found = await scene();
    await lose(found);
    const routes = app.routes.filter(
      (route) => isWrite(route) && (route.access.on === 'project' || route.access.on === 'group'),
    );
    expect(routes.length).toBeGreaterThan(60);
    expect(await replay(found, routes, hidden)).toEqual([]);
    expect((await push(found)).status).toBe(404);
    expect((await app.api('GET', '/user', { token: found.token.secret })).status).toBe(200);
  });

  const everyEnd = [
    ...ends.map(([what, end]) => ['personal', what, end] as const),
    ...oauthEnds.map(([what, end]) => ['OAuth', what, end] as const),
  ];
  test.each(everyEnd)('%s token: after %s, every write anywhere is refused', async (kind, _what, end) => {
    const found = await scene(kind);
    await end(found);
    const { headers } = found;
    await expect.poll(async () => (await app.api('GET', '/user', { headers })).status).toBe(401);
    expect(await replay(found, app.routes.filter(isWrite), nobody)).toEqual([]);
    expect((await push(found)).status).toBe(401);
  });
});
