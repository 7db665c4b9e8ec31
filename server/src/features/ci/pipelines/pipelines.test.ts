/** Pipelines through the API, and where they come from. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Account,
  eventually,
  type PipelineView,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';
import { buildMember } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let world: World;
let runner: ProtocolRunner;
let project: TestProject;
let stranger: Account;
let developer: Account;

const member = async (of: TestProject, level: Level): Promise<Account> => {
  const account = await world.account();
  const row = await world.app.db.selectFrom('projects').selectAll().where('id', '=', of.id).executeTakeFirstOrThrow();
  await buildMember(world.app, { user: account.user, of: row, level });
  return account;
};

beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  project = await world.project();
  stranger = await world.account();
  developer = await member(project, Level.developer);
});
afterAll(() => world.close());

const create = (of: TestProject, json: Record<string, unknown>, token: string | undefined = world.owner.token) =>
  world.app.api<PipelineView & { message: unknown }>('POST', `/projects/${of.id}/pipeline`, { token, json });
const list = (of: TestProject, query: Record<string, unknown> = {}, token: string | undefined = world.owner.token) =>
  world.app.api<PipelineView[]>('GET', `/projects/${of.id}/pipelines`, { token, query });

describe('creation through the API', () => {
  it('[2/fields.pipeline/3] [2/fields.pipeline/2 source] [security 19] answers the pipeline, caused by the caller', async () => {
    const pushed = await project.push('a: {script: [x], rules: [{if: $EXTRA}]}\nb: {script: [x]}');
    const made = await create(project, { ref: 'main', variables: [{ key: 'EXTRA', value: 'secret value' }] });
    expect(made.status).toBe(201);
    const path = `/${project.path}/-/pipelines/${made.body.id}`;
    expect(made.body).toMatchObject({
      iid: 2,
      project_id: project.id,
      sha: pushed.sha,
      ref: 'main',
      status: 'pending',
      source: 'api',
      web_url: world.app.url + path,
      before_sha: '0'.repeat(40),
      tag: false,
      yaml_errors: null,
      user: { id: world.owner.user.id, username: world.owner.user.username },
      started_at: null,
      finished_at: null,
      committed_at: null,
      duration: null,
      queued_duration: null,
      coverage: null,
      archived: false,
      detailed_status: { text: 'Pending', group: 'pending', details_path: path },
    });
    for (const key of ['created_at', 'updated_at']) expect(made.body[key]).toMatch(/Z$/);
    expect(Object.keys(await project.statuses(made.body.id)).sort()).toEqual(['a', 'b']);
    const variables = await world.app.api('GET', `/projects/${project.id}/pipelines/${made.body.id}/variables`, {
      token: world.owner.token,
    });
    expect(variables.body).toEqual([{ key: 'EXTRA', variable_type: 'env_var', value: 'secret value', raw: false }]);
    const refused = await world.app.api('GET', `/projects/${project.id}/pipelines/${made.body.id}/variables`, {
      token: developer.token,
    });
    expect(refused.status).toBe(403);
    // Whoever created a pipeline reads what they gave it, as long as they may work with pipelines.
    await world.app.db
      .updateTable('pipelines')
      .set({ user_id: developer.user.id })
      .where('id', '=', made.body.id)
      .execute();
    const own = await world.app.api('GET', `/projects/${project.id}/pipelines/${made.body.id}/variables`, {
      token: developer.token,
    });
    expect([own.status, own.body]).toEqual([200, variables.body]);
    for (const id of [pushed.id, made.body.id])
      await world.app.api('POST', `/projects/${project.id}/pipelines/${id}/cancel`, { token: world.owner.token });
  });

  it('refuses with the reasons', async () => {
    const broken = await world.project();
    expect(await create(broken, { ref: 'main' })).toMatchObject({
      status: 400,
      body: { message: { base: ['Missing CI config file'] } },
    });
    expect(await create(broken, { ref: 'none' })).toMatchObject({
      status: 400,
      body: { message: { base: ['Reference not found'] } },
    });
    await broken.push('a: {script: [x], stage: nowhere}');
    const bad = await create(broken, { ref: 'main' });
    expect(bad.status).toBe(400);
    expect(JSON.stringify(bad.body.message)).toContain('.gitlab-ci.yml:1:');
    await broken.commit('workflow: {rules: [{when: never}]}\na: {script: [x]}');
    const filtered = await create(broken, { ref: 'main' });
    expect([filtered.status, JSON.stringify(filtered.body.message)]).toEqual([
      400,
      expect.stringContaining('workflow:rules'),
    ]);
    await broken.commit('a: {script: [x], rules: [{when: never}]}');
    expect((await create(broken, { ref: 'main' })).status).toBe(400);
    expect((await create(broken, { ref: 'main', inputs: { a: 1 } })).status).toBe(400);
    expect((await create(broken, {})).status).toBe(400);
    expect((await create(broken, { ref: 'main', variables: [{ key: 'A-B', value: 'x' }] })).status).toBe(400);
    const twice = ['A', 'B', 'A'].map((key) => ({ key, value: 'x' }));
    expect(await create(broken, { ref: 'main', variables: twice })).toMatchObject({
      status: 400,
      body: { message: { base: ['Duplicate variable name: A'] } },
    });
    expect(await list(broken)).toMatchObject({ body: [{ status: 'failed' }] });
    const { token } = world.owner;
    for (const [kind, name] of [
      ['branches', 'branch'],
      ['tags', 'tag_name'],
    ] as const)
      await world.app.api('POST', `/projects/${broken.id}/repository/${kind}`, {
        token,
        json: { [name]: 'twin', ref: 'main' },
      });
    expect(await create(broken, { ref: 'twin' })).toMatchObject({
      status: 400,
      body: { message: { base: ['Ref is ambiguous'] } },
    });
  });

  it('takes inputs that the configuration declares, in their types; what does not fit is refused', async () => {
    const other = await world.project();
    await other.commit(
      'spec:\n  inputs:\n    name:\n    list: {type: array, default: []}\n    loud: {type: boolean, default: false}\n---\n' +
        '$[[ inputs.name ]]: {script: $[[ inputs.list ]], allow_failure: $[[ inputs.loud ]], tags: [nobody]}\n',
    );
    const inputs = { name: 'given', list: ['a', 'b'], loud: 'true' };
    const made = await create(other, { ref: 'main', inputs });
    expect(made.status).toBe(201);
    expect(await other.job(made.body.id, 'given')).toMatchObject({ allow_failure: true });
    const errorOf = async (given: unknown) => {
      const { status, body } = await create(other, { ref: 'main', inputs: given });
      return [status, JSON.stringify(body.message)];
    };
    expect(await errorOf({})).toEqual([400, expect.stringContaining('`name` input: required value')]);
    expect(await errorOf({ name: 'x', list: 'y' })).toEqual([400, expect.stringContaining('is not an array')]);
    expect(await errorOf({ name: 'x', other: 1 })).toEqual([400, expect.stringContaining('arguments: other')]);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`i${at}`, 1]));
    expect(await errorOf(many)).toEqual([400, expect.stringContaining('too many inputs: 21')]);
    expect((await create(other, { ref: 'main', inputs: ['name'] })).status).toBe(400);
    await other.commit('a: {script: [x], tags: [nobody]}');
    expect(await errorOf({ name: 'x' })).toEqual([400, expect.stringContaining('Given inputs not defined')]);
  });

  it('a masked variable does not get into the configuration by expand_vars', async () => {
    const other = await world.project();
    for (const [key, masked] of Object.entries({ HIDDEN: true, SHOWN: false }))
      await world.app.api('POST', `/projects/${other.id}/variables`, {
        token: world.owner.token,
        json: { key, value: 'canary-value-of-variable', masked },
      });
    await other.commit(
      'spec: {inputs: {name: }}\n---\n$[[ inputs.name | expand_vars ]]: {script: [x], tags: [nobody]}\n',
    );
    const shown = await create(other, { ref: 'main', inputs: { name: '$SHOWN' } });
    expect(Object.keys(await other.statuses(shown.body.id))).toEqual(['canary-value-of-variable']);
    const hidden = await create(other, { ref: 'main', inputs: { name: '$HIDDEN' } });
    expect([hidden.status, JSON.stringify(hidden.body)]).toEqual([
      400,
      expect.stringContaining('masked variables cannot be expanded'),
    ]);
    expect(JSON.stringify(hidden.body)).not.toContain('canary');
  });

  it('[security 18] is for those who may push to the ref', async () => {
    const status = async (token?: string) => (await create(project, { ref: 'main' }, token)).status;
    expect((await world.app.api('POST', `/projects/${project.id}/pipeline`, { json: { ref: 'main' } })).status).toBe(
      401,
    );
    expect([await status(stranger.token), await status(developer.token)]).toEqual([404, 400]);
    const reporter = await member(project, Level.reporter);
    expect(await status(reporter.token)).toBe(403);
  });
});

describe('pushes', () => {
  it('with a broken configuration make a failed pipeline that names file, line and reason', async () => {
    const other = await world.project();
    const failed = await other.push('a:\n  script: [x]\n  needs: [nothing]\nb:\n  scritp: [x]\n');
    expect(failed).toMatchObject({ status: 'failed', source: 'push' });
    expect(failed.yaml_errors).toMatch(/^\.gitlab-ci\.yml:\d+:\d+: .+/);
    const yaml = await other.push('a: [unclosed');
    expect(yaml.yaml_errors).toMatch(/^\.gitlab-ci\.yml:1:/);
    const errors = await list(other, { yaml_errors: true });
    expect(errors.body).toHaveLength(2);
    expect((await list(other, { yaml_errors: false })).body).toEqual([]);
  });

  it('with a file that is too large to be read make a failed pipeline that says so, as lint does', async () => {
    const other = await world.project();
    const large = `a: {script: [x]} # ${'x'.repeat(1_100_000)}`;
    const sentence = (file: string) =>
      `${file}:1:1: too many bytes in one file: ${large.length}, and the limit fileBytes is 524288`;
    const lint = () =>
      world.app.api<{ errors: string[] }>('GET', `/projects/${other.id}/ci/lint`, { token: world.owner.token });
    expect(await other.push(large)).toMatchObject({ status: 'failed', yaml_errors: sentence('.gitlab-ci.yml') });
    expect((await lint()).body.errors).toEqual([sentence('.gitlab-ci.yml')]);
    const including = await other.push('include: ci/large.yml', { files: { 'ci/large.yml': large } });
    expect(including).toMatchObject({ status: 'failed', yaml_errors: sentence('ci/large.yml') });
    expect((await lint()).body.errors).toEqual([sentence('ci/large.yml')]);
  });

  it('prefer our own file, and the path that the project names', async () => {
    const other = await world.project();
    const own = await other.push('theirs: {script: [x], tags: [nobody]}', {
      files: {
        '.millrace-ci.yml': 'include: {local: ci/jobs.yml}\nours: {script: [x], tags: [nobody]}',
        'ci/jobs.yml': 'included: {script: [x], tags: [nobody]}',
      },
    });
    expect(Object.keys(await other.statuses(own.id)).sort()).toEqual(['included', 'ours']);
  });

  it.each(['[ci skip]', '[skip ci]', '[CI-Skip]'])('with %s in the message are skipped', async (mark) => {
    const other = await world.project();
    const skipped = await other.push('a: {script: [x]}', { message: `Change ${mark}` });
    expect(skipped).toMatchObject({ status: 'skipped', finished_at: expect.stringMatching(/Z$/) });
    expect(await other.statuses(skipped.id)).toEqual({});
  });

  it('compare what changed with rules', async () => {
    const other = await world.project();
    const config =
      'docs: {script: [x], tags: [nobody], rules: [{changes: ["docs/**/*"]}]}\nall: {script: [x], tags: [nobody]}';
    await other.push(config);
    const plain = await other.push(`${config}\n#`, { files: { 'src/a.ts': '1' } });
    expect(Object.keys(await other.statuses(plain.id))).toEqual(['all']);
    const docs = await other.push(`${config}\n##`, { files: { 'docs/deep/a.md': '1' } });
    expect(Object.keys(await other.statuses(docs.id)).sort()).toEqual(['all', 'docs']);
  });

  it('keep the commit reachable for runners by a ref of its own', async () => {
    const other = await world.project();
    const { id, sha } = await other.push('a: {script: [x], tags: [nobody]}');
    const headers = {
      Authorization: `Basic ${Buffer.from(`x:${world.owner.token}`).toString('base64')}`,
      'Git-Protocol': 'version=2',
    };
    const response = await fetch(`${world.app.url}/${other.path}.git/git-upload-pack`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/x-git-upload-pack-request' },
      body: `0014command=ls-refs\n0001${(4 + `ref-prefix refs/pipelines/${id}\n`.length).toString(16).padStart(4, '0')}ref-prefix refs/pipelines/${id}\n0000`,
    });
    expect(await response.text()).toContain(`${sha} refs/pipelines/${id}`);
  });

  it('facts are delivered more than once; pipelines are made once', async () => {
    const other = await world.project();
    const { sha } = await other.push('a: {script: [x], tags: [nobody]}');
    await world.app.db.updateTable('facts').set({ delivered_at: null }).where('project_id', '=', other.id).execute();
    await world.app.delivery.drain();
    await eventually('the delivery', async () => {
      const open = await world.app.db.selectFrom('facts').select('id').where('delivered_at', 'is', null).execute();
      return open.length === 0;
    });
    expect((await list(other, { sha })).body).toHaveLength(1);
  });
});

describe('merge requests', () => {
  it('get pipelines of their own where the configuration has jobs for them', async () => {
    const other = await world.project();
    const config = `
mr: {script: [x], tags: [for-merges], rules: [{if: "$CI_PIPELINE_SOURCE == 'merge_request_event'"}]}
branch: {script: [x]}
`;
    await other.push(config);
    await runner.run();
    const sha = await other.commit(`${config}\n#`, { branch: 'feature' });
    const opened = await world.app.api<{ iid: number }>('POST', `/projects/${other.id}/merge_requests`, {
      token: world.owner.token,
      json: { source_branch: 'feature', target_branch: 'main', title: 'Feature' },
    });
    expect(opened.status).toBe(201);
    const found = await eventually('the merge request pipeline', async () =>
      (await list(other, { sha })).body.find((pipeline) => pipeline.source === 'merge_request_event'),
    );
    expect(found.ref).toBe(`refs/merge-requests/${opened.body.iid}/head`);
    expect(Object.keys(await other.statuses(found.id))).toEqual(['mr']);
    const tagged = await world.runner({ tag_list: ['for-merges'], run_untagged: false });
    const job = await tagged.next();
    const of = (key: string) => job.variables.find((item) => item.key === key)?.value;
    expect([
      of('CI_MERGE_REQUEST_IID'),
      of('CI_MERGE_REQUEST_TARGET_BRANCH_NAME'),
      of('CI_COMMIT_REF_NAME'),
      of('CI_COMMIT_BRANCH'),
    ]).toEqual([String(opened.body.iid), 'main', 'feature', undefined]);
    expect(job.git_info).toMatchObject({ refspecs: [`+refs/pipelines/${found.id}:refs/pipelines/${found.id}`] });
    await tagged.update(job, 'success');
    await runner.run();
    const more = await world.app.api('POST', `/projects/${other.id}/merge_requests/${opened.body.iid}/pipelines`, {
      token: world.owner.token,
    });
    expect([more.status, more.body]).toMatchObject([201, { sha, ref: found.ref, source: 'merge_request_event' }]);
    await tagged.run();
  });

  it('get none where it has not', async () => {
    const other = await world.project();
    await other.push('branch: {script: [x], tags: [never]}');
    const sha = await other.commit('branch: {script: [y], tags: [never]}', { branch: 'feature' });
    await world.app.api('POST', `/projects/${other.id}/merge_requests`, {
      token: world.owner.token,
      json: { source_branch: 'feature', target_branch: 'main', title: 'Feature' },
    });
    await eventually('the branch pipeline', async () => (await list(other, { sha })).body.length > 0);
    await eventually('the delivery', async () => {
      const open = await world.app.db.selectFrom('facts').select('id').where('delivered_at', 'is', null).execute();
      return open.length === 0;
    });
    expect((await list(other, { sha })).body.map((pipeline) => pipeline.source)).toEqual(['push']);
  });
});

describe('lists', () => {
  it('[2/fields.pipeline/2 id] [2/fields.pipeline/2 iid] [2/fields.pipeline/2 project_id] [2/fields.pipeline/2 status] filter and order', async () => {
    const other = await world.project();
    const first = await other.push('a: {script: [x]}');
    await runner.run();
    const second = await other.push('a: {script: [y], tags: [nobody]}', { branch: 'feature' });
    const ids = async (query: Record<string, unknown>) =>
      (await list(other, query)).body.map((pipeline) => pipeline.id);
    expect(await ids({})).toEqual([second.id, first.id]);
    expect(await ids({ sort: 'asc', order_by: 'id' })).toEqual([first.id, second.id]);
    expect(await ids({ status: 'success' })).toEqual([first.id]);
    expect(await ids({ scope: 'finished' })).toEqual([first.id]);
    expect(await ids({ scope: 'pending' })).toEqual([second.id]);
    expect(await ids({ scope: 'branches' })).toEqual([second.id, first.id]);
    expect(await ids({ scope: 'tags' })).toEqual([]);
    expect(await ids({ ref: 'feature' })).toEqual([second.id]);
    expect(await ids({ sha: first.sha })).toEqual([first.id]);
    expect(await ids({ source: 'push' })).toEqual([second.id, first.id]);
    expect(await ids({ username: world.owner.user.username })).toEqual([second.id, first.id]);
    expect(await ids({ username: 'nobody' })).toEqual([]);
    expect(await ids({ updated_after: '2999-01-01T00:00:00Z' })).toEqual([]);
    expect(await ids({ updated_before: '2999-01-01T00:00:00Z', per_page: 1 })).toEqual([second.id]);
    expect((await list(other, { order_by: 'nonsense' })).status).toBe(400);
    const { body } = await list(other, { per_page: 1 });
    expect(Object.keys(body[0] ?? {}).sort()).toEqual(
      [
        'created_at',
        'id',
        'iid',
        'name',
        'project_id',
        'ref',
        'sha',
        'source',
        'status',
        'updated_at',
        'web_url',
      ].sort(),
    );
    const latest = (query = {}) =>
      world.app.api<PipelineView>('GET', `/projects/${other.id}/pipelines/latest`, { token: world.owner.token, query });
    expect((await latest()).body.id).toBe(first.id);
    expect((await latest({ ref: 'feature' })).body.id).toBe(second.id);
    expect((await latest({ ref: 'none' })).status).toBe(404);
  });

  it('[security 17] are for those who see the project', async () => {
    expect((await world.app.api('GET', `/projects/${project.id}/pipelines`)).status).toBe(404);
    expect((await list(project, {}, stranger.token)).status).toBe(404);
    const other = await world.project();
    const { id } = await other.push('a: {script: [x], tags: [nobody]}');
    for (const [method, action] of [
      ['GET', ''],
      ['POST', '/cancel'],
      ['POST', '/retry'],
      ['DELETE', ''],
      ['GET', '/variables'],
    ] as const) {
      const answer = await world.app.api(method, `/projects/${project.id}/pipelines/${id}${action}`, {
        token: world.owner.token,
      });
      expect([method, action, answer.status]).toEqual([method, action, 404]);
    }
    const remove = await world.app.api('DELETE', `/projects/${project.id}/pipelines/${id}`, { token: developer.token });
    expect(remove.status).toBe(403);
  });

  it('[1/errors/10] one is deleted once, however many ask at the same moment', async () => {
    const own = await world.project();
    const { id } = await own.push('a: {script: [x], tags: [nobody]}');
    const remove = () => world.app.api('DELETE', `/projects/${own.id}/pipelines/${id}`, { token: world.owner.token });
    const answers = await Promise.all(Array.from({ length: 5 }, remove));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
  });
});
