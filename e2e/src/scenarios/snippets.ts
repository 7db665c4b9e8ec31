/** Snippets and environments on their pages: written, read, changed and deleted; what was deployed where. */
import assert from 'node:assert/strict';
import { type Api, api } from '../support/api.ts';
import { confirmAction, headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'kitchen/oven';

async function populated(call: Api): Promise<void> {
  const { id: namespace } = await call.expect<{ id: number }>(201, 'POST', '/groups', {
    name: 'Kitchen',
    path: 'kitchen',
  });
  await call.expect(201, 'POST', '/projects', {
    ...{ name: 'Oven', path: 'oven', namespace_id: namespace, initialize_with_readme: true },
  });
  const base = `/projects/${encodeURIComponent(project)}`;
  const { commit } = await call.expect<{ commit: { id: string } }>(200, 'GET', `${base}/repository/branches/main`);
  await call.expect(201, 'POST', `${base}/environments`, {
    ...{ name: 'production', external_url: 'https://oven.example', tier: 'production' },
  });
  await call.expect(201, 'POST', `${base}/environments`, {
    ...{ name: 'review/crust', external_url: 'https://crust.example' },
  });
  await call.expect(201, 'POST', `${base}/deployments`, {
    ...{ environment: 'production', sha: commit.id, ref: 'main', tag: false, status: 'success' },
  });
  const change = await call.expect<{ id: string }>(201, 'POST', `${base}/repository/commits`, {
    ...{ branch: 'yeast', start_branch: 'main', commit_message: 'Add yeast' },
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: 'rise: {script: [sleep 60]}\n' }],
  });
  await call.expect(201, 'POST', `${base}/merge_requests`, {
    ...{ source_branch: 'yeast', target_branch: 'main', title: 'Add yeast' },
  });
  await call.expect(201, 'POST', `${base}/environments`, {
    ...{ name: 'review/yeast', external_url: 'https://yeast.example' },
  });
  await call.expect(201, 'POST', `${base}/deployments`, {
    ...{ environment: 'review/yeast', sha: change.id, ref: 'yeast', tag: false, status: 'success' },
  });
  // Another system deploys this one: it has no pipeline.
  const salt = await call.expect<{ id: string }>(201, 'POST', `${base}/repository/commits`, {
    ...{ branch: 'salt', start_branch: 'main', commit_message: 'Add salt' },
    actions: [{ action: 'create', file_path: 'salt.md', content: 'A pinch.' }],
  });
  await call.expect(201, 'POST', `${base}/merge_requests`, {
    ...{ source_branch: 'salt', target_branch: 'main', title: 'Add salt' },
  });
  await call.expect(201, 'POST', `${base}/environments`, {
    ...{ name: 'review/salt', external_url: 'https://salt.example' },
  });
  await call.expect(201, 'POST', `${base}/deployments`, {
    ...{ environment: 'review/salt', sha: salt.id, ref: 'salt', tag: false, status: 'success' },
  });
}

export async function snippetsJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    await populated(api(instance.url, rootToken));
    await withBrowser(async (browser) => {
      const cook = await openWindow(browser, instance.url);
      const guest = await openWindow(browser, instance.url, { width: 390, dark: true });
      const { page } = cook;
      await signIn(page, { login: 'root', password: rootPassword });
      await suite.required('browser: a snippet of two files is written and shown', async () => {
        await page.goto('/-/snippets');
        await page.getByText('No snippets yet').waitFor();
        await page.getByRole('link', { name: 'New snippet' }).click();
        await headed(page, 'New snippet');
        await page.getByLabel('Title').fill('Sourdough');
        await page.getByLabel('Description').fill('Keep it **warm**.');
        await page.getByLabel('Name of file 1').fill('starter.js');
        await page.getByLabel('Contents of file 1').fill('const flour = 100;');
        await page.getByRole('button', { name: 'Add another file' }).click();
        await page.getByLabel('Name of file 2').fill('notes.md');
        await page.getByLabel('Contents of file 2').fill('Feed it daily.');
        await page.getByRole('radio', { name: 'Public' }).check();
        await page.getByRole('button', { name: 'Create snippet' }).click();
        await headed(page, 'Sourdough');
        await page.getByRole('region', { name: 'starter.js', exact: true }).getByText('flour').first().waitFor();
        await page.getByText('Feed it daily.').waitFor();
        await look(page, 'snippet');
      });
      const address = new URL(page.url()).pathname;
      await suite.step('browser: a public snippet is read without signing in, on a telephone', async () => {
        await guest.page.goto(address);
        await headed(guest.page, 'Sourdough');
        await guest.page.getByText('Feed it daily.').waitFor();
        assert.equal(await guest.page.getByRole('link', { name: 'Edit' }).count(), 0);
        await look(guest.page, 'snippet-narrow-dark');
      });
      await suite.step('browser: a file of a snippet is renamed and another one removed', async () => {
        await page.getByRole('link', { name: 'Edit', exact: true }).click();
        await headed(page, 'Edit Sourdough');
        // Files are in the order of their names.
        await page.getByLabel('Name of file 2').fill('levain.js');
        await page.getByRole('button', { name: 'Remove file 1' }).click();
        await page.getByRole('button', { name: 'Save changes' }).click();
        await page.getByRole('region', { name: 'levain.js', exact: true }).getByText('flour').first().waitFor();
        assert.equal(await page.getByText('Feed it daily.').count(), 0);
      });
      await suite.step('browser: a snippet is deleted', async () => {
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await confirmAction(page, 'Delete snippet');
        await page.getByText('No snippets yet').waitFor();
      });
      await suite.step('browser: snippets of a project are behind its own tab', async () => {
        await page.goto(`/${project}`);
        await page.getByRole('link', { name: 'Snippets', exact: true }).click();
        await page.getByText('No snippets yet').waitFor();
        await page.getByRole('link', { name: 'New snippet' }).click();
        await headed(page, 'New snippet');
        await page.getByLabel('Title').fill('Crust');
        await page.getByLabel('Name of file 1').fill('crust.txt');
        await page.getByLabel('Contents of file 1').fill('Steam first.');
        await page.getByRole('button', { name: 'Create snippet' }).click();
        await headed(page, 'Crust');
        await page.getByText('Steam first.').waitFor();
        assert.match(new URL(page.url()).pathname, /^\/kitchen\/oven\/-\/snippets\/\d+$/);
      });
      await suite.step('browser: environments tell what was deployed, and are stopped', async () => {
        await page.goto(`/${project}/-/pipelines`);
        await page.getByRole('link', { name: 'Environments', exact: true }).click();
        await headed(page, 'Environments');
        await page.getByText('Deployment #1 of').waitFor();
        await look(page, 'environments');
        await page.getByRole('link', { name: 'New environment' }).click();
        await headed(page, 'New environment');
        await page.getByRole('textbox', { name: 'Name', exact: true }).fill('qa/dough');
        await page.getByLabel('External URL').fill('https://dough.example');
        await look(page, 'new-environment');
        await page.getByRole('button', { name: 'Create environment' }).click();
        await headed(page, 'qa/dough');
        await page.getByText('No deployments').waitFor();
        await page.getByRole('link', { name: 'Edit', exact: true }).click();
        await headed(page, 'Edit qa/dough');
        await page.getByLabel('Kubernetes namespace').fill('bakery');
        await page.getByRole('button', { name: 'Save changes' }).click();
        await page.getByText('bakery').waitFor();
        await page.goto(`/${project}/-/environments`);
        await page.getByRole('link', { name: 'production', exact: true }).click();
        await headed(page, 'production');
        await page.getByText('API', { exact: true }).waitFor();
        assert.equal(await page.getByRole('link', { name: 'View app' }).getAttribute('href'), 'https://oven.example');
        await look(page, 'environment');
        await page.goBack();
        await headed(page, 'Environments');
        await page.getByRole('button', { name: 'Stop review/crust' }).click();
        await confirmAction(page, 'Stop environment');
        await page.getByText('review/crust').waitFor({ state: 'detached' });
        await page.goto(`/${project}/-/environments?state=stopped`);
        await page.getByText('review/crust').waitFor();
        assert.equal(await page.getByRole('link', { name: /View app/ }).count(), 0);
        await page.goto(`/${project}/-/merge_requests/1`);
        const link = page.getByRole('link', { name: 'View app in review/yeast' });
        assert.equal(await link.getAttribute('href'), 'https://yeast.example');
        await look(page, 'merge-request-deployments');
        await page.goto(`/${project}/-/merge_requests/2`);
        const salt = page.getByRole('link', { name: 'View app in review/salt' });
        assert.equal(await salt.getAttribute('href'), 'https://salt.example');
        assert.deepEqual([...cook.problems(), ...guest.problems()], []);
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
