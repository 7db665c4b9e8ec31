/** What somebody does at their own pages without an administrator: details, name, mails, feeds, activity, leaving. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { api, until } from '../support/api.ts';
import {
  accessible,
  confirmAction,
  openWindow,
  type Person,
  screenshot,
  ticked,
  valued,
  withBrowser,
} from '../support/browser.ts';
import { rootToken, startInstance } from '../support/instance.ts';
import type { Suite } from '../support/suite.ts';

const password = 'nanosecond-wire-1952';

async function signIn(page: Page, login: string): Promise<void> {
  await page.goto('/users/sign_in');
  await page.getByLabel('Username or email').fill(login);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: /^Account of/ }).waitFor();
}

/** Nothing that the page logged but the refusals that the step provoked. */
function quiet(person: Person, refusals = 0): void {
  const found = person.problems();
  const answers = found.filter((problem) => problem.includes('Failed to load resource'));
  assert.deepEqual([answers.length, found.length], [refusals, refusals], found.join('\n'));
}

export async function ownAccountJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const root = api(instance.url, rootToken);
    const made = { username: 'grace', name: 'Grace', email: 'grace@example.com', password, skip_confirmation: true };
    const { id } = await root.expect<{ id: number }>(201, 'POST', '/users', made);
    const token = { name: 'own', scopes: ['api'] };
    const own = await root.expect<{ token: string }>(201, 'POST', `/users/${id}/personal_access_tokens`, token);
    const project = { name: 'Compiler', initialize_with_readme: true };
    await api(instance.url, own.token).expect(201, 'POST', '/projects', project);
    await withBrowser(async (browser) => {
      const grace = await openWindow(browser, instance.url);
      await signIn(grace.page, 'grace');
      await changes(suite, grace);
      await chooses(suite, grace);
      await reads(suite, grace, instance.url);
      await leaves(suite, grace);
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}

async function changes(suite: Suite, person: Person): Promise<void> {
  const { page } = person;
  await suite.required('browser: people change their own name and details', async () => {
    await page.goto('/-/user_settings/profile');
    await page.getByRole('heading', { name: 'Profile', exact: true }).waitFor();
    await page.locator('input[name=name]').fill('Grace Hopper');
    await page.getByLabel('About').fill('Finds moths');
    await page.getByLabel('Website').fill('nothing');
    await page.getByLabel('Website').fill('https://example.com/grace');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    await screenshot(page, 'own-profile');
    await accessible(page);
    quiet(person);
  });
  await suite.required('browser: a new username needs the password, and the profile moves with it', async () => {
    await page.goto('/-/profile/account');
    await page.getByRole('button', { name: 'Change username' }).click();
    await page.locator('input[name=username]').fill('amazing-grace');
    await page.locator('input[name=current_password]').fill('wrong');
    await page.getByRole('button', { name: 'Change username' }).click();
    await page.getByText('is invalid').waitFor();
    await screenshot(page, 'own-username');
    await accessible(page);
    quiet(person, 1);
    await page.locator('input[name=current_password]').fill(password);
    await page.getByRole('button', { name: 'Change username' }).click();
    await page.getByText('@amazing-grace').first().waitFor();
    await page.goto('/amazing-grace');
    await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
    quiet(person);
  });
}

async function chooses(suite: Suite, person: Person): Promise<void> {
  const { page } = person;
  await suite.required('browser: notifications are chosen everywhere and for a project', async () => {
    await page.goto('/-/profile/notifications');
    await page.getByRole('heading', { name: 'Notifications', exact: true }).waitFor();
    await page.getByLabel('Global notification level').selectOption('watch');
    await page.getByLabel('Notification level of Grace Hopper / Compiler').selectOption('custom');
    const kept = page.waitForResponse(
      (answer) => answer.request().postData()?.includes('"new_merge_request":true') === true,
    );
    await page.getByLabel('New merge request').check();
    assert.equal((await kept).status(), 200);
    await screenshot(page, 'notifications-own');
    await accessible(page);
    await page.reload();
    await page.getByLabel('New merge request').waitFor();
    await ticked(page.getByLabel('New merge request'), true);
    await valued(page.getByLabel('Global notification level'), 'watch');
    quiet(person);
  });
}

async function reads(suite: Suite, person: Person, url: string): Promise<void> {
  const { page } = person;
  await suite.required('browser: a feed token is made, opens feeds and is made anew', async () => {
    await page.goto('/-/user_settings/personal_access_tokens');
    await page.getByRole('button', { name: 'Create feed token' }).click();
    const field = page.getByLabel('Feed token', { exact: true }).locator('visible=true').last();
    const shown = async () => page.locator('section[aria-label="Feed token"] input').inputValue();
    await field.waitFor();
    const first = await shown();
    const feed = (token: string) => fetch(`${url}/amazing-grace.atom?feed_token=${token}`);
    const answer = await feed(first);
    assert.equal(answer.status, 200);
    assert.match(
      await answer.text(),
      /<title>Grace Hopper pushed new branch main at Grace Hopper \/ Compiler<\/title>/,
    );
    await page.getByRole('heading', { name: 'Feed token' }).scrollIntoViewIfNeeded();
    await screenshot(page, 'feed-token');
    await accessible(page);
    await page.getByRole('button', { name: 'Reset feed token' }).click();
    await confirmAction(page, 'Reset feed token');
    await until('another token', 60, async () => (await shown()) !== first);
    assert.equal((await feed(first)).status, 401);
    assert.equal((await feed(await shown())).status, 200);
    quiet(person);
  });
  await suite.required('browser: activity of a person and of a project', async () => {
    await page.goto('/amazing-grace');
    await page.getByRole('link', { name: 'Activity' }).click();
    const rows = page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
    await rows.getByText('pushed new').waitFor();
    await rows.getByRole('link', { name: 'Grace Hopper / Compiler' }).first().waitFor();
    await screenshot(page, 'activity-person');
    await accessible(page);
    await page.goto('/amazing-grace/compiler');
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Activity' }).click();
    await page.waitForURL(/\/amazing-grace\/compiler\/-\/activity$/);
    await rows.getByText('Initial commit').waitFor();
    await screenshot(page, 'activity-project');
    await accessible(page);
    quiet(person);
  });
}

async function leaves(suite: Suite, person: Person): Promise<void> {
  const { page } = person;
  await suite.required('browser: an account is deleted by its owner, with the password', async () => {
    await page.goto('/-/profile/account');
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[name=current_password]').fill('wrong');
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await dialog.getByText('is invalid').waitFor();
    await screenshot(page, 'delete-account');
    await accessible(page);
    quiet(person, 1);
    await dialog.locator('input[name=current_password]').fill(password);
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await page.waitForURL(/\/users\/sign_in/);
    await page.getByLabel('Username or email').waitFor();
    quiet(person);
  });
}
