/** The main job: push a real repository, watch a pipeline, merge a change. Over the wire; the browser watches elsewhere. Slow: the whole history is pushed, clients drive all of it, and axe looks at every page. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, api, until } from '../support/api.ts';
import { git, run } from '../support/git.ts';
import { type Instance, rootToken } from '../support/instance.ts';
import { cloneOwnRepository } from '../support/own-repository.ts';
import { type Job, type Pipeline, type Project, passes } from '../support/pipelines.ts';
import type { Suite } from '../support/suite.ts';

/** Takes seconds where the repository's own takes minutes, which has a scenario of its own. */
const pipelineFile = `check:
  script:
    - git log -1 --format=%s
    - printf '<testsuites><testsuite name="tide" tests="1"><testcase classname="tide" name="turns"/></testsuite></testsuites>' > junit.xml
  artifacts:
    paths: [junit.xml]
    reports:
      junit: junit.xml

bundle:
  needs: [check]
  script:
    - tar cf docs.tar docs
  artifacts:
    paths: [docs.tar]
`;

const adaPassword = 'engine-analytical-1843';

export async function journey(suite: Suite, instance: Instance): Promise<void> {
  const admin = api(instance.url, rootToken);
  const work = mkdtempSync(join(tmpdir(), 'mr-journey-'));
  const world: { ada?: Api; project?: Project } = {};
  const ada = () => world.ada ?? assert.fail('no account');
  const project = () => world.project ?? assert.fail('no project');

  await suite.required(
    '[1/authentication/3 PRIVATE-TOKEN] the administrator makes an account and its token',
    async () => {
      const user = await admin.expect<{ id: number }>(201, 'POST', '/users', {
        username: 'ada',
        name: 'Ada Dev',
        email: 'ada@example.com',
        password: adaPassword,
        skip_confirmation: true,
      });
      const token = await admin.expect<{ token: string }>(201, 'POST', `/users/${user.id}/personal_access_tokens`, {
        name: 'work',
        scopes: ['api', 'write_repository'],
      });
      world.ada = api(instance.url, token.token);
      const me = await ada().expect<{ username: string }>(200, 'GET', '/user');
      assert.equal(me.username, 'ada');
    },
  );

  await suite.required('a group and a project', async () => {
    const group = await ada().expect<{ id: number }>(201, 'POST', '/groups', {
      name: 'Mill',
      path: 'mill',
      visibility: 'private',
    });
    world.project = await ada().expect<Project>(201, 'POST', '/projects', {
      name: 'Millrace',
      path: 'millrace',
      namespace_id: group.id,
    });
    assert.equal((await api(instance.url, '').call('GET', `/projects/${project().id}`)).status, 404);
  });

  await suite.required('a push of this repository starts a pipeline by itself, and it passes', async () => {
    const clone = await cloneOwnRepository(work, project().http_url_to_repo, ada().token);
    writeFileSync(join(clone, '.gitlab-ci.yml'), pipelineFile);
    await git(clone, 'commit', '--quiet', '--all', '-m', 'Check quickly');
    const pushed = await run(clone, ['push', 'origin', 'HEAD:refs/heads/main']);
    assert.equal(pushed.code, 0, pushed.stderr);
    const pipeline = await until(
      'pipeline of the push',
      60,
      async () => (await ada().expect<Pipeline[]>(200, 'GET', `/projects/${project().id}/pipelines?ref=main`))[0],
    );
    assert.deepEqual([pipeline.source, pipeline.sha], ['push', await git(clone, 'rev-parse', 'HEAD')]);
    const jobs = await passes(ada(), project(), pipeline, 300);
    const kinds = (name: string) =>
      (jobs.find((job) => job.name === name)?.artifacts ?? []).map((artifact) => artifact.file_type);
    assert.ok(kinds('check').includes('junit') && kinds('check').includes('archive'), 'JUnit report and archive');
    assert.ok(kinds('bundle').includes('archive'), 'the build');
  });

  await suite.step('[2/api.job-artifacts/4] the JUnit report is downloaded out of the archive', async () => {
    const jobs = await ada().expect<Job[]>(200, 'GET', `/projects/${project().id}/jobs`);
    const job = jobs.find((each) => each.name === 'check') ?? assert.fail('no job');
    const file = await ada().expect<string>(200, 'GET', `/projects/${project().id}/jobs/${job.id}/artifacts/junit.xml`);
    assert.match(String(file), /<testsuites/);
  });

  await suite.required('a branch becomes a merge request, its pipeline runs, and it is merged', async () => {
    const clone = join(work, 'millrace');
    await git(clone, 'switch', '--quiet', '-c', 'greeting');
    writeFileSync(join(clone, 'GREETING.md'), '# Hello\n\nFrom a merge request.\n');
    writeFileSync(join(clone, '.gitlab-ci.yml'), 'greet:\n  script:\n    - cat GREETING.md\n    - echo done\n');
    await git(clone, 'add', '.');
    await git(clone, 'commit', '--quiet', '-m', 'Say hello');
    await git(clone, 'push', '--quiet', 'origin', 'greeting');
    const head = await git(clone, 'rev-parse', 'HEAD');
    const request = await ada().expect<{ iid: number; sha: string }>(
      201,
      'POST',
      `/projects/${project().id}/merge_requests`,
      {
        source_branch: 'greeting',
        target_branch: 'main',
        title: 'Say hello',
        remove_source_branch: true,
      },
    );
    assert.equal(request.sha, head);
    const path = `/projects/${project().id}/merge_requests/${request.iid}`;
    const pipeline = await until(
      'its pipeline',
      60,
      async () => (await ada().expect<Pipeline[]>(200, 'GET', `${path}/pipelines`))[0],
    );
    await passes(ada(), project(), pipeline, 300);
    const before = await ada().expect<{ detailed_merge_status: string; user: { can_merge: boolean } }>(
      200,
      'GET',
      path,
    );
    assert.deepEqual([before.detailed_merge_status, before.user.can_merge], ['mergeable', true]);
    const merged = await ada().expect<{ state: string; merge_commit_sha: string }>(200, 'PUT', `${path}/merge`, {});
    assert.equal(merged.state, 'merged');
    await git(clone, 'fetch', '--quiet', '--prune', 'origin');
    assert.equal(await git(clone, 'rev-parse', 'origin/main'), merged.merge_commit_sha);
    assert.equal(
      (await run(clone, ['rev-parse', '--verify', '--quiet', 'origin/greeting'])).code,
      1,
      'the source branch is gone',
    );
  });

  process.once('exit', () => rmSync(work, { recursive: true, force: true }));
}
