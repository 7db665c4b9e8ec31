/** What several end or bring back at the same time: one of them does, and only that is noted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
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

let app: TestApp;
let admin: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(() => app.close());

type Method = 'DELETE' | 'POST';
const racers = 6;

/** The statuses of equal requests at the same time, and how many facts and audit events came of them. */
async function race(method: Method, target: string) {
  const count = async (table: 'facts' | 'audit_events') =>
    (await app.db.selectFrom(table).select('id').execute()).length;
  const before = [await count('facts'), await count('audit_events')] as const;
  const answers = await Promise.all(
    Array.from({ length: racers }, () => app.api(method, target, { token: admin.secret })),
  );
  return {
    statuses: answers.map(({ status }) => status).sort(),
    facts: (await count('facts')) - before[0],
    audits: (await count('audit_events')) - before[1],
  };
}
const others = (status: number) => Array.from({ length: racers - 1 }, () => status);

describe.for(['group', 'project'] as const)('of a %s', (kind) => {
  const build = async () => (kind === 'group' ? await buildGroup(app) : await buildProject(app));
  const base = `/${kind}s`;

  it('a member is removed once', { retry: 0 }, async () => {
    const place = await build();
    const user = await buildUser(app);
    await buildMember(app, { user, of: place, level: Level.developer });
    const raced = await race('DELETE', `${base}/${place.id}/members/${user.id}`);
    expect(raced).toEqual({ statuses: [204, ...others(404)], facts: 1, audits: 1 });
  });

  it('an invited group is removed once', { retry: 0 }, async () => {
    const [place, group] = [await build(), await buildGroup(app)];
    const json = { group_id: group.id, group_access: 30 };
    const shared = await app.api('POST', `${base}/${place.id}/share`, { token: admin.secret, json });
    expect(shared.status).toBeLessThan(300);
    const raced = await race('DELETE', `${base}/${place.id}/share/${group.id}`);
    expect(raced).toEqual({ statuses: [204, ...others(404)], facts: 1, audits: 1 });
  });

  it('the deletion is scheduled once, taken back once, and started once', { retry: 0 }, async () => {
    const place = await build();
    const target = `${base}/${place.id}`;
    expect(await race('DELETE', target)).toEqual({ statuses: [202, ...others(400)], facts: 1, audits: 1 });
    const restored = await race('POST', `${target}/restore`);
    expect(restored).toEqual({ statuses: [201, ...others(400)], facts: 0, audits: 1 });
    await app.api('DELETE', target, { token: admin.secret });
    const { body } = await app.api<Record<string, string>>('GET', target, { token: admin.secret });
    const path = body.path_with_namespace ?? body.full_path ?? '';
    const query = `permanently_remove=true&full_path=${encodeURIComponent(path)}`;
    const final = await race('DELETE', `${target}?${query}`);
    expect(final).toEqual({ statuses: [202, ...others(404)], facts: 0, audits: 1 });
  });
});

it('a stranger cannot be removed from a group', async () => {
  const [group, user] = [await buildGroup(app), await buildUser(app)];
  for (const path of ['members', 'billable_members'])
    expect([
      path,
      (await app.api('DELETE', `/groups/${group.id}/${path}/${user.id}`, { token: admin.secret })).status,
    ]).toEqual([path, 404]);
});

it('a runner is deleted once', { retry: 0 }, async () => {
  const { body } = await app.api<{ id: number }>('POST', '/user/runners', {
    token: admin.secret,
    json: { runner_type: 'instance_type' },
  });
  expect((await race('DELETE', `/runners/${body.id}`)).statuses).toEqual([204, ...others(404)]);
});

describe('what people write and set up is removed once:', () => {
  let project: string;
  let group: string;
  beforeAll(async () => {
    const place = await buildGroup(app);
    group = `/groups/${place.id}`;
    project = `/projects/${(await buildProject(app, { namespace: place })).id}`;
  });
  const made = async (target: string, json: object) => {
    const { status, body } = await app.api<Record<string, string>>('POST', target, { token: admin.secret, json });
    expect(`${target}: ${status} ${status < 300 ? '' : JSON.stringify(body)}`).toMatch(/: 20\d $/);
    return body;
  };
  const below = async (base: string, json: object, name = 'id') => `${base}/${(await made(base, json))[name]}`;
  const issue = () => below(`${project}/issues`, { title: 'An issue' }, 'iid');
  const stopped = async () => {
    const environment = await below(`${project}/environments`, { name: 'review/once' });
    await made(`${environment}/stop`, {});
    return environment;
  };
  const ofEpic = async () => {
    const epic = await below(`${group}/epics`, { title: 'An epic' }, 'iid');
    const { id } = await made(`${project}/issues`, { title: 'Planned' });
    return `${epic}/issues/${(await made(`${epic}/issues/${id}`, {})).id}`;
  };
  const snippet = { title: 'x', file_name: 'a.txt', content: 'x', visibility: 'private' };

  it.for<[string, () => Promise<string>, number, number]>([
    ['a comment', async () => below(`${await issue()}/notes`, { body: 'x' }), 204, 0],
    ['a reaction', async () => below(`${await issue()}/award_emoji`, { name: 'thumbsup' }), 204, 1],
    ['a snippet', () => below('/snippets', snippet), 204, 1],
    ['a snippet of a project', () => below(`${project}/snippets`, snippet), 204, 1],
    ['a variable of a project', () => below(`${project}/variables`, { key: 'A', value: 'x' }, 'key'), 204, 0],
    ['a variable of a group', () => below(`${group}/variables`, { key: 'A', value: 'x' }, 'key'), 204, 0],
    ['a variable of all', () => below('/admin/ci/variables', { key: 'A', value: 'x' }, 'key'), 204, 0],
    ['an environment', stopped, 204, 0],
    [
      'a freeze',
      () => below(`${project}/freeze_periods`, { freeze_start: '0 1 * * 1', freeze_end: '0 2 * * 1' }),
      204,
      0,
    ],
    ['an issue of an epic', ofEpic, 200, 1],
    ['an issue', issue, 204, 1],
    ['a board', () => below(`${project}/boards`, { name: 'x' }), 204, 0],
  ])('%s', { retry: 0 }, async ([, build, status, facts]) => {
    const raced = await race('DELETE', await build());
    expect(raced).toMatchObject({ statuses: [status, ...others(404)], facts });
  });
});
