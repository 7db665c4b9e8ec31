/** Merge requests over HTTP: create, list, read, change. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let developer: BuiltToken;
let stranger: BuiltToken;
const path = '/merge_requests';
beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  project = await buildRepositoryProject(app, { files: { 'a.txt': 'one\ntwo\nthree\n' } });
  developer = await project.member(30);
  stranger = await buildToken(app);
});
afterAll(async () => {
  await git.close();
  await app.close();
});

/** A branch with one commit, and a merge request from it. */
async function request(branch: string, json: Json = {}, of = project): Promise<Json> {
  await of.commit(branch, { [`${branch}.txt`]: 'x\n' }, { start_branch: 'main', commit_message: `Work on ${branch}` });
  const answer = await of.api('POST', path, {
    json: { source_branch: branch, target_branch: 'main', title: branch, ...json },
  });
  expect([answer.status, answer.body.message ?? '']).toEqual([201, '']);
  return answer.body;
}
const get = (iid: unknown, of = project) => of.api('GET', `${path}/${iid}`);

describe('creating', () => {
  it('answers the request with all that clients read', async () => {
    const created = await request('create', {
      description: '- [x] done\n- [ ] open',
      reviewer_ids: [developer.user.id],
      assignee_id: project.owner.user.id,
    });
    const { owner } = project;
    expect(created).toMatchObject({
      iid: 1,
      project_id: project.id,
      title: 'create',
      state: 'opened',
      source_branch: 'create',
      target_branch: 'main',
      source_project_id: project.id,
      target_project_id: project.id,
      author: { id: owner.user.id, username: owner.user.username },
      assignees: [{ id: owner.user.id }],
      assignee: { id: owner.user.id },
      reviewers: [{ id: developer.user.id }],
      draft: false,
      work_in_progress: false,
      merge_status: 'can_be_merged',
      detailed_merge_status: 'mergeable',
      has_conflicts: false,
      merged_at: null,
      merge_commit_sha: null,
      changes_count: '1',
      squash: false,
      task_completion_status: { count: 2, completed_count: 1 },
      references: { short: '!1', relative: '!1', full: `${project.fullPath}!1` },
      web_url: `${app.url}/${project.fullPath}/-/merge_requests/1`,
      user: { can_merge: true },
      head_pipeline: null,
    });
    const tip = (await project.api('GET', '/repository/commits/create')).body.id;
    const main = (await project.api('GET', '/repository/commits/main')).body.id;
    expect(created.sha).toBe(tip);
    expect(created.diff_refs).toEqual({ base_sha: main, head_sha: tip, start_sha: main });
    const head = await git.run(['ls-remote', project.remote(project.owner.secret), 'refs/merge-requests/1/head']);
    expect(head).toBe(`${tip}\trefs/merge-requests/1/head`);
    const fact = await app.db
      .selectFrom('facts')
      .selectAll()
      .where('kind', '=', 'merge_request.opened')
      .executeTakeFirstOrThrow();
    expect(fact).toMatchObject({
      project_id: project.id,
      actor_id: owner.user.id,
      payload: { merge_request_id: created.id, iid: 1 },
    });
  });

  it('[1/errors/12] a second open one for the same branches is 409', async () => {
    const first = await request('dup');
    const json = { source_branch: 'dup', target_branch: 'main', title: 'again' };
    const second = await project.api('POST', path, { json });
    expect([second.status, second.body]).toEqual([
      409,
      { message: [`Another open merge request already exists for this source branch: !${first.iid}`] },
    ]);
    const change = (state_event: string) => project.api('PUT', `${path}/${first.iid}`, { json: { state_event } });
    expect((await change('close')).status).toBe(200);
    const next = await project.api<{ iid: number }>('POST', path, { json });
    const reopened = await change('reopen');
    expect([reopened.status, reopened.body]).toEqual([
      409,
      { message: [`Another open merge request already exists for this source branch: !${next.body.iid}`] },
    ]);
    const same = await project.api('POST', path, { json: { ...json, target_branch: 'dup' } });
    const refused = [422, { message: ["You can't use same project/branch for source and target"] }];
    expect([same.status, same.body]).toEqual(refused);
    const moved = await project.api('PUT', `${path}/${first.iid}`, { json: { target_branch: 'dup' } });
    expect([moved.status, moved.body]).toEqual(refused);
  });

  it('[1/errors/7] missing parameters and branches are 400', async () => {
    const none = await project.api('POST', path, { json: {} });
    expect([none.status, none.body]).toEqual([
      400,
      { error: 'source_branch is missing, target_branch is missing, title is missing' },
    ]);
    for (const [source, target, field] of [
      ['nothing', 'main', 'source_branch'],
      ['main', 'nothing', 'target_branch'],
    ]) {
      const answer = await project.api('POST', path, {
        json: { source_branch: source, target_branch: target, title: 't' },
      });
      expect([answer.status, answer.body]).toEqual([400, { message: { [String(field)]: ['does not exist'] } }]);
    }
  });

  it('[1/errors/9] [1/errors/10] who may not is refused', async () => {
    const json = { source_branch: 'main', target_branch: 'main', title: 't' };
    expect((await project.api('POST', path, { token: null, json })).body).toEqual({ message: '401 Unauthorized' });
    expect((await project.api('POST', path, { token: stranger.secret, json })).status).toBe(404);
    const reporter = await project.member(20);
    expect((await project.api('POST', path, { token: reporter.secret, json })).status).toBe(403);
  });

  it('a draft is told by its title', async () => {
    const created = await request('drafty', { title: 'Draft: not yet' });
    expect(created).toMatchObject({ draft: true, work_in_progress: true, detailed_merge_status: 'draft_status' });
    // The answer has tried the merge: lists know that nothing else is in the way.
    const listed = (await project.api<Json[]>('GET', path, { query: { source_branch: 'drafty' } })).body;
    expect(listed).toMatchObject([{ merge_status: 'can_be_merged', detailed_merge_status: 'draft_status' }]);
  });
});

describe('reading', () => {
  it('[1/errors/10] unknown ones are 404', async () => {
    for (const iid of ['99999', '0']) {
      const answer = await get(iid);
      expect([answer.status, answer.body]).toEqual([404, { message: '404 Not found' }]);
    }
    expect((await get('x')).status).toBe(400);
    expect((await project.api('GET', `${path}/1`, { token: null })).status).toBe(404);
  });

  it('security 17: one of another project is not found through this one', async () => {
    const other = await buildRepositoryProject(app, { owner: project.owner });
    const own = (await project.api<Json[]>('GET', path)).body[0];
    for (const target of ['', '/commits', '/diffs', '/changes', '/versions', '/versions/1', '/raw_diffs', '/pipelines'])
      expect([target, (await other.api('GET', `${path}/${own?.iid}${target}`)).status]).toEqual([target, 404]);
    for (const [method, target] of [
      ['PUT', ''],
      ['DELETE', ''],
      ['PUT', '/merge'],
      ['POST', '/pipelines'],
    ] as const)
      expect([target, (await other.api(method, `${path}/${own?.iid}${target}`)).status]).toEqual([target, 404]);
  });

  it('detailed_merge_status: conflict, broken branches, closed', async () => {
    const own = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n' } });
    await own.commit('conflict', [{ action: 'update', file_path: 'a.txt', content: 'theirs\n' }], {
      start_branch: 'main',
    });
    const json = { source_branch: 'conflict', target_branch: 'main', title: 'c' };
    const created = (await own.api('POST', path, { json })).body;
    expect(created).toMatchObject({ detailed_merge_status: 'mergeable', has_conflicts: false });
    await own.commit('main', [{ action: 'update', file_path: 'a.txt', content: 'ours\n' }]);
    expect((await get(created.iid, own)).body).toMatchObject({
      detailed_merge_status: 'conflict',
      has_conflicts: true,
      merge_status: 'cannot_be_merged',
    });
    const [listed] = (await own.api<Json[]>('GET', path)).body;
    expect(listed).toMatchObject({ detailed_merge_status: 'conflict', has_conflicts: true });
    await own.api('DELETE', '/repository/branches/conflict');
    expect((await get(created.iid, own)).body.detailed_merge_status).toBe('broken_status');
    await own.api('PUT', `${path}/${created.iid}`, { json: { state_event: 'close' } });
    expect((await get(created.iid, own)).body).toMatchObject({ state: 'closed', detailed_merge_status: 'not_open' });
  });

  it('[1/errors/10] is deleted once, however many ask at the same moment', async () => {
    const { iid } = await request('deleted-at-once');
    const answers = await Promise.all(Array.from({ length: 5 }, () => project.api('DELETE', `${path}/${iid}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
  });

  it('diverged commits when asked', async () => {
    const created = await request('diverged');
    await project.commit('main', { 'diverging.txt': '' });
    const query = { include_diverged_commits_count: true, include_rebase_in_progress: true };
    const answer = await project.api('GET', `${path}/${created.iid}`, { query });
    expect(answer.body).toMatchObject({ diverged_commits_count: 1, rebase_in_progress: false });
  });

  it('commits, diffs, changes and versions', async () => {
    const created = await request('parts');
    await project.commit('parts', { second: '2\n' }, { commit_message: 'Second' });
    const commits = await project.api<Json[]>('GET', `${path}/${created.iid}/commits`);
    expect(commits.body.map((commit) => commit.title)).toContain('Work on parts');
    const diffs = await project.api<Json[]>('GET', `${path}/${created.iid}/diffs`, { query: { per_page: 1 } });
    expect(diffs.body).toMatchObject([{ new_path: 'parts.txt', new_file: true, diff: '@@ -0,0 +1 @@\n+x\n' }]);
    const changes = await project.api(`GET`, `${path}/${created.iid}/changes`);
    expect(changes.body).toMatchObject({ iid: created.iid, overflow: false, changes: [{ new_path: 'parts.txt' }] });
    const versions = await project.api<Json[]>('GET', `${path}/${created.iid}/versions`);
    expect(versions.body).toMatchObject([
      { head_commit_sha: created.sha, merge_request_id: created.id, real_size: '1' },
    ]);
    expect((await project.api<Json[]>('GET', `${path}/${created.iid}/pipelines`)).body).toEqual([]);
  });

  it('diffs and changes leave out what is too large, unless raw diffs are asked for', async () => {
    const text = 'a line of a large file\n'.repeat(12_000);
    await project.commit('large', { 'large.txt': text }, { start_branch: 'main' });
    const created = await project.api<Json>('POST', path, {
      json: { source_branch: 'large', target_branch: 'main', title: 'Large' },
    });
    for (const list of ['diffs', 'changes']) {
      const read = async (query: Record<string, string>) => {
        const { body } = await project.api<Json>('GET', `${path}/${created.body.iid}/${list}`, { query });
        return ((list === 'diffs' ? body : body.changes) as Json[])[0];
      };
      expect(await read({})).toMatchObject({ new_path: 'large.txt', diff: '', too_large: true });
      const whole = await read({ access_raw_diffs: 'true' });
      expect(whole).toMatchObject({ new_path: 'large.txt', too_large: false });
      expect(String(whole?.diff).split('\n')).toHaveLength(12_002);
    }
  });

  it('one version with its commits and files, and the changes as a patch', async () => {
    const created = await request('patched');
    const at = `${path}/${created.iid}`;
    const [version] = (await project.api<Json[]>('GET', `${at}/versions`)).body;
    const one = await project.api('GET', `${at}/versions/${version?.id}`);
    expect(one.body).toMatchObject({
      ...version,
      commits: [{ id: created.sha, title: 'Work on patched' }],
      diffs: [{ new_path: 'patched.txt', new_file: true, diff: '@@ -0,0 +1 @@\n+x\n' }],
    });
    expect((await project.api('GET', `${at}/versions/0`)).body).toEqual({ message: '404 Version Not Found' });
    const other = await request('other-version');
    expect((await project.api('GET', `${path}/${other.iid}/versions/${version?.id}`)).status).toBe(404);
    const lines = '--- /dev/null\n+++ b/patched.txt\n@@ -0,0 +1 @@\n+x\n';
    expect(
      (await project.api('GET', `${at}/versions/${version?.id}`, { query: { unidiff: true } })).body,
    ).toMatchObject({
      patch_id_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      diffs: [{ diff: lines }],
    });
    for (const list of ['diffs', 'changes']) {
      const { body } = await project.api<Json>('GET', `${at}/${list}`, { query: { unidiff: true } });
      expect(list === 'diffs' ? body : body.changes).toMatchObject([{ diff: lines }]);
    }
    const patch = await project.api<string>('GET', `${at}/raw_diffs`);
    expect([patch.status, patch.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(patch.body).toMatch(
      /^diff --git a\/patched.txt b\/patched.txt\nnew file mode 100644\n[\s\S]*@@ -0,0 \+1 @@\n\+x\n$/,
    );
    expect((await project.api('GET', `${at}/raw_diffs`, { token: stranger.secret })).status).toBe(404);
  });

  it('versions whose commits no branch has any more stay reachable', async () => {
    const created = await request('rewritten');
    const at = `${path}/${created.iid}`;
    const shown = async () => (await project.api<Json[]>('GET', `${at}/versions`)).body;
    const kept = async () => {
      const lines = await git.run([
        'ls-remote',
        project.remote(project.owner.secret),
        `refs/merge-requests/${String(created.iid)}/*`,
      ]);
      return lines
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[1]);
    };
    const head = `refs/merge-requests/${String(created.iid)}/head`;
    const second = await project.commit('rewritten', { second: '2\n' });
    await app.delivery.drain();
    expect(await shown()).toHaveLength(2);
    // The new head contains the one before.
    expect(await kept()).toEqual([head]);
    await project.commit('rewritten', { third: '3\n' }, { start_branch: 'main', force: true });
    await app.delivery.drain();
    expect(await kept()).toEqual([head, `refs/merge-requests/${String(created.iid)}/versions/${second}`]);
    const [, version] = await shown();
    const { body } = await project.api<Json>('GET', `${at}/versions/${String(version?.id)}`);
    expect((body.diffs as Json[]).map(({ new_path }) => new_path)).toEqual(['rewritten.txt', 'second']);
  });

  it('a renamed file is one change', async () => {
    await project.commit('named', { 'old.txt': 'one\ntwo\nthree\n' }, { start_branch: 'main' });
    const actions = [{ action: 'move' as const, previous_path: 'old.txt', file_path: 'new.txt' }];
    await project.commit('renaming', actions, { start_branch: 'named' });
    const json = { source_branch: 'renaming', target_branch: 'named', title: 'Rename' };
    const made = (await project.api('POST', path, { json })).body;
    expect(made.changes_count).toBe('1');
    const versions = await project.api<Json[]>('GET', `${path}/${made.iid}/versions`);
    expect(versions.body).toMatchObject([{ real_size: '1' }]);
  });
});

describe('listing', () => {
  it('filters by every parameter, orders and pages', async () => {
    const own = await buildRepositoryProject(app);
    const dev = await own.member(30);
    const one = await request('one', { title: 'Apple pie', description: 'with cream' }, own);
    await own.commit('base2', { b: '' }, { start_branch: 'main' });
    await own.commit('two', { two: '' }, { start_branch: 'main' });
    const json = {
      source_branch: 'two',
      target_branch: 'base2',
      title: 'Draft: Banana',
      reviewer_ids: [own.owner.user.id],
      assignee_ids: [dev.user.id],
    };
    const two = (await own.api('POST', path, { json, token: dev.secret })).body;
    const three = await request('three', { title: 'Cherry' }, own);
    await own.api('PUT', `${path}/${three.iid}`, { json: { state_event: 'close' } });
    const list = async (query: Json, token?: string) =>
      (await own.api<Json[]>('GET', path, { query, ...(token ? { token } : {}) })).body.map((each) => each.iid);
    expect(await list({})).toEqual([three.iid, two.iid, one.iid]);
    expect(await list({ sort: 'asc' })).toEqual([one.iid, two.iid, three.iid]);
    expect(await list({ order_by: 'title', sort: 'asc' })).toEqual([one.iid, three.iid, two.iid]);
    expect(await list({ order_by: 'updated_at', sort: 'desc' })).toEqual([three.iid, two.iid, one.iid]);
    expect(await list({ state: 'opened' })).toEqual([two.iid, one.iid]);
    expect(await list({ state: 'closed' })).toEqual([three.iid]);
    expect(await list({ state: 'merged' })).toEqual([]);
    expect(await list({ scope: 'created_by_me' }, dev.secret)).toEqual([two.iid]);
    expect(await list({ scope: 'assigned_to_me' }, dev.secret)).toEqual([two.iid]);
    expect(await list({ scope: 'reviews_for_me' })).toEqual([two.iid]);
    expect(await list({ iids: [one.iid, three.iid] })).toEqual([three.iid, one.iid]);
    expect(await list({ source_branch: 'two' })).toEqual([two.iid]);
    expect(await list({ target_branch: 'base2' })).toEqual([two.iid]);
    expect(await list({ author_id: dev.user.id })).toEqual([two.iid]);
    expect(await list({ author_username: dev.user.username.toUpperCase() })).toEqual([two.iid]);
    expect(await list({ assignee_id: dev.user.id })).toEqual([two.iid]);
    expect(await list({ reviewer_id: own.owner.user.id })).toEqual([two.iid]);
    const [author, assigned] = [own.owner.user.username, dev.user.username];
    for (const [query, found] of [
      [{ assignee_id: 'None' }, [three.iid, one.iid]],
      [{ assignee_id: 'Any' }, [two.iid]],
      [{ assignee_username: [assigned.toUpperCase()] }, [two.iid]],
      [{ assignee_username: [assigned, author] }, []],
      [{ reviewer_id: 'none' }, [three.iid, one.iid]],
      [{ reviewer_id: 'any' }, [two.iid]],
      [{ reviewer_username: author }, [two.iid]],
      [{ reviewer_username: assigned }, []],
    ] as const)
      expect([query, await list(query)]).toEqual([query, found]);
    for (const parameter of ['assignee_id', 'reviewer_id'])
      expect((await own.api('GET', path, { query: { [parameter]: 'somebody' } })).status).toBe(400);
    expect(await list({ search: 'APPLE' })).toEqual([one.iid]);
    expect(await list({ search: 'cream' })).toEqual([one.iid]);
    expect(await list({ search: 'cream', in: 'title' })).toEqual([]);
    expect(await list({ search: '%' })).toEqual([]);
    expect(await list({ wip: 'yes' })).toEqual([two.iid]);
    expect(await list({ draft: false, state: 'opened' })).toEqual([one.iid]);
    expect(await list({ created_after: '2100-01-01T00:00:00Z' })).toEqual([]);
    expect(await list({ updated_before: '2100-01-01T00:00:00Z', created_before: '2100-01-01T00:00:00Z' })).toHaveLength(
      3,
    );
    const paged = await own.api<Json[]>('GET', path, { query: { per_page: 2, page: 2 } });
    expect([paged.body.map((each) => each.iid), paged.headers.get('x-total')]).toEqual([[one.iid], '3']);
    const bad = await own.api('GET', path, { query: { state: 'lost' } });
    expect([bad.status, bad.body]).toEqual([400, { error: 'state does not have a valid value' }]);
    expect((await own.api('GET', path, { token: stranger.secret })).status).toBe(404);
  });
});

describe('changing', () => {
  it('texts, people, target; facts tell it', async () => {
    const created = await request('change');
    await project.commit('another-target', { t: '' }, { start_branch: 'main' });
    const json = {
      title: 'New title',
      description: 'New text',
      assignee_ids: [developer.user.id],
      reviewer_ids: [project.owner.user.id],
      squash: true,
      remove_source_branch: true,
      target_branch: 'another-target',
      discussion_locked: true,
    };
    const answer = await project.api('PUT', `${path}/${created.iid}`, { json });
    expect([answer.status, answer.body]).toMatchObject([
      200,
      {
        title: 'New title',
        description: 'New text',
        assignees: [{ id: developer.user.id }],
        reviewers: [{ id: project.owner.user.id }],
        squash: true,
        force_remove_source_branch: true,
        target_branch: 'another-target',
        discussion_locked: true,
      },
    ]);
    const notes = await project.api<Json[]>('GET', `${path}/${created.iid}/notes`);
    const said = 'changed target branch from `main` to `another-target`';
    expect(notes.body.filter(({ body }) => body === said)).toHaveLength(1);
    const cleared = await project.api('PUT', `${path}/${created.iid}`, { json: { assignee_id: 0, reviewer_ids: [] } });
    expect(cleared.body).toMatchObject({ assignees: [], assignee: null, reviewers: [] });
    const unknown = await project.api('PUT', `${path}/${created.iid}`, { json: { target_branch: 'nothing' } });
    expect([unknown.status, unknown.body]).toEqual([400, { message: { target_branch: ['does not exist'] } }]);
  });

  it('closed and reopened, with the commits of meanwhile', async () => {
    const created = await request('reopen');
    const closed = await project.api('PUT', `${path}/${created.iid}`, { json: { state_event: 'close' } });
    expect(closed.body).toMatchObject({
      state: 'closed',
      closed_by: { id: project.owner.user.id },
      closed_at: expect.any(String),
    });
    const tip = await project.commit('reopen', { meanwhile: '' });
    const reopened = await project.api('PUT', `${path}/${created.iid}`, { json: { state_event: 'reopen' } });
    expect(reopened.body).toMatchObject({
      state: 'opened',
      closed_at: null,
      closed_by: null,
      sha: tip,
      detailed_merge_status: 'mergeable',
    });
    const head = await git.run([
      'ls-remote',
      project.remote(project.owner.secret),
      `refs/merge-requests/${created.iid}/head`,
    ]);
    expect(head.startsWith(tip)).toBe(true);
    expect((await project.api<Json[]>('GET', `${path}/${created.iid}/versions`)).body).toHaveLength(2);
    await project.api('PUT', `${path}/${created.iid}`, { json: { state_event: 'close' } });
    await project.api('POST', path, { json: { source_branch: 'reopen', target_branch: 'main', title: 'newer' } });
    const taken = await project.api('PUT', `${path}/${created.iid}`, { json: { state_event: 'reopen' } });
    expect(taken.status).toBe(409);
  });

  it('[1/errors/9] the author and developers may, reporters may not', async () => {
    const created = await request('mine');
    const reporter = await project.member(20);
    const refused = await project.api('PUT', `${path}/${created.iid}`, {
      token: reporter.secret,
      json: { title: 'x' },
    });
    expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }]);
    expect(
      (await project.api('PUT', `${path}/${created.iid}`, { token: developer.secret, json: { title: 'x' } })).status,
    ).toBe(200);
    expect((await project.api('DELETE', `${path}/${created.iid}`, { token: developer.secret })).status).toBe(403);
    expect((await project.api('DELETE', `${path}/${created.iid}`)).status).toBe(204);
    expect((await get(created.iid)).status).toBe(404);
  });

  it('[1/errors/9] assigned reporters may; in an archived project or one to be deleted not even the author', async () => {
    const own = await buildRepositoryProject(app, {});
    const reporter = await own.member(20);
    const { iid } = await request('frozen', { assignee_ids: [reporter.user.id] }, own);
    const rename = async (token: string) =>
      (await own.api('PUT', `${path}/${iid}`, { token, json: { title: 'renamed' } })).status;
    expect([await rename(reporter.secret), await rename(own.owner.secret)]).toEqual([200, 200]);
    await own.api('POST', '/archive');
    expect([await rename(reporter.secret), await rename(own.owner.secret)]).toEqual([403, 403]);
    await own.api('POST', '/unarchive');
    expect((await own.api('DELETE', '')).status).toBe(202);
    expect([await rename(reporter.secret), await rename(own.owner.secret)]).toEqual([403, 403]);
  });
});
