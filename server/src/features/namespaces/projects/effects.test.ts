/** What settings of projects change elsewhere: pipelines, jobs, merge requests, pushes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyZip, type ProtocolRunner, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildMember, buildToken } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let world: World;
let runner: ProtocolRunner & { id: number };
let git: GitClient;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  git = await gitClient();
});
afterAll(async () => {
  await git.close();
  await world.close();
});

const api = <T = Json>(
  project: TestProject,
  method: 'GET' | 'POST' | 'PUT',
  target: string,
  json?: Json,
  token?: string,
) => world.app.api<T>(method, `/projects/${project.id}${target}`, { token: token ?? world.owner.token, json });
const set = async (project: TestProject, json: Json) => expect((await api(project, 'PUT', '', json)).status).toBe(200);
const row = (project: TestProject) =>
  world.app.db.selectFrom('projects').selectAll().where('id', '=', project.id).executeTakeFirstOrThrow();
async function member(project: TestProject, level: Level): Promise<string> {
  const built = await buildToken(world.app);
  await buildMember(world.app, { user: built.user, of: await row(project), level });
  return built.secret;
}
const one = 'one: {script: [make], cache: {key: c, paths: [c]}}';

describe('settings of pipelines and jobs', () => {
  it('timeout, depth, strategy and caches reach the runner', async () => {
    const project = await world.project({
      build_timeout: 1200,
      ci_default_git_depth: 7,
      build_git_strategy: 'clone',
      ci_separated_caches: false,
    });
    await project.push(one);
    const job = await runner.next();
    expect(job).toMatchObject({
      runner_info: { timeout: 1200 },
      git_info: { depth: 7 },
      allow_git_fetch: false,
      cache: [{ key: 'c' }],
    });
    await runner.update(job, 'success');
  });

  it('the configuration is read where the project says', async () => {
    const project = await world.project({ ci_config_path: 'ci/main.yml' });
    await project.commit('wrong: {script: [x]}', { files: { 'ci/main.yml': 'right: {script: [x]}' } });
    const job = await runner.next();
    expect(job.job_info.name).toBe('right');
    await runner.update(job, 'success');
  });

  it('runners of the instance and of groups take no jobs of projects that do not want them', async () => {
    const project = await world.project({ shared_runners_enabled: false, group_runners_enabled: false });
    await project.push(one);
    const other = await world.project();
    await other.push('two: {script: [x]}');
    const job = await runner.next();
    expect(job.job_info.name).toBe('two');
    await runner.update(job, 'success');
    await set(project, { shared_runners_enabled: true });
    expect((await runner.run()).job_info.name).toBe('one');
  });

  it('a newer pipeline cancels older ones only where that is on', async () => {
    const config = `${one.replace('cache', 'interruptible: true, cache')}\nworkflow: {auto_cancel: {on_new_commit: interruptible}}`;
    const on = await world.project();
    const first = await on.push(config);
    await on.push(`${config}\n# again`);
    await on.reaches(first.id, 'canceled');
    const off = await world.project({ auto_cancel_pending_pipelines: 'disabled' });
    const kept = await off.push(config);
    const next = await off.push(`${config}\n# again`);
    for (let left = 3; left > 0; left -= 1) await runner.run();
    await off.reaches(next.id, 'success');
    expect((await off.pipeline(kept.id)).status).toBe('success');
  });

  it('who may give variables and who may cancel', async () => {
    const project = await world.project();
    const pushed = await project.push(one, { branch: 'dev' });
    const developer = await member(project, Level.developer);
    const start = (token: string) =>
      api(project, 'POST', '/pipeline', { ref: 'dev', variables: [{ key: 'A', value: 'b' }] }, token);
    expect((await start(developer)).status).toBe(201);
    await set(project, { restrict_user_defined_variables: true });
    expect(await start(developer)).toMatchObject({
      status: 400,
      body: { message: { base: ['Insufficient permissions to set pipeline variables'] } },
    });
    expect((await api(project, 'POST', '/pipeline', { ref: 'dev' }, developer)).status).toBe(201);
    expect((await start(world.owner.token)).status).toBe(201);
    await set(project, { ci_restrict_pipeline_cancellation_role: 'maintainer' });
    const cancel = (token: string) => api(project, 'POST', `/pipelines/${pushed.id}/cancel`, undefined, token);
    const [job] = (await api<Json[]>(project, 'GET', `/pipelines/${pushed.id}/jobs`)).body;
    expect((await cancel(developer)).status).toBe(403);
    expect((await api(project, 'POST', `/jobs/${job?.id}/cancel`, undefined, developer)).status).toBe(403);
    expect((await cancel(world.owner.token)).status).toBe(200);
    await set(project, { ci_restrict_pipeline_cancellation_role: 'no_one' });
    expect((await cancel(world.owner.token)).status).toBe(403);
    await set(project, { shared_runners_enabled: false });
  });

  it('larger artifacts than the project takes are refused', async () => {
    const project = await world.project();
    const limit = { token: world.admin.token, json: { max_artifacts_size: 1 } };
    expect((await world.app.api('PUT', `/projects/${project.id}`, limit)).status).toBe(200);
    await project.push(one);
    const job = await runner.next();
    const file = (size: number) => ({ data: emptyZip(size), name: 'a.zip', type: 'archive', format: 'zip' });
    expect((await runner.upload(job, file(1024 * 1024 + 1))).status).toBe(413);
    expect((await runner.upload(job, file(1000))).status).toBe(201);
    await runner.update(job, 'success');
  });

  it('artifacts of the latest pipeline go too where they are not kept', async () => {
    const left = async (settings: Json) => {
      const project = await world.project(settings);
      await project.push(one);
      const job = await runner.next();
      await runner.upload(job, { data: emptyZip(), name: 'a.zip', type: 'archive', format: 'zip' });
      await runner.update(job, 'success');
      const mine = { table: 'job_artifacts', id: project.id } as const;
      await world.app.db
        .updateTable(mine.table)
        .set({ expire_at: new Date(Date.now() - 1000) })
        .where('project_id', '=', mine.id)
        .execute();
      return () =>
        world.app.db
          .selectFrom(mine.table)
          .select('id')
          .where('project_id', '=', mine.id)
          .where('file_type', '=', 'archive')
          .execute();
    };
    const kept = await left({});
    const gone = await left({ keep_latest_artifact: false });
    await runTask(world.app, 'ci.sweep_artifacts');
    expect(await gone()).toHaveLength(0);
    expect(await kept()).toHaveLength(1);
  });

  it('pipelines, code and merge requests are for those whom the level names', async () => {
    const project = await world.project({ visibility: 'public' });
    await project.push(one);
    await runner.run();
    const stranger = (await buildToken(world.app)).secret;
    const ask = async (target: string) => (await api(project, 'GET', target, undefined, stranger)).status;
    const targets = ['/pipelines', '/repository/commits', '/merge_requests'];
    for (const target of targets) expect([target, await ask(target)]).toEqual([target, 200]);
    await set(project, { public_jobs: false });
    expect(await ask('/pipelines')).toBe(403);
    await set(project, {
      public_jobs: true,
      builds_access_level: 'private',
      repository_access_level: 'private',
      merge_requests_access_level: 'private',
    });
    for (const target of targets) expect([target, await ask(target)]).toEqual([target, 403]);
    await set(project, { merge_requests_access_level: 'disabled' });
    expect((await api(project, 'GET', '/merge_requests')).status).toBe(403);
  });

  it('security: what shows code follows the repository, whatever its own level says', async () => {
    const project = await world.project({ visibility: 'public', public_jobs: true });
    const stranger = (await buildToken(world.app)).secret;
    const targets = ['/pipelines', '/jobs', '/merge_requests', '/releases', '/repository/commits/main/statuses'];
    const ask = async (token?: string) =>
      await Promise.all(targets.map(async (target) => (await api(project, 'GET', target, undefined, token)).status));
    expect(await ask(stranger)).toEqual(targets.map(() => 200));
    await set(project, { repository_access_level: 'private' });
    expect(await ask(stranger)).toEqual(targets.map(() => 403));
    expect(await ask()).toEqual(targets.map(() => 200));
    await set(project, { repository_access_level: 'disabled' });
    expect(await ask()).toEqual(targets.map(() => 403));
    await set(project, { repository_access_level: 'enabled' });
    expect(await ask(stranger)).toEqual(targets.map(() => 200));
  });
});

describe('settings of merge requests and pushes', () => {
  async function request(project: TestProject, title: string): Promise<Json> {
    await project.commit(null, { branch: 'work', files: { one: '1' } });
    await project.commit(null, { branch: 'work', files: { two: '2' } });
    const json = { source_branch: 'work', target_branch: 'main', title };
    const made = await api(project, 'POST', '/merge_requests', json);
    expect(made.status).toBe(201);
    return made.body;
  }
  const merge = (project: TestProject, iid: unknown) => api(project, 'PUT', `/merge_requests/${iid}/merge`);
  const message = async (project: TestProject, sha: unknown) =>
    (await api(project, 'GET', `/repository/commits/${sha}`)).body.message;

  it('titles that do not match what the project asks for cannot be merged', async () => {
    const project = await world.project({ merge_request_title_regex: '^PRJ-\\d+', initialize_with_readme: true });
    const made = await request(project, 'Something');
    const status = async () => (await api(project, 'GET', `/merge_requests/${made.iid}`)).body.detailed_merge_status;
    expect(await status()).toBe('title_regex');
    expect((await merge(project, made.iid)).status).toBe(405);
    await api(project, 'PUT', `/merge_requests/${made.iid}`, { title: 'PRJ-1 Something' });
    expect(await status()).toBe('mergeable');
    expect((await merge(project, made.iid)).status).toBe(200);
  });

  it('squashing, messages and removal of the branch are the project’s', async () => {
    const project = await world.project({
      squash_option: 'always',
      merge_commit_template: 'M %{title}',
      squash_commit_template: 'S %{title}',
      remove_source_branch_after_merge: false,
    });
    const made = await request(project, 'Title');
    expect(made).toMatchObject({ squash_on_merge: true, force_remove_source_branch: false });
    const { body } = await merge(project, made.iid);
    expect(await message(project, body.merge_commit_sha)).toBe('M Title');
    expect(await message(project, body.squash_commit_sha)).toBe('S Title');
    expect((await api(project, 'GET', '/repository/branches/work')).status).toBe(200);
  });

  it('a push prints the link to a merge request only where that is on', async () => {
    const project = await world.project();
    const url = new URL(`${world.app.url}/${project.path}.git`);
    [url.username, url.password] = ['git', world.owner.token];
    await git.run(['clone', '-q', url.href, 'copy']);
    const push = (branch: string) => git.try(['push', 'origin', `HEAD:refs/heads/${branch}`], 'copy');
    expect((await push('first')).stderr).toContain('/-/merge_requests/new');
    await set(project, { printing_merge_request_link_enabled: false });
    expect((await push('second')).stderr).not.toContain('/-/merge_requests/new');
  });
});
