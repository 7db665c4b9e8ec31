/** In a real browser: a project as an archive and back, and external status checks that a merge waits for. Slow: an export and an import run to their end. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { type Api, api } from '../support/api.ts';
import { confirmAction, look, openPart, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { startReceiver } from '../support/receiver.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

export async function transfersJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    await call.expect(200, 'PUT', '/application/settings', { allow_local_requests_from_web_hooks_and_services: true });
    await call.expect(201, 'POST', '/projects', { name: 'Tide', path: 'tide', initialize_with_readme: true });
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const { page } = person;
      await signIn(page, { login: 'root', password: rootPassword });
      await archive(suite, page);
      await address(suite, page, instance.url);
      await canceled(suite, page, instance.url);
      await lists(suite, page);
      await otherServers(suite, page, instance.url, call);
      await checks(suite, page, call);
      await person.close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}

async function lists(suite: Suite, page: Page): Promise<void> {
  await suite.step('imports are listed with how far they are, for their owner and for administrators', async () => {
    await page.goto('/projects/new');
    await page.getByRole('link', { name: 'Imports' }).click();
    await page.getByRole('heading', { name: 'Imports' }).waitFor();
    const list = page.getByRole('list', { name: 'Imports' });
    await list.getByText('root/tide-again').waitFor();
    await list.getByText(/^\d+ of \d+ records imported$/).waitFor();
    await look(page, 'imports');
    await openPart(page, '/admin/imports', 'Imports');
    await page.getByRole('list', { name: 'Imports' }).getByText('root/tide-again').waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await look(page, 'admin-imports-dark-390');
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize({ width: 1280, height: 900 });
  });
}

/** A Gitea with two repositories, whose code is that of a project here. */
async function giteaServer(source: string) {
  const row = (id: number, name: string) => ({
    ...{ id, name, full_name: `ada/${name}`, private: false, description: `The ${name}`, default_branch: 'main' },
    clone_url: `${source}/root/tide.git`,
  });
  const repositories = [row(5, 'buoy'), row(6, 'anchor')];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://gitea.test');
    const one = repositories.find(({ id }) => pathname === `/api/v1/repositories/${id}`);
    const known = request.headers.authorization === `token ${rootToken}`;
    const body = pathname === '/api/v1/user/repos' ? repositories : (one ?? []);
    response.writeHead(known ? 200 : 401, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

async function otherServers(suite: Suite, page: Page, url: string, call: Api): Promise<void> {
  await suite.step('repositories of another server are chosen and imported; a wrong token is told', async () => {
    const gitea = await giteaServer(url);
    try {
      await page.goto('/projects/new');
      await page.getByRole('link', { name: 'Import from another server' }).click();
      await page.getByLabel('Import from', { exact: true }).selectOption('gitea');
      await page.getByLabel('Server URL').fill(gitea.url);
      await page.getByRole('textbox', { name: 'Personal access token' }).fill('wrong');
      await page.getByRole('button', { name: 'List repositories' }).click();
      await page.getByText('Access denied to your Gitea account').waitFor();
      await page.getByRole('textbox', { name: 'Personal access token' }).fill(rootToken);
      await page.getByRole('button', { name: 'List repositories' }).click();
      await page.getByRole('checkbox', { name: 'ada/anchor' }).waitFor();
      await page.getByLabel('Filter repositories').fill('buoy');
      await page.getByRole('checkbox', { name: 'ada/buoy' }).check();
      await look(page, 'remote-import');
      await page.getByRole('button', { name: 'Import 1 repository' }).click();
      await page.getByRole('list', { name: 'Imports' }).getByText('root/buoy').waitFor();
    } finally {
      gitea.close();
    }
  });
  await suite.step('groups of another instance are chosen and transferred, with counts and failures', async () => {
    await call.expect(200, 'PUT', '/application/settings', { bulk_import_enabled: true });
    const { id } = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Harbour', path: 'harbour' });
    await call.expect(201, 'POST', `/groups/${id}/labels`, { name: 'tide', color: '#00ff00' });
    await call.expect(201, 'POST', '/groups', { name: 'Port', path: 'port' });
    await page.goto('/import/new');
    await page.getByLabel('Import from', { exact: true }).selectOption('gitlab:groups');
    await page.getByLabel('Server URL').fill(url);
    await page.getByRole('textbox', { name: 'Personal access token' }).fill(rootToken);
    await page.getByRole('button', { name: 'List groups' }).click();
    await page.getByRole('checkbox', { name: 'harbour' }).check();
    await page.getByLabel('Parent group').selectOption('port');
    await page.getByRole('button', { name: 'Import 1 group' }).click();
    const moved = page.getByRole('list', { name: /^Groups and projects from/ });
    await moved.getByRole('link', { name: 'port/harbour' }).waitFor();
    await moved.getByText(/^\d+ of \d+ records imported$/).waitFor();
    await look(page, 'direct-transfer');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await look(page, 'direct-transfer-dark-390');
    await page.goto('/import/new');
    await page.getByRole('button', { name: 'List repositories' }).waitFor();
    await look(page, 'remote-import-dark-390');
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize({ width: 1280, height: 900 });
  });
  await suite.step('administrators see what is used of storage and limits', async () => {
    await openPart(page, '/admin/usage', 'Usage and limits');
    await page.getByRole('list', { name: 'Largest projects' }).getByRole('link').first().waitFor();
    await look(page, 'admin-usage');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await look(page, 'admin-usage-dark-390');
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize({ width: 1280, height: 900 });
  });
}

async function archive(suite: Suite, page: Page): Promise<void> {
  await suite.step('a project is exported in its settings, and imported as a new project', async () => {
    await openPart(page, '/root/tide/-/settings?part=export', 'Export');
    await page.getByText('No export yet.').waitFor();
    await page.getByRole('button', { name: 'Export project' }).click();
    await page.getByText('The export is ready to download.').waitFor();
    await look(page, 'project-export');
    const arriving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const download = await arriving;
    assert.match(download.suggestedFilename(), /_tide\.tar\.gz$/);
    const file = await download.path();
    await page.goto('/projects/new');
    await page.getByRole('heading', { name: 'New project' }).waitFor();
    await page.getByText('Import from export file').click();
    await page.getByRole('form', { name: 'Import from export file' }).waitFor();
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByLabel('Name').fill('Tide again');
    await look(page, 'project-import');
    await page.getByRole('button', { name: 'Import project' }).click();
    await page.getByRole('heading', { name: 'Tide again' }).first().waitFor();
    await page.getByText('README.md').first().waitFor();
  });
}

async function address(suite: Suite, page: Page, url: string): Promise<void> {
  await suite.step('a project is made from the address of a repository; a wrong one is told in the form', async () => {
    await page.goto('/projects/new');
    await page.getByText('Import from URL').click();
    await page.getByLabel('Repository address').fill(`${url}/root/tide.git`);
    await page.getByLabel('Source username').fill('root');
    await page.getByRole('textbox', { name: 'Source password or token' }).fill('wrong');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Tide from afar');
    await page.getByRole('button', { name: 'Import project' }).click();
    await page.getByText('name and password are wrong').waitFor();
    await look(page, 'project-import-address');
    await page.getByRole('textbox', { name: 'Source password or token' }).fill(rootToken);
    await page.getByRole('button', { name: 'Import project' }).click();
    await page.getByRole('heading', { name: 'Tide from afar' }).first().waitFor();
    await page.getByText('README.md').first().waitFor();
  });
}

/** A server that says what it has, and sends nothing of it. */
async function hangingServer(source: string) {
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== 'GET') return void response.writeHead(200).flushHeaders();
    const proof = `Basic ${Buffer.from(`root:${rootToken}`).toString('base64')}`;
    void fetch(`${source}${request.url}`, { headers: { Authorization: proof } })
      .then((answer) => answer.arrayBuffer())
      .then((offer) => response.end(Buffer.from(offer)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function canceled(suite: Suite, page: Page, url: string): Promise<void> {
  await suite.step('an import that does not come on is canceled on the page of the project', async () => {
    const hanging = await hangingServer(url);
    try {
      await page.goto('/projects/new');
      await page.getByText('Import from URL').click();
      await page.getByLabel('Repository address').fill(`${hanging.url}/root/tide.git`);
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ebb');
      await page.getByRole('button', { name: 'Import project' }).click();
      await page.getByText('The project is being imported').waitFor();
      await look(page, 'project-importing');
      await page.getByRole('button', { name: 'Cancel import' }).click();
      await confirmAction(page, 'Stop importing');
      await page.getByText('The import was canceled').waitFor();
      await look(page, 'project-import-canceled');
      await openPart(page, '/root/ebb/-/settings?part=export', 'Import');
      await page.getByText('The import was canceled.').waitFor();
      await openPart(page, '/root/tide-again/-/settings?part=export', 'Import');
      await page.getByText(/^\d+ of \d+ records and files were imported, in addition to the code\.$/).waitFor();
      await look(page, 'project-import-outcome');
      await page.setViewportSize({ width: 390, height: 800 });
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.goto('/root/ebb');
      await page.getByText('The import was canceled').waitFor();
      await look(page, 'project-import-canceled-dark-390');
      await page.emulateMedia({ colorScheme: null });
      await page.setViewportSize({ width: 1280, height: 900 });
    } finally {
      hanging.close();
    }
  });
}

async function checks(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step(
    'a merge request waits for an external status check, which is asked again when it failed',
    async () => {
      const receiver = await startReceiver();
      try {
        await openPart(page, '/root/tide/-/settings?part=status-checks', 'Status checks');
        await page.getByText('No status checks yet.').waitFor();
        await page.getByLabel('Name').fill('Harbour');
        await page.getByLabel('URL').fill(`${receiver.url}/check`);
        await page.getByRole('button', { name: 'Add status check' }).click();
        await page.getByRole('button', { name: 'Remove Harbour' }).waitFor();
        await look(page, 'status-checks');
        await openPart(page, '/root/tide/-/settings?part=merge', 'Merge requests');
        await page.getByLabel('All status checks must pass').check();
        await page.getByRole('button', { name: 'Save' }).first().click();
        await page.getByText('Saved').first().waitFor();
        const project = '/projects/root%2Ftide';
        const actions = [{ action: 'create', file_path: 'flood.txt', content: 'high' }];
        await call.expect(201, 'POST', `${project}/repository/commits`, {
          ...{ branch: 'flood', start_branch: 'main', commit_message: 'Flood', actions },
        });
        const { iid, sha } = await call.expect<{ iid: number; sha: string }>(201, 'POST', `${project}/merge_requests`, {
          ...{ source_branch: 'flood', target_branch: 'main', title: 'Flood' },
        });
        const [check] = await call.expect<Array<{ id: number }>>(200, 'GET', `${project}/external_status_checks`);
        const say = (status: string) =>
          call.expect(201, 'POST', `${project}/merge_requests/${iid}/status_check_responses`, {
            ...{ external_status_check_id: check?.id, sha, status },
          });
        await page.goto(`/root/tide/-/merge_requests/${iid}`);
        const box = page.getByRole('region', { name: 'Merge', exact: true });
        await box.getByText('External status checks must pass first').waitFor();
        await say('failed');
        await box.getByRole('button', { name: 'Ask Harbour again' }).waitFor();
        await look(page, 'merge-request-status-check');
        await box.getByRole('button', { name: 'Ask Harbour again' }).click();
        await box.getByRole('button', { name: 'Ask Harbour again' }).waitFor({ state: 'detached' });
        await say('passed');
        await box.getByText('Ready to be merged').waitFor();
      } finally {
        await receiver.close();
      }
    },
  );
}
