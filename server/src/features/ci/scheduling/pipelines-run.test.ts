/** Pipelines from push to end, run by a runner that speaks the protocol. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyZip, eventually, type ProtocolRunner, startWorld, type World } from '../../../../test/ci.ts';
import { queuedFor, runQueued } from '../../../../test/queue.queries.ts';
import { runTask } from '../../../../test/tasks.ts';

let world: World;
let runner: ProtocolRunner;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

const act = (project: { id: number }, job: number, action: string, json?: unknown) =>
  world.app.api<{ id: number; status: string; name: string }>('POST', `/projects/${project.id}/jobs/${job}/${action}`, {
    token: world.owner.token,
    ...(json === undefined ? {} : { json }),
  });

describe('a pipeline', () => {
  it('[2/states.pipeline-status/1] [2/states.job-status/1 created] runs its stages in order and passes', async () => {
    const project = await world.project();
    const pipeline = await project.push(`
build: {stage: build, script: [make]}
test: {stage: test, script: [make test]}
`);
    expect(pipeline).toMatchObject({ source: 'push', ref: 'main', status: 'pending', yaml_errors: null });
    expect(await project.statuses(pipeline.id)).toEqual({ build: 'pending', test: 'created' });
    const build = await runner.next();
    expect(build.job_info).toMatchObject({ name: 'build', stage: 'build', project_id: project.id });
    expect((await project.pipeline(pipeline.id)).status).toBe('running');
    expect((await runner.request()).status).toBe(204);
    expect((await runner.patch(build, 'hello\n')).status).toBe(202);
    expect((await runner.update(build, 'success')).status).toBe(200);
    const test = await runner.run();
    expect(test.job_info.name).toBe('test');
    const ended = await project.reaches(pipeline.id, 'success');
    expect(ended).toMatchObject({ coverage: null, detailed_status: { group: 'success', label: 'passed' } });
    expect(ended.finished_at).toMatch(/Z$/);
  });

  it('a job that finishes makes the next one ready in the same answer', async () => {
    const project = await world.project();
    const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
    const jobs = names.map((name) => `${name}: {stage: ${name}, script: [x]}`).join('\n');
    await project.push(`stages: [${names.join(', ')}]\n${jobs}`);
    const waits: number[] = [];
    let job = await runner.next();
    for (const _ of names.slice(1)) {
      const start = performance.now();
      await runner.update(job, 'success');
      const answer = await runner.request();
      waits.push(performance.now() - start);
      expect(answer.status).toBe(201);
      job = JSON.parse(answer.text);
    }
    await runner.update(job, 'success');
    waits.sort((a, b) => a - b);
    console.info(`job finished to next job: p50 ${waits[5]?.toFixed(1)} ms, p95 ${waits.at(-1)?.toFixed(1)} ms`);
    // The target is p95 below 100 ms; a machine that does other things too gets room. Who looked around for work would take
    // longer, and the request that comes first after the end would have no job.
    expect(waits[5]).toBeLessThan(2000);
  });

  it('[2/states.job-status/1 skipped] a failure skips what follows; what may fail does not', async () => {
    const project = await world.project();
    const pipeline = await project.push(`
lint: {stage: build, script: [x], allow_failure: true}
build: {stage: build, script: [x]}
test: {stage: test, script: [x]}
clean: {stage: test, script: [x], when: on_failure}
report: {stage: deploy, script: [x], when: always}
`);
    for (const _ of [0, 1]) await runner.run('failed');
    await runner.run();
    await runner.run();
    await project.reaches(pipeline.id, 'failed');
    expect(await project.statuses(pipeline.id)).toEqual({
      lint: 'failed',
      build: 'failed',
      test: 'skipped',
      clean: 'success',
      report: 'success',
    });
  });

  it('[2/fields.pipeline/3 detailed_status] passes with warnings', async () => {
    const project = await world.project();
    const pipeline = await project.push('lint: {script: [x], allow_failure: true}');
    const job = await runner.run('failed');
    const ended = await project.reaches(pipeline.id, 'success');
    expect(ended.detailed_status).toMatchObject({
      icon: 'status_warning',
      text: 'Warning',
      label: 'passed with warnings',
      group: 'success-with-warnings',
      tooltip: 'passed with warnings',
      has_details: true,
      details_path: `/${project.path}/-/pipelines/${pipeline.id}`,
      illustration: null,
    });
    expect(await project.job(pipeline.id, 'lint')).toMatchObject({
      id: job.id,
      allow_failure: true,
      failure_reason: 'script_failure',
    });
  });

  it('exit codes decide whether a failure is allowed', async () => {
    const project = await world.project();
    const config = 'a: {script: [x], allow_failure: {exit_codes: [42]}}';
    const first = await project.push(config);
    await runner.run('failed', { exit_code: 42 });
    await project.reaches(first.id, 'success');
    const second = await project.push(`${config}\n#`);
    await runner.run('failed', { exit_code: 1 });
    await project.reaches(second.id, 'failed');
    expect(await project.job(second.id, 'a')).toMatchObject({ exit_code: 1, allow_failure: false });
  });

  it('needs start across stages and hand over artifacts of what they name', async () => {
    const project = await world.project();
    const pipeline = await project.push(`
a: {stage: build, script: [x], artifacts: {paths: [a]}}
b: {stage: build, script: [x], artifacts: {paths: [b]}}
after-a: {stage: deploy, script: [x], needs: [a]}
at-once: {stage: deploy, script: [x], needs: []}
last: {stage: deploy, script: [x]}
`);
    const got = [await runner.next(), await runner.next(), await runner.next()];
    expect(got.map((job) => job.job_info.name).sort()).toEqual(['a', 'at-once', 'b']);
    const a = got.find((job) => job.job_info.name === 'a');
    if (!a) throw new Error('no job a');
    await runner.upload(a, { data: emptyZip(30), name: 'artifacts.zip', type: 'archive', format: 'zip' });
    await runner.update(a, 'success');
    const after = await runner.next();
    expect(after.job_info.name).toBe('after-a');
    expect(after.dependencies).toEqual([
      { id: a.id, name: 'a', token: after.token, artifacts_file: { filename: 'artifacts.zip', size: 30 } },
    ]);
    for (const job of [...got.filter((each) => each !== a), after]) await runner.update(job, 'success');
    await runner.run();
    await project.reaches(pipeline.id, 'success');
  });
});

describe('manual jobs', () => {
  it('[2/states.job-status/1 manual] block unless they may be left out; played with variables of their own', async () => {
    const project = await world.project();
    const pipeline = await project.push(`
gate: {stage: build, script: [x], rules: [{when: manual}]}
extra: {stage: build, script: [x], when: manual}
test: {stage: test, script: [x]}
`);
    await project.reaches(pipeline.id, 'manual');
    expect(await project.statuses(pipeline.id)).toEqual({ gate: 'manual', extra: 'manual', test: 'created' });
    const gate = await project.job(pipeline.id, 'gate');
    const played = await act(project, gate.id, 'play', {
      job_variables_attributes: [{ key: 'WHO', value: 'me' }],
    });
    expect(played).toMatchObject({ status: 200, body: { id: gate.id, status: 'pending' } });
    expect((await act(project, gate.id, 'play')).status).toBe(400);
    const job = await runner.next();
    expect(job.variables).toContainEqual(expect.objectContaining({ key: 'WHO', value: 'me' }));
    expect(job.variables).toContainEqual(expect.objectContaining({ key: 'CI_JOB_MANUAL', value: 'true' }));
    await runner.update(job, 'success');
    await runner.run();
    await project.reaches(pipeline.id, 'success');
    expect((await project.statuses(pipeline.id)).extra).toBe('manual');

    const again = await act(project, gate.id, 'retry', {
      job_variables_attributes: [
        { key: 'WHAT', value: 'more' },
        { key: 'WHO', value: 'you' },
      ],
    });
    expect(again.status).toBe(201);
    const given = async () => {
      const { variables, ...next } = await runner.next();
      await runner.update({ variables, ...next }, 'success');
      return Object.fromEntries(
        variables.filter(({ key }) => ['WHO', 'WHAT'].includes(key)).map(({ key, value }) => [key, value]),
      );
    };
    expect(await given()).toEqual({ WHO: 'you', WHAT: 'more' });
    // Without others the last ones count.
    expect((await act(project, (await project.job(pipeline.id, 'gate')).id, 'retry')).status).toBe(201);
    expect(await given()).toEqual({ WHO: 'you', WHAT: 'more' });
  });

  it('take variables from those only whom the project lets give them', async () => {
    const project = await world.project();
    const pipeline = await project.push('gate: {script: [x], when: manual}\n');
    const job = await project.job(pipeline.id, 'gate');
    const given = { job_variables_attributes: [{ key: 'WHO', value: 'me' }] };
    await world.app.api('PUT', `/projects/${project.id}`, {
      token: world.owner.token,
      json: { ci_pipeline_variables_minimum_override_role: 'no_one_allowed' },
    });
    expect((await act(project, job.id, 'play', given)).status).toBe(403);
    expect((await act(project, job.id, 'play')).status).toBe(200);
    await runner.run();
    expect((await act(project, job.id, 'retry', given)).status).toBe(403);
  });

  it('[20/8] that may be left out end a pipeline without those that need them, until they are played', async () => {
    const project = await world.project();
    const pipeline = await project.push(`
build: {stage: build, script: [x], needs: []}
hand: {stage: test, script: [x], when: manual, needs: [build]}
check: {stage: deploy, script: [x], needs: [hand]}
`);
    await runner.run();
    await project.reaches(pipeline.id, 'success');
    expect(await project.statuses(pipeline.id)).toEqual({ build: 'success', hand: 'manual', check: 'skipped' });
    await act(project, (await project.job(pipeline.id, 'hand')).id, 'play');
    expect(await project.statuses(pipeline.id)).toEqual({ build: 'success', hand: 'pending', check: 'created' });
    await project.reaches(pipeline.id, 'running');
    await runner.run();
    await runner.run();
    await project.reaches(pipeline.id, 'success');
    expect((await project.statuses(pipeline.id)).check).toBe('success');
  });

  it('delayed jobs whose timer is stopped wait for somebody', async () => {
    const project = await world.project();
    const pipeline = await project.push('later: {script: [x], when: delayed, start_in: 1 day}');
    await project.reaches(pipeline.id, 'scheduled');
    const { id } = await project.job(pipeline.id, 'later');
    expect(await act(project, id, 'unschedule')).toMatchObject({ status: 200, body: { id, status: 'manual' } });
    await project.reaches(pipeline.id, 'manual');
    expect((await act(project, id, 'unschedule')).status).toBe(400);
    expect((await act(project, id, 'play')).status).toBe(200);
    await runner.run();
    await project.reaches(pipeline.id, 'success');
  });

  it('delayed jobs start by themselves', async () => {
    const project = await world.project();
    const pipeline = await project.push('later: {script: [x], when: delayed, start_in: 5 hours}');
    await project.reaches(pipeline.id, 'scheduled');
    const { db } = world.app;
    const { id } = await project.job(pipeline.id, 'later');
    const job = db.selectFrom('jobs').select('scheduled_at').where('id', '=', id);
    const key = `ci.play_scheduled:${id}`;
    expect(await queuedFor(db, key)).toEqual((await job.executeTakeFirst())?.scheduled_at);
    // Five hours later.
    await db.updateTable('jobs').set({ scheduled_at: new Date() }).where('id', '=', id).execute();
    await runQueued(db, key);
    await runner.run();
    await project.reaches(pipeline.id, 'success');
  });
});

describe('retries', () => {
  it('happen by themselves as the configuration says', async () => {
    const project = await world.project();
    const pipeline = await project.push('a: {script: [x], retry: {max: 1, when: script_failure}}');
    const first = await runner.run('failed');
    const second = await runner.next();
    expect(second.id).not.toBe(first.id);
    await runner.update(second, 'failed', { failure_reason: 'script_failure' });
    await project.reaches(pipeline.id, 'failed');
    const all = await world.app.api<unknown[]>('GET', `/projects/${project.id}/pipelines/${pipeline.id}/jobs`, {
      token: world.owner.token,
      query: { include_retried: true },
    });
    expect(all.body).toHaveLength(2);
  });

  it('not for other reasons', async () => {
    const project = await world.project();
    const pipeline = await project.push('a: {script: [x], retry: {max: 2, when: runner_system_failure}}');
    await runner.run('failed');
    await project.reaches(pipeline.id, 'failed');
  });

  it('of one job wake what was skipped after it', async () => {
    const project = await world.project();
    const pipeline = await project.push(`
build: {stage: build, script: [x]}
test: {stage: test, script: [x]}
`);
    const failed = await runner.run('failed');
    await project.reaches(pipeline.id, 'failed');
    const again = await act(project, failed.id, 'retry');
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(failed.id);
    expect((await act(project, failed.id, 'retry')).status).toBe(403);
    expect(await project.statuses(pipeline.id)).toEqual({ build: 'pending', test: 'created' });
    await runner.run();
    await runner.run();
    await project.reaches(pipeline.id, 'success');
  });

  it('of a pipeline repeat what failed or was canceled', async () => {
    const project = await world.project();
    const pipeline = await project.push(`
a: {stage: build, script: [x]}
b: {stage: build, script: [x]}
test: {stage: test, script: [x]}
`);
    await runner.run();
    await runner.run('failed');
    await project.reaches(pipeline.id, 'failed');
    const path = `/projects/${project.id}/pipelines/${pipeline.id}/retry`;
    const retried = await world.app.api<{ status: string }>('POST', path, { token: world.owner.token });
    expect(retried.status).toBe(201);
    expect(await project.statuses(pipeline.id)).toEqual({ a: 'success', b: 'pending', test: 'created' });
    await runner.run();
    await runner.run();
    const ended = await project.reaches(pipeline.id, 'success');
    expect(ended.finished_at).not.toBeNull();
  });
});

describe('cancellation', () => {
  it('[2/states.job-status/1 canceled] lets a graceful runner finish, and tells it so', async () => {
    const project = await world.project();
    const pipeline = await project.push('a: {script: [x]}\nb: {stage: deploy, script: [x]}');
    const job = await runner.next();
    const canceled = await act(project, job.id, 'cancel');
    expect(canceled).toMatchObject({ status: 201, body: { status: 'canceling' } });
    const said = await runner.patch(job, 'after_script\n');
    expect([said.status, said.headers.get('job-status')]).toEqual([202, 'canceling']);
    expect((await runner.update(job, 'failed', { failure_reason: 'job_canceled' })).status).toBe(200);
    expect((await project.statuses(pipeline.id)).a).toBe('canceled');
    await eventually('the end', async () =>
      ['canceled', 'skipped'].includes((await project.statuses(pipeline.id)).b ?? ''),
    );
    await project.reaches(pipeline.id, 'canceled');
  });

  it('stops others at once: their runner is refused with the status', async () => {
    const project = await world.project();
    const pipeline = await project.push('a: {script: [x]}');
    const old = await eventually('a job', async () => {
      const answer = await runner.request('', { info: { version: '15.4.0', features: {} } });
      return answer.status === 201 && JSON.parse(answer.text);
    });
    const path = `/projects/${project.id}/pipelines/${pipeline.id}/cancel`;
    const stopped = await world.app.api<{ status: string }>('POST', path, { token: world.owner.token });
    expect(stopped).toMatchObject({ status: 200, body: { status: 'canceled' } });
    for (const answer of [await runner.patch(old, 'more\n'), await runner.update(old, 'success')])
      expect([answer.status, answer.headers.get('job-status')]).toEqual([403, 'canceled']);
  });

  it('of redundant pipelines spares what must not be interrupted', async () => {
    const project = await world.project();
    const config = (id: number, interruptible: boolean) =>
      `a: {script: [x${id}], interruptible: ${interruptible}}\nb: {stage: deploy, script: [x]}`;
    const first = await project.push(config(1, true));
    const running = await runner.next();
    const second = await project.push(config(2, false));
    await eventually('the cancellation', async () => (await project.statuses(first.id)).a === 'canceling');
    await runner.update(running, 'failed', { failure_reason: 'job_canceled' });
    await project.reaches(first.id, 'canceled');
    const uninterruptible = await runner.next();
    const third = await project.push(config(3, true));
    expect(await project.statuses(second.id)).toEqual({ a: 'running', b: 'created' });
    await runner.update(uninterruptible, 'success');
    for (const _ of [0, 1, 2]) await runner.run();
    await project.reaches(second.id, 'success');
    await project.reaches(third.id, 'success');
  });

  it('on the first failure where the configuration says so', async () => {
    const project = await world.project();
    const pipeline = await project.push(`
workflow: {auto_cancel: {on_job_failure: all}}
a: {script: [x]}
b: {script: [x]}
c: {stage: deploy, script: [x]}
`);
    await runner.run('failed');
    await project.reaches(pipeline.id, 'failed');
    expect(Object.values(await project.statuses(pipeline.id)).sort()).toEqual(['canceled', 'canceled', 'failed']);
  });
});

describe('the sweep', () => {
  const sweep = (name: string) => runTask(world.app, name);
  const age = async (jobId: number, column: 'contacted_at' | 'queued_at' | 'started_at', seconds: number) => {
    const at = new Date(Date.now() - seconds * 1000);
    await world.app.db
      .updateTable('jobs')
      .set({ [column]: at })
      .where('id', '=', jobId)
      .execute();
  };

  /** As if the instance had looked for runners for an hour. */
  const watched = async () => {
    await sweep('ci.watch_runners');
    const hour = { since: new Date(Date.now() - 3_600_000), seen_at: new Date() };
    await world.app.db.updateTable('runner_watch').set(hour).execute();
  };

  it('[2/fields.job/5 stuck_or_timeout_failure] ends jobs whose runner was not heard of for more than a minute', async () => {
    const project = await world.project();
    const pipeline = await project.push('a: {script: [x]}');
    const job = await runner.next();
    await watched();
    await age(job.id, 'contacted_at', 60);
    await sweep('ci.look_for_runners');
    expect((await project.statuses(pipeline.id)).a).toBe('running');
    await age(job.id, 'contacted_at', 80);
    await sweep('ci.look_for_runners');
    expect(await project.job(pipeline.id, 'a')).toMatchObject({
      status: 'failed',
      failure_reason: 'stuck_or_timeout_failure',
    });
    await project.reaches(pipeline.id, 'failed');
    expect((await runner.patch(job, 'I am back')).status).toBe(403);
  });

  it('ends no job while the instance itself was away, nor one whose runner sends anything', async () => {
    const project = await world.project();
    const pipeline = await project.push('a: {script: [x]}');
    const job = await runner.next();
    await watched();
    const away = { seen_at: new Date(Date.now() - 120_000) };
    await world.app.db.updateTable('runner_watch').set(away).execute();
    await age(job.id, 'contacted_at', 150);
    await sweep('ci.look_for_runners');
    expect((await project.statuses(pipeline.id)).a).toBe('running');
    for (const [beat, status] of [
      [() => runner.patch(job, 'a line'), 202],
      [() => runner.patch(job, 'out of place', 7), 416],
      [() => runner.patch(job, ''), 202],
      [() => runner.update(job, 'running'), 200],
    ] as const) {
      await watched();
      await age(job.id, 'contacted_at', 80);
      expect((await beat()).status).toBe(status);
      await sweep('ci.look_for_runners');
      expect((await project.statuses(pipeline.id)).a).toBe('running');
    }
    expect((await runner.update(job, 'success')).status).toBe(200);
  });

  it('ends jobs that run past their time, and those that no runner took for a day', async () => {
    const project = await world.project();
    const pipeline = await project.push('a: {script: [x], timeout: 10 minutes}\nb: {script: [x], tags: [nobody]}');
    const job = await runner.next();
    expect(job.runner_info).toEqual({ timeout: 600, runner_session_url: null });
    await age(job.id, 'started_at', 600 + 301);
    await age((await project.job(pipeline.id, 'b')).id, 'queued_at', 24 * 3600 + 1);
    await sweep('ci.sweep_jobs');
    expect(await project.job(pipeline.id, 'a')).toMatchObject({ failure_reason: 'job_execution_timeout' });
    expect(await project.job(pipeline.id, 'b')).toMatchObject({ failure_reason: 'stuck_or_timeout_failure' });
  });
});
