/** Two people review the same merge request at once: a review by keyboard alone, live updates, and what changed since. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api } from '../support/api.ts';
import { headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'survey/lens';
const base = `/projects/${encodeURIComponent(project)}`;
const password = 'parallax-of-sixty-one-cygni';
/** A red square of 64 by 64 pixels. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsIty/VMYzQi+hcEKLNO+FgEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGBywLQIADxkgTHrwAAAABJRU5ErkJggg==';

async function populated(call: Api): Promise<void> {
  const { id: namespace } = await call.expect<{ id: number }>(201, 'POST', '/groups', {
    name: 'Survey',
    path: 'survey',
  });
  await call.expect(201, 'POST', '/projects', {
    ...{ name: 'Lens', path: 'lens', namespace_id: namespace, initialize_with_readme: true },
  });
  const reviewer = await call.expect<{ id: number }>(201, 'POST', '/users', {
    ...{ username: 'friedrich', name: 'Friedrich Bessel', email: 'friedrich@example.com', password },
    skip_confirmation: true,
  });
  await call.expect(201, 'POST', `${base}/members`, { user_id: reviewer.id, access_level: 40 });
  await call.expect(201, 'POST', `${base}/repository/commits`, {
    ...{ branch: 'grind', start_branch: 'main', commit_message: 'Grind the lens' },
    actions: [
      { action: 'create', file_path: 'grind.ts', content: 'export const radius = 7;\nexport const focus = 3;\n' },
      { action: 'create', file_path: 'notes.md', content: 'Notes\n' },
      { action: 'create', file_path: 'square.png', content: picture, encoding: 'base64' },
    ],
  });
  await call.expect(201, 'POST', `${base}/merge_requests`, {
    ...{ source_branch: 'grind', target_branch: 'main', title: 'Grind the lens' },
  });
  await call.expect(200, 'PUT', `${base}/merge_requests/1`, { reviewer_ids: [reviewer.id], labels: 'optics' });
}

/** Presses Tab until the focus is on an element with this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < 60; step += 1) {
    const focused = await page.evaluate<string>(
      "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim() ?? ''",
    );
    if (focused === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no way by Tab to ${name}`);
}

export async function liveReviewJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  const call = api(instance.url, rootToken);
  try {
    await populated(call);
    await withBrowser(async (browser) => {
      const author = await openWindow(browser, instance.url);
      const reviewer = await openWindow(browser, instance.url);
      await signIn(author.page, { login: 'root', password: rootPassword });
      await signIn(reviewer.page, { login: 'friedrich', password });
      const address = `/${project}/-/merge_requests/1`;
      const timeline = (page: Page) => page.getByRole('list', { name: 'Timeline' });
      await suite.required('browser: the timeline has events and comments in one order', async () => {
        const { page } = author;
        await page.goto(address);
        await headed(page, 'Grind the lens');
        await timeline(page).getByText('requested review from').waitFor();
        await timeline(page).getByText('added the label').waitFor();
      });
      await suite.step('browser: a comment of one person appears on the page of the other at once', async () => {
        await reviewer.page.goto(address);
        const form = reviewer.page.getByRole('form', { name: 'New comment' });
        await form.getByRole('textbox').fill('Which sand is it?');
        await form.getByRole('button', { name: 'Comment', exact: true }).click();
        await timeline(author.page).getByText('Which sand is it?').waitFor();
        await call.expect(200, 'PUT', `${base}/merge_requests/1`, { add_labels: 'glass' });
        await timeline(author.page).getByText('glass').waitFor();
        await timeline(reviewer.page).getByText('glass').waitFor();
        // The first is to the merge request itself, and comes after that of the comment.
        const adding = reviewer.page.getByRole('button', { name: 'Add reaction' });
        await adding.nth(1).waitFor();
        await adding.first().click();
        await reviewer.page.getByRole('button', { name: 'rocket', exact: true }).click();
        await reviewer.page.getByRole('button', { name: /^rocket, 1: /, pressed: true }).waitFor();
        await look(author.page, 'merge-request-timeline');
      });
      await suite.step('browser: a whole review by keyboard, with a pending comment on a line', async () => {
        const { page } = reviewer;
        await page.goto(`${address}/diffs`);
        await page.getByRole('region', { name: 'grind.ts', exact: true }).waitFor();
        await page.locator('[data-file] td span[style*="--token"]').first().waitFor();
        // Lines take comments once the threads are here.
        await page.locator('[data-comment]').first().waitFor({ state: 'attached' });
        await page.keyboard.press('j');
        await page.keyboard.press('c');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.getByRole('form', { name: 'Comment on this line' }).getByRole('textbox').waitFor();
        await page.keyboard.type('Is three enough?');
        await tabTo(page, 'Add to review');
        await page.keyboard.press('Enter');
        await page.getByRole('form', { name: 'Comment on this line' }).waitFor({ state: 'detached' });
        // It stands on its line, and is there again for who comes back.
        const pending = page.getByRole('article', { name: 'Pending comment' });
        await pending.getByText('Is three enough?').waitFor();
        await page.getByText('1 pending comment, visible only to you').waitFor();
        await page.reload();
        await pending.getByText('Is three enough?').waitFor();
        await look(page, 'pending-comment');
        assert.equal(await author.page.getByText('Is three enough?').count(), 0);
        await tabTo(page, 'Review changes');
        await page.keyboard.press('Enter');
        await page.getByRole('form', { name: 'Submit your review' }).waitFor();
        await look(page, 'finish-review');
        await tabTo(page, 'Submit review');
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await pending.waitFor({ state: 'detached' });
        await page
          .getByRole('article', { name: /^Comment of/ })
          .getByText('Is three enough?')
          .waitFor();
        await page.goto(address);
        await page.getByText('No pending comments').waitFor();
        await author.page.getByText('Is three enough?').waitFor();
      });
      await suite.step('browser: what changed since the last review is shown alone', async () => {
        await call.expect(201, 'POST', `${base}/repository/commits`, {
          ...{ branch: 'grind', commit_message: 'Grind longer' },
          actions: [{ action: 'update', file_path: 'notes.md', content: 'Notes\nLonger\n' }],
        });
        await timeline(author.page).getByText('New commits were pushed').waitFor();
        const { page } = reviewer;
        await page.goto(`${address}/diffs`);
        await page.getByLabel('Only changes since my last review').check();
        await page.getByText('1 file changed').waitFor();
        await page.getByRole('region', { name: 'notes.md', exact: true }).getByText('Longer').waitFor();
        await look(page, 'changes-since-review');
        await page.getByLabel('Only changes since my last review').uncheck();
      });
      await suite.step('browser: comments on a file, and on a point of a picture', async () => {
        const { page } = reviewer;
        const square = page.getByRole('region', { name: 'square.png', exact: true });
        await square.getByRole('button', { name: 'Comment on file' }).click();
        await square.getByRole('form', { name: 'Comment on this file' }).getByRole('textbox').fill('Why red?');
        await square.getByRole('button', { name: 'Comment', exact: true }).click();
        await square.getByRole('form', { name: 'Comment on this file' }).waitFor({ state: 'detached' });
        await square.getByText('Why red?').waitFor();
        await square.getByRole('button', { name: 'Comment on a point of square.png' }).click();
        const form = square.getByRole('form', { name: 'Comment on this point of the picture' });
        await form.getByRole('textbox').fill('Too dark here');
        await form.getByRole('button', { name: 'Comment', exact: true }).click();
        await form.waitFor({ state: 'detached' });
        await square.getByText('Too dark here').waitFor();
        await look(page, 'picture-comments');
        assert.deepEqual([...author.problems(), ...reviewer.problems()], []);
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
