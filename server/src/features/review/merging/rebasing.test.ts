/** Rebasing the source branch of a merge request: who may, what becomes of it, and that it ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { runTask } from '../../../../test/tasks.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  project = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n' }, settings: { merge_method: 'ff' } });
});
afterAll(() => app.close());

/** A request of two commits whose target has moved on since; `target` is what the target got. */
async function behind(target: Readonly<Record<string, string>> = { [unique('main')]: 'm' }, of = project) {
  const branch = unique('work');
  await of.commit(branch, { [`${branch}-1`]: '1' }, { start_branch: 'main', commit_message: 'First' });
  await of.commit(branch, { [`${branch}-2`]: '2' }, { commit_message: 'Second' });
  const json = { source_branch: branch, target_branch: 'main', title: `Title of ${branch}` };
  const { body } = await of.api('POST', '/merge_requests', { json });
  await of.commit('main', target);
  return { branch, iid: Number(body.iid), path: `/merge_requests/${body.iid}` };
}
const rebase = (path: string, json: Json = {}, token: string | null = project.owner.secret, of = project) =>
  of.api('PUT', `${path}/rebase`, { json, token });
const state = async (path: string, of = project) =>
  (await of.api('GET', path, { query: { include_rebase_in_progress: true } })).body;
/** The request when the rebase has ended and what it pushed is known. */
const ended = (path: string, wanted: Json = {}, of = project) =>
  eventually(`the rebase of ${path}`, async () => {
    const now = await state(path, of);
    const fits = Object.entries(wanted).every(([key, value]) => now[key] === value);
    return now.rebase_in_progress === false && fits && now;
  });
const log = async (ref: string) =>
  (await project.api<Json[]>('GET', '/repository/commits', { query: { ref_name: ref } })).body;

describe('PUT /projects/:id/merge_requests/:iid/rebase', () => {
  it('puts the commits on top of the target, in the background; then it can be merged', async () => {
    const { branch, path } = await behind();
    expect(await state(path)).toMatchObject({ detailed_merge_status: 'need_rebase', rebase_in_progress: false });
    expect((await project.api('GET', path)).body).not.toHaveProperty('rebase_in_progress');
    const asked = await rebase(path);
    expect([asked.status, asked.body]).toEqual([202, { rebase_in_progress: true }]);
    const after = await ended(path, { detailed_merge_status: 'mergeable' });
    expect(after).toMatchObject({ merge_error: null });
    const [second, first, onto] = await log(branch);
    const [tip] = await log('main');
    expect([second?.title, first?.title, onto?.id]).toEqual(['Second', 'First', tip?.id]);
    expect(after.sha).toBe(second?.id);
    expect(second).toMatchObject({ committer_name: project.owner.user.name });
    expect((await project.api('PUT', `${path}/merge`, { json: {} })).status).toBe(200);
    expect((await log('main'))[0]?.id).toBe(second?.id);
    expect((await rebase(path)).status).toBe(403);
  });

  it('tells of conflicts in merge_error and leaves the branch alone', async () => {
    const name = unique('both');
    const branch = unique('work');
    await project.commit(branch, { [name]: 'here' }, { start_branch: 'main' });
    const json = { source_branch: branch, target_branch: 'main', title: 'Conflict' };
    const { body } = await project.api('POST', '/merge_requests', { json });
    await project.commit('main', { [name]: 'there' });
    const path = `/merge_requests/${body.iid}`;
    expect((await rebase(path)).status).toBe(202);
    await ended(path, { merge_error: 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.' });
    expect((await log(branch))[0]?.id).toBe(body.sha);
  });

  it('is for those who may push to the source branch, also by force', async () => {
    const { branch, path } = await behind();
    const reporter = await project.member(20);
    const stranger = await buildToken(app);
    expect((await rebase(path, {}, null)).status).toBe(401);
    expect((await rebase(path, {}, stranger.secret)).status).toBe(404);
    expect(await rebase(path, {}, reporter.secret)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Cannot push to source branch' },
    });
    expect((await rebase('/merge_requests/999999')).status).toBe(404);
    expect((await rebase(path, { skip_ci: 'perhaps' })).status).toBe(400);
    const developer = await project.member(30);
    await project.api('POST', '/protected_branches', { json: { name: branch, push_access_level: 30 } });
    expect(await rebase(path, {}, developer.secret)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Source branch is protected from force push' },
    });
    await project.api('PATCH', `/protected_branches/${branch}`, { json: { allow_force_push: true } });
    expect((await rebase(path, {}, developer.secret)).status).toBe(202);
    await ended(path, { detailed_merge_status: 'mergeable' });
    await project.api('DELETE', `/protected_branches/${branch}`);
    await project.api('DELETE', `/repository/branches/${branch}`);
    const gone = await rebase(path);
    expect([gone.status, String(gone.body.message)]).toEqual([403, expect.stringContaining('403 Forbidden - ')]);
  });

  it('one at a time; one that was lost does not stay in progress for ever', async () => {
    const { iid, path } = await behind();
    const started = (at: Date | null) =>
      app.db
        .updateTable('merge_requests')
        .set({ rebase_started_at: at })
        .where('project_id', '=', project.id)
        .where('iid', '=', iid)
        .returning('id')
        .executeTakeFirstOrThrow();
    const { id } = await started(new Date());
    expect(await state(path)).toMatchObject({ rebase_in_progress: true });
    expect(await rebase(path)).toMatchObject({
      status: 409,
      body: { message: 'A rebase of the merge request is in progress already.' },
    });
    // What the queue does with the task of a process that was killed: it runs again.
    const payload = { merge_request_id: id, user_id: project.owner.user.id, skip_ci: false };
    const run = { maxAttempts: 5 };
    await runTask(app, 'merge-requests.rebase', payload, run);
    const { sha } = await ended(path, { detailed_merge_status: 'mergeable' });
    // After the branch was moved and before that was written down: nothing more to do.
    await started(new Date());
    await runTask(app, 'merge-requests.rebase', payload, run);
    expect(await ended(path)).toMatchObject({ sha, merge_error: null });
    await started(new Date(Date.now() - 3_600_001));
    expect(await state(path)).toMatchObject({ rebase_in_progress: false });
    expect((await rebase(path)).status).toBe(202);
    await ended(path);
  });

  it('acts with the rights of whoever asked, as they are when it runs', async () => {
    const { iid, path } = await behind();
    const developer = await project.member(30);
    const { id } = await app.db
      .updateTable('merge_requests')
      .set({ rebase_started_at: new Date() })
      .where('project_id', '=', project.id)
      .where('iid', '=', iid)
      .returning('id')
      .executeTakeFirstOrThrow();
    await project.api('DELETE', `/members/${developer.user.id}`);
    const payload = { merge_request_id: id, user_id: developer.user.id, skip_ci: false };
    await runTask(app, 'merge-requests.rebase', payload, { maxAttempts: 5 });
    expect(await state(path)).toMatchObject({
      rebase_in_progress: false,
      merge_error: '403 Forbidden - Cannot push to source branch',
      detailed_merge_status: 'need_rebase',
    });
  });

  it('skip_ci: no pipeline runs for what is pushed', async () => {
    const own = await buildRepositoryProject(app, {
      owner: project.owner,
      files: {
        '.gitlab-ci.yml':
          'a: {script: [x], tags: [nobody]}\nb: {script: [x], tags: [nobody], rules: [{if: $CI_MERGE_REQUEST_IID}]}\n',
      },
      settings: { merge_method: 'rebase_merge' },
    });
    const pipelinesAfter = async (json: Json) => {
      const { branch, path } = await behind(undefined, own);
      expect((await rebase(path, json, own.owner.secret, own)).status).toBe(202);
      const { sha } = await ended(path, { detailed_merge_status: 'mergeable' }, own);
      await app.delivery.drain();
      const found = (await own.api<Json[]>('GET', '/pipelines', { query: { sha: String(sha) } })).body;
      return found.map(({ source, status, ref }) => [source, status, ref === branch]).sort();
    };
    expect(await pipelinesAfter({ skip_ci: true })).toEqual([['push', 'skipped', true]]);
    expect(await pipelinesAfter({})).toEqual([
      ['merge_request_event', 'pending', false],
      ['push', 'pending', true],
    ]);
  });

  it('of a fork: whoever may push there, and with allow_collaboration whoever may merge', async () => {
    const open = await buildRepositoryProject(app, {
      owner: project.owner,
      visibility: 'public',
      files: { 'a.txt': 'one\n' },
      settings: { merge_method: 'ff' },
    });
    const bob = await buildToken(app);
    const call = (method: 'GET' | 'POST' | 'PUT', target: string, who: BuiltToken, json?: Json) =>
      app.api<Json>(method, target, { token: who.secret, ...(json ? { json } : {}) });
    const name = unique('fork');
    const made = await call('POST', `/projects/${open.id}/fork`, bob, { path: name, name });
    const fork = `/projects/${made.body.id}`;
    await eventually('the copy', async () => (await call('GET', fork, bob)).body.import_status === 'finished');
    const actions = [{ action: 'create', file_path: 'forked', content: 'x' }];
    const commit = { branch: 'feature', start_branch: 'main', commit_message: 'Forked', actions };
    expect((await call('POST', `${fork}/repository/commits`, bob, commit)).status).toBe(201);
    const request = { source_branch: 'feature', target_branch: 'main', target_project_id: open.id, title: 'Of a fork' };
    const { iid } = (await call('POST', `${fork}/merge_requests`, bob, request)).body;
    const path = `/merge_requests/${iid}`;
    await open.commit('main', { newer: 'n' });
    expect((await rebase(path, {}, open.owner.secret, open)).status).toBe(403);
    expect((await rebase(path, {}, bob.secret, open)).status).toBe(202);
    await ended(path, { detailed_merge_status: 'mergeable', merge_error: null }, open);
    const commits = await call('GET', `${fork}/repository/commits?ref_name=feature`, bob);
    const main = await open.api<Json[]>('GET', '/repository/commits');
    expect((commits.body as unknown as Json[])[1]?.id).toBe(main.body[0]?.id);
    await open.commit('main', { newest: 'n' });
    expect((await call('PUT', `/projects/${open.id}${path}`, bob, { allow_collaboration: true })).status).toBe(200);
    expect((await rebase(path, {}, open.owner.secret, open)).status).toBe(202);
    await ended(path, { detailed_merge_status: 'mergeable', merge_error: null }, open);
  });
});
