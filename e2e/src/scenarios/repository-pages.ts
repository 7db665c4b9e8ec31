/** Pages of a repository: its protections and statuses, its files, its history. Slow: each page of its settings, one after the other. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { headed, look, openWindow, valued, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';
import { runWithInputs } from './pipeline-inputs.ts';
import { rebaseByClick } from './rebase.ts';
import { failedTests } from './test-reports.ts';

const project = 'foundry/bell';
const id = encodeURIComponent(project);
const repository = `/projects/${id}/repository`;

/** Answers the newest commit of the project. */
async function populated(call: Api): Promise<string> {
  const group = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Foundry', path: 'foundry' });
  const made = { name: 'Bell', namespace_id: group.id, initialize_with_readme: true };
  await call.expect(201, 'POST', '/projects', made);
  const actions = [
    { action: 'create', file_path: 'src/cast.ts', content: 'export const weight = 12;\nexport const tone = "e";\n' },
    { action: 'create', file_path: 'src/ring.ts', content: 'export const times = 3;\n' },
    { action: 'create', file_path: 'docs/notes.md', content: '# Notes\n\nRing **twice**.\n' },
  ];
  const body = { branch: 'main', commit_message: 'Cast the bell', actions };
  const commit = await call.expect<{ id: string }>(201, 'POST', `${repository}/commits`, body);
  await call.expect(201, 'POST', `/projects/${id}/statuses/${commit.id}`, {
    state: 'success',
    name: 'acoustics',
    description: 'It rings',
    target_url: 'https://ci.example.com/acoustics/1',
    coverage: 81.5,
  });
  return commit.id;
}

async function protections(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step('secret push protection is switched on for a project', async () => {
    await page.goto(`/${project}/-/settings?part=secrets`);
    await headed(page, 'Secret push protection', 2);
    await page.getByLabel('Reject pushes that contain secrets').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await look(page, 'secret-push-protection');
    type Settings = { secret_push_protection_enabled: boolean };
    const settings = await call.expect<Settings>(200, 'GET', `/projects/${id}/security_settings`);
    assert.equal(settings.secret_push_protection_enabled, true);
  });
  await suite.step('a top-level group protects branches of its projects by role', async () => {
    await page.goto('/groups/foundry/-/settings?part=protected-branches');
    await page.getByText('No protected branches.').waitFor();
    await page.getByLabel('Branch or pattern').fill('casting/*');
    await page.getByRole('button', { name: 'Protect', exact: true }).click();
    await page.getByText('Push: Maintainers').waitFor();
    await look(page, 'group-protected-branches');
    await page.getByRole('button', { name: 'Edit casting/*' }).click();
    await page.getByLabel('Allow force push').check();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('force push', { exact: true }).waitFor();
    type Rule = { name: string; inherited: boolean; allow_force_push: boolean };
    const rules = await call.expect<Rule[]>(200, 'GET', `/projects/${id}/protected_branches`);
    assert.ok(rules.some((rule) => rule.name === 'casting/*' && rule.inherited && rule.allow_force_push));
    await page.getByRole('button', { name: 'Unprotect casting/*' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('casting/*');
    await page.getByRole('dialog').getByRole('button', { name: 'Unprotect' }).click();
    await page.getByText('No protected branches.').waitFor();
  });
}

async function statuses(suite: Suite, page: Page, call: Api, sha: string): Promise<void> {
  await suite.step('commits and pipelines show what other CI systems said', async () => {
    await page.goto(`/${project}/-/commit/${sha}`);
    await headed(page, 'Cast the bell');
    const said = page.getByRole('link', { name: 'acoustics' });
    await said.waitFor();
    assert.equal(await said.getAttribute('href'), 'https://ci.example.com/acoustics/1');
    await look(page, 'commit-external-status');
    const [pipeline] = await call.expect<{ id: number }[]>(200, 'GET', `/projects/${id}/pipelines?sha=${sha}`);
    await page.goto(`/${project}/-/pipelines/${pipeline?.id}`);
    await headed(page, `Pipeline #${pipeline?.id}`);
    await page.getByText('It rings').waitFor();
    await look(page, 'pipeline-external-status');
  });
}

async function lines(suite: Suite, page: Page, call: Api, sha: string): Promise<void> {
  await suite.step('a line of a commit is talked about beside it, by keyboard too', async () => {
    await page.goto(`/${project}/-/commit/${sha}`);
    const file = page.getByRole('region', { name: 'Diff of src/cast.ts' });
    await file.getByRole('button', { name: 'Comment on line 1', exact: true }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const form = file.getByRole('form', { name: 'Comment on this line' });
    await form.getByLabel('Comment on this line').fill('Is it **e** or f?');
    await look(page, 'commit-line-comment');
    await form.getByRole('button', { name: 'Comment', exact: true }).click();
    const thread = file.getByRole('article');
    await thread.locator('strong', { hasText: 'e' }).waitFor();
    await thread.getByRole('button', { name: 'Reply' }).click();
    await thread.getByRole('textbox', { name: 'Reply' }).fill('It is e.');
    await thread.getByRole('form', { name: 'Reply' }).getByRole('button', { name: 'Reply' }).click();
    // The field has the text as well, until the answer is kept.
    await thread.getByRole('paragraph').filter({ hasText: 'It is e.' }).waitFor();
    type Thread = { notes: { position: { new_path: string; new_line: number; old_line: number | null } }[] };
    const [kept] = await call.expect<Thread[]>(200, 'GET', `${repository}/commits/${sha}/discussions`);
    const { new_path, new_line, old_line } = kept?.notes[0]?.position ?? {};
    assert.deepEqual([new_path, new_line, old_line ?? null, kept?.notes.length], ['src/cast.ts', 2, null, 2]);
    // What stands beside its line does not stand below once more.
    assert.equal(await page.getByRole('region', { name: 'Comments' }).getByRole('article').count(), 0);
    await look(page, 'commit-line-thread');
    await page.getByText('Split', { exact: true }).click();
    await thread.getByText('It is e.').waitFor();
    await look(page, 'commit-line-thread-split');
  });
}

async function targets(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step('a fork asks its origin to merge, unless another target is chosen', async () => {
    const fork = { path: 'bell-copy', name: 'Bell copy', namespace_path: 'root' };
    const { id: copy } = await call.expect<{ id: number }>(201, 'POST', `/projects/${id}/fork`, fork);
    await until('the fork is there', 60, async () => {
      const { import_status: state } = await call.expect<{ import_status: string }>(200, 'GET', `/projects/${copy}`);
      return state === 'finished';
    });
    const actions = [{ action: 'create', file_path: 'clapper.ts', content: 'export {};\n' }];
    const change = { branch: 'clapper', start_branch: 'main', commit_message: 'Add a clapper', actions };
    await call.expect(201, 'POST', `/projects/${copy}/repository/commits`, change);
    await page.goto('/root/bell-copy/-/merge_requests/new?source=clapper');
    const choice = page.getByLabel('Target project');
    await valued(choice, project);
    await page.getByRole('list', { name: 'Commits' }).getByText('Add a clapper').waitFor();
    await choice.selectOption('root/bell-copy');
    await choice.selectOption(project);
    await page.getByLabel('Allow commits from members who can merge').uncheck();
    await look(page, 'merge-request-from-fork');
    await page.getByRole('button', { name: 'Create merge request' }).click();
    await page.waitForURL((url) => url.pathname === `/${project}/-/merge_requests/1`);
    type Request = { source_project_id: number; target_branch: string; allow_collaboration: boolean };
    const request = await call.expect<Request>(200, 'GET', `/projects/${id}/merge_requests/1`);
    const { source_project_id, target_branch, allow_collaboration } = request;
    assert.deepEqual([source_project_id, target_branch, allow_collaboration], [copy, 'main', false]);
  });
}

async function largeFolder(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step('a folder of many files shows the next ones on demand, with who changed them last', async () => {
    const actions = Array.from({ length: 130 }, (_item, index) => ({
      action: 'create',
      file_path: `many/file-${String(index).padStart(3, '0')}.txt`,
      content: `${index}\n`,
    }));
    actions.push({ action: 'create', file_path: 'many/README.md', content: '# Many files\n' });
    const body = { branch: 'main', commit_message: 'Add many', actions };
    await call.expect(201, 'POST', `${repository}/commits`, body);
    const change = { action: 'update', file_path: 'many/file-129.txt', content: 'changed\n' };
    const update = { branch: 'main', commit_message: 'Change the last', actions: [change] };
    await call.expect(201, 'POST', `${repository}/commits`, update);
    await page.goto(`/${project}/-/tree/main/many`);
    await page.getByRole('link', { name: 'file-000.txt' }).waitFor();
    await page.getByRole('heading', { name: 'Many files' }).waitFor();
    await page.getByRole('link', { name: 'Add many' }).first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'file-129.txt' }).count(), 0);
    await page.getByRole('button', { name: 'Show more' }).click();
    const entry = page.getByRole('listitem').filter({ hasText: 'file-129.txt' });
    await entry.getByRole('link', { name: 'Change the last' }).waitFor();
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    await look(page, 'folder-of-many-files');
  });
}

export async function repositoryPagesJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    const sha = await populated(call);
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const { page } = person;
      await signIn(page, { login: 'root', password: rootPassword });
      await protections(suite, page, call);
      await statuses(suite, page, call, sha);
      await lines(suite, page, call, sha);
      await targets(suite, page, call);
      await largeFolder(suite, page, call);
      await suite.step('a pipeline is run with the inputs that its configuration declares', () =>
        runWithInputs(page, call, project),
      );
      await suite.step('the page of a pipeline shows the tests that failed, with their output', () =>
        failedTests(page, call, instance.url, project),
      );
      await suite.step('a merge request that fell behind is rebased by a button, and merged', () =>
        rebaseByClick(page, call, project),
      );
      await person.close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
