/** Merge requests between forks: made, followed, merged, closed; their pipelines; who may push to their branches. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { headFollower } from './following.ts';

let app: TestApp;
let git: GitClient;
let upstream: RepositoryProject;
let bob: BuiltToken;
let fork: Json;
let clone: string;
const ci = `one:\n  script: [make]\n  rules: [{if: '$CI_PIPELINE_SOURCE == "merge_request_event"'}]\n`;

beforeAll(async () => {
  app = await startTestApp({ background: true });
  git = await gitClient();
  bob = await buildToken(app);
  upstream = await buildRepositoryProject(app, {
    visibility: 'public',
    files: { 'README.md': '# Hello\n', '.gitlab-ci.yml': ci },
  });
  fork = await forked(bob);
  clone = unique('clone');
  await git.run(['clone', '-q', remote(fork, bob), clone]);
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const api = <T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', target: string, token: BuiltToken, json?: Json) =>
  app.api<T>(method, target, { token: token.secret, json });
function remote(project: Json, { secret }: BuiltToken): string {
  return `${app.url}/${project.path_with_namespace}.git`.replace('://', `://git:${secret}@`);
}
async function forked(who: BuiltToken, of = upstream): Promise<Json> {
  const made = await api('POST', `/projects/${of.id}/fork`, who, { path: unique('fork'), name: unique('fork') });
  expect(made.status).toBe(201);
  return await eventually('the copy', async () => {
    const { body } = await api('GET', `/projects/${made.body.id}`, who);
    return body.import_status === 'finished' ? body : null;
  });
}
/** A commit on a new branch of the clone, pushed. */
async function push(branch: string, options: readonly string[] = [], from = 'origin/main') {
  await git.run(['checkout', '-q', '-B', branch, from], clone);
  const sha = await git.commit(clone, unique('file'), 'x', `Change ${branch}`);
  const flags = options.flatMap((option) => ['-o', option]);
  const { code, stderr } = await git.try(['push', '-f', ...flags, 'origin', branch], clone);
  return { code, sha: sha || (await git.run(['rev-parse', 'HEAD'], clone)), said: stderr };
}
const create = (branch: string, json: Json = {}, who = bob, from = fork) =>
  api('POST', `/projects/${from.id}/merge_requests`, who, {
    source_branch: branch,
    target_branch: 'main',
    target_project_id: upstream.id,
    title: `Title of ${branch}`,
    ...json,
  });
const get = async (iid: unknown) => (await upstream.api('GET', `/merge_requests/${iid}`)).body;
const reaches = (iid: unknown, wanted: Json) =>
  eventually(JSON.stringify(wanted), async () => {
    const now = await get(iid);
    return Object.entries(wanted).every(([key, value]) => now[key] === value) ? now : null;
  });
const headOf = async (iid: unknown) =>
  (await git.run(['ls-remote', upstream.remote(), `refs/merge-requests/${iid}/head`], '.')).split('\t')[0];

describe('a merge request of a fork', () => {
  it('security: is merged at the head of its branch, with the pipeline of that commit and no earlier one', async () => {
    const guarded = await buildRepositoryProject(app, {
      visibility: 'public',
      settings: { only_allow_merge_if_pipeline_succeeds: true },
    });
    const copy = await forked(bob, guarded);
    const change = async (file: string) => {
      const actions = [{ action: 'create', file_path: file, content: '1' }];
      const json = { branch: 'work', start_branch: 'main', force: true, commit_message: file, actions };
      const made = await api<{ id: string }>('POST', `/projects/${copy.id}/repository/commits`, bob, json);
      expect(made.status).toBe(201);
      return made.body.id;
    };
    const passed = (sha: string) =>
      api('POST', `/projects/${copy.id}/statuses/${sha}`, bob, { state: 'success', ref: 'work' });
    const first = await change('first');
    const { iid } = (await create('work', { target_project_id: guarded.id }, bob, copy)).body;
    const merge = () => guarded.api('PUT', `/merge_requests/${iid}/merge`, { json: {} });
    await passed(first);
    const second = await change('second');
    expect((await merge()).status).toBe(405);
    await passed(second);
    expect(await merge()).toMatchObject({ status: 200, body: { state: 'merged', sha: second } });
  });

  it('is made in the target, with the commits of the fork, and follows its branch', async () => {
    const { sha } = await push('feature');
    const made = await create('feature', { allow_collaboration: true });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      project_id: upstream.id,
      target_project_id: upstream.id,
      source_project_id: fork.id,
      sha,
      reference: `!${made.body.iid}`,
      references: { full: `${upstream.fullPath}!${made.body.iid}` },
      web_url: `${app.url}/${upstream.fullPath}/-/merge_requests/${made.body.iid}`,
      allow_collaboration: true,
      detailed_merge_status: 'mergeable',
      changes_count: '1',
    });
    const { iid } = made.body;
    expect(await headOf(iid)).toBe(sha);
    const commits = await upstream.api<Json[]>('GET', `/merge_requests/${iid}/commits`);
    expect(commits.body).toMatchObject([{ id: sha, title: 'Change feature' }]);
    expect((await upstream.api<Json[]>('GET', `/merge_requests/${iid}/diffs`)).body).toHaveLength(1);
    const again = await create('feature');
    expect(again).toMatchObject({
      status: 409,
      body: { message: [`Another open merge request already exists for this source branch: !${iid}`] },
    });
    const next = await push('feature', [], 'feature');
    expect(next.said).toContain(`View merge request for feature:`);
    expect(next.said).toContain(String(made.body.web_url));
    await reaches(iid, { sha: next.sha });
    expect(await headOf(iid)).toBe(next.sha);
    expect((await upstream.api<Json[]>('GET', `/merge_requests/${iid}/versions`)).body).toHaveLength(2);
  });

  it('is merged, with its large files, and the branch of the fork goes where it is asked for', async () => {
    const { sha } = await push('merged');
    const oid = 'ab'.repeat(32);
    await app.db.insertInto('lfs_objects').values({ oid, size: 12, object_key: 'none' }).execute();
    const object = await app.db.selectFrom('lfs_objects').select('id').where('oid', '=', oid).executeTakeFirstOrThrow();
    const link = { lfs_object_id: object.id, size: 12 };
    await app.db
      .insertInto('lfs_object_links')
      .values({ ...link, project_id: Number(fork.id) })
      .execute();
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12\n`;
    const actions = [{ action: 'create', file_path: 'large.bin', content: pointer }];
    const json = { branch: 'merged', commit_message: 'Large', actions };
    expect((await api('POST', `/projects/${fork.id}/repository/commits`, bob, json)).status).toBe(201);
    const { body } = await create('merged', { remove_source_branch: true });
    const merge = `/merge_requests/${body.iid}/merge`;
    expect((await upstream.api('PUT', merge, { json: {}, token: bob.secret })).status).toBe(401);
    const stale = await upstream.api('PUT', merge, { json: { sha } });
    expect(stale).toMatchObject({
      status: 409,
      body: { message: `SHA does not match HEAD of source branch: ${body.sha}` },
    });
    await upstream.api('PUT', merge, { json: {} });
    expect(await get(body.iid)).toMatchObject({ state: 'merged', sha: body.sha });
    const has = await app.db
      .selectFrom('lfs_object_links')
      .select('size')
      .where('project_id', '=', upstream.id)
      .execute();
    expect(has).toEqual([{ size: 12 }]);
    expect((await upstream.api('GET', '/repository/files/large.bin', { query: { ref: 'main' } })).status).toBe(200);
    // Who merged may not push to the fork: the branch stays. Its owner has it removed.
    expect((await api('GET', `/projects/${fork.id}/repository/branches/merged`, bob)).status).toBe(200);
    await app.db.insertInto('grants').values({ user_id: bob.user.id, project_id: upstream.id, level: 40 }).execute();
    await push('mine');
    const own = await create('mine', { remove_source_branch: true });
    const done = await upstream.api('PUT', `/merge_requests/${own.body.iid}/merge`, { json: {}, token: bob.secret });
    expect(done.body).toMatchObject({ state: 'merged' });
    expect((await api('GET', `/projects/${fork.id}/repository/branches/mine`, bob)).status).toBe(404);
    await app.db
      .deleteFrom('grants')
      .where('user_id', '=', bob.user.id)
      .where('project_id', '=', upstream.id)
      .execute();
  });

  it('is for who may create in the fork and read the target, in one network', async () => {
    await push('refused');
    const stranger = await buildToken(app);
    expect((await create('refused', {}, stranger)).status).toBe(403);
    const hidden = await buildRepositoryProject(app);
    expect(await create('refused', { target_project_id: hidden.id })).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    });
    const other = await buildRepositoryProject(app, { visibility: 'public' });
    expect(await create('refused', { target_project_id: other.id })).toMatchObject({
      status: 422,
      body: { message: 'Source project is not a fork of the target project' },
    });
    expect(await create('refused', { target_branch: 'nowhere' })).toMatchObject({
      status: 400,
      body: { message: { target_branch: ['does not exist'] } },
    });
    expect(await create('nowhere')).toMatchObject({
      status: 400,
      body: { message: { source_branch: ['does not exist'] } },
    });
    const closed = { json: { merge_requests_access_level: 'disabled' } };
    await upstream.api('PUT', '', closed);
    expect((await create('refused')).status).toBe(403);
    await upstream.api('PUT', '', { json: { merge_requests_access_level: 'enabled' } });
    const same = await api('POST', `/projects/${fork.id}/merge_requests`, bob, {
      source_branch: 'refused',
      target_branch: 'refused',
      title: 'x',
    });
    expect(same.status).toBe(422);
    // The same names in two projects are two branches.
    await git.run(['push', '-q', 'origin', 'refused:main'], clone);
    expect((await create('main')).status).toBe(201);
  });

  it('is closed when its branch, its fork or the relation goes, and opened again with what is there', async () => {
    await push('goes');
    const first = (await create('goes')).body;
    await git.run(['push', '-q', 'origin', ':goes'], clone);
    await reaches(first.iid, { state: 'closed' });
    const { sha } = await push('goes');
    const reopened = await upstream.api('PUT', `/merge_requests/${first.iid}`, { json: { state_event: 'reopen' } });
    expect(reopened.body).toMatchObject({ state: 'opened', sha });
    expect(await headOf(first.iid)).toBe(sha);
    const [eve, kim] = [await buildToken(app), await buildToken(app)];
    const [gone, freed] = [await forked(eve), await forked(kim)];
    const files = { branch: 'work', start_branch: 'main', commit_message: 'x' };
    const actions = [{ action: 'create', file_path: 'w', content: 'w' }];
    for (const [project, who] of [
      [gone, eve],
      [freed, kim],
    ] as const)
      expect((await api('POST', `/projects/${project.id}/repository/commits`, who, { ...files, actions })).status).toBe(
        201,
      );
    const [one, two] = [(await create('work', {}, eve, gone)).body, (await create('work', {}, kim, freed)).body];
    expect((await api('DELETE', `/projects/${freed.id}/fork`, kim)).status).toBe(204);
    await reaches(two.iid, { state: 'closed', source_project_id: freed.id });
    await api('DELETE', `/projects/${gone.id}`, eve);
    const { path_with_namespace } = (await api('GET', `/projects/${gone.id}`, eve)).body;
    const query = { permanently_remove: 'true', full_path: String(path_with_namespace) };
    await app.api('DELETE', `/projects/${gone.id}`, { token: eve.secret, query });
    await reaches(one.iid, { state: 'closed', source_project_id: null });
    expect((await upstream.api<Json[]>('GET', `/merge_requests/${one.iid}/diffs`)).body).toHaveLength(1);
  });
});

describe('pipelines', () => {
  it('run in the fork, or in the target for its members where the project wants it', async () => {
    await push('piped');
    const { iid, sha } = (await create('piped')).body;
    const [own] = await eventually('the pipeline', async () => {
      const { body } = await upstream.api<Json[]>('GET', `/merge_requests/${iid}/pipelines`);
      return body.length > 0 ? body : null;
    });
    expect(own).toMatchObject({ project_id: fork.id, sha, ref: 'piped', source: 'merge_request_event' });
    expect(own?.web_url).toContain(String(fork.path_with_namespace));
    const jobs = await api<Json[]>('GET', `/projects/${fork.id}/pipelines/${own?.id}/jobs`, bob);
    expect(jobs.body).toMatchObject([{ name: 'one' }]);
    await eventually('the head pipeline', async () => ((await get(iid)).head_pipeline as Json | null)?.id === own?.id);
    const run = (token: string) => upstream.api<Json>('POST', `/merge_requests/${iid}/pipelines`, { token });
    expect((await run((await buildToken(app)).secret)).status).toBe(403);
    expect(await run(bob.secret)).toMatchObject({ status: 201, body: { project_id: fork.id } });
    expect(await run(upstream.owner.secret)).toMatchObject({
      status: 201,
      body: { project_id: upstream.id, sha, ref: `refs/merge-requests/${iid}/head` },
    });
    await upstream.api('PUT', '', { json: { ci_allow_fork_pipelines_to_run_in_parent_project: false } });
    expect((await run(upstream.owner.secret)).status).toBe(403);
    await upstream.api('PUT', '', { json: { ci_allow_fork_pipelines_to_run_in_parent_project: true } });
  });
});

describe('allow_collaboration', () => {
  it('lets who may merge push to the branch of the fork, to nothing else, and only while it is open', async () => {
    await push('shared');
    await push('alone');
    const { iid } = (await create('shared')).body;
    const developer = await upstream.member(40);
    const guest = await upstream.member(10);
    const where = unique('helper');
    await git.run(['clone', '-q', remote(fork, developer), where]);
    await git.run(['checkout', '-q', 'shared'], where);
    await git.commit(where, 'help', 'x');
    const help = (ref = 'shared', who = developer) =>
      git.try(['push', '-f', remote(fork, who), `HEAD:refs/heads/${ref}`], where);
    expect(await help()).toMatchObject({ code: 1, stderr: expect.stringContaining('not allowed to push') });
    const change = (allow_collaboration: boolean, token: string) =>
      upstream.api<Json>('PUT', `/merge_requests/${iid}`, { json: { allow_collaboration }, token });
    // Only who may push to the fork opens it.
    expect((await change(true, developer.secret)).body.allow_collaboration).toBe(false);
    const old = { json: { allow_maintainer_to_push: true }, token: bob.secret };
    expect((await upstream.api<Json>('PUT', `/merge_requests/${iid}`, old)).body.allow_collaboration).toBe(true);
    expect((await change(false, bob.secret)).body.allow_collaboration).toBe(false);
    expect((await change(true, bob.secret)).body.allow_collaboration).toBe(true);
    expect((await help('shared', guest)).code).toBe(128);
    for (const ref of ['alone', 'fresh']) {
      expect(await help(ref)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('You are not allowed to push code'),
      });
    }
    expect(await help()).toMatchObject({ code: 0 });
    await reaches(iid, { sha: await git.run(['rev-parse', 'HEAD'], where) });
    expect(await git.try(['push', remote(fork, developer), ':shared'], where)).toMatchObject({ code: 1 });
    const protect = { name: 'shared', push_access_level: 40 };
    expect((await api('POST', `/projects/${fork.id}/protected_branches`, bob, protect)).status).toBe(201);
    await git.commit(where, 'more', 'x');
    expect((await help()).code).toBe(1);
    expect((await api('DELETE', `/projects/${fork.id}/protected_branches/shared`, bob)).status).toBe(204);
    await upstream.api('PUT', `/merge_requests/${iid}`, { json: { state_event: 'close' } });
    expect((await help()).code).toBe(1);
  });
});

describe('push options', () => {
  const from = async (branch: string) =>
    (await upstream.api<Json[]>('GET', '/merge_requests', { query: { source_branch: branch } })).body;
  it('merge_request.create is for the project that was forked, for another one by name, or for the fork itself', async () => {
    await push('opted', ['merge_request.create', 'merge_request.title=Into upstream']);
    expect(await from('opted')).toMatchObject([
      { title: 'Into upstream', source_project_id: fork.id, description: null },
    ]);
    await push('named', ['merge_request.create', `merge_request.target_project=${upstream.fullPath}`]);
    expect(await from('named')).toMatchObject([{ title: 'Named', target_branch: 'main' }]);
    const own = await push('inside', [
      'merge_request.create',
      `merge_request.target_project=${fork.path_with_namespace}`,
    ]);
    expect(own.said).not.toContain('WARNINGS');
    expect(await from('inside')).toEqual([]);
    await api('PUT', `/projects/${fork.id}`, bob, { mr_default_target_self: true });
    await push('self', ['merge_request.create']);
    expect(await from('self')).toEqual([]);
    const { body } = await api<Json[]>('GET', `/projects/${fork.id}/merge_requests`, bob);
    expect(body.map(({ source_branch }) => source_branch)).toEqual(['self', 'inside']);
    await api('PUT', `/projects/${fork.id}`, bob, { mr_default_target_self: false });
  });
});

describe('two that follow one branch at the same time', () => {
  const [old, first, second] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];

  it.each(['mergeBase', 'advanceRef'] as const)('leave the newer head, whoever waits at %s', async (place) => {
    const { id } = await upstream.row();
    const branch = unique('raced');
    const row = await app.db
      .insertInto('merge_requests')
      .values({
        iid: place === 'mergeBase' ? 1001 : 1002,
        project_id: id,
        source_project_id: id,
        source_branch: branch,
        target_branch: 'main',
        author_id: upstream.owner.user.id,
        title: 'x',
        head_sha: old,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    let [ref, tip] = [old, first];
    const held = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    let waits = true;
    const pause = async (where: string) => {
      if (where !== place || !waits) return;
      waits = false;
      arrived.resolve();
      await held.promise;
    };
    const follow = headFollower(
      {
        db: app.db,
        project: async () => null,
        actingAs: async () => {
          const { body } = await upstream.api('GET', '');
          const namespace = body.namespace as never;
          const project = await upstream.row();
          const user = upstream.owner.user;
          return {
            caller: { user, credential: { kind: 'none' }, scopes: null, admin: false },
            subject: { kind: 'project', project, namespace, level: 50 },
          };
        },
        repository: {
          keptRef: async () => ref,
          branch: async () => tip,
          carry: async () => undefined,
          patchId: async () => '',
          pushed: async () => ({ count: 0, title: null }),
          commitsBetween: async () => [],
          changedPaths: async () => [],
          codeOwners: async () => [],
          resolve: async () => null,
          filePatch: async () => null,
          isAncestor: async () => true,
          keepRef: async () => undefined,
          mergeBase: async () => {
            await pause('mergeBase');
            return old;
          },
          advanceRef: async (_handle, _project, _ref, from, to) => {
            if (ref !== from) return false;
            ref = to;
            await pause('advanceRef');
            return true;
          },
        },
      },
      { tell: async () => undefined },
      { liveHead: async () => tip },
    );
    const slow = follow(id, branch, first, null);
    await arrived.promise;
    tip = second;
    await follow(id, branch, second, null);
    held.resolve();
    await slow;
    const now = await app.db
      .selectFrom('merge_requests')
      .select('head_sha')
      .where('id', '=', row.id)
      .executeTakeFirst();
    expect([ref, now?.head_sha]).toEqual([second, second]);
    await app.db.deleteFrom('merge_requests').where('id', '=', row.id).execute();
  });
});
