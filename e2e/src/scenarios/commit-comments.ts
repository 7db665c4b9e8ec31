/** Comments on the page of a commit: written, answered, changed and removed by clicking. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { accessible, confirmAction, screenshot } from '../support/browser.ts';

export async function commentsOnCommit(page: Page, address: string): Promise<void> {
  await page.goto(address);
  const comments = page.getByRole('region', { name: 'Comments' });
  const form = comments.getByRole('form', { name: 'New comment' });
  await form.getByLabel('New comment').fill('Looks *good* <img src="README.md" onerror="window.stolen=1">');
  await form.getByRole('button', { name: 'Comment' }).click();
  const thread = comments.getByRole('article').first();
  await thread.locator('em', { hasText: 'good' }).waitFor();
  await thread.getByRole('button', { name: 'Reply' }).click();
  const answer = thread.getByRole('form', { name: 'Reply' });
  await answer.getByLabel('Reply').fill('It *does*');
  await answer.getByRole('button', { name: 'Reply' }).click();
  await thread.locator('em', { hasText: 'does' }).waitFor();
  await thread.getByRole('button', { name: 'Edit' }).last().click();
  const change = thread.getByRole('form', { name: 'Comment' });
  await change.getByLabel('Comment').fill('It *did*');
  await change.getByRole('button', { name: 'Save' }).click();
  await thread.locator('em', { hasText: 'did' }).waitFor();
  await screenshot(page, 'commit-comments');
  await accessible(page);
  await thread.getByRole('button', { name: 'Delete' }).last().click();
  await confirmAction(page, 'Delete comment');
  await thread.locator('em', { hasText: 'did' }).waitFor({ state: 'detached' });
  assert.equal(await page.evaluate('window.stolen'), undefined);
}
