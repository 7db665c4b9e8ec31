/** The fleet: who sees which runner and its jobs, versions that need an update, and what runners and projects used in a month. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JobPayload, protocolRunner, startWorld, type World } from '../../../../test/ci.ts';
import { buildGroup, buildMember, unique } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { compatibleVersion } from '../../../kernel/names.ts';
import { updateState } from './versions.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

it('an older minor version has an update, an older major version needs one', () => {
  const state = (version: string | null) => updateState(version, '18.6.0-millrace');
  expect(['18.6.0', 'v18.6.2', '18.10.0', '19.0.0', '18.6'].map(state)).toEqual(Array(5).fill('current'));
  expect(['18.5.9', '18.0.0'].map(state)).toEqual(['available', 'available']);
  expect(['17.11.0', '16.0.0-rc1'].map(state)).toEqual(['required', 'required']);
  expect([null, '', 'development', '18', '18.x'].map(state)).toEqual(Array(5).fill('unknown'));
});

it('versions are those of the processes of all runners, for administrators alone', async () => {
  const runners = [await world.runner(), await world.runner(), await world.runner()];
  const says = (at: number, system_id: string, version?: string) =>
    runners[at]!.request('', { system_id, info: { name: 'test', ...(version ? { version } : {}) } });
  await says(0, 'a', '18.6.1');
  await says(0, 'b', '18.2.0');
  await says(1, 'a', '18.2.0');
  await says(2, 'a', '9.5.0');
  await says(2, 'b', '18.10.0');
  await world.app.db
    .updateTable('runner_managers')
    .set({ contacted_at: new Date(Date.now() - 3 * 3600 * 1000) })
    .where('version', '=', '9.5.0')
    .execute();
  const { status, body } = await world.app.api('GET', '/admin/runners/versions', { token: world.admin.token });
  expect([status, body]).toEqual([
    200,
    {
      api_version: compatibleVersion,
      versions: [
        { version: '18.10.0', runners: 1, managers: 1, online: 1, update: 'current' },
        { version: '18.6.1', runners: 1, managers: 1, online: 1, update: 'current' },
        { version: '18.2.0', runners: 2, managers: 2, online: 2, update: 'available' },
        { version: '9.5.0', runners: 1, managers: 1, online: 0, update: 'required' },
      ],
    },
  ]);
  expect((await world.app.api('GET', '/admin/runners/versions', { token: world.owner.token })).status).toBe(403);
  expect((await world.app.api('GET', '/admin/runners/versions')).status).toBe(401);
});

it('usage adds up jobs and minutes of a month, by runner or by project', async () => {
  const tag = unique('usage');
  const values = { tag_list: [tag], run_untagged: false };
  const [first, second] = [
    await world.runner({ ...values, description: 'first' }),
    await world.runner({ ...values, description: 'second' }),
  ];
  const [busy, quiet] = [await world.project(), await world.project()];
  const ends = async (runner: typeof first, job: JobPayload, state: string, from: string, to: string) => {
    await runner.update(job, state, state === 'failed' ? { failure_reason: 'script_failure' } : {});
    await world.app.db
      .updateTable('jobs')
      .set({ started_at: new Date(from), finished_at: new Date(to) })
      .where('id', '=', job.id)
      .execute();
  };
  const job = (name: string) => `${name}: {script: [x], tags: [${tag}]}\n`;
  await busy.push(job('a') + job('b') + job('c'));
  await ends(first, await first.next(), 'success', '2026-01-31T23:59:00Z', '2026-02-01T00:29:00Z');
  await ends(first, await first.next(), 'failed', '2026-01-01T00:00:00Z', '2026-01-01T00:10:00Z');
  await ends(second, await second.next(), 'success', '2026-02-01T00:00:00Z', '2026-02-01T01:00:00Z');
  await quiet.push(job('d'));
  await ends(second, await second.next(), 'success', '2026-01-15T00:00:00Z', '2026-01-15T00:02:00Z');
  const usage = async (query: Record<string, string>) =>
    (await world.app.api('GET', '/admin/runners/usage', { token: world.admin.token, query })).body;
  expect(await usage({ month: '2026-01' })).toEqual([
    { id: first.id, name: 'first', runner_type: 'instance_type', jobs: 2, failed: 1, minutes: 40 },
    { id: second.id, name: 'second', runner_type: 'instance_type', jobs: 1, failed: 0, minutes: 2 },
  ]);
  expect(await usage({ month: '2026-01', group_by: 'project' })).toEqual([
    { id: busy.id, name: busy.path, runner_type: null, jobs: 2, failed: 1, minutes: 40 },
    { id: quiet.id, name: quiet.path, runner_type: null, jobs: 1, failed: 0, minutes: 2 },
  ]);
  expect(await usage({ month: '2026-02' })).toEqual([
    { id: second.id, name: 'second', runner_type: 'instance_type', jobs: 1, failed: 0, minutes: 60 },
  ]);
  expect(await usage({ month: '2026-01', per_page: '1', page: '2' })).toMatchObject([{ name: 'second' }]);
  expect(await usage({ month: '2020-01' })).toEqual([]);
  const refused = { token: world.owner.token, query: { month: '2026-01' } };
  expect((await world.app.api('GET', '/admin/runners/usage', refused)).status).toBe(403);
  const wrong = { token: world.admin.token, query: { month: '2026-13' } };
  expect((await world.app.api('GET', '/admin/runners/usage', wrong)).status).toBe(400);
});

it.each([
  ['group_type', 'of the group', 'group'],
  ['group_type', 'of a project that it serves', 'project'],
  ['project_type', 'of its project', 'project'],
] as const)(
  '[3/api.runners/3] [3/api.runners/6] a %s is shown to Maintainers %s, its jobs to Reporters',
  async (type, _of, on) => {
    const group = await buildGroup(world.app, { owner: world.owner.user });
    const project = await world.project({ namespace_id: group.id });
    const made = await world.app.api<{ id: number; token: string }>('POST', '/user/runners', {
      token: world.owner.token,
      json: {
        runner_type: type,
        ...(type === 'group_type' ? { group_id: group.id } : { project_id: project.id }),
        tag_list: [group.path],
        run_untagged: false,
      },
    });
    await project.push(`one: {script: [x], tags: [${group.path}]}`);
    const { id: job } = await protocolRunner(world.app, made.body.token).run();
    const as = async (level: Level) => {
      const { user, token } = await world.account();
      const of = on === 'group' ? group : { id: project.id, namespace_id: group.id };
      await buildMember(world.app, { user, of: of as Namespace, level });
      const get = async (path: string) =>
        world.app.api<{ id: number }[]>('GET', `/runners/${made.body.id}${path}`, { token });
      const jobs = await get('/jobs');
      return [(await get('')).status, jobs.status === 200 ? jobs.body.map(({ id }) => id) : jobs.status];
    };
    expect(await as(Level.maintainer)).toEqual([200, [job]]);
    expect(await as(Level.developer)).toEqual([403, [job]]);
    expect(await as(Level.reporter)).toEqual([403, [job]]);
    expect(await as(Level.guest)).toEqual([403, 403]);
  },
);
