/** Milestones and labels in a real browser: made, chosen for a merge request and a release, closed. */
import assert from 'node:assert/strict';
import { type Api, api } from '../support/api.ts';
import { headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'shipyard/hull';
const base = `/projects/${encodeURIComponent(project)}`;

async function populated(call: Api): Promise<void> {
  const { id } = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Shipyard', path: 'shipyard' });
  const json = { name: 'Hull', path: 'hull', namespace_id: id, initialize_with_readme: true };
  await call.expect(201, 'POST', '/projects', json);
  await call.expect(201, 'POST', `${base}/repository/commits`, {
    branch: 'rivets',
    start_branch: 'main',
    commit_message: 'Add rivets',
    actions: [{ action: 'create', file_path: 'rivets.txt', content: 'many\n' }],
  });
  await call.expect(201, 'POST', `${base}/labels`, { name: 'steel', color: '#5b7a99' });
  await call.expect(201, 'POST', `/groups/${id}/milestones`, { title: 'Launch', due_date: '2031-06-01' });
}

export async function planningJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    await populated(call);
    await withBrowser(async (browser) => {
      const { page } = await openWindow(browser, instance.url);
      await signIn(page, { login: 'root', password: rootPassword });
      await suite.step('a milestone is made on its page, and listed with those of the group', async () => {
        await page.goto(`/${project}/-/merge_requests`);
        await page.getByRole('link', { name: 'Milestones', exact: true }).click();
        await headed(page, 'Milestones');
        await page.getByRole('link', { name: 'New milestone' }).click();
        await headed(page, 'New milestone');
        await page.getByRole('textbox', { name: 'Title', exact: true }).fill('v1.0');
        await page.getByLabel('Begins').fill('2026-01-05');
        await page.getByLabel('Due').fill('2026-01-05');
        await page.getByRole('button', { name: 'Create milestone' }).click();
        await page.getByText('must be greater than start date', { exact: true }).waitFor();
        await look(page, 'milestone-new');
        await page.getByLabel('Due').fill('2031-03-01');
        await page.getByRole('textbox', { name: 'Description' }).fill('Everything that *floats*.');
        await page.getByRole('button', { name: 'Create milestone' }).click();
        await headed(page, 'v1.0');
        await page.goto(`/${project}/-/milestones`);
        await page.getByText('Launch').waitFor();
        await page.getByText('No merge requests').first().waitFor();
        await look(page, 'milestones');
      });
      await suite.step('labels and a milestone are chosen for a merge request and shown', async () => {
        await page.goto(`/${project}/-/merge_requests/new?merge_request%5Bsource_branch%5D=rivets`);
        await headed(page, 'New merge request');
        const labels = page.getByRole('textbox', { name: 'Labels' }).or(page.getByRole('combobox', { name: 'Labels' }));
        await labels.first().fill('steel');
        await page.keyboard.press('Enter');
        await labels.first().fill('urgent');
        await page.keyboard.press('Enter');
        const milestone = page
          .getByRole('textbox', { name: 'Milestone' })
          .or(page.getByRole('combobox', { name: 'Milestone' }));
        await milestone.first().click();
        await page.getByRole('option', { name: 'v1.0' }).click();
        await look(page, 'merge-request-plan');
        await page.getByRole('button', { name: 'Create merge request' }).click();
        await page.getByRole('link', { name: 'v1.0', exact: true }).waitFor();
        await page.getByText('urgent').waitFor();
        await look(page, 'merge-request-planned');
        const made = await call.expect<{ labels: string[]; milestone: { title: string } }>(
          200,
          'GET',
          `${base}/merge_requests/1`,
        );
        assert.deepEqual([made.labels, made.milestone.title], [['steel', 'urgent'], 'v1.0']);
        await page.goto(`/${project}/-/merge_requests`);
        await page.getByText('steel').waitFor();
        await look(page, 'merge-requests-labelled');
      });
      await suite.step('a release names it, its page tells how far it is, and it is closed', async () => {
        await call.expect(201, 'POST', `${base}/releases`, { tag_name: 'v1.0', ref: 'main', milestones: ['v1.0'] });
        await page.goto(`/${project}/-/releases/v1.0`);
        await page.getByRole('link', { name: 'v1.0', exact: true }).last().waitFor();
        await look(page, 'release-milestone');
        await page.goto(`/${project}/-/milestones/1`);
        await headed(page, 'v1.0');
        await page.getByText('0 of 1 merge request').waitFor();
        await look(page, 'milestone');
        await page.setViewportSize({ width: 390, height: 800 });
        for (const scheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: scheme });
          for (const [name, address] of [
            ['milestone', 'milestones/1'],
            ['milestones', 'milestones'],
            ['merge-request', 'merge_requests/1'],
          ] as const) {
            await page.goto(`/${project}/-/${address}`);
            await page.getByText('Add rivets').or(page.getByText('Launch')).first().waitFor();
            await look(page, `phone-${scheme}-${name}`);
          }
        }
        await page.goto(`/${project}/-/milestones/1`);
        await page.getByRole('button', { name: 'Close' }).click();
        await page.getByRole('button', { name: 'Reopen' }).waitFor();
        const closed = await call.expect<unknown[]>(200, 'GET', `${base}/milestones?state=closed`);
        assert.equal(closed.length, 1);
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
