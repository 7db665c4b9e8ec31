/** A merge request that fell behind is rebased by a button, and merged. */
import type { Page } from 'playwright-core';
import type { Api } from '../support/api.ts';
import { look } from '../support/browser.ts';

export async function rebaseByClick(page: Page, call: Api, project: string): Promise<void> {
  const id = encodeURIComponent(project);
  const commit = async (branch: string, file: string, more: object) => {
    const actions = [{ action: 'create', file_path: file, content: 'x\n' }];
    const body = { branch, commit_message: `Add ${file} [ci skip]`, actions, ...more };
    await call.expect(201, 'POST', `/projects/${id}/repository/commits`, body);
  };
  await call.expect(200, 'PUT', `/projects/${id}`, { merge_method: 'ff' });
  await commit('behind', 'behind.txt', { start_branch: 'main' });
  const request = { source_branch: 'behind', target_branch: 'main', title: 'Fell behind' };
  const { iid } = await call.expect<{ iid: number }>(201, 'POST', `/projects/${id}/merge_requests`, request);
  await commit('main', 'ahead.txt', {});
  await page.goto(`/${project}/-/merge_requests/${iid}`);
  const box = page.getByRole('region', { name: 'Merge', exact: true });
  await box.getByText('Behind its target branch').waitFor();
  await look(page, 'merge-request-behind');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'merge-request-behind-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await box.getByRole('button', { name: 'Rebase' }).click();
  await box.getByText('Ready to be merged').waitFor();
  await box.getByRole('button', { name: 'Merge', exact: true }).click();
  await box.getByText('merged', { exact: false }).first().waitFor();
}
