/** To-dos on their page: counted live, filtered, marked as done one by one and together, undone and restored. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { api } from '../support/api.ts';
import { counted, headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

export async function todosJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    const projects: number[] = [];
    for (const name of ['Kiln', 'Glaze']) {
      const { id } = await call.expect<{ id: number }>(201, 'POST', '/projects', { name });
      projects.push(id);
    }
    const remember = async (project: number | undefined, title: string) => {
      const { iid } = await call.expect<{ iid: number }>(201, 'POST', `/projects/${project}/issues`, { title });
      await call.expect(201, 'POST', `/projects/${project}/issues/${iid}/todo`);
    };
    await remember(projects[0], 'Rebuild the arch');
    await remember(projects[0], 'Order fire bricks');
    await remember(projects[1], 'Test the new glaze');
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const { page } = person;
      const count = (waiting: number) =>
        page.getByRole('link', { name: waiting === 0 ? 'Your work' : `Your work, ${waiting} waiting`, exact: true });
      const rows = (of: Page = page) => of.getByRole('list', { name: 'To-dos' }).getByRole('listitem');
      await signIn(page, { login: 'root', password: rootPassword });
      await suite.required('browser: to-dos are listed, and their count is live', async () => {
        await page.goto('/dashboard/todos');
        await headed(page, 'To-dos');
        await rows().nth(2).waitFor();
        await count(3).waitFor();
        await remember(projects[1], 'Write down the recipe');
        await count(4).waitFor();
        await rows().filter({ hasText: 'Write down the recipe' }).waitFor();
        await look(page, 'todos');
      });
      await suite.step('browser: a to-do is marked as done by keyboard, and the focus stays in the list', async () => {
        await page.getByRole('button', { name: 'Mark as done: Write down the recipe' }).focus();
        await page.keyboard.press('Enter');
        await page.getByRole('status').getByText('1 to-do marked as done').waitFor();
        await count(3).waitFor();
        await page.locator('button:focus', { hasText: 'Mark as done' }).waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await rows().filter({ hasText: 'Write down the recipe' }).waitFor();
      });
      await suite.step('browser: the list is filtered in its address; all that match are marked as done', async () => {
        await page.getByRole('combobox', { name: 'Project' }).fill('kiln');
        await page.getByRole('option', { name: 'root/kiln' }).click();
        await page.waitForURL(/project_id=\d+/);
        await page.getByText('Test the new glaze').waitFor({ state: 'detached' });
        await counted(rows(), 2);
        await page.getByRole('button', { name: 'Mark all that match as done' }).click();
        await page.getByText('2 to-dos marked as done').waitFor();
        await page.getByRole('heading', { name: 'No to-dos match your filter' }).waitFor();
        await page.goto(`/dashboard/todos?state=done&project_id=${projects[0]}`);
        await rows().nth(1).waitFor();
        await page.getByRole('button', { name: 'Restore: Order fire bricks' }).click();
        await page.getByText('1 to-do restored').waitFor();
        await count(3).waitFor();
      });
      await suite.step('browser: issues that somebody is to do are among what waits for them', async () => {
        const { id } = await call.expect<{ id: number }>(200, 'GET', '/user');
        const issue = { title: 'Stack the wood', assignee_ids: [id] };
        await call.expect(201, 'POST', `/projects/${projects[0]}/issues`, issue);
        await page.goto('/dashboard/issues');
        await page.getByRole('list', { name: 'Issues assigned to you' }).getByText('Stack the wood').waitFor();
      });
      await suite.step('browser: to-dos on a narrow dark screen', async () => {
        const narrow = await openWindow(browser, instance.url, { width: 390, dark: true });
        await signIn(narrow.page, { login: 'root', password: rootPassword });
        await narrow.page.goto('/dashboard/todos');
        await rows(narrow.page).nth(2).waitFor();
        await look(narrow.page, 'todos-narrow-dark');
        assert.deepEqual([...person.problems(), ...narrow.problems()], []);
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
