/** What pipelines deliver, on its pages: packages, feature flags, deployments that wait for approvals. Steps of `pipeline-pages`. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
import { look } from '../support/browser.ts';
import { rootToken } from '../support/instance.ts';

/** Published as a job does it, found, downloaded and deleted on the page. */
export async function packages(page: Page, project: string): Promise<void> {
  await page.goto(`/${project}/-/packages`);
  await page.getByText('No packages yet').waitFor();
  await look(page, 'packages-empty');
  const { origin } = new URL(page.url());
  const published = await fetch(
    `${origin}/api/v4/projects/${encodeURIComponent(project)}/packages/generic/tide-tables/1.0.0/docs%2Fnorth.txt`,
    { method: 'PUT', headers: { 'PRIVATE-TOKEN': rootToken }, body: 'high at noon' },
  );
  assert.equal(published.status, 201);
  await page.reload();
  await look(page, 'packages');
  await page.getByRole('list', { name: 'Packages' }).getByRole('link', { name: 'tide-tables' }).click();
  const file = page.getByRole('list', { name: 'Files' }).getByRole('link', { name: 'docs/north.txt' });
  await file.waitFor();
  await look(page, 'package');
  const download = await page.request.get(new URL((await file.getAttribute('href')) ?? '', origin).href);
  assert.equal(await download.text(), 'high at noon');
  await page.getByRole('button', { name: 'Delete package' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete package' }).click();
  await page.getByText('No packages yet').waitFor();
}

/** As an Unleash client asks: by the address and the instance ID that the page shows. */
export async function featureFlags(page: Page, project: string): Promise<void> {
  await page.goto(`/${project}/-/feature_flags`);
  await page.getByRole('button', { name: 'New feature flag' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('night_tide');
  await form.getByRole('textbox', { name: 'Environments' }).fill('production, review/*');
  await look(page, 'feature-flag-form');
  await form.getByRole('button', { name: 'Create feature flag' }).click();
  const list = page.getByRole('list', { name: 'Feature flags' });
  await list.getByText('All users: production, review/*').waitFor();
  await page.getByRole('button', { name: 'Generate instance ID' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Generate', exact: true }).click();
  await page.getByRole('button', { name: 'Copy Instance ID' }).waitFor();
  await look(page, 'feature-flags');
  const [url, instanceId] = await page.locator('section code').allTextContents();
  const asked = async (environment: string) => {
    const headers = { 'UNLEASH-INSTANCEID': String(instanceId), 'UNLEASH-APPNAME': environment };
    const answer = await fetch(`${url}/client/features`, { headers });
    assert.equal(answer.status, 200);
    return ((await answer.json()) as { features: { name: string; enabled: boolean }[] }).features;
  };
  const states = async () => (await asked('production')).map(({ name, enabled }) => [name, enabled]);
  assert.deepEqual(await states(), [['night_tide', true]]);
  await list.getByRole('switch', { name: 'night_tide is active' }).press('Space');
  await until('the flag is off', 30, async () => (await states())[0]?.[1] === false);
  await list.getByRole('button', { name: 'Delete night_tide' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete feature flag' }).click();
  await page.getByText('No feature flags yet').waitFor();
}

const guarded = `deploy: {script: make deploy, environment: quay}
`;

/** A deployment that waits for two people, approved for the rule of one of them. */
export async function deploymentReview(page: Page, call: Api, project: string): Promise<void> {
  const id = encodeURIComponent(project);
  const root = await call.expect<{ id: number; name: string }>(200, 'GET', '/user');
  await call.expect(200, 'PUT', `/projects/${id}`, { allow_pipeline_trigger_approve_deployment: true });
  await call.expect(201, 'POST', `/projects/${id}/protected_environments`, {
    name: 'quay',
    deploy_access_levels: [{ access_level: 40 }],
    approval_rules: [
      { access_level: 40, required_approvals: 1 },
      { user_id: root.id, required_approvals: 1 },
    ],
  });
  const actions = [{ action: 'update', file_path: '.gitlab-ci.yml', content: guarded }];
  const commit = { branch: 'guarded', start_branch: 'main', commit_message: 'Deploy to the quay', actions };
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, commit);
  const deployment = await until('the blocked deployment', 60, async () => {
    const path = `/projects/${id}/deployments?environment=quay`;
    const [found] = await call.expect<{ environment: { id: number }; status: string }[]>(200, 'GET', path);
    return found?.status === 'blocked' ? found : null;
  });
  await page.goto(`/${project}/-/environments/${deployment.environment.id}`);
  const list = page.getByRole('list', { name: 'Deployments' });
  await list.getByText('Needs 1 approval from Maintainers').waitFor();
  await page.getByRole('button', { name: 'Review deployment #1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Review deployment #1' });
  await dialog.getByRole('combobox', { name: 'Approve as' }).selectOption(root.name);
  await dialog.getByRole('textbox', { name: 'Comment' }).fill('Tide is right');
  await look(page, 'deployment-review');
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
  await list.getByText(`Approved by ${root.name}: Tide is right`).waitFor();
  await list.getByText('Needs 1 approval from Maintainers').waitFor();
  assert.equal(await list.getByText(`Needs 1 approval from ${root.name}`).count(), 0);
  await look(page, 'deployment-reviewed');
}
