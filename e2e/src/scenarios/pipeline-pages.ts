/** Pages around pipelines: schedules, trigger tokens, the filters of the list, graphs with children, manual and failed jobs. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { takeJob } from '../support/runner.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'root/harbour';
const id = encodeURIComponent(project);

const config = `stages: [build, test, deploy]
build:
  stage: build
  script: make
unit:
  stage: test
  needs: [build]
  script: make test
lint:
  stage: test
  needs: []
  script: make lint
deploy:
  stage: deploy
  needs: [unit, lint]
  script: make deploy
`;

const nested = `stages: [build, test, deploy]
build:
  stage: build
  script: make
  tags: [pipeline-pages]
unit:
  stage: test
  needs: [build]
  script: make test
docs:
  stage: test
  needs: []
  script: make docs
children:
  stage: test
  needs: []
  trigger: {include: child.yml}
deploy:
  stage: deploy
  needs: []
  script: echo "$DEPTH"
  when: manual
  manual_confirmation: Ships in the harbour will be moved. Continue?
  inputs:
    berths: {type: number, default: 2, description: Berths to use}
`;
const child = `survey: {script: make survey}
draw: {script: make draw, needs: [survey]}
`;

type Job = { id: number; name: string; status: string; inputs?: { name: string; value: unknown }[] };

async function nestedPipeline(call: Api): Promise<number> {
  const actions = [
    { action: 'update', file_path: '.gitlab-ci.yml', content: nested },
    { action: 'create', file_path: 'child.yml', content: child },
  ];
  const commit = { branch: 'nested', start_branch: 'main', commit_message: 'Survey the harbour', actions };
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, commit);
  return await until('the child pipeline', 60, async () => {
    const [pipeline] = await call.expect<{ id: number }[]>(
      200,
      'GET',
      `/projects/${id}/pipelines?ref=nested&source=push`,
    );
    if (!pipeline) return null;
    const bridges = await call.expect<{ downstream_pipeline: unknown }[]>(
      200,
      'GET',
      `/projects/${id}/pipelines/${pipeline.id}/bridges`,
    );
    return bridges[0]?.downstream_pipeline ? pipeline.id : null;
  });
}

async function graphs(page: Page, pipeline: number): Promise<void> {
  await page.goto(`/${project}/-/pipelines/${pipeline}`);
  const graph = page.getByRole('region', { name: `Graph of jobs of pipeline #${pipeline}`, exact: true });
  await graph.getByRole('heading', { name: 'deploy' }).waitFor();
  await graph.getByRole('link', { name: 'children' }).waitFor();
  assert.equal(await graph.getByText('survey').count(), 0);
  await page.getByRole('button', { name: 'Show jobs of children' }).click();
  await page.getByRole('link', { name: 'survey' }).waitFor();
  await look(page, 'pipeline-children');
  await page.getByText('By needs').click();
  await page.waitForURL(/graph=needs/);
  await graph.getByRole('heading', { name: 'deploy' }).waitFor({ state: 'detached' });
  await look(page, 'pipeline-by-needs');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'pipeline-by-needs-390');
  await page.setViewportSize({ width: 1280, height: 900 });
}

async function manualJob(page: Page, call: Api, pipeline: number): Promise<void> {
  const jobs = () => call.expect<Job[]>(200, 'GET', `/projects/${id}/pipelines/${pipeline}/jobs`);
  const deploy = (await jobs()).find(({ name }) => name === 'deploy');
  await page.goto(`/${project}/-/jobs/${deploy?.id}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Run deploy?' });
  await question.getByText('Ships in the harbour will be moved.').waitFor();
  await look(page, 'job-confirmation');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Run with inputs or variables …' }).click();
  const form = page.getByRole('dialog', { name: 'Run deploy' });
  await form.getByRole('textbox', { name: 'berths' }).fill('3');
  await form.getByRole('button', { name: 'Add variable' }).click();
  await form.getByRole('textbox', { name: 'Name of the variable' }).fill('DEPTH');
  await form.getByRole('textbox', { name: 'Value of the variable' }).fill('9');
  await look(page, 'job-inputs');
  await form.getByRole('button', { name: 'Run', exact: true }).click();
  await form.waitFor({ state: 'hidden' });
  const started = (await jobs()).find(({ name }) => name === 'deploy');
  assert.equal(started?.status, 'pending');
  assert.deepEqual(
    started?.inputs?.map(({ name, value }) => [name, value]),
    [['berths', 3]],
  );
}

async function failedJob(page: Page, call: Api, url: string): Promise<void> {
  const { id: number } = await call.expect<{ id: number }>(200, 'GET', `/projects/${id}`);
  const runner = await takeJob(call, url, { projectId: number, tag: 'pipeline-pages' });
  const text = `compiling\n${'a very long line '.repeat(60)}\ncc: fatal error: no input files\nERROR: Job failed: exit code 2\n`;
  await runner.log(text);
  await runner.end('failed', { failure_reason: 'script_failure', exit_code: 2 });
  await page.goto(`/${project}/-/jobs/${runner.id}`);
  const reason = page.getByRole('status').filter({ hasText: 'The script failed. Exit code 2.' });
  await reason.getByText('cc: fatal error: no input files').waitFor();
  await look(page, 'job-failed');
  await reason.getByRole('link', { name: 'line 3' }).click();
  await page.waitForURL(/#L3$/);
  const wrap = page.getByRole('button', { name: 'Wrap lines' });
  assert.equal(await wrap.getAttribute('aria-pressed'), 'true');
  await wrap.click();
  assert.equal(await wrap.getAttribute('aria-pressed'), 'false');
  await look(page, 'job-unwrapped');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the log' }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^build-\d+\.log$/);
  await page.getByRole('button', { name: 'Full screen', exact: true }).click();
  await page.getByRole('button', { name: 'Exit full screen' }).waitFor();
  await page.getByRole('button', { name: 'Exit full screen' }).click();
  await page.getByRole('button', { name: 'Full screen', exact: true }).waitFor();
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'job-failed-390');
  await page.setViewportSize({ width: 1280, height: 900 });
}

async function populated(call: Api): Promise<void> {
  await call.expect(201, 'POST', '/projects', { name: 'Harbour', initialize_with_readme: true });
  const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: config }];
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Build the harbour', actions },
  });
}

async function schedules(page: Page, call: Api): Promise<void> {
  await page.goto(`/${project}/-/pipeline_schedules`);
  await page.getByText('No schedules yet').waitFor();
  await page.getByRole('link', { name: 'New schedule' }).click();
  await page.getByRole('textbox', { name: 'Description' }).fill('Nightly dredging');
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('61 * * * *');
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.getByRole('textbox', { name: 'Name of the variable' }).fill('DEPTH');
  await page.getByRole('textbox', { name: 'Value of the variable' }).fill('12');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByText('is invalid syntax').waitFor();
  await page.getByRole('combobox', { name: 'Interval' }).selectOption({ label: 'Every week (Sunday at 4:00)' });
  await look(page, 'schedule-new');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  const list = page.getByRole('list', { name: 'Schedules' });
  await list.getByText('Nightly dredging').waitFor();
  type Schedule = { id: number; cron: string; variables: { key: string; value: string }[] };
  const stored = async (): Promise<Schedule> => {
    const [first] = await call.expect<Schedule[]>(200, 'GET', `/projects/${id}/pipeline_schedules`);
    return await call.expect<Schedule>(200, 'GET', `/projects/${id}/pipeline_schedules/${first?.id}`);
  };
  const made = await stored();
  assert.equal(made.cron, '0 4 * * 0');
  assert.deepEqual(
    made.variables.map(({ key, value }) => [key, value]),
    [['DEPTH', '12']],
  );
  await list.getByRole('button', { name: 'Run Nightly dredging' }).click();
  await list.getByText('Pipeline started.').waitFor();
  await look(page, 'schedules');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'schedules-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await list.getByRole('link', { name: 'Nightly dredging' }).click();
  await page.getByRole('textbox', { name: 'Value of the variable' }).fill('14');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await list.getByText('Nightly dredging').waitFor();
  assert.equal((await stored()).variables[0]?.value, '14');
  await list.getByRole('button', { name: 'Delete Nightly dredging' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete schedule' }).click();
  await page.getByText('No schedules yet').waitFor();
}

async function triggers(page: Page): Promise<void> {
  await page.goto(`/${project}/-/settings?part=triggers`);
  await page.getByRole('textbox', { name: 'Description' }).fill('Harbour master');
  await page.getByRole('button', { name: 'Create trigger token' }).click();
  const list = page.getByRole('list', { name: 'Trigger tokens' });
  await list.getByText('glptt-').waitFor();
  await look(page, 'trigger-tokens');
  await list.getByRole('button', { name: 'Delete Harbour master' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete trigger token' }).click();
  await page.getByText('No trigger tokens yet.').waitFor();
}

async function filters(page: Page): Promise<void> {
  await page.goto(`/${project}/-/pipelines?source=schedule`);
  const list = page.getByRole('list', { name: 'Pipelines' });
  await list.getByText('schedule, Administrator').waitFor();
  assert.equal(await list.getByText('push, Administrator').count(), 0);
  await page.getByRole('combobox', { name: 'Source' }).selectOption({ label: 'Any source' });
  await list.getByText('push, Administrator').waitFor();
  await page.getByRole('combobox', { name: 'Author' }).click();
  await page.getByRole('option', { name: 'root' }).click();
  await page.waitForURL(/username=root/);
  await look(page, 'pipelines-filtered');
  await page.goto(`/${project}/-/pipelines?username=nobody`);
  await page.getByText('No pipelines match your filter').waitFor();
}

export async function pipelinePagesJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    await populated(call);
    await withBrowser(async (browser) => {
      const { page, problems, close } = await openWindow(browser, instance.url);
      await signIn(page, { login: 'root', password: rootPassword });
      const step = (title: string, run: () => Promise<void>) =>
        suite.step(title, async () => {
          await run();
          // Refused forms are reported by the browser.
          assert.deepEqual(
            problems().filter((problem) => !problem.includes('400 (Bad Request)')),
            [],
          );
        });
      await step('a schedule is created, corrected, run, edited and deleted', () => schedules(page, call));
      await step('a trigger token is created and deleted', () => triggers(page));
      await step('pipelines are filtered by source and author, in the address', () => filters(page));
      const pipeline = await nestedPipeline(call);
      await step('the graph of a pipeline goes by stage or needs, with its children', () => graphs(page, pipeline));
      await step('a manual job asks, and takes inputs and variables', () => manualJob(page, call, pipeline));
      await step('a failed job says why; its log wraps, downloads and fills the screen', () =>
        failedJob(page, call, instance.url),
      );
      await close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
