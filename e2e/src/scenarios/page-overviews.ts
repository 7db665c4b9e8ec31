/** What pages tell at a glance: CI state of commits and branches, a recent push, the palette, runners, the instance. Slow: eight pages. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { confirmAction, counted, headed, holds, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'observatory/telescope';
const id = encodeURIComponent(project);

async function populated(call: Api): Promise<void> {
  const make = <T = { id: number }>(path: string, body: object) => call.expect<T>(201, 'POST', path, body);
  const group = await make('/groups', { name: 'Observatory', path: 'observatory' });
  await make('/projects', { name: 'Telescope', path: 'telescope', namespace_id: group.id });
  const commit = (branch: string, message: string, files: Record<string, string>, start?: string) =>
    make(`/projects/${id}/repository/commits`, {
      ...{ branch, commit_message: message, ...(start ? { start_branch: start } : {}) },
      actions: Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content })),
    });
  await commit('main', 'Grind the mirror', { 'mirror.ts': 'export const f = 8;\n', 'README.md': '# Telescope\n' });
  await commit('coating', 'Coat the mirror', { 'coating.py': 'silver = 1\n' }, 'main');
  await make(`/projects/${id}/merge_requests`, {
    ...{ source_branch: 'coating', target_branch: 'main', title: 'Coat the mirror with silver' },
  });
  await make(`/projects/${id}/issues`, { title: 'The mirror is dusty' });
  await make(`/projects/${id}/repository/tags`, { tag_name: 'first-light', ref: 'main' });
  await commit('main', 'Measure every night', { '.gitlab-ci.yml': 'measure:\n  script: [echo]\n' });
  await commit('eyepiece', 'Add an eyepiece', { 'eyepiece.ts': 'export const d = 25;\n' }, 'main');
  await until('pipelines', 60, async () => {
    const found = await call.expect<{ ref: string }[]>(200, 'GET', `/projects/${id}/pipelines`);
    return found.length >= 2;
  });
}

async function front(page: Page): Promise<void> {
  await page.goto(`/${project}`);
  const facts = page.getByRole('navigation', { name: 'Repository' });
  for (const [text, address] of [
    ['2 commits', `/${project}/-/commits/main`],
    ['3 branches', `/${project}/-/branches`],
    ['1 tag', `/${project}/-/tags`],
  ] as const)
    assert.equal(await facts.getByRole('link', { name: text, exact: true }).getAttribute('href'), address);
  await page.getByRole('figure', { name: 'Languages' }).getByText('TypeScript 100%').waitFor();
  await page.getByRole('link', { name: 'Pipeline: Pending' }).first().waitFor();
  const push = page.getByRole('region', { name: 'Your last push' });
  await push.getByText('eyepiece').waitFor();
  await look(page, 'project-front');
  await push.getByRole('link', { name: 'Create merge request' }).click();
  await page.waitForURL(/merge_requests\/new\?source=eyepiece/);
  await page.goto(`/${project}`);
  await push.getByRole('button', { name: 'Dismiss' }).click();
  await page.reload();
  await facts.getByRole('link', { name: '1 tag' }).waitFor();
  assert.equal(await push.count(), 0);
}

async function branches(page: Page, call: Api): Promise<void> {
  await page.goto(`/${project}/-/branches`);
  const rows = page.getByRole('list', { name: 'Branches' }).getByRole('listitem');
  await rows.nth(2).waitFor();
  assert.equal(await rows.first().locator('[data-entry]').textContent(), 'main', 'the default branch is the first one');
  const coating = rows.filter({ hasText: 'Coat the mirror' });
  await coating.getByText('1 commit ahead, 1 commit behind').waitFor();
  await coating.getByRole('link', { name: '!1' }).waitFor();
  assert.equal(await coating.getByRole('link', { name: 'Merge request' }).count(), 0);
  await rows.filter({ hasText: 'Add an eyepiece' }).getByRole('link', { name: 'Pipeline: Pending' }).waitFor();
  await look(page, 'branches');
  await page.getByRole('button', { name: 'New branch' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('tripod');
  await dialog.getByRole('button', { name: 'Create branch' }).click();
  await page.waitForURL(`**/${project}/-/tree/tripod`);
  await call.expect(200, 'GET', `/projects/${id}/repository/branches/tripod`);
  await page.goto(`/${project}/-/commits/main`);
  await page.getByRole('link', { name: 'Pipeline: Pending' }).waitFor();
}

/** The lists of a group say as much as those of a project, and are narrowed by the same. */
async function ofGroup(page: Page, call: Api): Promise<void> {
  await call.expect(200, 'PUT', `/projects/${id}/merge_requests/1`, { title: 'Draft: Coat the mirror with silver' });
  await page.goto('/groups/observatory/-/merge_requests');
  const row = page.getByRole('list', { name: 'Merge requests' }).getByRole('listitem').first();
  for (const text of ['observatory/telescope!1 by Administrator', 'Draft', 'coating', 'into main'])
    await row.getByText(text, { exact: true }).waitFor();
  await look(page, 'group-merge-requests');
  await page.getByLabel('Reviewer', { exact: true }).click();
  await page.getByRole('option', { name: 'root' }).click();
  await page.waitForURL(/reviewer_username=root/);
  await page.getByText('No merge requests match your filter').waitFor();
  await page.goto('/groups/observatory/-/issues?author_username=root');
  await page.getByRole('list', { name: 'Issues' }).getByText('observatory/telescope#1 by Administrator').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForURL(/issues$/);
  await call.expect(200, 'PUT', `/projects/${id}/merge_requests/1`, { title: 'Coat the mirror with silver' });
}

async function palette(page: Page): Promise<void> {
  const open = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.getByLabel('Search projects, groups and pages').fill(text);
  };
  const group = (name: string) => page.getByRole('group', { name });
  await page.goto(`/${project}/-/issues`);
  await headed(page, 'Issues');
  await open('mirror');
  await group('Merge requests').getByText('Coat the mirror with silver').waitFor();
  await group('Issues').getByText('The mirror is dusty').waitFor();
  await look(page, 'palette-groups');
  await page.getByLabel('Search projects, groups and pages').fill('#1');
  await page.getByRole('option', { name: /The mirror is dusty/ }).waitFor();
  await holds(page, `document.querySelector('[data-combobox-selected]')?.textContent.includes('dusty') === true`);
  await page.keyboard.press('Enter');
  await headed(page, 'The mirror is dusty');
  await page.keyboard.press('Control+k');
  await group('Recent').getByText('The mirror is dusty').waitFor();
  await page.keyboard.press('Escape');
  await open('mirts');
  await group('Files').getByText('mirror.ts').waitFor();
  await page.getByLabel('Search projects, groups and pages').fill('const f = 8');
  await group('Code').getByText('export const f = 8;').click();
  await page.waitForURL(`**/${project}/-/blob/main/mirror.ts#L1`);
  await open('Admin');
  await group('Users').getByText('@root').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // What is typed next is looked for alone.
  await page.keyboard.press('Control+k');
  await page.getByLabel('Search projects, groups and pages').waitFor();
  await page.keyboard.type('dusty');
  await page.getByText('Search for “dusty”').waitFor();
  await page.keyboard.press('Escape');
}

async function runners(page: Page, call: Api): Promise<void> {
  await page.goto('/admin/runners');
  await page.getByText('No runners').waitFor();
  await page.getByRole('button', { name: 'New runner' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Description').fill('dome');
  const tags = dialog.getByRole('combobox', { name: 'Tags' });
  // A form that is sent before its field is loaded waits for it, and has what was typed.
  const sent = Promise.withResolvers<void>();
  await page.route('**/assets/TagsInput-*', async (route) => {
    await sent.promise;
    await route.continue();
  });
  await tags.fill('night');
  await tags.press('Enter');
  await dialog.getByRole('button', { name: 'Create runner' }).click();
  sent.resolve();
  await dialog.getByText(/gitlab-runner register --url http:\/\/\S+ --token glrt-\S+/).waitFor();
  await dialog.getByText('Waiting for the first contact of the runner…').waitFor();
  await look(page, 'runner-created');
  await dialog.getByRole('button', { name: 'Done' }).click();
  const list = page.getByRole('list', { name: 'Runners' });
  await list.getByText('Never contacted').waitFor();
  await list.getByRole('list', { name: 'Tags' }).getByText('night').waitFor();
  await page.unroute('**/assets/TagsInput-*');
  await list.getByRole('button', { name: /^Pause runner/ }).click();
  await list.getByText('Paused').waitFor();
  await look(page, 'runners');
  await list.getByRole('link', { name: /dome/ }).click();
  await page.getByText('night', { exact: true }).first().waitFor();
  await page.getByRole('list', { name: 'Waiting jobs' }).getByText('All runners are paused').first().waitFor();
  await page.getByLabel('Maximum job timeout (minutes)').fill('30');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const [runner] = await call.expect<{ id: number }[]>(200, 'GET', '/runners/all');
  const stored = await call.expect<{ maximum_timeout: number; paused: boolean; tag_list: string[] }>(
    ...([200, 'GET', `/runners/${runner?.id}`] as const),
  );
  assert.deepEqual([stored.maximum_timeout, stored.paused, stored.tag_list], [1800, true, ['night']]);
  await look(page, 'runner');
  for (const address of [`/${project}/-/settings?part=runners`, '/groups/observatory/-/settings?part=runners']) {
    await page.goto(address);
    await page.getByRole('list', { name: 'Runners' }).getByText('dome').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Delete runner/ }).count(), 0, 'it belongs to the instance');
  }
  await page.goto(`/admin/runners/${runner?.id}`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await confirmAction(page, 'Delete runner');
  await page.getByText('No runners').waitFor();
}

async function administration(page: Page): Promise<void> {
  await page.goto('/admin');
  await headed(page, 'Overview', 2);
  const card = (name: string) => page.getByRole('region', { name, exact: true });
  await card('Health').getByText('Database: Healthy').waitFor();
  await card('Repository storages')
    .getByText(/default: .+ of .+ available/)
    .waitFor();
  await card('Version')
    .getByText(/^Millrace \d/)
    .waitFor();
  await look(page, 'admin-overview');
  await card('Background jobs')
    .getByRole('link', { name: /waiting/ })
    .click();
  await headed(page, 'Background jobs', 2);
  await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Projects' }).click();
  await page.getByRole('list', { name: 'Projects' }).getByText('Observatory / Telescope').waitFor();
  await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'Groups' }).click();
  await page.getByRole('list', { name: 'Groups' }).getByText('Observatory').waitFor();
}

export async function pageOverviewsJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    await withBrowser(async (browser) => {
      const { page, problems } = await openWindow(browser, instance.url);
      page.setDefaultTimeout(30_000);
      await signIn(page, { login: 'root', password: rootPassword });
      await suite.step('a new instance offers its first steps until they are done', async () => {
        await page.goto('/');
        const steps = page.getByRole('region', { name: 'First steps' });
        await steps.getByText(instance.url, { exact: true }).waitFor();
        await look(page, 'first-steps');
        await populated(call);
        await page.reload();
        await steps.getByText('First project: done').waitFor();
      });
      await suite.step('the front of a project tells its numbers, CI state and the last push', () => front(page));
      await suite.step('branches tell distance, pipeline and merge request, and are created', () =>
        branches(page, call),
      );
      await suite.step('lists of a group tell draft, branches and pipeline, and are filtered', () =>
        ofGroup(page, call),
      );
      await suite.step('the palette finds issues, merge requests and people, and recalls places', () => palette(page));
      await suite.step('a profile shows contributions by day', async () => {
        await page.goto('/root');
        const calendar = page.getByRole('figure', { name: 'Contributions', exact: true });
        await calendar.getByText(/^\d+ contributions in the last year$/).waitFor();
        await counted(calendar.locator('[data-level="4"]'), 1);
        await look(page, 'profile-calendar');
      });
      await suite.step('runners are created, paused, changed and deleted', () => runners(page, call));
      await suite.step('the overview of the administration tells the state of the instance', () =>
        administration(page),
      );
      assert.deepEqual(problems(), []);
      const narrow = await openWindow(browser, instance.url, { width: 390, dark: true });
      await signIn(narrow.page, { login: 'root', password: rootPassword });
      await suite.step('the same pages fit a telephone, dark', async () => {
        for (const [name, address, text] of [
          ['front', `/${project}`, '1 tag'],
          ['branches', `/${project}/-/branches`, 'tripod'],
          ['jobs', `/${project}/-/jobs`, 'measure'],
          ['admin', '/admin', 'Repository storages'],
          ['runners', '/admin/runners', 'No runners'],
        ] as const) {
          await narrow.page.goto(address);
          await narrow.page.getByRole('main').getByText(text).first().waitFor();
          await look(narrow.page, `overviews-390-${name}`);
          const [is, may] = (await narrow.page.evaluate(
            '[document.documentElement.scrollWidth, window.innerWidth]',
          )) as number[];
          assert.equal(is, may, `${address} is wider than the window`);
        }
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
