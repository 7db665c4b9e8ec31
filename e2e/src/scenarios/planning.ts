/** Milestones and labels in a real browser: made, chosen for a merge request and a release, closed. Slow: many pages, and one action after the other on each. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api } from '../support/api.ts';
import { headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';
import { planSteps } from './plans.ts';

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

/** The milestones of the group: its list, and one made, changed, closed and removed. */
async function groupSteps(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step(
    "a group's milestone is where links to it lead, and tells what is planned in its projects",
    async () => {
      const { id } = await call.expect<{ id: number }>(201, 'POST', '/groups/shipyard/milestones', {
        title: 'Sea trial',
      });
      await call.expect(200, 'PUT', `${base}/merge_requests/1`, { milestone_id: id });
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`/${project}/-/merge_requests/1`);
      await page.getByRole('link', { name: 'Sea trial', exact: true }).click();
      await headed(page, 'Sea trial');
      assert.ok(page.url().endsWith('/groups/shipyard/-/milestones/2'), page.url());
      await page.getByText('0 of 1 merge request closed').waitFor();
      await page.getByText('shipyard/hull!1').waitFor();
      await look(page, 'group-milestone');
      await page.getByRole('navigation', { name: 'Group' }).getByRole('link', { name: 'Milestones' }).click();
      await headed(page, 'Milestones');
      await page.getByRole('link', { name: 'Launch' }).waitFor();
      await look(page, 'group-milestones');
    },
  );
  await suite.step("a group's milestone is made, changed, closed and removed on its pages", async () => {
    await page.getByRole('link', { name: 'New milestone' }).click();
    await headed(page, 'New milestone');
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Refit');
    await page.getByLabel('Due date').fill('2031-09-01');
    await look(page, 'group-milestone-new');
    await page.getByRole('button', { name: 'Create milestone' }).click();
    await headed(page, 'Refit');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Second refit');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await headed(page, 'Second refit');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    const closed = '/groups/shipyard/milestones?state=closed';
    const [found] = await call.expect<{ title: string; due_date: string }[]>(200, 'GET', closed);
    assert.deepEqual([found?.title, found?.due_date], ['Second refit', '2031-09-01']);
    await page.setViewportSize({ width: 390, height: 800 });
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const [name, address] of [
        ['group-milestone', 'milestones/2'],
        ['group-milestones', 'milestones?state=all'],
        ['group-milestone-new', 'milestones/new'],
      ] as const) {
        await page.goto(`/groups/shipyard/-/${address}`);
        await page.getByText('Sea trial').or(page.getByLabel('Start date')).first().waitFor();
        await look(page, `phone-${scheme}-${name}`);
      }
    }
    await page.goto('/groups/shipyard/-/milestones/3');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('Second refit');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete milestone' }).click();
    await headed(page, 'Milestones');
    assert.deepEqual(await call.expect(200, 'GET', closed), []);
  });
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
        await page.getByLabel('Start date').fill('2026-01-05');
        await page.getByLabel('Due date').fill('2026-01-05');
        await page.getByRole('button', { name: 'Create milestone' }).click();
        await page.getByText('Due date must be greater than start date.', { exact: true }).waitFor();
        await look(page, 'milestone-new');
        await page.getByLabel('Due date').fill('2031-03-01');
        await page.getByRole('textbox', { name: 'Description' }).fill('Everything that *floats*.');
        await page.getByRole('button', { name: 'Create milestone' }).click();
        await headed(page, 'v1.0');
        await page.goto(`/${project}/-/milestones`);
        await page.getByText('Launch').waitFor();
        await page.getByText('No issues or merge requests').first().waitFor();
        await look(page, 'milestones');
      });
      await suite.step('labels and a milestone are chosen for a merge request and shown', async () => {
        await page.goto(`/${project}/-/merge_requests/new?merge_request%5Bsource_branch%5D=rivets`);
        await headed(page, 'New merge request');
        // What is typed, and left, before the choices are there is kept.
        const { promise: typed, resolve: deliver } = Promise.withResolvers<void>();
        await page.route('**/assets/TagsInput-*', async (route) => {
          await typed;
          await route.continue();
        });
        const asked = page.waitForRequest('**/assets/TagsInput-*');
        const labels = page.getByRole('textbox', { name: 'Labels' }).or(page.getByRole('combobox', { name: 'Labels' }));
        await labels.first().fill('steel');
        await page.keyboard.press('Enter');
        await labels.first().fill('urgent');
        await page.keyboard.press('Enter');
        const milestone = page
          .getByRole('textbox', { name: 'Milestone' })
          .or(page.getByRole('combobox', { name: 'Milestone' }));
        await milestone.first().click();
        await asked;
        deliver();
        await page.getByRole('option', { name: 'v1.0' }).click();
        await page.getByRole('button', { name: 'Assign to me' }).click();
        const reviewers = page
          .getByRole('textbox', { name: 'Reviewers' })
          .or(page.getByRole('combobox', { name: 'Reviewers' }));
        await reviewers.first().fill('root');
        await page.getByRole('option', { name: 'Administrator @root' }).click();
        await look(page, 'merge-request-plan');
        await page.getByRole('button', { name: 'Create merge request' }).click();
        await page.getByRole('link', { name: 'v1.0', exact: true }).waitFor();
        await page.getByText('urgent').first().waitFor();
        await look(page, 'merge-request-planned');
        type People = readonly { readonly username: string }[];
        type Request = { labels: string[]; milestone: { title: string }; assignees: People; reviewers: People };
        const made = await call.expect<Request>(200, 'GET', `${base}/merge_requests/1`);
        assert.deepEqual([made.labels, made.milestone.title], [['steel', 'urgent'], 'v1.0']);
        const people = [made.assignees, made.reviewers].map((list) => list.map(({ username }) => username));
        assert.deepEqual(people, [['root'], ['root']]);
        await call.expect(201, 'POST', `${base}/repository/branches?branch=keel&ref=main`);
        await page.getByRole('button', { name: 'Edit', exact: true }).first().click();
        await page.getByRole('button', { name: 'Target branch: main' }).click();
        await page.getByRole('option', { name: 'keel' }).click();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('changed target branch').first().waitFor();
        await page.goto(`/${project}/-/merge_requests`);
        // The filter above the list offers the label too.
        await page.getByRole('list', { name: 'Merge requests' }).getByText('steel').waitFor();
        await look(page, 'merge-requests-labelled');
      });
      await suite.step('a release names it, its page tells how far it is, and it is closed', async () => {
        await call.expect(201, 'POST', `${base}/releases`, { tag_name: 'v1.0', ref: 'main', milestones: ['v1.0'] });
        await page.goto(`/${project}/-/releases/v1.0`);
        await page.getByRole('link', { name: 'v1.0', exact: true }).last().waitFor();
        await look(page, 'release-milestone');
        await page.goto(`/${project}/-/milestones/1`);
        await headed(page, 'v1.0');
        await page.getByText('0 of 1 merge request closed').waitFor();
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
      await groupSteps(suite, page, call);
      await planSteps(suite, browser, instance.url, page, call);
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
