/** The main job: push a real repository, watch its pipeline, merge a change. Over the wire; the browser watches elsewhere. Slow: jobs install this repository's packages, and axe looks at every page three times. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Api, api, until } from '../support/api.ts';
import { openWindow, screenshot, withBrowser } from '../support/browser.ts';
import { git, run, withToken } from '../support/git.ts';
import { type Instance, root, rootToken } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

interface Project {
  id: number;
  http_url_to_repo: string;
  web_url: string;
  default_branch: string;
}
interface Pipeline {
  id: number;
  status: string;
  source: string;
  ref: string;
  sha: string;
  web_url: string;
}
interface Job {
  id: number;
  name: string;
  status: string;
  stage: string;
  failure_reason?: string;
  duration: number | null;
  queued_duration: number | null;
  artifacts: { file_type: string; filename: string; size: number }[];
}

/** What the later scenarios and the browser go on with. */
export interface World {
  readonly root: Api;
  readonly ada: Api;
  readonly project: Project;
  readonly work: string;
}

const finished = new Set(['success', 'failed', 'canceled', 'skipped', 'manual']);
const operatorVariables = (): { key: string; value: string }[] => {
  // A job runs under another uid and has no ~/.npmrc: what the operator set for npm goes along as variables.
  const file = join(process.env.HOME ?? '', '.npmrc');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const match = /^\s*([A-Za-z][\w-]*)\s*=\s*(.+?)\s*$/.exec(line);
      return match?.[1] && match[2] ? [{ key: `npm_config_${match[1].replaceAll('-', '_')}`, value: match[2] }] : [];
    })
    .concat(
      [{ key: 'npm_config_cafile', value: '/etc/ssl/certs/ca-certificates.crt' }].filter(({ value }) =>
        existsSync(value),
      ),
    );
};

/** The end of a log as text: without colours and section marks, long lines cut. */
function lastLines(log: string): string {
  const lines = stripVTControlCharacters(log)
    .split('\n')
    .filter((line) => line.trim() && !line.startsWith('section_'));
  return lines
    .slice(-25)
    .map((line) => line.slice(0, 200))
    .join('\n');
}

/** Waits for a pipeline to end and tells what failed, with the end of its log. */
async function passes(ada: Api, project: Project, pipeline: Pipeline, seconds: number): Promise<Job[]> {
  const ended = await until(`pipeline ${pipeline.id}`, seconds, async () => {
    const now = await ada.expect<Pipeline>(200, 'GET', `/projects/${project.id}/pipelines/${pipeline.id}`);
    return finished.has(now.status) ? now : null;
  });
  const jobs = await ada.expect<Job[]>(200, 'GET', `/projects/${project.id}/pipelines/${pipeline.id}/jobs`);
  if (ended.status !== 'success') {
    const logs = await Promise.all(
      jobs
        .filter((job) => job.status !== 'success')
        .map(async (job) => {
          const trace = await ada.call<string>('GET', `/projects/${project.id}/jobs/${job.id}/trace`);
          return `--- ${job.name}: ${job.status} ${job.failure_reason ?? ''}\n${lastLines(String(trace.body))}`;
        }),
    );
    assert.fail(`pipeline is ${ended.status}\n${logs.join('\n')}`);
  }
  return jobs;
}

const adaPassword = 'engine-analytical-1843';

export async function journey(suite: Suite, instance: Instance): Promise<World> {
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
    for (const variable of operatorVariables())
      await ada().expect(201, 'POST', `/projects/${project().id}/variables`, variable);
    assert.equal((await api(instance.url, '').call('GET', `/projects/${project().id}`)).status, 404);
  });

  await suite.required('pushing this repository starts its pipeline by itself', async () => {
    await git(
      work,
      'clone',
      '--quiet',
      '--branch',
      await git(root, 'branch', '--show-current').catch(() => 'main'),
      root,
      'millrace',
    ).catch(async () => {
      await git(work, 'clone', '--quiet', root, 'millrace');
    });
    const clone = join(work, 'millrace');
    await git(clone, 'remote', 'set-url', 'origin', withToken(project().http_url_to_repo, ada().token));
    const pushed = await run(clone, ['push', 'origin', 'HEAD:refs/heads/main']);
    assert.equal(pushed.code, 0, pushed.stderr);
    const head = await git(clone, 'rev-parse', 'HEAD');
    const pipeline = await until(
      'pipeline of the push',
      60,
      async () => (await ada().expect<Pipeline[]>(200, 'GET', `/projects/${project().id}/pipelines?ref=main`))[0],
    );
    assert.deepEqual([pipeline.source, pipeline.sha], ['push', head]);
  });

  await suite.step('a log grows while its job runs', async () => {
    const job = await until(
      'a running job',
      60,
      async () => (await ada().expect<Job[]>(200, 'GET', `/projects/${project().id}/jobs?scope[]=running`))[0],
    );
    const size = async () =>
      String((await ada().call<string>('GET', `/projects/${project().id}/jobs/${job.id}/trace`)).body).length;
    const before = await until('the first output', 60, async () => (await size()) || null);
    await until('more output', 120, async () => (await size()) > before);
  });

  await suite.required(
    "Millrace's own pipeline passes before one's eyes: lint, types, unit tests, bundle",
    async () => {
      const [pipeline] = await ada().expect<Pipeline[]>(200, 'GET', `/projects/${project().id}/pipelines?ref=main`);
      if (!pipeline) assert.fail('no pipeline');
      let jobs: Job[] = [];
      await withBrowser(async (browser) => {
        const { page, problems } = await openWindow(browser, instance.url);
        await signIn(page, { login: 'ada', password: adaPassword });
        await page.goto(pipeline.web_url);
        const graph = page.getByRole('region', { name: 'Graph of jobs' });
        await graph.getByText('ci-config').waitFor();
        await screenshot(page, 'own-pipeline-running');
        jobs = await passes(ada(), project(), pipeline, 900);
        for (const { name, duration, queued_duration: queued } of jobs)
          console.log(`  ${name}: ${Math.round(queued ?? 0)} s in the queue, ${Math.round(duration ?? 0)} s run`);
        // The page was opened once: it got here by itself.
        await page.getByText('Passed', { exact: true }).first().waitFor();
        await screenshot(page, 'own-pipeline-passed');
        assert.deepEqual(problems(), []);
      });
      assert.deepEqual(jobs.map((job) => job.name).sort(), ['bundle', 'ci-config', 'lint', 'types']);
      const kinds = (name: string) =>
        (jobs.find((job) => job.name === name)?.artifacts ?? []).map((artifact) => artifact.file_type);
      assert.ok(
        kinds('ci-config').includes('junit') && kinds('ci-config').includes('archive'),
        'JUnit report and archive',
      );
      assert.ok(kinds('bundle').includes('archive'), 'the build');
    },
    960,
  );

  await suite.step('[2/api.job-artifacts/4] the JUnit report is downloaded out of the archive', async () => {
    const jobs = await ada().expect<Job[]>(200, 'GET', `/projects/${project().id}/jobs`);
    const job = jobs.find((each) => each.name === 'ci-config') ?? assert.fail('no job');
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
  return { root: admin, ada: ada(), project: project(), work };
}
