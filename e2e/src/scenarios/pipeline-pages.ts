/** Pages around pipelines: schedules, trigger tokens, packages, feature flags, the filters of the list, graphs with children, manual and failed jobs, reports, charts, the editor. Slow: pipelines run to the state that is looked at. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { look, openWindow, valued, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { takeJob } from '../support/runner.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';
import { deploymentReview, featureFlags, packages } from './delivery-pages.ts';

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
moor: {stage: deploy, needs: [], script: make moor, when: delayed, start_in: 1 day}
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
  await page.getByRole('link', { name: 'survey', exact: true }).waitFor();
  await look(page, 'pipeline-children');
  await page.getByText('By needs').click();
  await page.waitForURL(/graph=needs/);
  await graph.getByRole('heading', { name: 'deploy' }).waitFor({ state: 'detached' });
  await look(page, 'pipeline-by-needs');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'pipeline-by-needs-390');
  await page.setViewportSize({ width: 1280, height: 900 });
}

/** A waiting job says why, beside the jobs of its own stage alone: its pipeline's children have one of the same name. */
async function waitingJob(page: Page, call: Api, pipeline: number): Promise<void> {
  const jobs = await call.expect<Job[]>(200, 'GET', `/projects/${id}/pipelines/${pipeline}/jobs`);
  await page.goto(`/${project}/-/pipelines/${pipeline}`);
  const stuck = page.getByRole('alert', { name: /^No runner can take/ }).filter({ hasText: 'build' });
  await stuck.getByRole('link', { name: 'Manage runners' }).waitFor();
  await look(page, 'pipeline-without-runner');
  await stuck.getByRole('link', { name: 'build' }).click();
  await page.waitForURL(`**/-/jobs/${jobs.find(({ name }) => name === 'build')?.id}`);
  await page.getByText('No runner can take this job').waitFor();
  await look(page, 'job-without-runner');
  await page.goto(`/${project}/-/jobs?status=pending`);
  await page
    .getByRole('list', { name: 'Jobs' })
    .getByText(/^No runner /)
    .first()
    .waitFor();
  await look(page, 'jobs-without-runner');
  await page.goto(`/${project}/-/jobs/${jobs.find(({ name }) => name === 'docs')?.id}`);
  const beside = page.getByRole('complementary', { name: 'About this job' });
  await beside.getByRole('link', { name: 'unit' }).waitFor();
  assert.deepEqual(await beside.getByRole('listitem').getByRole('link').allInnerTexts(), ['unit', 'docs']);
}

async function manualJob(page: Page, call: Api, pipeline: number): Promise<void> {
  const jobs = () => call.expect<Job[]>(200, 'GET', `/projects/${id}/pipelines/${pipeline}/jobs`);
  const moor = (await jobs()).find(({ name }) => name === 'moor');
  await page.goto(`/${project}/-/jobs/${moor?.id}`);
  const unschedule = page.getByRole('button', { name: 'Unschedule' });
  await unschedule.click();
  await unschedule.waitFor({ state: 'detached' });
  assert.equal((await jobs()).find(({ name }) => name === 'moor')?.status, 'manual');
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
  const { pipeline } = await call.expect<{ pipeline: { id: number } }>(200, 'GET', `/projects/${id}/jobs/${runner.id}`);
  await page.goto(`/${project}/-/pipelines/${pipeline.id}`);
  await page.getByRole('list', { name: 'Failed jobs' }).getByText('The script failed. Exit code 2.').waitFor();
  await look(page, 'pipeline-failed');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'pipeline-failed-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`/${project}/-/pipelines`);
  await page.getByText('Failed: build').first().waitFor();
  await look(page, 'pipelines-failed');
  await page.getByText('Failed: build').first().getByRole('link', { name: 'build' }).click();
  await page.waitForURL(`**/-/jobs/${runner.id}`);
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
  await page.getByRole('button', { name: 'Retry with variables …' }).click();
  const form = page.getByRole('dialog', { name: 'Retry build' });
  await form.getByRole('button', { name: 'Add variable' }).click();
  await form.getByRole('textbox', { name: 'Name of the variable' }).fill('VERBOSE');
  await form.getByRole('textbox', { name: 'Value of the variable' }).fill('1');
  await look(page, 'job-retry-variables');
  await form.getByRole('button', { name: 'Retry', exact: true }).click();
  await form.waitFor({ state: 'hidden' });
  await page.waitForURL((at) => at.pathname.endsWith(`/-/jobs/${runner.id}`) === false);
}

const measured = `measure:
  script: make measure
  tags: [measured]
  artifacts:
    expose_as: Berth plan
    paths: [plan.txt]
    reports:
      junit: a.xml
      coverage_report: {coverage_format: cobertura, path: c.xml}
      codequality: q.json
      terraform: t.json
      metrics: m.txt
      browser_performance: b.json
      load_performance: l.json
`;
const pageScore = (value: number) =>
  JSON.stringify([{ subject: '/berths', metrics: [{ name: 'Total Score', value, desiredSize: 'larger' }] }]);
const loadRate = (rate: number) => JSON.stringify({ metrics: { http_reqs: { rate } } });
const finding = (fingerprint: string, description: string) => ({
  ...{ fingerprint, description, severity: 'major', location: { path: 'src/berth.ts', lines: { begin: 2 } } },
});

/** A job on the default branch, then one of a merge request, each with its reports. */
async function reports(page: Page, call: Api, url: string): Promise<void> {
  const { id: projectId } = await call.expect<{ id: number }>(200, 'GET', `/projects/${id}`);
  const commit = (branch: string, actions: object[], more: object = {}) =>
    call.expect(201, 'POST', `/projects/${id}/repository/commits`, {
      ...{ branch, commit_message: `Measure ${branch}`, actions, ...more },
    });
  const run = async (state: 'success' | 'failed', left: Readonly<Record<string, string>>) => {
    const job = await takeJob(call, url, { projectId, tag: 'measured' });
    for (const [type, content] of Object.entries(left)) await job.upload(type, content);
    await job.archive('plan.txt', 'Two berths');
    await job.end(state, state === 'failed' ? { failure_reason: 'script_failure', exit_code: 1 } : {});
  };
  const suite = (...failed: string[]) =>
    `<testsuite name="s">${['tide', 'berth', 'crane']
      .map(
        (name) =>
          `<testcase name="${name}">${failed.includes(name) ? '<failure>wrong depth</failure>' : ''}</testcase>`,
      )
      .join('')}</testsuite>`;
  await commit('main', [{ action: 'update', file_path: '.gitlab-ci.yml', content: measured }]);
  await run('failed', {
    junit: suite('berth'),
    codequality: JSON.stringify([finding('1', 'Old finding'), finding('2', 'Fixed finding')]),
    metrics: 'size 10\n',
    browser_performance: pageScore(92),
    load_performance: loadRate(40),
  });
  const code = 'export const berth = 1;\nexport const crane = 2;\nexport const tide = 3;\n';
  await commit('measured', [{ action: 'create', file_path: 'src/berth.ts', content: code }], { start_branch: 'main' });
  const request = { source_branch: 'measured', target_branch: 'main', title: 'Measure the berths' };
  const { iid } = await call.expect<{ iid: number }>(201, 'POST', `/projects/${id}/merge_requests`, request);
  await run('failed', {
    junit: suite('tide'),
    codequality: JSON.stringify([finding('1', 'Old finding'), finding('3', 'Deep nesting')]),
    metrics: 'size 12\n',
    browser_performance: pageScore(88),
    load_performance: loadRate(50),
    terraform: '{"create": 1, "update": 2, "delete": 0}',
    cobertura:
      '<coverage><class filename="src/berth.ts"><line number="1" hits="4"/><line number="2" hits="0"/></class></coverage>',
  });
  const stored = (name: string) =>
    call.expect<{ head_pipeline_id: number | null }>(200, 'GET', `/projects/${id}/merge_requests/${iid}/${name}`);
  for (const name of [
    'test_reports',
    'coverage_reports',
    'codequality_reports',
    'terraform_reports',
    'metrics_reports',
    'browser_performance_reports',
    'load_performance_reports',
  ])
    await until(name, 60, async () => (await stored(name)).head_pipeline_id);
  await page.goto(`/${project}/-/merge_requests/${iid}`);
  const rows = page.getByRole('group', { name: 'Reports' });
  await rows.getByText('1 failed, 1 fixed, 3 tests').click();
  await rows.getByRole('region', { name: 'New failures' }).getByText('tide').waitFor();
  await rows.getByRole('region', { name: 'Fixed', exact: true }).getByText('berth').waitFor();
  await rows.getByText('1 new finding, 1 fixed').click();
  await rows.getByText('Deep nesting').waitFor();
  await rows.getByText('1 plan').click();
  await rows.getByText('1 to create, 2 to change, 0 to delete').waitFor();
  await rows.getByText('1 changed metric').click();
  await rows.getByText('10 → 12').waitFor();
  await rows.getByText('1 degraded').click();
  await rows.getByText('92 → 88').waitFor();
  await rows.getByText('1 improved').click();
  await rows.getByText('40 → 50').waitFor();
  await rows.getByText('1 exposed artifact').click();
  await look(page, 'merge-request-reports');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'merge-request-reports-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await rows.getByRole('link', { name: 'Berth plan' }).click();
  await page.getByText('Two berths').waitFor();
  await page.goto(`/${project}/-/merge_requests/${iid}/diffs`);
  await page.getByTitle('Covered by tests (4 hits)').waitFor();
  await page.getByTitle('Not covered by tests').waitFor();
  await page.getByRole('list', { name: 'Code quality of line 2' }).getByText('Deep nesting').waitFor();
  await look(page, 'merge-request-coverage');
  await page.goto(`/${project}/-/pipelines/tests`);
  await page.getByRole('list', { name: 'Failed tests' }).getByText('tide').waitFor();
  await look(page, 'failed-tests');
  await page.getByRole('checkbox', { name: 'Only flaky tests' }).click();
  await page.getByText('No flaky tests').waitFor();
}

async function charts(page: Page): Promise<void> {
  await page.goto(`/${project}/-/pipelines/charts`);
  await page.getByRole('img', { name: /^Pipelines by day: / }).waitFor();
  await page.getByText('Success rate').waitFor();
  const outside = `(() => {
    const chart = document.querySelector('svg[aria-label^="Pipelines by day"]');
    const axis = chart.querySelector('line').getBoundingClientRect();
    const bars = [...chart.querySelectorAll('rect')].map((bar) => bar.getBoundingClientRect());
    return bars.length === 0 ? 'no bars' : bars.filter(({ left, right }) => left < axis.left - 1 || right > axis.right + 1).length;
  })()`;
  assert.equal(await page.evaluate(outside), 0, 'bars outside the axis');
  await look(page, 'pipeline-charts');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'pipeline-charts-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('combobox', { name: 'Period' }).selectOption({ label: 'Last 90 days' });
  await page.waitForURL(/days=90/);
}

async function editor(page: Page): Promise<void> {
  await page.goto(`/${project}/-/ci/editor`);
  const text = page.getByLabel('Configuration');
  // What is typed before the editor is there stays, and so does the caret.
  await text.pressSequentially('stages: ');
  await page.locator('.cm-content:focus').waitFor();
  await text.pressSequentially('[survey');
  await valued(text, /^stages: \[survey/);
  await text.fill('stages: [survey, dig]\nsound:\n  stage: di');
  await text.press('Control+Space');
  // What is offered while it is asked again cannot be taken.
  const offered = page
    .locator('.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)')
    .getByRole('listbox', { name: 'Suggestions' });
  await offered.getByRole('option', { name: 'dig' }).waitFor();
  await text.press('Enter');
  // The next line is indented by the editor.
  await text.pressSequentially('\nscr');
  await offered.getByRole('option', { name: 'script' }).waitFor();
  await look(page, 'pipeline-editor');
  await text.press('Tab');
  await text.pressSequentially('make');
  await valued(text, 'stages: [survey, dig]\nsound:\n  stage: dig\n  script: make');
  await page.getByRole('button', { name: 'Validate' }).click();
  await page.getByText('The configuration is valid.').waitFor();
  await page.getByRole('textbox', { name: 'Branch' }).fill('edited');
  await page.getByRole('button', { name: 'Commit changes' }).click();
  await page.getByText('Committed as').waitFor();
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
  await list.getByText(/^Last run/).waitFor();
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
  const other = { description: 'Ebb watch', ref: 'main', cron: '0 5 * * *', active: false };
  await call.expect(201, 'POST', `/projects/${id}/pipeline_schedules`, other);
  await list.getByText('Ebb watch').waitFor();
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
      await step('a feature flag is created, asked for by a client, switched off and deleted', () =>
        featureFlags(page, project),
      );
      await step('a package is published, found, downloaded and deleted', () => packages(page, project));
      await step('pipelines are filtered by source and author, in the address', () => filters(page));
      const pipeline = await nestedPipeline(call);
      await step('the graph of a pipeline goes by stage or needs, with its children', () => graphs(page, pipeline));
      await step('a waiting job says why, beside those of its stage', () => waitingJob(page, call, pipeline));
      await step('a manual job asks, and takes inputs and variables', () => manualJob(page, call, pipeline));
      await step('a failed job says why; its log wraps, downloads and fills the screen', () =>
        failedJob(page, call, instance.url),
      );
      await step('reports of a merge request are compared with its target branch', () =>
        reports(page, call, instance.url),
      );
      await step('a deployment is approved for one of its rules, with a comment', () =>
        deploymentReview(page, call, project),
      );
      await step('charts show outcomes and durations of pipelines', () => charts(page));
      await step('the editor suggests keywords, validates and commits', () => editor(page));
      await close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
