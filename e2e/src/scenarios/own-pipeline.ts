/** Millrace builds Millrace: this repository is pushed, and its own pipeline passes. Slow: its jobs install packages, check types and build. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { api, until } from '../support/api.ts';
import { openWindow, screenshot, withBrowser } from '../support/browser.ts';
import { git, run } from '../support/git.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { cloneOwnRepository } from '../support/own-repository.ts';
import { type Job, type Pipeline, type Project, passes } from '../support/pipelines.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

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

export async function ownPipelineJourney(suite: Suite): Promise<void> {
  const instance = await startInstance();
  const work = mkdtempSync(join(tmpdir(), 'mr-own-pipeline-'));
  try {
    await pipelineOf(suite, instance.url, work);
  } finally {
    await instance.stop();
    instance.remove();
    rmSync(work, { recursive: true, force: true });
  }
}

async function pipelineOf(suite: Suite, url: string, work: string): Promise<void> {
  const root = api(url, rootToken);
  const project = await root.expect<Project>(201, 'POST', '/projects', { name: 'Millrace', path: 'millrace' });
  const at = `/projects/${project.id}`;
  for (const variable of operatorVariables()) await root.expect(201, 'POST', `${at}/variables`, variable);

  await suite.required('pushing this repository starts its pipeline by itself', async () => {
    const clone = await cloneOwnRepository(work, project.http_url_to_repo, rootToken);
    const pushed = await run(clone, ['push', 'origin', 'HEAD:refs/heads/main']);
    assert.equal(pushed.code, 0, pushed.stderr);
    const pipeline = await until(
      'pipeline of the push',
      60,
      async () => (await root.expect<Pipeline[]>(200, 'GET', `${at}/pipelines?ref=main`))[0],
    );
    assert.deepEqual([pipeline.source, pipeline.sha], ['push', await git(clone, 'rev-parse', 'HEAD')]);
  });

  await suite.step('a log grows while its job runs', async () => {
    const job = await until(
      'a running job',
      60,
      async () => (await root.expect<Job[]>(200, 'GET', `${at}/jobs?scope[]=running`))[0],
    );
    const size = async () => String((await root.call<string>('GET', `${at}/jobs/${job.id}/trace`)).body).length;
    const before = await until('the first output', 60, async () => (await size()) || null);
    await until('more output', 120, async () => (await size()) > before);
  });

  await suite.step(
    "Millrace's own pipeline passes before one's eyes: lint, types, unit tests, bundle",
    async () => {
      const [pipeline] = await root.expect<Pipeline[]>(200, 'GET', `${at}/pipelines?ref=main`);
      if (!pipeline) assert.fail('no pipeline');
      let jobs: Job[] = [];
      await withBrowser(async (browser) => {
        const { page, problems } = await openWindow(browser, url);
        await signIn(page, { login: 'root', password: rootPassword });
        await page.goto(pipeline.web_url);
        const graph = page.getByRole('region', { name: 'Graph of jobs' });
        await graph.getByText('ci-config').waitFor();
        await screenshot(page, 'own-pipeline-running');
        jobs = await passes(root, project, pipeline, 900);
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
}
