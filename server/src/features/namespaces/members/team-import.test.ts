/** Members of one project taken over into another, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface Member {
  readonly id: number;
  readonly username: string;
  readonly access_level: number;
  readonly expires_at: string | null;
}

let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  owner = await buildToken(app);
});
afterAll(() => app.close());

const call = callsOf(() => app);
const levels = async (projectId: number) => {
  const { body } = await call<Member[]>('GET', `/projects/${projectId}/members`, owner);
  return new Map(body.map((each) => [each.id, each.access_level]));
};
const team = async () => {
  const group = await buildGroup(app, { owner: owner.user });
  const maintainer = await buildToken(app);
  const [source, target] = [
    await buildProject(app, { namespace: group }),
    await buildProject(app, { namespace: group }),
  ];
  for (const of of [source, target]) await buildMember(app, { user: maintainer.user, of, level: Level.maintainer });
  const from = (by: BuiltToken | undefined, sourceId: number = source.id) =>
    call('POST', `/projects/${target.id}/import_project_members/${sourceId}`, by);
  return { group, source, target, maintainer, from };
};

it('direct members come with their role and end; those who are members already keep theirs', async () => {
  const { source, target, maintainer, from } = await team();
  const [developer, both, high] = [await buildUser(app), await buildUser(app), await buildUser(app)];
  const add = (user: { readonly id: number }, more: object) =>
    call('POST', `/projects/${source.id}/members`, owner, { user_id: user.id, ...more });
  await add(developer, { access_level: Level.developer, expires_at: '2999-12-31' });
  await add(both, { access_level: Level.developer });
  await add(high, { access_level: Level.owner });
  await buildMember(app, { user: both, of: target, level: Level.guest });
  const token = {
    name: 'bot',
    scopes: ['read_api'],
    expires_at: new Date(Date.now() + 864e5).toISOString().slice(0, 10),
  };
  expect((await call('POST', `/projects/${source.id}/access_tokens`, owner, token)).status).toBe(201);

  expect(await from(maintainer)).toMatchObject({ status: 201, body: { status: 'success' } });
  // A maintainer makes no owners, and accounts of tokens stay where they are.
  expect(await levels(target.id)).toEqual(
    new Map([
      [maintainer.user.id, Level.maintainer],
      [developer.id, Level.developer],
      [both.id, Level.guest],
      [high.id, Level.maintainer],
    ]),
  );
  const { body } = await call<Member>('GET', `/projects/${target.id}/members/${developer.id}`, owner);
  expect(body).toMatchObject({ expires_at: '2999-12-31', created_by: { id: maintainer.user.id } });
  expect(await from(maintainer)).toMatchObject({ status: 201, body: { status: 'success' } });
  const events = await app.db
    .selectFrom('audit_events')
    .select('event')
    .where('author_id', '=', maintainer.user.id)
    .execute();
  expect(events.filter(({ event }) => event === 'member_created')).toHaveLength(2);
});

it('owners and administrators bring owners', async () => {
  const { source, target, from } = await team();
  const high = await buildUser(app);
  await call('POST', `/projects/${source.id}/members`, owner, { user_id: high.id, access_level: Level.owner });
  expect((await from(admin)).status).toBe(201);
  expect((await levels(target.id)).get(high.id)).toBe(Level.owner);
});

it('whoever cannot be added is named with the reason, the others are added', async () => {
  const { group, target, maintainer, from } = await team();
  const [strong, plain] = [await buildUser(app), await buildUser(app)];
  const elsewhere = await buildProject(app, { owner: maintainer.user });
  await buildMember(app, { user: strong, of: elsewhere, level: Level.reporter });
  await buildMember(app, { user: plain, of: elsewhere, level: Level.reporter });
  await buildMember(app, { user: strong, of: group, level: Level.maintainer });
  const { status, body } = await from(maintainer, elsewhere.id);
  expect([status, body]).toEqual([
    201,
    {
      status: 'error',
      message: {
        [strong.username]: expect.stringMatching(/^Access level should be greater than or equal to Maintainer/),
      },
      total_members_count: 2,
    },
  ]);
  expect((await levels(target.id)).get(plain.id)).toBe(Level.reporter);
});

it('is for those who decide about members here and see the other project', async () => {
  const { source, target, maintainer, from } = await team();
  const developer = await buildToken(app);
  for (const of of [source, target]) await buildMember(app, { user: developer.user, of, level: Level.developer });
  expect((await from(developer)).status).toBe(403);
  expect((await from(undefined)).status).toBe(401);
  const hidden = await buildProject(app, { owner: developer.user });
  for (const id of [hidden.id, 999_999])
    expect(await from(maintainer, id)).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } });
  expect((await call('POST', `/projects/${target.id}/import_project_members/x`, maintainer)).status).toBe(400);
});
