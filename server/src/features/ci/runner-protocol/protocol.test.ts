/** The protocol as official runners speak it: requests, held polls, ends. Logs are in logs.test.ts. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type JobPayload, type ProtocolRunner, startWorld, type World } from '../../../../test/ci.ts';

let world: World;
let runner: ProtocolRunner & { id: number };
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

const variableOf = (job: JobPayload, key: string) => job.variables.findLast((item) => item.key === key)?.value;

describe('the payload', () => {
  it('[1/authentication/4 CI_JOB_TOKEN] [security 19] has everything that a runner needs', async () => {
    const project = await world.project();
    const sha = await project.commit(
      `
variables: {GLOBAL: one}
default: {image: "node:24"}
job:
  stage: test
  before_script: [echo before]
  script: [echo $GLOBAL]
  after_script: [echo after]
  variables: {LOCAL: "a $GLOBAL", RAW: {value: "$NOT", expand: false}, OUTER: "$INNER $NONE", INNER: "<$LOCAL $RAW $$X>"}
  timeout: 20 minutes
  artifacts: {paths: [dist], exclude: ["dist/*.map"], expire_in: 1 week, name: built, reports: {junit: out.xml}}
  cache: {key: deps, paths: [node_modules], policy: pull}
`,
      { files: { 'a.txt': 'a' } },
    );
    const job = await runner.next();
    expect(job).toMatchObject({
      allow_git_fetch: true,
      job_info: {
        id: job.id,
        name: 'job',
        stage: 'test',
        project_id: project.id,
        project_jobs_running_on_instance_runners_count: '1',
      },
      git_info: {
        ref: 'main',
        sha,
        ref_type: 'branch',
        depth: 20,
        repo_object_format: 'sha1',
        protected: true,
      },
      runner_info: { timeout: 1200, runner_session_url: null },
      steps: [
        {
          name: 'script',
          script: ['echo before', 'echo $GLOBAL'],
          timeout: 1200,
          when: 'on_success',
          allow_failure: false,
        },
        { name: 'after_script', script: ['echo after'], timeout: 1200, when: 'always', allow_failure: true },
      ],
      image: { name: 'node:24' },
      services: [],
      credentials: [],
      dependencies: [],
      features: { trace_sections: true },
      artifacts: [
        {
          name: 'built',
          untracked: false,
          paths: ['dist'],
          exclude: ['dist/*.map'],
          when: 'on_success',
          expire_in: '1 week',
          artifact_type: 'archive',
          artifact_format: 'zip',
        },
        { name: 'junit.xml', paths: ['out.xml'], when: 'always', artifact_type: 'junit', artifact_format: 'gzip' },
      ],
      cache: [{ key: 'deps-protected', paths: ['node_modules'], policy: 'pull', when: 'on_success' }],
    });
    const { git_info: git } = job as unknown as { git_info: { repo_url: string; refspecs: string[] } };
    const pipelineId = variableOf(job, 'CI_PIPELINE_ID');
    expect(git.refspecs).toEqual([
      `+refs/pipelines/${pipelineId}:refs/pipelines/${pipelineId}`,
      '+refs/heads/main:refs/remotes/origin/main',
    ]);
    expect(git.repo_url).toBe(
      `${world.app.url.replace('://', `://gitlab-ci-token:${job.token}@`)}/${project.path}.git`,
    );
    expect(job.token).toMatch(/^glcbt-.{14,}/);
    expect(job.variables).toContainEqual(
      expect.objectContaining({ key: 'CI_JOB_TOKEN', value: job.token, masked: true, public: false }),
    );
    const expected: Record<string, string> = {
      CI: 'true',
      GITLAB_CI: 'true',
      MILLRACE_CI: 'true',
      CI_COMMIT_SHA: sha,
      CI_COMMIT_SHORT_SHA: sha.slice(0, 8),
      CI_COMMIT_BRANCH: 'main',
      CI_COMMIT_REF_NAME: 'main',
      CI_COMMIT_REF_SLUG: 'main',
      CI_COMMIT_REF_PROTECTED: 'true',
      CI_COMMIT_TITLE: 'Change',
      CI_DEFAULT_BRANCH: 'main',
      CI_PIPELINE_SOURCE: 'push',
      CI_PIPELINE_IID: '1',
      CI_JOB_ID: String(job.id),
      CI_JOB_NAME: 'job',
      CI_JOB_STAGE: 'test',
      CI_JOB_TIMEOUT: '1200',
      CI_PROJECT_ID: String(project.id),
      CI_PROJECT_PATH: project.path,
      CI_PROJECT_VISIBILITY: 'private',
      CI_API_V4_URL: `${world.app.url}/api/v4`,
      CI_SERVER_URL: world.app.url,
      CI_RUNNER_ID: String(runner.id),
      GITLAB_USER_LOGIN: world.owner.user.username,
      MILLRACE_USER_LOGIN: world.owner.user.username,
      CI_NODE_TOTAL: '1',
      GLOBAL: 'one',
      LOCAL: 'a one',
      // Runners expand once: what leads further than that is expanded for them, but for what they must see themselves.
      OUTER: '<a one $RAW $$X> $NONE',
      RAW: '$NOT',
    };
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, variableOf(job, key)]))).toEqual(expected);
    expect(job.variables.find((item) => item.key === 'RAW')?.raw).toBe(true);
    expect(variableOf(job, 'CI_COMMIT_TAG')).toBeUndefined();
    await runner.update(job, 'success');
  });

  it('takes the depth of the clone from GIT_DEPTH, from the most special place that has it', async () => {
    const project = await world.project();
    const config = (depth: string) =>
      `variables: {GIT_DEPTH: "3"}\njob: {script: [x], variables: {GIT_DEPTH: ${depth}}}\n`;
    const depthOf = async () => (await runner.run()).git_info;
    const pipeline = await project.push(`${config('"7"')}plain: {script: [x]}`);
    const job = await runner.next();
    expect(job).toMatchObject({
      git_info: { depth: 7 },
      job_info: { pipeline_id: pipeline.id, project_full_path: project.path },
    });
    await runner.update(job, 'success');
    expect(await depthOf()).toMatchObject({ depth: 3 });
    // Zero means everything, other branches and tags too, and so does what is no number.
    for (const depth of ['"0"', 'everything', '"-4"']) {
      const { id } = await project.push(config(depth));
      const kept = `+refs/pipelines/${id}:refs/pipelines/${id}`;
      const refspecs = [kept, '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
      expect(await depthOf()).toMatchObject({ depth: 0, refspecs });
    }
  });

  it('[2/api.jobs/5 pipeline_id] of a tag has the tag and not the branch', async () => {
    const project = await world.project();
    const pipeline = await project.push(
      'job: {script: [x], rules: [{if: $CI_COMMIT_TAG}, {if: "$CI_COMMIT_BRANCH == \'none\'"}]}\nother: {script: [x]}',
    );
    await runner.run();
    const tagged = await world.app.api('POST', `/projects/${project.id}/repository/tags`, {
      token: world.owner.token,
      json: { tag_name: 'v1.0', ref: pipeline.sha },
    });
    expect(tagged.status).toBe(201);
    const job = await runner.next();
    expect([
      variableOf(job, 'CI_COMMIT_TAG'),
      variableOf(job, 'CI_COMMIT_BRANCH'),
      variableOf(job, 'CI_COMMIT_REF_NAME'),
    ]).toEqual(['v1.0', undefined, 'v1.0']);
    expect(job.git_info).toMatchObject({ ref: 'v1.0', ref_type: 'tag' });
    await runner.update(job, 'success');
    await runner.run();
  });
});

describe('asking for jobs', () => {
  it('refuses tokens that are no runner', async () => {
    const answer = await runner.json('POST', '/jobs/request', { token: 'glrt-nothing-at-all' });
    expect([answer.status, answer.text]).toEqual([403, '{"message":"403 Forbidden"}']);
    expect((await runner.json('POST', '/jobs/request', {})).status).toBe(403);
  });

  it('holds a poll until a job is there; one job answers one of them', async () => {
    const empty = await runner.request();
    const cursor = empty.headers.get('x-gitlab-last-update') ?? '';
    expect([empty.status, cursor.length > 0]).toEqual([204, true]);
    const project = await world.project();
    const polls = [runner.request(cursor), runner.request(cursor), runner.request(cursor)];
    const start = performance.now();
    let pushed = 0;
    const committed = project.push('held: {script: [x]}').then(() => {
      pushed = performance.now();
    });
    const first = await Promise.race(polls);
    const answered = performance.now();
    expect(first.status).toBe(201);
    await committed;
    console.info(
      `push to held poll answered: ${(answered - start).toFixed(0)} ms, seen through the API after ${(pushed - start).toFixed(0)} ms`,
    );
    const job = JSON.parse(first.text) as JobPayload;
    expect(job.job_info.name).toBe('held');
    // Changing the runner ends the others: what they knew is no longer so.
    await runner.update(job, 'success');
    await project.push('held: {script: [y]}\nsecond: {script: [y]}');
    const rest = (await Promise.all(polls)).filter((answer) => answer !== first);
    expect(rest.map((answer) => answer.status)).toEqual([201, 201]);
    for (const answer of rest) await runner.update(JSON.parse(answer.text), 'success');
  });

  it('gives a job back when the runner hung up', async () => {
    const cursor = (await runner.request()).headers.get('x-gitlab-last-update') ?? '';
    const abort = new AbortController();
    const poll = fetch(`${world.app.url}/api/v4/jobs/request`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: runner.token, system_id: 's_gone', last_update: cursor }),
      signal: abort.signal,
    }).catch(() => null);
    await eventually('the poll to arrive', async () => {
      const rows = await world.app.db
        .selectFrom('runner_managers')
        .select('id')
        .where('system_id', '=', 's_gone')
        .execute();
      return rows.length > 0;
    });
    abort.abort();
    await poll;
    const project = await world.project();
    await project.push('a: {script: [x]}');
    expect((await runner.run()).job_info.name).toBe('a');
  });

  it('never gives one job to two runners', async () => {
    const project = await world.project();
    const names = Array.from({ length: 10 }, (_, index) => `job${index}: {script: [x]}`);
    await project.push(names.join('\n'));
    const other = await world.runner();
    const answers = await Promise.all(Array.from({ length: 24 }, (_, index) => (index % 2 ? runner : other).request()));
    const jobs = answers
      .filter((answer) => answer.status === 201)
      .map((answer) => JSON.parse(answer.text) as JobPayload);
    const late: JobPayload[] = [];
    while (jobs.length + late.length < names.length) late.push(await runner.next());
    expect(new Set([...jobs, ...late].map((job) => job.id)).size).toBe(names.length);
    for (const job of [...jobs, ...late]) await runner.update(job, 'success');
  });

  it('[3/fields.runner/1 tag_list] [3/fields.runner/1 run_untagged] [3/fields.runner/1 access_level] matches tags and protection', async () => {
    const project = await world.project();
    const tagged = await world.runner({ tag_list: ['docker', 'big'], run_untagged: false });
    const guarded = await world.runner({ access_level: 'ref_protected', tag_list: ['guarded'] });
    await project.push(
      'untagged: {script: [x]}\nsmall: {script: [x], tags: [docker]}\nguarded: {script: [x], tags: [guarded]}',
      { branch: 'feature' },
    );
    const small = JSON.parse((await tagged.request()).text) as JobPayload;
    expect(small.job_info.name).toBe('small');
    expect((await tagged.request()).status).toBe(204);
    // The branch is not protected, the runner takes only protected ones.
    expect((await guarded.request()).status).toBe(204);
    const untagged = await runner.next();
    expect(untagged.job_info.name).toBe('untagged');
    expect((await runner.request()).status).toBe(204);
    for (const job of [small, untagged]) await runner.update(job, 'success');
  });

  it('[3/states.runner-status/2] paused runners get nothing, others of a project only its jobs', async () => {
    const project = await world.project();
    const own = await world.app.api<{ token: string; id: number }>('POST', '/user/runners', {
      token: world.owner.token,
      json: { runner_type: 'project_type', project_id: project.id, tag_list: 'mine' },
    });
    expect(own.status).toBe(201);
    const { protocolRunner } = await import('../../../../test/ci.ts');
    const mine = protocolRunner(world.app, own.body.token);
    const elsewhere = await world.project();
    await elsewhere.push('a: {script: [x], tags: [mine]}');
    expect((await mine.request()).status).toBe(204);
    await project.push('b: {script: [x], tags: [mine]}');
    const path = `/runners/${own.body.id}`;
    await world.app.api('PUT', path, { token: world.owner.token, form: { paused: 'true' } });
    expect((await mine.request()).status).toBe(204);
    await world.app.api('PUT', path, { token: world.owner.token, form: { active: 'true' } });
    expect((await mine.run()).job_info.name).toBe('b');
  });

  it('serves projects in turn', async () => {
    const busy = await world.project();
    const quiet = await world.project();
    await busy.push('a: {script: [x]}\nb: {script: [x]}\nc: {script: [x]}');
    await quiet.push('d: {script: [x]}');
    const first = await runner.next();
    const second = await runner.next();
    expect([first, second].map((job) => job.job_info.project_id)).toEqual([busy.id, quiet.id]);
    for (const job of [first, second]) await runner.update(job, 'success');
    await runner.run();
    await runner.run();
  });
});

describe('job tokens', () => {
  it('[2/api.jobs/9] [2/api.jobs/10] [security 19] are their job, for as long as it runs', async () => {
    const project = await world.project();
    await project.push('a: {script: [x]}');
    const job = await runner.next();
    const ask = (headers: Record<string, string>, query = {}) =>
      world.app.api<{ id: number; user: { username: string } }>('GET', '/job', { headers, query });
    for (const headers of [{ 'JOB-TOKEN': job.token }, { Authorization: `Bearer ${job.token}` }] as Record<
      string,
      string
    >[]) {
      const got = await ask(headers);
      expect(got).toMatchObject({ status: 200, body: { id: job.id, user: { username: world.owner.user.username } } });
    }
    expect((await ask({}, { job_token: job.token })).body.id).toBe(job.id);
    expect((await ask({})).status).toBe(401);
    expect((await ask({ 'JOB-TOKEN': 'glcbt-wrong-token-00' })).status).toBe(401);
    // Whoever signs in otherwise is known, and is no job.
    for (const path of ['/job', '/job/allowed_agents'])
      expect(await world.app.api('GET', path, { token: world.owner.token })).toMatchObject({
        ...{ status: 404, body: { message: '404 Job Not Found' } },
      });
    const rows = await world.app.db.selectFrom('jobs').selectAll().where('id', '=', job.id).execute();
    expect(JSON.stringify(rows)).not.toContain(job.token);
    await runner.update(job, 'success');
    expect((await ask({ 'JOB-TOKEN': job.token })).status).toBe(401);
  });
});

describe('with thousands of waiting jobs', () => {
  it('a runner still gets its own within a moment', async () => {
    const project = await world.project();
    const pipeline = await project.push('mine: {script: [x], tags: [rare]}\nothers: {script: [x], tags: [common]}');
    const others = await project.job(pipeline.id, 'others');
    const { id, ...row } = await world.app.db
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', others.id)
      .executeTakeFirstOrThrow();
    const copies = Array.from({ length: 1000 }, (_, index) => ({
      ...row,
      name: `others ${id} ${index}`,
      plan: JSON.stringify(row.plan),
      needs: null,
    }));
    for (let batch = 0; batch < 5; batch += 1) await world.app.db.insertInto('jobs').values(copies).execute();
    const rare = await world.runner({ tag_list: ['rare'], run_untagged: false });
    const start = performance.now();
    const answer = await rare.request();
    const first = performance.now() - start;
    expect(answer.status).toBe(201);
    const again = performance.now();
    expect((await rare.request()).status).toBe(204);
    console.info(
      `with 5,000 others waiting: a job in ${first.toFixed(0)} ms, none in ${(performance.now() - again).toFixed(0)} ms`,
    );
    expect(first).toBeLessThan(5000);
  });
});

it('a release is a step of its own between script and after_script, for the programs of the ecosystem', async () => {
  const project = await world.project();
  await project.push(
    'job:\n  script: [make]\n  after_script: [bye]\n  release:\n    tag_name: v$N\n    description: "First $N"\n    name: One\n    ref: $CI_COMMIT_SHA\n' +
      '    tag_message: Tagged\n    released_at: 2026-03-15T08:00:00Z\n    milestones: [m1, m2]\n' +
      '    assets: {links: [{name: a, url: "https://example.com/a", filepath: /a, link_type: package}]}\n',
  );
  const job = await runner.next();
  const steps = job.steps as Array<{ name: string; script: string[]; when: string; allow_failure: boolean }>;
  expect(steps.map(({ name }) => name)).toEqual(['script', 'release', 'after_script']);
  expect(steps[1]).toMatchObject({ when: 'on_success', allow_failure: false, timeout: 3600 });
  const [script = ''] = steps[1]?.script ?? [];
  const link = String.raw`{\"name\":\"a\",\"url\":\"https://example.com/a\",\"link_type\":\"package\",\"filepath\":\"/a\"}`;
  expect(script).toContain(
    `release-cli create --name "One" --description "First $N" --tag-name "v$N" --tag-message "Tagged" --ref "$CI_COMMIT_SHA" --released-at "2026-03-15T08:00:00Z" --milestone "m1" --milestone "m2" --assets-link "${link}"\n`,
  );
  expect(script).toContain(
    `glab release create -R $CI_PROJECT_PATH "v$N" --assets-links "[${link}]" --milestone "m1,m2" --name "One" --experimental-notes-text-or-file "First $N" --ref "$CI_COMMIT_SHA" --tag-message "Tagged" --released-at "2026-03-15T08:00:00Z" --no-update --no-close-milestone\n`,
  );
  expect(spawnSync('sh', ['-n', '-c', script]).status).toBe(0);
  const none = spawnSync('/bin/sh', ['-c', script], { env: { PATH: '/nonexistent' }, encoding: 'utf8' });
  expect([none.status, none.stdout]).toEqual([127, expect.stringContaining('must be in the PATH of the job')]);
  // What the step asks for is made with the token of the job, while it runs.
  const made = await fetch(`${world.app.url}/api/v4/projects/${project.id}/releases`, {
    method: 'POST',
    headers: { 'JOB-TOKEN': job.token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ tag_name: 'v1', description: 'First', ref: variableOf(job, 'CI_COMMIT_SHA') }),
  });
  expect(made.status).toBe(201);
  await runner.update(job, 'success');
});
