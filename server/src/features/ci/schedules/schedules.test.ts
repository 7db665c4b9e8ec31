/** Pipeline schedules over the API, and their runs. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, eventually, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let world: World;
let maintainer: Account;
let developer: Account;
let guest: Account;
let project: TestProject;
const config = 'job: {script: [x]}';
const values = { description: 'Nightly', ref: 'main', cron: '0 1 * * 5' };

beforeAll(async () => {
  world = await startWorld();
  [maintainer, developer, guest] = [await world.account(), await world.account(), await world.account()];
  project = await world.project();
  await project.commit(config);
  await unprotect(project);
  await member(project, maintainer, Level.maintainer);
  await member(project, developer, Level.developer);
  await member(project, guest, Level.guest);
});
afterAll(() => world.close());

const call = <T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, who: Account | null, json?: object) =>
  world.app.api<T>(method, path, { token: who?.token, ...(json ? { json } : {}) });
const member = async (of: TestProject, who: Account, level: number) => {
  const json = { user_id: who.user.id, access_level: level };
  expect((await call('POST', `/projects/${of.id}/members`, world.owner, json)).status).toBe(201);
};
/** Developers run pipelines on the default branch. */
const unprotect = async (of: TestProject) =>
  expect((await call('DELETE', `/projects/${of.id}/protected_branches/main`, world.owner)).status).toBe(204);
const at = (of: TestProject = project) => `/projects/${of.id}/pipeline_schedules`;
async function schedule(who: Account = world.owner, more: Json = {}, of: TestProject = project): Promise<Json> {
  const made = await call('POST', at(of), who, { ...values, ...more });
  expect(made).toMatchObject({ status: 201 });
  return made.body;
}
const pipelinesOf = async (id: unknown, of: TestProject = project) =>
  (await call<Json[]>('GET', `${at(of)}/${id}/pipelines`, world.owner)).body;
const due = (ids: readonly unknown[], active = true) =>
  world.app.db
    .updateTable('pipeline_schedules')
    .set({ next_run_at: new Date(Date.now() - 3 * 24 * 3600_000), active })
    .where('id', 'in', ids as number[])
    .execute();
const tick = () => runTask(world.app, 'ci.run_schedules');
const stored = (id: unknown) =>
  world.app.db
    .selectFrom('pipeline_schedules')
    .selectAll()
    .where('id', '=', id as number)
    .executeTakeFirstOrThrow();

describe('pipeline schedules', () => {
  it('[2/api.pipeline-schedules/4 description, ref, cron, cron_timezone, UTC, active] [2/states.pipeline-schedule-active/1 active] [2/fields.pipeline-schedule/1] [2/fields.pipeline-schedule/2] [2/fields.pipeline-schedule/3] [2/fields.pipeline-schedule/4] [2/fields.pipeline-schedule/5 cron_timezone, UTC] [2/fields.pipeline-schedule/6] [2/fields.pipeline-schedule/7] [2/fields.pipeline-schedule/8 created_at, updated_at] [2/fields.pipeline-schedule/9 owner, name, username, id, state, avatar_url, web_url] [2/fields.pipeline-schedule/11] are created', async () => {
    const made = await call('POST', at(), developer, values);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(Number),
      ...values,
      cron_timezone: 'UTC',
      next_run_at: expect.stringMatching(/T01:00:00\.000Z$/),
      active: true,
      queue_priority: 'normal',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      owner: expect.objectContaining({
        id: developer.user.id,
        name: developer.user.name,
        username: developer.user.username,
        state: 'active',
        avatar_url: null,
        web_url: `${world.app.url}/${developer.user.username}`,
      }),
      inputs: [],
      last_pipeline: null,
      variables: [],
    });
    expect(new Date(made.body.next_run_at as string).getUTCDay()).toBe(5);
    const form = await world.app.api<Json>('POST', at(), {
      token: developer.token,
      form: { ...values, cron: '30 9 * * *', cron_timezone: 'Pacific Time (US & Canada)', active: 'true' },
    });
    expect(form).toMatchObject({ status: 201, body: { cron_timezone: 'Pacific Time (US & Canada)', active: true } });
    expect(form.body.next_run_at).toMatch(/T1[67]:30:00\.000Z$/);
  });

  it('[2/states.pipeline-schedule-active/2 active] [2/states.pipeline-schedule-active/3 active] [2/api.pipeline-schedules/5 description, ref, cron, cron_timezone, active] are changed and rescheduled by each change', async () => {
    const made = await schedule(developer, { active: false });
    expect(made.active).toBe(false);
    await due([made.id], false);
    const path = `${at()}/${made.id}`;
    const again = await call('PUT', path, developer, { description: 'Weekly' });
    expect(again).toMatchObject({ status: 200, body: { description: 'Weekly', active: false, cron: values.cron } });
    expect(again.body.next_run_at).toBe(made.next_run_at);
    const changed = await call('PUT', path, developer, {
      ref: 'refs/heads/main',
      cron: '0 4 * * *',
      cron_timezone: 'America/Los_Angeles',
      active: true,
    });
    expect(changed.body).toMatchObject({ ref: 'refs/heads/main', cron: '0 4 * * *', active: true });
    expect(changed.body.next_run_at).toMatch(/T1[12]:00:00\.000Z$/);
    expect((await call('PUT', path, developer, { active: false })).body).toMatchObject({ active: false });
    expect((await call('PUT', path, developer, { cron_timezone: 'Mexico City' })).status).toBe(200);
  });

  it('[2/api.pipeline-schedules/1 scope, active, inactive] [2/fields.pipeline-schedule/10 id, sha, ref, status] [2/api.pipeline-schedules/2 last_pipeline, variables, pipeline_schedule_id] are listed without their last pipeline', async () => {
    const place = await world.project();
    await place.commit(config);
    const [on, off] = [await schedule(world.owner, {}, place), await schedule(world.owner, { active: false }, place)];
    const ids = async (query: string) =>
      (await call<Json[]>('GET', `${at(place)}${query}`, world.owner)).body.map(({ id }) => id);
    expect(await ids('')).toEqual([on.id, off.id]);
    expect(await ids('?scope=active')).toEqual([on.id]);
    expect(await ids('?scope=inactive')).toEqual([off.id]);
    expect((await call('GET', `${at(place)}?scope=other`, world.owner)).status).toBe(400);
    const [first] = (await call<Json[]>('GET', at(place), world.owner)).body;
    expect(first).not.toHaveProperty('last_pipeline');
    expect(first).not.toHaveProperty('variables');
    const got = await call('GET', `${at(place)}/${on.id}`, world.owner);
    expect(got.body).toMatchObject({ last_pipeline: null, variables: [] });
    expect(await call('GET', `${at(place)}/0`, world.owner)).toMatchObject({
      status: 404,
      body: { message: '404 Pipeline Schedule Not Found' },
    });
    // Another project's.
    expect((await call('GET', `${at()}/${on.id}`, world.owner)).status).toBe(404);
  });

  it.each([
    [{ description: undefined }, { error: 'description is missing' }],
    [{ ref: undefined }, { error: 'ref is missing' }],
    [{ cron: undefined }, { error: 'cron is missing' }],
    [{ ref: '' }, { error: 'ref is empty' }],
    [{ active: 'maybe' }, { error: 'active is invalid' }],
    [{ description: '' }, { message: { description: ["can't be blank"] } }],
    [{ cron: '0 1 * *' }, { message: { cron: [' is invalid syntax'] } }],
    [{ cron_timezone: 'Mars' }, { message: { cron_timezone: [' is invalid syntax'] } }],
    [{ inputs: [{ name: 'a' }] }, { message: { 'inputs.value': ['is missing'] } }],
    [{ inputs: [1, 2].map((value) => ({ name: 'a', value })) }, { message: { inputs: ['have duplicate values (a)'] } }],
    [
      { inputs: Array.from({ length: 21 }, (_, n) => ({ name: `i${n}`, value: n })) },
      { message: { inputs: ['exceeds the limit of 20.'] } },
    ],
  ])('security 4: refuse %j', async (wrong, body) => {
    expect(await call('POST', at(), developer, { ...values, ...wrong })).toMatchObject({ status: 400, body });
  });

  it('a name of a branch and a tag is refused; the full names are not', async () => {
    const place = await world.project();
    await place.commit(config);
    await call('POST', `/projects/${place.id}/repository/branches`, world.owner, { branch: 'twin', ref: 'main' });
    await call('POST', `/projects/${place.id}/repository/tags`, world.owner, { tag_name: 'twin', ref: 'main' });
    const made = await call('POST', at(place), world.owner, { ...values, ref: 'twin' });
    expect(made).toMatchObject({ status: 400, body: { message: { ref: ['is ambiguous'] } } });
    const tag = await schedule(world.owner, { ref: 'refs/tags/twin' }, place);
    await call('POST', `${at(place)}/${tag.id}/play`, world.owner);
    const [run] = await pipelinesOf(tag.id, place);
    expect(run).toMatchObject({ ref: 'twin' });
  });

  it('[2/states.pipeline-schedule-active/4] [2/api.pipeline-schedules/6] [2/api.pipeline-schedules/7] change hands, and go, by their owner and maintainers', async () => {
    const made = await schedule(developer);
    const path = `${at()}/${made.id}`;
    expect((await call('PUT', path, maintainer, { description: 'x' })).status).toBe(403);
    const taken = await call('POST', `${path}/take_ownership`, maintainer);
    expect(taken).toMatchObject({ status: 201, body: { id: made.id, owner: { id: maintainer.user.id } } });
    expect((await call('POST', `${path}/take_ownership`, maintainer)).status).toBe(200);
    expect((await call('PUT', path, maintainer, { description: 'x' })).status).toBe(200);
    for (const [method, target] of [
      ['PUT', path],
      ['DELETE', path],
      ['POST', `${path}/take_ownership`],
    ] as const)
      expect((await call(method, target, developer, {})).status).toBe(403);
    for (const who of [guest, null]) expect((await call('DELETE', path, who)).status).toBe(who ? 403 : 401);
    const removed = await call('DELETE', path, maintainer);
    expect(removed).toMatchObject({ status: 200, body: { id: made.id, description: 'x', cron: values.cron } });
    expect((await call('GET', path, maintainer)).status).toBe(404);
    expect((await call('DELETE', path, maintainer)).status).toBe(404);
  });
});

describe('runs of schedules', () => {
  it('[1/errors/22] [2/fields.pipeline-schedule/10 last_pipeline, id, sha, ref, status] [2/fields.pipeline/1 id, sha, ref, status] [2/api.pipeline-schedules/8 message] [2/states.pipeline-schedule-active/5] [2/api.pipeline-schedules/3] [2/fields.pipeline/2 id, iid, project_id, status, source, scheduled, ref, sha, web_url, created_at, updated_at] security 19: are played in the name of who plays', async () => {
    const made = await schedule(developer);
    const path = `${at()}/${made.id}`;
    expect(await call('POST', `${path}/play`, maintainer)).toMatchObject({
      status: 201,
      body: { message: '201 Created' },
    });
    const list = await pipelinesOf(made.id);
    expect(list).toEqual([
      {
        id: expect.any(Number),
        iid: expect.any(Number),
        project_id: project.id,
        status: expect.any(String),
        source: 'scheduled',
        ref: 'main',
        sha: expect.stringMatching(/^[0-9a-f]{40}$/),
        web_url: expect.stringContaining(`/-/pipelines/${list[0]?.id}`),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const run = await project.pipeline(list[0]?.id as number);
    expect(run).toMatchObject({ source: 'schedule', user: { id: maintainer.user.id } });
    const got = (await call('GET', path, developer)).body;
    const { id, sha, ref, status } = run;
    expect(got.last_pipeline).toMatchObject({ id, sha, ref, status });
    const all = `${path.slice(0, path.lastIndexOf('/'))}?with_last_pipeline=true&per_page=100`;
    const rows = (await call<Json[]>('GET', all, developer)).body;
    expect(rows.every((row) => 'last_pipeline' in row)).toBe(true);
    expect(rows.find((row) => row.id === made.id)?.last_pipeline).toMatchObject({ id, sha, ref, status });
    expect(got.next_run_at).toBe(made.next_run_at);
    await call('POST', `${path}/play`, developer);
    const sorted = async (query: string) =>
      (await call<Json[]>('GET', `${path}/pipelines?${query}`, guest)).body.map((each) => each.id);
    expect((await sorted('sort=desc')).reverse()).toEqual(await sorted(''));
    expect(await sorted('status=success')).toEqual([]);
    expect(await sorted(`created_before=${new Date(0).toISOString()}`)).toEqual([]);
    expect((await call('POST', `${path}/play`, guest)).status).toBe(403);
  });

  it('get variables and inputs, and say which schedule it was', async () => {
    const place = await world.project();
    await place.commit(
      'spec:\n  inputs:\n    level: {type: number}\n---\n"level $[[ inputs.level ]]":\n  script: [x]\n  rules: [{if: $NIGHT == "yes"}]\n',
    );
    const made = await schedule(world.owner, { inputs: [{ name: 'level', value: 3 }] }, place);
    expect(made.inputs).toEqual([{ name: 'level', value: 3 }]);
    const path = `${at(place)}/${made.id}`;
    await call('POST', `${path}/variables`, world.owner, { key: 'NIGHT', value: 'yes' });
    await call('POST', `${path}/play`, world.owner);
    const [run] = await pipelinesOf(made.id, place);
    expect(Object.keys(await place.statuses(run?.id as number))).toEqual(['level 3']);
    const runner = await world.runner({ run_untagged: true });
    const given = await eventually('the job', async () => {
      const job = await runner.next();
      return job.job_info.project_id === place.id && job;
    });
    const variables = Object.fromEntries(given.variables.map(({ key, value }) => [key, value]));
    expect(variables).toMatchObject({
      NIGHT: 'yes',
      CI_PIPELINE_SOURCE: 'schedule',
      CI_PIPELINE_SCHEDULE_DESCRIPTION: 'Nightly',
    });
    await runner.update(given, 'success');
    await call('DELETE', `/runners/${runner.id}`, world.admin);
    const changed = await call('PUT', path, world.owner, {
      inputs: [
        { name: 'level', destroy: true },
        { name: 'list', value: [1, 'b'] },
      ],
    });
    expect(changed.body.inputs).toEqual([{ name: 'list', value: [1, 'b'] }]);
    // What the configuration does not declare makes a pipeline that says so.
    await call('POST', `${path}/play`, world.owner);
    const broken = (await pipelinesOf(made.id, place)).at(-1);
    expect(await place.pipeline(broken?.id as number)).toMatchObject({
      status: 'failed',
      yaml_errors: expect.any(String),
    });
  });

  it('happen once for all that a stop of the server missed, and only while active', async () => {
    const [on, off] = [await schedule(developer, { cron: '* * * * *' }), await schedule(developer)];
    await due([on.id]);
    await due([off.id], false);
    await Promise.all([tick(), tick()]);
    const [run] = await eventually('the run', async () => {
      const list = await pipelinesOf(on.id);
      return list.length > 0 && list;
    });
    expect(await project.pipeline(run?.id as number)).toMatchObject({
      source: 'schedule',
      user: { id: developer.user.id },
    });
    const { next_run_at: next } = await stored(on.id);
    expect(next.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(await pipelinesOf(on.id)).toHaveLength(1);
    expect(await pipelinesOf(off.id)).toEqual([]);
    await call('PUT', `${at()}/${on.id}`, developer, { active: false });
  });

  it('of one owner run together, each as if it was alone', async () => {
    const place = await world.project();
    await place.commit(
      [
        'spec: {inputs: {word: {default: none}}}',
        '---',
        'workflow: {rules: [{if: $SKIPPED, when: never}, {when: always}]}',
        'job: {script: ["echo $[[ inputs.word ]] $CI_PIPELINE_SCHEDULE_DESCRIPTION"]}',
      ].join('\n'),
    );
    await place.commit('other: {script: [y]}', { branch: 'side' });
    const more: Json[] = [
      { description: 'first', inputs: [{ name: 'word', value: 'hello' }] },
      { description: 'second', ref: 'side' },
      { description: 'no ref', ref: 'absent' },
      { description: 'filtered' },
      { description: 'unknown input', inputs: [{ name: 'nothing', value: 'x' }] },
      { description: 'deleted meanwhile' },
      { description: 'last', queue_priority: 'low' },
    ];
    const made: Json[] = [];
    for (const each of more) made.push(await schedule(world.owner, each, place));
    const [first, second, , filtered, unknown, gone, last] = made;
    await call('POST', `${at(place)}/${filtered?.id}/variables`, world.owner, { key: 'SKIPPED', value: '1' });
    await call('POST', `${at(place)}/${first?.id}/variables`, world.owner, { key: 'OWN', value: 'of the first' });
    const ids = made.map(({ id }) => id as number);
    const queuedAt = new Date();
    const run = (attempt: number) =>
      runTask(
        world.app,
        'ci.run_schedules_together',
        { schedule_ids: ids, queued_at: queuedAt.toISOString() },
        { attempt, maxAttempts: 3 },
      );
    const deleting = Promise.withResolvers<void>();
    const deleted = world.app.db.transaction().execute(async (tx) => {
      await tx
        .deleteFrom('pipeline_schedules')
        .where('id', '=', gone?.id as number)
        .execute();
      await deleting.promise;
    });
    const running = run(1);
    await eventually('the runs to wait for the deletion', async () => {
      const { rows } = await sql`select from pg_locks where not granted and locktype = 'transactionid'`.execute(
        world.app.db,
      );
      return rows.length > 0;
    });
    deleting.resolve();
    await Promise.all([deleted, running]);
    await run(2);
    const stories = await world.app.db
      .selectFrom('pipelines as p')
      .leftJoin('jobs as j', 'j.pipeline_id', 'p.id')
      .select(['p.id', 'p.iid', 'p.schedule_id', 'p.ref', 'p.status', 'p.queue_priority', 'j.name', 'j.status as job'])
      .select(sql<string[] | null>`j.plan -> 'script'`.as('script'))
      .where('p.project_id', '=', place.id)
      .where('p.source', '=', 'schedule')
      .orderBy('p.id')
      .execute();
    const job = { queue_priority: 'normal', ref: 'main', name: 'job', job: 'pending', status: 'pending' };
    expect(stories.map(({ id: _id, iid: _iid, ...story }) => story)).toEqual([
      { ...job, schedule_id: first?.id, script: ['echo hello $CI_PIPELINE_SCHEDULE_DESCRIPTION'] },
      { ...job, schedule_id: second?.id, ref: 'side', name: 'other', script: ['y'] },
      { ...job, schedule_id: unknown?.id, status: 'failed', name: null, job: null, script: null },
      {
        ...{ ...job, schedule_id: last?.id, queue_priority: 'low' },
        script: ['echo none $CI_PIPELINE_SCHEDULE_DESCRIPTION'],
      },
    ]);
    expect(new Set(stories.map(({ iid }) => iid)).size).toBe(4);
    const given = `/projects/${place.id}/pipelines/${stories[0]?.id}/variables`;
    expect((await call<Json[]>('GET', given, world.owner)).body).toMatchObject([{ key: 'OWN', value: 'of the first' }]);
    const told = await sql<{ id: number }>`select (payload ->> 'pipeline_id')::bigint as id from facts
      where project_id = ${place.id} and kind = 'pipeline.created' order by facts.id`.execute(world.app.db);
    expect(told.rows.map(({ id }) => id)).toEqual(expect.arrayContaining(stories.map(({ id }) => id)));
  });

  it('security 18: end when the owner loses access', async () => {
    const leaver = await world.account();
    await member(project, leaver, Level.developer);
    const made = await schedule(leaver);
    await call('DELETE', `/projects/${project.id}/members/${leaver.user.id}`, world.owner);
    await due([made.id]);
    await tick();
    await eventually('the schedule to be switched off', async () => !(await stored(made.id)).active);
    expect(await pipelinesOf(made.id)).toEqual([]);
    // Whoever takes it over switches it on again.
    const path = `${at()}/${made.id}`;
    await call('POST', `${path}/take_ownership`, maintainer);
    expect((await call('PUT', path, maintainer, { active: true })).body).toMatchObject({ active: true });
  });

  it('security 20: protected branches are for those who may change them', async () => {
    const place = await world.project();
    await place.commit(config);
    await member(place, developer, Level.developer);
    await place.commit(null, { branch: 'safe', files: { x: '1' } });
    const protect = { name: 'safe', push_access_level: 40, merge_access_level: 40 };
    expect((await call('POST', `/projects/${place.id}/protected_branches`, world.owner, protect)).status).toBe(201);
    const refused = (what: string) => ({
      status: 400,
      body: { message: { base: [`The current user is not authorized to ${what} the pipeline schedule`] } },
    });
    expect(await call('POST', at(place), developer, { ...values, ref: 'safe' })).toMatchObject(refused('create'));
    await place.commit(null, { branch: 'open', files: { x: '1' } });
    const made = await schedule(developer, { ref: 'open' }, place);
    expect(await call('PUT', `${at(place)}/${made.id}`, developer, { ref: 'refs/heads/safe' })).toMatchObject(
      refused('update'),
    );
    const owned = await schedule(world.owner, { ref: 'safe' }, place);
    expect((await call('POST', `${at(place)}/${owned.id}/play`, developer)).status).toBe(403);
    expect(await pipelinesOf(owned.id, place)).toEqual([]);
  });

  it('thousands that are due at once are handed to the queue in batches, within the minute', async () => {
    const place = await world.project();
    // No such branch: the queue has little to do with it.
    const row = {
      project_id: place.id,
      owner_id: world.owner.user.id,
      description: 'n',
      ref: 'absent',
      cron: '0 0 1 1 *',
      next_run_at: new Date(Date.now() - 1000),
    };
    for (let part = 0; part < 3; part++)
      await world.app.db
        .insertInto('pipeline_schedules')
        .values(Array.from({ length: 1000 }, () => row))
        .execute();
    const start = performance.now();
    await tick();
    expect(performance.now() - start).toBeLessThan(15_000);
    const left = await world.app.db
      .selectFrom('pipeline_schedules')
      .select('id')
      .where('project_id', '=', place.id)
      .where('next_run_at', '<=', new Date())
      .execute();
    expect(left).toEqual([]);
    await world.app.db.deleteFrom('pipeline_schedules').where('project_id', '=', place.id).execute();
  });
});

describe('variables of schedules', () => {
  it('[2/fields.pipeline-schedule/12 key, value, variable_type, env_var, file, raw] [2/api.pipeline-schedules/9 key, variable_type, value] [2/api.pipeline-schedules/10 key, value, variable_type] [2/api.pipeline-schedules/11 key, value] are created, changed and deleted', async () => {
    const made = await schedule(developer);
    const path = `${at()}/${made.id}/variables`;
    const created = await call('POST', path, developer, { key: 'NEW_1', value: 'one' });
    expect(created).toMatchObject({ status: 201 });
    expect(created.body).toEqual({ key: 'NEW_1', variable_type: 'env_var', value: 'one' });
    const file = { key: 'A_FILE', value: 'text', variable_type: 'file' };
    expect((await call('POST', path, developer, file)).body).toEqual(file);
    const changed = await call('PUT', `${path}/NEW_1`, developer, { value: 'two', variable_type: 'file' });
    expect(changed).toMatchObject({ status: 200 });
    expect(changed.body).toEqual({ key: 'NEW_1', value: 'two', variable_type: 'file' });
    expect((await call('GET', `${path}/NEW_1`, developer)).body).toEqual(changed.body);
    expect((await call('GET', `${at()}/${made.id}`, developer)).body.variables).toEqual([
      { ...changed.body, raw: false },
      { ...file, raw: false },
    ]);
    expect((await call('GET', `${at()}/${made.id}`, maintainer)).body.variables).toHaveLength(2);
    const gone = await call('DELETE', `${path}/NEW_1`, developer);
    expect(gone).toMatchObject({ status: 200 });
    expect(gone.body).toEqual({ key: 'NEW_1', value: 'two' });
    expect(await call('DELETE', `${path}/NEW_1`, developer)).toMatchObject({
      status: 404,
      body: { message: '404 Pipeline Schedule Variable Not Found' },
    });
  });

  it('[1/limits.other-limits/2] security 20: are valid, encrypted, and shown to the owner and maintainers only', async () => {
    const made = await schedule(maintainer);
    const path = `${at()}/${made.id}/variables`;
    for (const [json, body] of [
      [{ key: 'A-B', value: 'x' }, { message: { key: ["can contain only letters, digits and '_'."] } }],
      [{ key: 'A'.repeat(256), value: 'x' }, { message: { key: ['is too long (maximum is 255 characters)'] } }],
      [{ key: 'A' }, { error: 'value is missing' }],
      [{ value: 'A' }, { error: 'key is missing' }],
      [{ key: 'A', value: 'x', variable_type: 'other' }, { error: 'variable_type does not have a valid value' }],
    ] as const)
      expect(await call('POST', path, maintainer, json)).toMatchObject({ status: 400, body });
    expect((await call('POST', path, maintainer, { key: 'A'.repeat(255), value: 'canary-value' })).status).toBe(201);
    const taken = await call('POST', path, maintainer, { key: 'A'.repeat(255), value: 'y' });
    expect(taken).toMatchObject({ status: 400, body: { message: { key: ['has already been taken'] } } });
    expect((await call('PUT', `${path}/${'A'.repeat(255)}`, maintainer, {})).status).toBe(400);
    for (const who of [developer, guest])
      expect(JSON.stringify((await call('GET', `${at()}/${made.id}`, who)).body)).not.toContain('canary-value');
    expect((await call('GET', `${path}/${'A'.repeat(255)}`, developer)).status).toBe(403);
    expect((await call('POST', path, developer, { key: 'B', value: 'x' })).status).toBe(403);
    const rows = await world.app.db.selectFrom('pipeline_schedule_variables').selectAll().execute();
    expect(rows.map((row) => row.value_encrypted.toString('latin1')).join()).not.toContain('canary-value');
  });
});
