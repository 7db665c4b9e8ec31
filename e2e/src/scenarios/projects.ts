/** Projects in a real browser: lists, stars, forks, every part of the settings, moving, archiving, deleting and bringing back. Slow: every part of the settings. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { api } from '../support/api.ts';
import {
  accessible,
  look,
  openWindow,
  type Person,
  screenshot,
  ticked,
  valued,
  withBrowser,
} from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const heading = (page: Page, name: string | RegExp, level = 1) => page.getByRole('heading', { name, level }).waitFor();

export async function projectJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const root = api(instance.url, rootToken);
    const group = await root.expect(201, 'POST', '/groups', { name: 'Harbour', path: 'harbour', visibility: 'public' });
    const dock = await root.expect(201, 'POST', '/groups', { name: 'Dock', path: 'dock', visibility: 'public' });
    assert.notEqual(group.id, dock.id);
    await root.expect(201, 'POST', '/projects', {
      name: 'Tide clock',
      path: 'tide-clock',
      namespace_id: group.id,
      visibility: 'public',
      description: 'Tells high water at every quay',
      topics: ['tides', 'clock'],
      initialize_with_readme: true,
    });
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      await signIn(person.page, { login: 'root', password: rootPassword });
      await looksAround(suite, person);
      await forks(suite, person);
      await sets(suite, person);
      await moves(suite, person);
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}

async function looksAround(suite: Suite, { page, problems }: Person): Promise<void> {
  await suite.step('projects: a star, and the lists of the dashboard', async () => {
    await page.goto('/harbour/tide-clock');
    await page.getByRole('button', { name: 'Star · 0' }).click();
    await page.getByRole('button', { name: 'Unstar · 1' }).waitFor();
    await screenshot(page, 'project-front');
    await accessible(page);
    await page.goto('/');
    await heading(page, 'Projects');
    await accessible(page);
    for (const list of ['Starred', 'Contributed', 'All']) {
      await page.getByRole('link', { name: list, exact: true }).click();
      await page.locator(`a[aria-current=page]`, { hasText: list }).waitFor();
      await page.getByRole('link', { name: 'Harbour / Tide clock' }).waitFor();
    }
    await page.getByLabel('Order').selectOption('stars');
    await page.waitForURL(/order=stars/);
    await page.getByRole('link', { name: 'Starred', exact: true }).click();
    await page.getByRole('link', { name: 'Harbour / Tide clock' }).waitFor();
    await screenshot(page, 'dashboard-starred');
    assert.deepEqual(problems(), []);
  });
}

async function forks(suite: Suite, { page, problems }: Person): Promise<void> {
  await suite.step('projects: a fork, made in the page, is there with its files', async () => {
    await page.goto('/harbour/tide-clock');
    await page.getByRole('link', { name: 'Fork · 0' }).click();
    await heading(page, 'Fork Tide clock');
    await look(page, 'fork');
    await page.getByLabel('Name').fill('My tide clock');
    await page.getByLabel('URL path').fill('my-tide-clock');
    await page.getByLabel('Owner').selectOption({ label: 'root' });
    await page.getByRole('button', { name: 'Fork project' }).click();
    await page.waitForURL(/\/root\/my-tide-clock$/);
    await page.getByText('README.md').first().waitFor();
    await page.getByRole('link', { name: 'harbour/tide-clock' }).waitFor();
    await screenshot(page, 'forked');
    await accessible(page);
    await page.goto('/harbour/tide-clock');
    await page.getByRole('link', { name: 'Fork · 1' }).waitFor();
    const facts = page.getByRole('navigation', { name: 'Repository' });
    await facts.getByRole('link', { name: '1 fork' }).click();
    await heading(page, 'Forks');
    await page.getByRole('list', { name: 'Projects' }).getByText('My tide clock').waitFor();
    await look(page, 'forks');
    await page.getByLabel('Filter forks').fill('somebody else');
    await page.getByText('No forks match your filter').waitFor();
    await page.goto('/harbour/tide-clock');
    await facts.getByRole('link', { name: '1 star' }).click();
    await heading(page, 'Stars');
    await page.getByRole('list', { name: 'People' }).getByRole('link', { name: 'Administrator' }).waitFor();
    await look(page, 'starrers');
    await page.goto('/harbour/tide-clock');
    await facts.getByRole('link', { name: 'Contributors' }).click();
    await heading(page, 'Contributors');
    await page.getByRole('list', { name: 'Contributors' }).getByText('1 commit').first().waitFor();
    await look(page, 'contributors');
    assert.deepEqual(problems(), []);
  });
}

/** A repository to follow that cannot be reached says so, and is removed. */
async function pullMirror(page: Page): Promise<void> {
  await page.goto('/harbour/tide-clock/-/settings?part=pull-mirror');
  const form = page.getByRole('form', { name: 'Set up a pull mirror' });
  await form.getByRole('textbox', { name: 'Repository URL' }).fill('https://upstream.invalid/team/project.git');
  await form.getByRole('textbox', { name: 'Username' }).fill('robot');
  await form.getByLabel('Password or token').fill('secret-word');
  await form.getByRole('button', { name: 'Set up pull mirror' }).click();
  const list = page.getByRole('list', { name: 'Pull mirror' });
  await list.getByText('https://*****:*****@upstream.invalid/team/project.git').waitFor();
  await list.getByText('The host cannot be resolved').waitFor();
  await page.getByRole('form', { name: 'Edit pull mirror' }).waitFor();
  await look(page, 'pull-mirror');
  await list.getByRole('button', { name: /^Remove https/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove pull mirror' }).click();
  await page.getByRole('form', { name: 'Set up a pull mirror' }).waitFor();
}

/** A mirror that cannot be reached says so, and goes. */
async function mirrors(page: Page): Promise<void> {
  await page.goto('/harbour/tide-clock/-/settings?part=push-mirrors');
  const form = page.getByRole('form', { name: 'Add a push mirror' });
  await form.getByRole('textbox', { name: 'Repository URL' }).fill('https://mirror.invalid/team/project.git');
  await form.getByRole('textbox', { name: 'Username' }).fill('robot');
  await form.getByLabel('Password or token').fill('secret-word');
  await form.getByRole('button', { name: 'Add push mirror' }).click();
  const list = page.getByRole('list', { name: 'Push mirrors' });
  await list.getByText('https://*****:*****@mirror.invalid/team/project.git').waitFor();
  await list.getByText('The host cannot be resolved').waitFor();
  await look(page, 'push-mirrors');
  await list.getByRole('button', { name: /^Delete https/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete push mirror' }).click();
  await page.getByText('No push mirrors yet.').waitFor();
}

async function sets(suite: Suite, { page, problems }: Person): Promise<void> {
  await suite.step('projects: every part of the settings', async () => {
    const parts = {
      general: 'General',
      features: 'Features',
      merge: 'Merge requests',
      pipelines: 'Pipelines',
      place: /Archive/,
    };
    for (const [part, title] of Object.entries(parts)) {
      await page.goto(`/harbour/tide-clock/-/settings?part=${part}`);
      await heading(page, title, 2);
      await look(page, `project-settings-${part}`);
    }
    await pullMirror(page);
    await mirrors(page);
    await page.goto('/harbour/tide-clock/-/settings?part=features');
    await heading(page, 'Features', 2);
    await page.getByLabel('Forks').selectOption('disabled');
    await page.getByLabel('Git LFS').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await heading(page, 'Features', 2);
    await valued(page.getByLabel('Forks'), 'disabled');
    await ticked(page.getByLabel('Git LFS'), false);
    await page.goto('/harbour/tide-clock/-/settings?part=pipelines');
    await heading(page, 'Pipelines', 2);
    await page.getByLabel('Job timeout').fill('1h 30m');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.goto('/harbour/tide-clock/-/settings');
    await heading(page, 'General', 2);
    await page.getByRole('combobox', { name: 'Topics' }).fill('quay');
    await page.getByRole('combobox', { name: 'Topics' }).press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.goto('/?list=activity');
    await page.getByRole('list', { name: 'Activity' }).waitFor();
    await look(page, 'dashboard-activity');
    assert.deepEqual(problems(), []);
    for (const [name, options] of [
      ['dark', { dark: true }],
      ['narrow', { width: 390 }],
    ] as const) {
      await page.emulateMedia({ colorScheme: 'dark' in options ? 'dark' : 'light' });
      await page.setViewportSize({ width: 'width' in options ? options.width : 1280, height: 900 });
      for (const [part, title] of [
        ['features', 'Features'],
        ['place', /Archive/],
      ] as const) {
        await page.goto(`/harbour/tide-clock/-/settings?part=${part}`);
        await heading(page, title, 2);
        await look(page, `project-settings-${part}-${name}`);
      }
      await page.goto('/?list=starred');
      await page.getByRole('link', { name: 'Harbour / Tide clock' }).waitFor();
      await look(page, `dashboard-${name}`);
      await page.goto('/harbour/tide-clock');
      await page.getByText('README.md').first().waitFor();
      await screenshot(page, `project-front-${name}`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 900 });
  });
}

async function moves(suite: Suite, { page, problems }: Person): Promise<void> {
  await suite.step('projects: archived, opened, moved, deleted and brought back', async () => {
    const place = (path: string) => page.goto(`/${path}/-/settings?part=place`);
    await place('harbour/tide-clock');
    await page.getByRole('button', { name: 'Archive project', exact: true }).click();
    await page.getByText('Archived: read-only').waitFor();
    await page.getByRole('button', { name: 'Unarchive project' }).click();
    await page.getByRole('button', { name: 'Archive project', exact: true }).waitFor();
    await page.getByLabel('New group').selectOption({ label: 'dock' });
    await page.getByRole('button', { name: 'Transfer project' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('harbour/tide-clock');
    await dialog.getByRole('button', { name: 'Transfer project' }).click();
    await page.waitForURL(/\/dock\/tide-clock$/);
    await place('dock/tide-clock');
    await page.getByRole('button', { name: 'Delete project' }).click();
    await dialog.getByRole('textbox').fill('dock/tide-clock');
    await dialog.getByRole('button', { name: 'Delete project' }).click();
    await heading(page, 'Projects');
    await page.goto('/?list=all');
    await page.getByRole('list', { name: 'Projects' }).waitFor();
    const removed = page.getByRole('link', { name: /Dock \/ Tide clock-deletion/ });
    assert.equal(await removed.count(), 0, 'projects scheduled for deletion are among those in use');
    await page.getByRole('link', { name: 'Inactive', exact: true }).click();
    await page.locator('a[aria-current=page]', { hasText: 'Inactive' }).waitFor();
    await page.getByText('Scheduled for deletion').waitFor();
    await screenshot(page, 'dashboard-inactive');
    await accessible(page);
    await removed.click();
    await page.getByText(/Scheduled for deletion since/).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Archive, move, delete' }).click();
    await page.getByRole('button', { name: 'Restore project' }).click();
    await page.waitForURL(/\/dock\/tide-clock$/);
    await page.getByText('README.md').first().waitFor();
    assert.deepEqual(problems(), []);
  });
}
