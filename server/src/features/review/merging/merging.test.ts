/** Merging in every way, what forbids it, and how requests follow pushes and pipelines. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually, type ProtocolRunner, protocolRunner } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let owner: BuiltToken;
let runner: ProtocolRunner;
const path = '/merge_requests';
beforeAll(async () => {
  app = await startTestApp({ background: true });
  git = await gitClient();
  owner = await buildToken(app);
  const admin = await buildToken(app, { user: await buildAdmin(app) });
  const json = { runner_type: 'instance_type', run_untagged: true };
  runner = protocolRunner(
    app,
    String((await app.api<Json>('POST', '/user/runners', { token: admin.secret, json })).body.token),
  );
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const build = (settings: Json = {}) => buildRepositoryProject(app, { owner, settings, files: { 'a.txt': 'one\n' } });

async function open(project: RepositoryProject, branch = 'work', json: Json = {}): Promise<Json> {
  await project.commit(
    branch,
    { [`${branch}-1`]: '1' },
    { start_branch: 'main', commit_message: `First of ${branch}` },
  );
  await project.commit(branch, { [`${branch}-2`]: '2' }, { commit_message: `Second of ${branch}` });
  const answer = await project.api('POST', path, {
    json: { source_branch: branch, target_branch: 'main', title: `Title of ${branch}`, ...json },
  });
  expect(answer.status).toBe(201);
  return answer.body;
}
const get = async (project: RepositoryProject, iid: unknown) => (await project.api('GET', `${path}/${iid}`)).body;
const merge = (project: RepositoryProject, iid: unknown, json: Json = {}, token = project.owner.secret) =>
  project.api('PUT', `${path}/${iid}/merge`, { json, token });
const commit = async (project: RepositoryProject, ref: unknown) =>
  (await project.api('GET', `/repository/commits/${encodeURIComponent(String(ref))}`)).body;
const reaches = (project: RepositoryProject, iid: unknown, wanted: Json) =>
  eventually(`${JSON.stringify(wanted)}`, async () => {
    const now = await get(project, iid);
    return Object.entries(wanted).every(([key, value]) => now[key] === value) ? now : null;
  });

describe('merging', () => {
  it('a merge commit, by default: both parents, the message, and the record', async () => {
    const project = await build();
    const created = await open(project, 'work', { remove_source_branch: false });
    const before = (await commit(project, 'main')).id;
    const answer = await merge(project, created.iid);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      state: 'merged',
      merge_user: { id: owner.user.id },
      merged_by: { id: owner.user.id },
      merged_at: expect.any(String),
      squash_commit_sha: null,
      detailed_merge_status: 'not_open',
      sha: created.sha,
    });
    const made = await commit(project, 'main');
    expect(made).toMatchObject({
      id: answer.body.merge_commit_sha,
      parent_ids: [before, created.sha],
      author_name: owner.user.name,
      message: `Merge branch 'work' into 'main'\n\nTitle of work\n\nSee merge request ${project.fullPath}!${created.iid}`,
    });
    expect((await project.api('GET', '/repository/branches/work')).status).toBe(200);
    const again = await merge(project, created.iid);
    expect([again.status, again.body]).toEqual([405, { message: '405 Method Not Allowed' }]);
    const push = await app.db
      .selectFrom('facts')
      .selectAll()
      .where('project_id', '=', project.id)
      .where('kind', 'in', ['push', 'merge_request.merged'])
      .orderBy('id', 'desc')
      .limit(2)
      .execute();
    expect(push.map((fact) => fact.kind).sort()).toEqual(['merge_request.merged', 'push']);
    expect(push.find((fact) => fact.kind === 'push')?.payload).toMatchObject({
      ref: 'refs/heads/main',
      after: made.id,
      via: 'merge',
    });
  });

  it('with an own message, and the source branch removed', async () => {
    const project = await build();
    const created = await open(project);
    const json = { merge_commit_message: 'Mine', should_remove_source_branch: true, sha: created.sha };
    expect((await merge(project, created.iid, json)).status).toBe(200);
    expect((await commit(project, 'main')).title).toBe('Mine');
    expect((await project.api('GET', '/repository/branches/work')).status).toBe(404);
    expect((await project.api<Json[]>('GET', `${path}/${created.iid}/commits`)).body).toHaveLength(2);
    expect((await project.api<Json[]>('GET', `${path}/${created.iid}/diffs`)).body).toHaveLength(2);
  });

  it('squashed: one commit of the changes, then the merge commit', async () => {
    const project = await build();
    const created = await open(project);
    const before = (await commit(project, 'main')).id;
    const answer = await merge(project, created.iid, { squash: true, squash_commit_message: 'All in one' });
    const squashed = await commit(project, answer.body.squash_commit_sha);
    expect(squashed).toMatchObject({ title: 'All in one', parent_ids: [before] });
    expect((await commit(project, 'main')).parent_ids).toEqual([before, squashed.id]);
  });

  it('fast-forward: no merge commit; squashed to one when asked; behind its target 405', async () => {
    const project = await build({ merge_method: 'ff' });
    const created = await open(project);
    const answer = await merge(project, created.iid);
    expect(answer.body).toMatchObject({ state: 'merged', merge_commit_sha: null });
    expect((await commit(project, 'main')).id).toBe(created.sha);
    const squash = await open(project, 'squashed');
    const squashed = await merge(project, squash.iid, { squash: true });
    expect((await commit(project, 'main')).id).toBe(squashed.body.squash_commit_sha);
    expect((await commit(project, 'main')).title).toBe('Title of squashed');
    const behind = await open(project, 'behind');
    await project.commit('main', { ahead: '' });
    expect((await get(project, behind.iid)).detailed_merge_status).toBe('need_rebase');
    expect((await merge(project, behind.iid)).status).toBe(405);
  });

  it('rebase_merge: a merge commit, but only of what is up to date', async () => {
    const project = await build({ merge_method: 'rebase_merge' });
    const first = await open(project, 'first');
    const second = await open(project, 'second');
    expect((await merge(project, first.iid)).body.merge_commit_sha).toEqual(expect.any(String));
    expect((await get(project, second.iid)).detailed_merge_status).toBe('need_rebase');
    expect((await merge(project, second.iid)).status).toBe(405);
  });

  it('[1/errors/14] [1/errors/11] [1/errors/12] [1/errors/8] what cannot be merged says why', async () => {
    const project = await build();
    await project.commit('conflict', [{ action: 'update', file_path: 'a.txt', content: 'theirs\n' }], {
      start_branch: 'main',
    });
    const json = { source_branch: 'conflict', target_branch: 'main', title: 'c' };
    const conflict = (await project.api('POST', path, { json })).body;
    await project.commit('main', [{ action: 'update', file_path: 'a.txt', content: 'ours\n' }]);
    const refused = await merge(project, conflict.iid);
    expect([refused.status, refused.body]).toEqual([422, { message: 'Branch cannot be merged' }]);

    const draft = await open(project, 'draft', { title: 'Draft: x' });
    expect((await merge(project, draft.iid)).body).toEqual({ message: '405 Method Not Allowed' });

    const moved = await open(project, 'moved');
    const stale = await merge(project, moved.iid, { sha: 'f'.repeat(40) });
    expect([stale.status, stale.body]).toEqual([
      409,
      { message: `SHA does not match HEAD of source branch: ${moved.sha}` },
    ]);

    const developer = await project.member(30);
    const unauthorised = await merge(project, moved.iid, {}, developer.secret);
    expect([unauthorised.status, unauthorised.body]).toEqual([401, { message: '401 Unauthorized' }]);
    const closed = await open(project, 'closed');
    await project.api('PUT', `${path}/${closed.iid}`, { json: { state_event: 'close' } });
    expect((await merge(project, closed.iid)).status).toBe(405);
    expect((await project.api('PUT', `${path}/9999/merge`)).body).toEqual({ message: '404 Not found' });
    expect((await project.api('PUT', `${path}/${moved.iid}/merge`, { token: null })).status).toBe(401);
  });

  it('security 18: a maintainer who left cannot merge', async () => {
    const project = await build();
    const created = await open(project);
    const maintainer = await project.member(40);
    await project.api('DELETE', `/members/${maintainer.user.id}`);
    expect((await merge(project, created.iid, {}, maintainer.secret)).status).toBe(404);
  });

  it('two people merging at the same time make one merge', async () => {
    const project = await build();
    const created = await open(project);
    const answers = await Promise.all([
      merge(project, created.iid),
      merge(project, created.iid),
      merge(project, created.iid),
    ]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 405, 405]);
    expect((await project.api<Json[]>('GET', '/repository/commits')).body).toHaveLength(4);
  });
});

describe('following', () => {
  it('pushes move the head, with a version each; a forced one too', async () => {
    const project = await build();
    const created = await open(project);
    const tip = await project.commit('work', { third: '3' });
    await reaches(project, created.iid, { sha: tip, changes_count: '3' });
    const versions = await project.api<Json[]>('GET', `${path}/${created.iid}/versions`);
    expect(versions.body.map((version) => version.head_commit_sha)).toEqual([tip, created.sha]);
    const main = (await commit(project, 'main')).id;
    const forced = await project.commit('work', { only: '1' }, { start_sha: main, force: true });
    await reaches(project, created.iid, { sha: forced, changes_count: '1' });
    expect(
      await git.run(['ls-remote', project.remote(owner.secret), `refs/merge-requests/${created.iid}/head`]),
    ).toContain(forced);
  });

  it('what was merged by hand is noticed', async () => {
    const project = await build();
    const created = await open(project);
    await git.run(['clone', '-q', project.remote(owner.secret), 'by-hand']);
    await git.run(['merge', '-q', '--no-ff', '-m', 'by hand', 'origin/work'], 'by-hand');
    await git.run(['push', '-q', 'origin', 'main'], 'by-hand');
    expect(await reaches(project, created.iid, { state: 'merged' })).toMatchObject({
      merge_user: { id: owner.user.id },
    });
  });

  it('a request whose source branch is deleted is closed', async () => {
    const project = await build();
    const created = await open(project);
    await project.api('DELETE', '/repository/branches/work');
    await reaches(project, created.iid, { state: 'closed' });
  });

  it('[2/states.pipeline-status/1] merges when its pipeline succeeds, and only then', async () => {
    const project = await build({ only_allow_merge_if_pipeline_succeeds: true });
    await project.commit('main', {
      '.gitlab-ci.yml': 'one: {script: [make]}\nworkflow: {rules: [{if: $CI_COMMIT_BRANCH != "main"}]}\n',
    });
    const created = await open(project);
    await eventually('the head pipeline', async () => {
      const now = await get(project, created.iid);
      const pipeline = now.head_pipeline as Json | null;
      return pipeline?.sha === now.sha ? now : null;
    });
    expect(await get(project, created.iid)).toMatchObject({ detailed_merge_status: 'ci_still_running' });
    expect((await merge(project, created.iid)).status).toBe(405);
    const waiting = await merge(project, created.iid, {
      merge_when_pipeline_succeeds: true,
      should_remove_source_branch: true,
    });
    expect([waiting.status, waiting.body]).toMatchObject([
      200,
      { state: 'opened', merge_when_pipeline_succeeds: true },
    ]);
    const cancelled = await project.api('POST', `${path}/${created.iid}/cancel_merge_when_pipeline_succeeds`);
    expect([cancelled.status, cancelled.body]).toEqual([201, { status: 'success' }]);
    expect(await get(project, created.iid)).toMatchObject({ merge_when_pipeline_succeeds: false, merge_user: null });
    await merge(project, created.iid, { auto_merge: true, should_remove_source_branch: true });
    // The first commit's pipeline and the head's.
    await runner.run();
    await runner.run();
    const merged = await reaches(project, created.iid, { state: 'merged' });
    expect(merged).toMatchObject({ merge_user: { id: owner.user.id }, merge_when_pipeline_succeeds: false });
    expect((await project.api('GET', '/repository/branches/work')).status).toBe(404);
    expect((await project.api<Json[]>('GET', `${path}/${created.iid}/pipelines`)).body[0]).toMatchObject({
      status: 'success',
      sha: created.sha,
    });
  });

  it('twelve requests made at the same time have twelve numbers and heads', async () => {
    const project = await build();
    const branches = Array.from({ length: 12 }, (_, i) => `b${i}`);
    await Promise.all(branches.map((branch) => project.commit(branch, { [branch]: '' }, { start_branch: 'main' })));
    const made = await Promise.all(
      branches.map((branch) =>
        project.api('POST', path, { json: { source_branch: branch, target_branch: 'main', title: branch } }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(branches.map(() => 201));
    const heads = await git.run(['ls-remote', project.remote(owner.secret), 'refs/merge-requests/*/head']);
    expect(heads.split('\n')).toHaveLength(12);
  });

  it('a pipeline that never had jobs can be deleted', async () => {
    const project = await build();
    await project.commit('broken', { '.gitlab-ci.yml': 'one: {script: []}\n  bad' }, { start_branch: 'main' });
    const [pipeline] = await eventually('the pipeline', async () => {
      const list = (await project.api<Json[]>('GET', '/pipelines')).body;
      return list.length > 0 ? list : null;
    });
    expect(pipeline).toMatchObject({ status: 'failed' });
    expect((await project.api('DELETE', `/pipelines/${pipeline?.id}`)).status).toBe(204);
    expect((await project.api('GET', `/pipelines/${pipeline?.id}`)).status).toBe(404);
  });

  it('one that became a draft while it waited is not merged, and says why', async () => {
    const project = await build();
    const config = 'one: {script: [make]}\nworkflow: {rules: [{if: $CI_COMMIT_BRANCH != "main"}]}\n';
    await project.commit('main', { '.gitlab-ci.yml': config });
    const created = await open(project);
    await eventually('the head pipeline', async () => {
      const now = await get(project, created.iid);
      return (now.head_pipeline as Json | null)?.sha === now.sha;
    });
    await merge(project, created.iid, { merge_when_pipeline_succeeds: true });
    await project.api('PUT', `${path}/${created.iid}`, { json: { title: 'Draft: not now' } });
    await runner.run();
    await runner.run();
    const now = await reaches(project, created.iid, { merge_when_pipeline_succeeds: false });
    expect(now).toMatchObject({ state: 'opened', merge_error: '405 Method Not Allowed' });
  });

  it('a push stops the waiting', async () => {
    const project = await build();
    await project.commit('main', {
      '.gitlab-ci.yml': 'one: {script: [make]}\nworkflow: {rules: [{if: $CI_COMMIT_BRANCH != "main"}]}\n',
    });
    const created = await open(project);
    await eventually('the head pipeline', async () => (await get(project, created.iid)).head_pipeline);
    await merge(project, created.iid, { merge_when_pipeline_succeeds: true });
    const tip = await project.commit('work', { more: '' });
    await reaches(project, created.iid, { sha: tip, merge_when_pipeline_succeeds: false, state: 'opened' });
    // Nothing is left for the runner of the other tests.
    for (const { id } of (await project.api<Json[]>('GET', '/pipelines')).body)
      await project.api('POST', `/pipelines/${id}/cancel`);
  });
});
