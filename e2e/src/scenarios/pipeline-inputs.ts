/** A pipeline is run with inputs, on the page that offers what the configuration declares. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
import { look } from '../support/browser.ts';

const config = `spec:
  inputs:
    environment: {options: [test, production], default: test, description: Where it goes}
    size:
      description: Of the machine
      rules:
        - {if: '$[[ inputs.environment ]] == "production"', options: [large, huge], default: large}
        - {options: [small], default: small}
    replicas: {type: number, default: 2}
    verbose: {type: boolean, default: false}
    targets: {type: array, default: [web]}
    version: {regex: '^v[0-9]', description: What is deployed}
---
variables:
  REASON: {description: Why it is deployed}
  PACE: {value: slow, options: [slow, fast], description: How much at a time}
deploy-$[[ inputs.environment ]]-$[[ inputs.size ]]-$[[ inputs.version ]]:
  script: echo $[[ inputs.targets ]]
  parallel: $[[ inputs.replicas ]]
  allow_failure: $[[ inputs.verbose ]]
  tags: [nobody]
`;

export async function runWithInputs(page: Page, call: Api, project: string): Promise<void> {
  const id = encodeURIComponent(project);
  const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: config }];
  const commit = { branch: 'inputs', start_branch: 'main', commit_message: 'Declare inputs [ci skip]', actions };
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, commit);
  await page.goto(`/${project}/-/pipelines/new`);
  await page.getByRole('button', { name: 'Run for branch or tag' }).click();
  await page.getByRole('option', { name: 'inputs' }).click();
  // Also while an input that is required has no value.
  await page.getByRole('textbox', { name: 'REASON', exact: true }).fill('Spring tide');
  await page.getByRole('textbox', { name: 'version', exact: true }).fill('v1');
  await page.getByRole('combobox', { name: 'environment', exact: true }).click();
  await page.getByRole('option', { name: 'production' }).click();
  // Its options follow the environment.
  const size = page.getByRole('combobox', { name: 'size', exact: true });
  await until('the size of production', 60, async () => (await size.inputValue()) === 'large');
  await size.click();
  await page.getByRole('option', { name: 'huge' }).click();
  await page.getByRole('combobox', { name: 'verbose', exact: true }).click();
  await page.getByRole('option', { name: 'true' }).click();
  await page.getByRole('textbox', { name: 'targets', exact: true }).fill('["web", "api"]');
  await page.getByRole('combobox', { name: 'PACE', exact: true }).click();
  await page.getByRole('option', { name: 'fast' }).click();
  await look(page, 'run-pipeline-inputs');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'run-pipeline-inputs-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('button', { name: 'Run pipeline' }).click();
  await page.waitForURL(/\/pipelines\/\d+$/);
  await page.getByRole('link', { name: 'Declare inputs [ci skip]' }).waitFor();
  await look(page, 'pipeline-with-title');
  const pipeline = Number(/\d+$/.exec(page.url())?.[0]);
  const made = await call.expect<{ source: string }>(200, 'GET', `/projects/${id}/pipelines/${pipeline}`);
  assert.equal(made.source, 'web');
  const variables = await call.expect<{ key: string; value: string }[]>(
    200,
    'GET',
    `/projects/${id}/pipelines/${pipeline}/variables`,
  );
  assert.deepEqual(variables.map(({ key, value }) => `${key}=${value}`).sort(), ['PACE=fast', 'REASON=Spring tide']);
  type Job = { name: string; allow_failure: boolean };
  const jobs = await call.expect<Job[]>(200, 'GET', `/projects/${id}/pipelines/${pipeline}/jobs`);
  assert.deepEqual(jobs.map(({ name }) => name).sort(), [
    'deploy-production-huge-v1 1/2',
    'deploy-production-huge-v1 2/2',
  ]);
  assert.ok(jobs.every(({ allow_failure }) => allow_failure));
  await scheduleWithVariables(page, call, project);
}

/** A schedule is asked for the same variables; what is as the configuration says is not stored. */
async function scheduleWithVariables(page: Page, call: Api, project: string): Promise<void> {
  const schedules = `/projects/${encodeURIComponent(project)}/pipeline_schedules`;
  await page.goto(`/${project}/-/pipeline_schedules/new`);
  await page.getByRole('textbox', { name: 'Description' }).fill('Spring tides');
  await page.getByRole('button', { name: 'Run for branch or tag' }).click();
  await page.getByRole('option', { name: 'inputs' }).click();
  await page.getByRole('textbox', { name: 'REASON', exact: true }).fill('Spring tide');
  await page.getByRole('textbox', { name: 'version', exact: true }).fill('v1');
  await page.getByRole('combobox', { name: 'PACE', exact: true }).click();
  await page.getByRole('option', { name: 'fast' }).click();
  await look(page, 'schedule-variables');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByRole('link', { name: 'Spring tides' }).click();
  const pace = page.getByRole('combobox', { name: 'PACE', exact: true });
  await until('the stored value', 60, async () => (await pace.inputValue()) === 'fast');
  await pace.click();
  await page.getByRole('option', { name: 'slow' }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('link', { name: 'Spring tides' }).waitFor();
  const [made] = await call.expect<{ id: number }[]>(200, 'GET', schedules);
  const { variables } = await call.expect<{ variables: { key: string; value: string }[] }>(
    200,
    'GET',
    `${schedules}/${made?.id}`,
  );
  assert.deepEqual(
    variables.map(({ key, value }) => `${key}=${value}`),
    ['REASON=Spring tide'],
  );
  await call.expect(200, 'DELETE', `${schedules}/${made?.id}`);
}
