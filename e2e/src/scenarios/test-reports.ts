/** A job leaves a JUnit report: the page of its pipeline shows which tests failed and why. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
import { counted, look } from '../support/browser.ts';
import { takeJob } from '../support/runner.ts';

const config = `rspec:
  script: rspec
  tags: [test-reports]
  artifacts: {reports: {junit: rspec.xml}}
`;
const passing = Array.from(
  { length: 130 },
  (_item, at) => `<testcase classname="ring" name="rings ${at}" time="0.1"/>`,
);
const report = `<testsuites><testsuite name="bell">
  <testcase classname="spec.clapper" name="swings on both sides" file="spec/clapper_spec.rb" time="12.4">
    <failure message="expected 2, got 1">expected 2, got 1
at spec/clapper_spec.rb:12</failure>
  </testcase>
  <testcase classname="spec.clapper" name="falls off"><skipped/></testcase>
  ${passing.join('\n')}
</testsuite></testsuites>`;

type Pipeline = { id: number; status: string };

/** Takes the job as a runner does, leaves its report, and lets it fail. */
async function runJob(call: Api, url: string, projectId: number): Promise<void> {
  const job = await takeJob(call, url, { projectId, tag: 'test-reports' });
  await job.upload('junit', report);
  await job.end('failed', { failure_reason: 'script_failure', exit_code: 1 });
}

export async function failedTests(page: Page, call: Api, url: string, project: string): Promise<void> {
  const id = encodeURIComponent(project);
  const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: config }];
  const commit = { branch: 'tested', start_branch: 'main', commit_message: 'Test the bell', actions };
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, commit);
  const pipeline = await until(
    'the pipeline',
    60,
    async () => (await call.expect<Pipeline[]>(200, 'GET', `/projects/${id}/pipelines?ref=tested`))[0],
  );
  await page.goto(`/${project}/-/pipelines/${pipeline.id}`);
  await page.getByRole('region', { name: 'Graph of jobs' }).waitFor();
  const { id: number } = await call.expect<{ id: number }>(200, 'GET', `/projects/${id}`);
  await runJob(call, url, number);
  // The page that is open follows.
  const tab = page.getByRole('link', { name: 'Tests 132 · 1 failed' });
  await tab.waitFor();
  await look(page, 'pipeline-with-tests');
  await tab.click();
  await page.waitForURL(/\/pipelines\/\d+\/test_report$/);
  const suite = page.getByRole('region', { name: 'rspec' });
  const failed = suite.getByRole('list', { name: 'Failed tests of rspec' });
  await failed.getByText('swings on both sides').waitFor();
  await counted(failed.getByRole('listitem'), 1);
  await failed.getByText('Output').click();
  await failed.getByText('at spec/clapper_spec.rb:12').waitFor();
  await suite.getByText('130 passed, 1 skipped', { exact: true }).click();
  const others = suite.getByRole('list', { name: 'Other tests of rspec' });
  await others.getByText('rings 99').waitFor();
  assert.equal(await others.getByText('rings 100').count(), 0);
  await suite.getByRole('button', { name: 'Show more' }).click();
  await others.getByText('falls off').waitFor();
  await suite.getByText('130 passed, 1 skipped', { exact: true }).click();
  await look(page, 'pipeline-tests');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'pipeline-tests-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.reload();
  await failed.getByText('swings on both sides').waitFor();
}
