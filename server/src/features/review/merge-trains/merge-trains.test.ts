/** Slow: pipelines end through the protocol of runners. Merge trains over HTTP: joining, order, merging, and leaving. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildToken } from '../../../../test/factories.ts';
import type { Json, RepositoryProject } from '../../../../test/repositories.ts';
import { buildTrainProject, openRequest, type TrainRunner, trainRunner } from '../../../../test/trains.ts';

let app: TestApp;
let owner: BuiltToken;
let runner: TrainRunner;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
  runner = await trainRunner(app);
});
afterAll(() => app.close());

const build = (settings: Json = {}, files = {}) => buildTrainProject(app, owner, settings, files);
const trains = '/merge_trains';
const join = (project: RepositoryProject, iid: unknown, json: Json = {}, token = owner.secret) =>
  project.api<Json[]>('POST', `${trains}/merge_requests/${iid}`, { json, token });
const entry = (project: RepositoryProject, iid: unknown) =>
  project.api<Json & { pipeline: Json | null; merge_request: Json }>('GET', `${trains}/merge_requests/${iid}`);
const request = async (project: RepositoryProject, iid: unknown) =>
  (await project.api('GET', `/merge_requests/${iid}`)).body;
const main = async (project: RepositoryProject) =>
  String(((await project.api('GET', '/repository/branches/main')).body.commit as Json).id);
const merged = (project: RepositoryProject, iid: unknown) =>
  eventually(`!${iid} merged`, async () => {
    const now = await request(project, iid);
    return now.state === 'merged' ? now : null;
  });
const dropped = (project: RepositoryProject, iid: unknown) =>
  eventually(`!${iid} dropped`, async () =>
    (await entry(project, iid)).status === 404 ? request(project, iid) : null,
  );
/** The entry, once it has a pipeline that is not the one given. */
const piped = (project: RepositoryProject, iid: unknown, other?: unknown) =>
  eventually(`a pipeline of !${iid}`, async () => {
    const { body } = await entry(project, iid);
    return body.pipeline && body.pipeline.id !== other && body.status === 'fresh'
      ? { ...body, pipeline: body.pipeline }
      : null;
  });

describe('the API of merge trains', () => {
  it('an entry as it is returned when it joins, in lists and alone, before and after its merge [2/api.merge-trains/2 scope, active, complete, sort, asc, desc] [2/api.merge-trains/3 target_branch, scope, sort] [2/api.merge-trains/4] [2/api.merge-trains/5 when_pipeline_succeeds, sha, HEAD, squash] [2/fields.merge-train-entry/1] [2/fields.merge-train-entry/2 merge_request, id, iid, project_id, title, description, state, created_at, updated_at, web_url] [2/fields.merge-train-entry/3] [2/fields.merge-train-entry/4] [2/fields.merge-train-entry/5 created_at, updated_at] [2/fields.merge-train-entry/6] [2/fields.merge-train-entry/7] [2/fields.merge-train-entry/8] [2/fields.merge-train-entry/9] [2/fields.pipeline/4 id, sha, ref, status, created_at, updated_at, web_url, iid, project_id, source, push, refs/merge-requests/<iid>/train] [2/states.merge-train-entry-status/1 idle, merged, scope, active, complete] [2/states.merge-train-entry-status/2 when_pipeline_succeeds, idle]', async () => {
    const project = await build();
    const [one, two] = [await openRequest(project, 'one'), await openRequest(project, 'two', { description: 'Words' })];
    const before = await main(project);
    const answer = await join(project, one.iid, { sha: one.sha });
    expect(answer.status).toBe(201);
    const pipeline = {
      id: expect.any(Number),
      iid: expect.any(Number),
      project_id: project.id,
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      ref: `refs/merge-requests/${one.iid}/train`,
      status: 'pending',
      source: 'merge_request_event',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      web_url: expect.stringContaining(`${project.fullPath}/-/pipelines/`),
    };
    const expected = {
      id: expect.any(Number),
      merge_request: {
        id: one.id,
        iid: one.iid,
        project_id: project.id,
        title: 'Title of one',
        description: null,
        state: 'opened',
        created_at: one.created_at,
        updated_at: expect.any(String),
        web_url: one.web_url,
      },
      user: one.author,
      pipeline,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      target_branch: 'main',
      status: 'idle',
      merged_at: null,
      duration: null,
    };
    expect(answer.body).toEqual([expected]);
    const tested = String((answer.body[0]?.pipeline as Json | undefined)?.sha);
    const commit = (await project.api('GET', `/repository/commits/${tested}`)).body;
    expect(commit.parent_ids).toEqual([before, one.sha]);
    expect(commit.message).toContain("Merge branch 'one' into 'main'");
    expect((await request(project, one.iid)).merge_when_pipeline_succeeds).toBe(true);

    const second = await join(project, two.iid, { squash: true });
    expect(second.body.map((item) => (item.merge_request as Json).iid)).toEqual([two.iid, one.iid]);
    expect(second.body[0]).toMatchObject({ status: 'idle', merge_request: { description: 'Words' } });
    const ahead = (
      await project.api('GET', `/repository/commits/${(second.body[0]?.pipeline as Json | undefined)?.sha}`)
    ).body;
    expect((ahead.parent_ids as string[])[0]).toBe(tested);
    // Joining twice is joining once.
    expect((await join(project, two.iid)).body).toHaveLength(2);

    const iids = async (query: Json, branch = '') => {
      const found = await project.api<Json[]>('GET', `${trains}${branch}`, { query });
      expect(found.status).toBe(200);
      return found.body.map((item) => (item.merge_request as Json).iid);
    };
    expect(await iids({})).toEqual([two.iid, one.iid]);
    expect(await iids({ sort: 'asc' })).toEqual([one.iid, two.iid]);
    expect(await iids({ sort: 'asc', per_page: 1, page: 2 }, '/main')).toEqual([two.iid]);
    expect(await iids({ scope: 'complete' })).toEqual([]);
    expect(await iids({}, '/other')).toEqual([]);

    await runner.end(project, one.iid);
    const done = await merged(project, one.iid);
    expect([await main(project), done.merge_commit_sha]).toEqual([tested, tested]);
    expect(await iids({ scope: 'complete' }, '/main')).toEqual([one.iid]);
    expect(await iids({ scope: 'active', sort: 'asc' }, '/main')).toEqual([two.iid]);
    const complete = (await entry(project, one.iid)).body;
    expect(complete).toEqual({
      ...expected,
      merge_request: { ...expected.merge_request, state: 'merged' },
      pipeline: { ...pipeline, status: 'success' },
      status: 'merged',
      merged_at: expect.any(String),
      duration: expect.any(Number),
    });
    // What stood on it still does: the same pipeline.
    const behind = (await entry(project, two.iid)).body;
    expect(behind.pipeline?.id).toBe((second.body[0]?.pipeline as Json | undefined)?.id);
    await runner.end(project, two.iid);
    const squashed = await merged(project, two.iid);
    expect(squashed.squash_commit_sha).toEqual(expect.any(String));
    expect(await main(project)).toBe(behind.pipeline?.sha);
  });

  it('who may: developers, others 403, and 404 where the project is hidden; 403 without the feature [2/api.merge-trains/1 404, 403] [1/authentication/13]', async () => {
    const project = await build();
    const made = await openRequest(project, 'work');
    const reporter = await project.member(20);
    const developer = await project.member(30);
    const stranger = await buildToken(app);
    const targets = ['', '/main', `/merge_requests/${made.iid}`];
    for (const target of targets) {
      const status = async (token: string | null) => (await project.api('GET', trains + target, { token })).status;
      expect(await status(reporter.secret)).toBe(403);
      expect(await status(stranger.secret)).toBe(404);
      expect(await status(developer.secret)).toBe(target === targets[2] ? 404 : 200);
    }
    expect((await project.api('GET', trains, { token: null })).status).toBe(401);
    expect((await join(project, made.iid, {}, reporter.secret)).status).toBe(403);
    expect((await join(project, 99)).status).toBe(404);
    // The target is protected: who may not merge there may not join either.
    expect((await join(project, made.iid, {}, developer.secret)).status).toBe(401);
    for (const off of [
      { merge_trains_enabled: false },
      { merge_trains_enabled: true, merge_pipelines_enabled: false },
    ]) {
      expect((await project.api('PUT', '', { json: off })).status).toBe(200);
      for (const target of targets) {
        const answer = await project.api('GET', trains + target);
        expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }]);
      }
      expect((await join(project, made.iid)).status).toBe(403);
    }
  });

  it('a wrong sha is refused, and nothing joins [2/api.merge-trains/5 sha]', async () => {
    const project = await build();
    const made = await openRequest(project, 'work');
    const answer = await join(project, made.iid, { sha: 'f'.repeat(40) });
    expect([answer.status, answer.body]).toEqual([
      409,
      { message: `SHA does not match HEAD of source branch: ${made.sha}` },
    ]);
    expect((await entry(project, made.iid)).status).toBe(404);
    const draft = await openRequest(project, 'draft', { title: 'Draft: not yet' });
    expect((await join(project, draft.iid)).status).toBe(405);
  });

  it('when_pipeline_succeeds: joins once the pipeline has succeeded [2/states.merge-train-entry-status/3] [2/api.merge-trains/5 when_pipeline_succeeds]', async () => {
    const config = `test:\n  script: [make]\n  rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }]\n`;
    const project = await build({}, { '.gitlab-ci.yml': config });
    // Its pipeline is about to be made when it joins.
    const made = await openRequest(project, 'work');
    const answer = await join(project, made.iid, { when_pipeline_succeeds: true });
    expect([answer.status, answer.body]).toEqual([202, []]);
    expect((await request(project, made.iid)).merge_when_pipeline_succeeds).toBe(true);
    expect((await entry(project, made.iid)).status).toBe(404);
    await runner.end(project, made.iid);
    const joined = await piped(project, made.iid);
    expect(joined.pipeline.ref).toBe(`refs/merge-requests/${made.iid}/train`);
    await runner.end(project, made.iid);
    await merged(project, made.iid);
    // Nothing to wait for: it joins at once.
    const other = await openRequest(project, 'other');
    const head = await eventually(
      'a head pipeline',
      async () => (await request(project, other.iid)).head_pipeline as Json,
    );
    await runner.end(project, other.iid);
    await eventually(
      'its end',
      async () => ((await request(project, other.iid)).head_pipeline as Json).status === 'success',
    );
    expect(head.ref).toBe(`refs/merge-requests/${other.iid}/merge`);
    expect((await join(project, other.iid, { auto_merge: true })).status).toBe(201);
  });
});

describe('what a train does', () => {
  it('auto-merge puts a request on the train, and canceling it takes it off', async () => {
    const project = await build();
    const [one, two] = [await openRequest(project, 'one'), await openRequest(project, 'two')];
    const accepted = await project.api('PUT', `/merge_requests/${one.iid}/merge`, { json: { auto_merge: true } });
    expect([accepted.status, accepted.body.state]).toEqual([200, 'opened']);
    await join(project, two.iid);
    const first = await piped(project, one.iid);
    const second = await piped(project, two.iid);
    const canceled = await project.api('POST', `/merge_requests/${one.iid}/cancel_merge_when_pipeline_succeeds`);
    expect(canceled.status).toBe(201);
    expect((await entry(project, one.iid)).status).toBe(404);
    // What was behind it is built without it.
    await piped(project, two.iid, second.pipeline.id);
    const old = await project.api('GET', `/pipelines/${first.pipeline.id}`);
    expect(old.body.status).toBe('canceled');
    await runner.end(project, two.iid);
    await merged(project, two.iid);
    expect((await request(project, one.iid)).merge_when_pipeline_succeeds).toBe(false);
  });

  it('a failure drops the request when it is the first, with the reason; the others go on without it', async () => {
    const project = await build();
    const [one, two] = [await openRequest(project, 'one'), await openRequest(project, 'two')];
    await join(project, one.iid);
    await join(project, two.iid);
    const behind = await piped(project, two.iid);
    await runner.end(project, one.iid, 'failed');
    expect(await dropped(project, one.iid)).toMatchObject({
      state: 'opened',
      merge_when_pipeline_succeeds: false,
      merge_user: null,
      merge_error: 'Removed from the merge train: its pipeline failed.',
    });
    const notes = (await project.api<Json[]>('GET', `/merge_requests/${one.iid}/notes`, { query: { sort: 'asc' } }))
      .body;
    expect(notes.filter(({ system }) => system).map(({ body }) => body)).toEqual([
      'added this merge request to the merge train',
      'removed this merge request from the merge train because its pipeline failed',
    ]);
    const todos = await app.api<Json[]>('GET', '/todos', {
      token: owner.secret,
      query: { project_id: project.id, action: 'merge_train_removed' },
    });
    expect(todos.body.map(({ target }) => (target as Json).iid)).toEqual([one.iid]);
    await piped(project, two.iid, behind.pipeline.id);
    await runner.end(project, two.iid);
    const done = await merged(project, two.iid);
    expect(await main(project)).toBe(done.merge_commit_sha);
  });

  it('a stack joins in its order, all of it or nothing, and is merged from the lowest on', async () => {
    const project = await build();
    const one = await openRequest(project, 'one');
    const stacked = async (branch: string, target: string) => {
      await project.commit(branch, { [`${branch}.txt`]: branch }, { start_branch: target });
      const json = { source_branch: branch, target_branch: target, title: branch };
      return (await project.api('POST', '/merge_requests', { json })).body;
    };
    const [two, three] = [await stacked('two', 'one'), await stacked('three', 'two')];
    const title = { draft: 'Draft: two', ready: 'two' };
    await project.api('PUT', `/merge_requests/${two.iid}`, { json: { title: title.draft } });
    expect((await join(project, three.iid, { stack: true })).status).toBe(405);
    expect((await project.api<Json[]>('GET', trains)).body).toEqual([]);
    await project.api('PUT', `/merge_requests/${two.iid}`, { json: { title: title.ready } });
    const joined = await join(project, three.iid, { stack: true, squash: true });
    expect([joined.status, joined.body.map((item) => (item.merge_request as Json).iid)]).toEqual([
      201,
      [three.iid, two.iid, one.iid],
    ]);
    expect(joined.body.map(({ target_branch }) => target_branch)).toEqual(['main', 'main', 'main']);
    expect((await request(project, two.iid)).target_branch).toBe('one');
    const last = await piped(project, three.iid);
    for (const { iid } of [one, two, three]) {
      await piped(project, iid);
      await runner.end(project, iid);
      await merged(project, iid);
    }
    // Nothing was built anew: the last one was tested with the two below it as they were merged.
    expect(await main(project)).toBe(last.pipeline.sha);
    expect((await request(project, three.iid)).target_branch).toBe('main');
    const files = (await project.api<Json[]>('GET', '/repository/tree')).body.map(({ name }) => name);
    expect(files).toEqual(expect.arrayContaining(['two.txt', 'three.txt']));
  });

  it('what stands on a request that leaves the train leaves with it', async () => {
    const project = await build();
    const one = await openRequest(project, 'one');
    await project.commit('two', { 'two.txt': 'two' }, { start_branch: 'one' });
    const json = { source_branch: 'two', target_branch: 'one', title: 'two' };
    const two = (await project.api('POST', '/merge_requests', { json })).body;
    await join(project, two.iid, { stack: true });
    await project.api('POST', `/merge_requests/${one.iid}/cancel_merge_when_pipeline_succeeds`);
    expect(await dropped(project, two.iid)).toMatchObject({
      target_branch: 'one',
      merge_error: 'Removed from the merge train: the merge request below it in the stack left the merge train.',
    });
  });

  it('a failure behind others waits for them: it may be their fault', async () => {
    const project = await build();
    const [one, two] = [await openRequest(project, 'one'), await openRequest(project, 'two')];
    await join(project, one.iid);
    await join(project, two.iid);
    const first = await piped(project, two.iid);
    await runner.end(project, two.iid, 'failed');
    await runner.end(project, one.iid, 'failed');
    await dropped(project, one.iid);
    await piped(project, two.iid, first.pipeline.id);
    await runner.end(project, two.iid);
    await merged(project, two.iid);
  });

  it('a push to the request drops it; a push to the target builds all anew', async () => {
    const project = await build();
    const [one, two] = [await openRequest(project, 'one'), await openRequest(project, 'two')];
    await join(project, one.iid);
    await join(project, two.iid);
    const before = await piped(project, two.iid);
    await project.commit('one', { more: 'x' });
    await dropped(project, one.iid);
    const notes = (await project.api<Json[]>('GET', `/merge_requests/${one.iid}/notes`)).body;
    expect(notes.map(({ body }) => body)).toContain(
      'removed this merge request from the merge train because new commits were pushed to the source branch',
    );
    const again = await piped(project, two.iid, before.pipeline.id);
    const pushed = await project.commit('main', { pushed: 'x' });
    const last = await piped(project, two.iid, again.pipeline.id);
    expect((await project.api('GET', `/repository/commits/${last.pipeline.sha}`)).body.parent_ids).toEqual([
      pushed,
      two.sha,
    ]);
    await runner.end(project, two.iid);
    await merged(project, two.iid);
    expect(await main(project)).toBe(last.pipeline.sha);
  });

  it('closing, retargeting and switching trains off take requests off', async () => {
    const project = await build();
    const [one, two, three] = [
      await openRequest(project, 'one'),
      await openRequest(project, 'two'),
      await openRequest(project, 'three'),
    ];
    for (const { iid } of [one, two, three]) await join(project, iid);
    await project.api('PUT', `/merge_requests/${one.iid}`, { json: { state_event: 'close' } });
    await project.api('POST', '/repository/branches', { json: { branch: 'next', ref: 'main' } });
    await project.api('PUT', `/merge_requests/${two.iid}`, { json: { target_branch: 'next' } });
    expect((await dropped(project, one.iid)).merge_user).toBeNull();
    expect((await dropped(project, two.iid)).merge_user).toBeNull();
    expect((await entry(project, three.iid)).status).toBe(200);
    await project.api('PUT', '', { json: { merge_trains_enabled: false } });
    await project.commit('main', { pushed: 'x' });
    await eventually('the drop', async () => {
      const now = await request(project, three.iid);
      return now.merge_error === 'Removed from the merge train: merge trains were disabled for the project.';
    });
  });

  it('a conflict with what is ahead waits for it, and drops the request when it is merged', async () => {
    const project = await build();
    const change = async (branch: string) => {
      await project.commit(branch, [{ action: 'update', file_path: 'a.txt', content: `${branch}\n` }], {
        start_branch: 'main',
      });
      const json = { source_branch: branch, target_branch: 'main', title: branch };
      return (await project.api('POST', '/merge_requests', { json })).body;
    };
    const [one, two] = [await change('first'), await change('second')];
    await join(project, one.iid);
    expect((await join(project, two.iid)).status).toBe(201);
    expect((await entry(project, two.iid)).body.pipeline).toBeNull();
    await runner.end(project, one.iid);
    await merged(project, one.iid);
    expect((await dropped(project, two.iid)).merge_error).toBe(
      'Removed from the merge train: it conflicts with the target branch.',
    );
  });

  it.each([
    ['ff', false],
    ['ff', true],
    ['rebase_merge', false],
    ['rebase_merge', true],
    ['merge', true],
  ])(
    'merge method %s, squash %s: a branch that fell behind is merged without a rebase by hand',
    async (method, squash) => {
      const project = await build({ merge_method: method });
      const made = await openRequest(project, 'work');
      const moved = await project.commit('main', { moved: 'x' });
      const answer = await join(project, made.iid, { squash });
      expect(answer.status).toBe(201);
      const tested = String((answer.body[0]?.pipeline as Json | undefined)?.sha);
      await runner.end(project, made.iid);
      const done = await merged(project, made.iid);
      expect(await main(project)).toBe(tested);
      const log = (await project.api<Json[]>('GET', '/repository/commits', { query: { ref_name: 'main' } })).body;
      const tip = log[0] as Json & { parent_ids: string[] };
      expect(tip.parent_ids).toHaveLength(method === 'ff' ? 1 : 2);
      const titles = log.map(({ title }) => title);
      if (squash) expect(titles).not.toContain('First of work');
      else expect(titles).toEqual(expect.arrayContaining(['First of work', 'Second of work']));
      // One line from the target to the tip, but for a plain merge.
      if (method !== 'merge') {
        const second = (await project.api('GET', `/repository/commits/${tip.parent_ids.at(-1)}`)).body;
        const line = method === 'ff' ? tip : second;
        const first = squash ? line : log.find(({ title }) => title === 'First of work');
        expect(first?.parent_ids).toEqual([moved]);
      }
      expect(done.squash_commit_sha === null).toBe(!squash);
    },
  );

  it('a merge may go ahead of the train where the project allows it', async () => {
    const project = await build();
    const [one, two] = [await openRequest(project, 'one'), await openRequest(project, 'two')];
    await join(project, one.iid);
    const first = await piped(project, one.iid);
    const skip = () => project.api('PUT', `/merge_requests/${two.iid}/merge`, { json: { skip_merge_train: true } });
    expect((await skip()).status).toBe(403);
    await project.api('PUT', '', { json: { merge_trains_skip_train_allowed: true } });
    expect((await skip()).body.state).toBe('merged');
    expect((await entry(project, two.iid)).body).toMatchObject({ status: 'skip_merged', pipeline: null, duration: 0 });
    // Nothing is merged that was not tested with it.
    await piped(project, one.iid, first.pipeline.id);
    await runner.end(project, one.iid);
    await merged(project, one.iid);
  });

  it('a configuration without jobs for merge requests is tested with those of a push to the source branch [2/fields.pipeline/4 push]', async () => {
    const plain = 'test:\n  script: [make]\n  rules: [{ if: $CI_COMMIT_BRANCH == "work" }]\n';
    const project = await build({}, { '.gitlab-ci.yml': plain });
    const made = await openRequest(project, 'work');
    const [joined] = (await join(project, made.iid)).body;
    const pipeline = joined?.pipeline as Json;
    expect(pipeline).toMatchObject({ ref: `refs/merge-requests/${made.iid}/train`, source: 'push', status: 'pending' });
    const job = await eventually('its job', () => runner.take(Number(pipeline.id)));
    const variables = Object.fromEntries(job.variables.map(({ key, value }) => [key, value]));
    expect(variables).toMatchObject({
      CI_PIPELINE_SOURCE: 'push',
      CI_COMMIT_BRANCH: 'work',
      CI_COMMIT_SHA: pipeline.sha,
    });
    expect(variables.CI_MERGE_REQUEST_IID).toBeUndefined();
    await runner.runner.update(job, 'success');
    await merged(project, made.iid);
    // A branch that things may be published from: its jobs wait for the merge.
    await project.api('POST', '/protected_branches', { json: { name: 'next' } });
    const other = await openRequest(project, 'next');
    await join(project, other.iid);
    expect((await dropped(project, other.iid)).merge_error).toMatch(/pipeline could not be created/);
  });

  it('without a configuration requests are merged in their turn, unless the project requires pipelines', async () => {
    const project = await buildTrainProject(app, owner, {});
    await project.commit('main', [{ action: 'delete', file_path: '.gitlab-ci.yml' }]);
    const made = await openRequest(project, 'work');
    expect((await join(project, made.iid)).status).toBe(201);
    await merged(project, made.iid);
    expect((await entry(project, made.iid)).body).toMatchObject({ status: 'merged', pipeline: null });
    await project.api('PUT', '', { json: { only_allow_merge_if_pipeline_succeeds: true } });
    const other = await openRequest(project, 'other');
    await join(project, other.iid);
    expect((await dropped(project, other.iid)).merge_error).toMatch(/requires a pipeline/);
  });
});
