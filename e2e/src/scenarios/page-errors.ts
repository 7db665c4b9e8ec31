/** Pages that do not exist, are not for whoever asks, or go wrong: sentences, inside the frame that still makes sense. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api } from '../support/api.ts';
import { accessible, counted, headed, openWindow, type Person, screenshot, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn, signOut } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'lighthouse/lamp';
const password = 'correct-horse-battery-staple';

async function populated(call: Api): Promise<void> {
  const group = { name: 'Lighthouse', path: 'lighthouse', visibility: 'public' };
  const { id } = await call.expect<{ id: number }>(201, 'POST', '/groups', group);
  const made = { name: 'Lamp', path: 'lamp', namespace_id: id, visibility: 'public', initialize_with_readme: true };
  await call.expect(201, 'POST', '/projects', made);
  const secret = { name: 'Ledger', path: 'ledger', namespace_id: id, visibility: 'private' };
  await call.expect(201, 'POST', '/projects', secret);
  const keeper = { username: 'keeper', name: 'Ida Keeper', email: 'keeper@example.com', password };
  await call.expect(201, 'POST', '/users', { ...keeper, skip_confirmation: true });
}

/** What no page says to people: status lines and names of fields. */
const raw = /\b[1-5]\d\d (Forbidden|Not Found|Bad|Unauthorized|Internal)|[a-z]+_[a-z]+|is invalid|This did not work/;

async function says(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  const text = (await page.getByRole('main').textContent()) ?? '';
  assert.doesNotMatch(text, raw);
  assert.match(text, /\./, 'no sentence on the page');
}

const bar = (page: Page) => page.getByRole('button', { name: /^Account of/ });
const header = (page: Page, name: 'Project' | 'Group') => page.getByRole('navigation', { name, exact: true });
const adminList = (page: Page) => page.getByRole('navigation', { name: 'Administration' });

const adminPages = [
  '/admin',
  '/admin/background_jobs',
  '/admin/imports',
  '/admin/users',
  '/admin/users/root',
  '/admin/users/new',
  '/admin/users/root/edit',
  '/admin/users/root/impersonation_tokens',
  '/admin/topics',
  '/admin/deploy_keys',
  '/admin/push_rule',
  '/admin/hooks',
  '/admin/backups',
  '/admin/broadcast_messages',
  '/admin/application_settings/appearance',
  '/admin/integrations',
  '/admin/audit_logs',
  '/admin/runners',
  '/admin/applications',
  '/admin/application_settings/general',
  '/admin/session/new',
];
const missingInProject = [
  '-/blob/main/no/such/file.ts',
  '-/tree/main/no-such-folder',
  '-/blame/main/no-such-file.ts',
  '-/merge_requests/99',
  '-/merge_requests/ninety',
  '-/merge_requests/1/nonsense',
  '-/pipelines/99999',
  '-/jobs/99999',
  '-/commit/0123456789abcdef0123456789abcdef01234567',
  '-/milestones/99',
  '-/releases/v99',
  '-/compare/main...no-such-branch',
  '-/no-such-page',
];

/** Addresses as other programs write them, and those of the pages that they lead to. */
const pasted: readonly (readonly [address: string, page: string])[] = [
  [`/${project}/-/settings/ci_cd`, `/${project}/-/settings?part=pipelines`],
  [`/${project}/-/settings/repository`, `/${project}/-/settings?part=protected-branches`],
  [`/${project}/-/settings/merge_requests`, `/${project}/-/settings?part=merge`],
  [`/${project}/-/hooks`, `/${project}/-/settings?part=hooks`],
  ['/groups/lighthouse/-/hooks', '/groups/lighthouse/-/settings?part=hooks'],
  ['/help', '/help'],
  ['/explore', '/?list=all'],
  ['/explore/groups', '/dashboard/groups?list=all'],
  ['/dashboard/projects/starred', '/?list=starred'],
];

async function aliases(suite: Suite, page: Page): Promise<void> {
  await suite.step('pasted addresses lead to their pages', async () => {
    for (const [address, leads] of pasted) {
      await page.goto(address);
      await page.waitForURL(`**${leads}`);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      assert.equal(await page.getByRole('heading', { name: 'Page not found' }).count(), 0, address);
    }
  });
}

async function missing(suite: Suite, page: Page): Promise<void> {
  for (const address of missingInProject)
    await suite.step(`what a project does not have is not found below its header: ${address}`, async () => {
      await page.goto(`/${project}/${address}`);
      await says(page, 'Page not found');
      await bar(page).waitFor();
      await header(page, 'Project').waitFor();
      await counted(page.getByRole('main'), 1);
    });
  await suite.step('a missing merge request looks right, and people go on from it', async () => {
    await page.goto(`/${project}/-/merge_requests/99`);
    await says(page, 'Page not found');
    await screenshot(page, 'error-missing-in-project');
    await accessible(page);
    await header(page, 'Project').getByRole('link', { name: 'Code' }).click();
    await page.getByRole('link', { name: 'README.md' }).waitFor();
  });
  for (const address of ['-/milestones/99', '-/no-such-page'])
    await suite.step(`what a group does not have is not found below its header: ${address}`, async () => {
      await page.goto(`/groups/lighthouse/${address}`);
      await says(page, 'Page not found');
      await bar(page).waitFor();
      await header(page, 'Group').waitFor();
    });
  for (const address of ['/lighthouse/no-such-project', '/nobody-at-all', '/groups/nothing', '/dashboard/no-such-page'])
    await suite.step(`what nobody has is not found below the bar at the top: ${address}`, async () => {
      await page.goto(address);
      await says(page, 'Page not found');
      await bar(page).waitFor();
    });
}

async function forbidden(suite: Suite, page: Page): Promise<void> {
  for (const address of adminPages)
    await suite.step(`people without its rights see nothing of the administration: ${address}`, async () => {
      await page.goto(address);
      await says(page, 'Access denied');
      await bar(page).waitFor();
      assert.equal(await adminList(page).count(), 0);
      assert.equal(await page.getByText('Administrator', { exact: true }).count(), 0);
    });
  for (const [address, row] of [
    [`/${project}/-/settings`, 'Project'],
    [`/${project}/-/pipelines/new`, 'Project'],
    [`/${project}/-/releases/new`, 'Project'],
    [`/${project}/-/audit_events`, 'Project'],
    ['/groups/lighthouse/-/settings', 'Group'],
    ['/groups/lighthouse/-/audit_events', 'Group'],
  ] as const)
    await suite.step(`what others may do is refused below the header: ${address}`, async () => {
      await page.goto(address);
      await says(page, 'Access denied');
      await header(page, row).waitFor();
    });
  await suite.step('a private project is not found by strangers', async () => {
    await page.goto('/lighthouse/ledger');
    await says(page, 'Page not found');
    await bar(page).waitFor();
    assert.equal(await page.getByText('Ledger').count(), 0);
  });
}

async function failed(suite: Suite, person: Person): Promise<void> {
  const { page } = person;
  await suite.step('what fails says why in a sentence, and works when it is tried again', async () => {
    let broken = true;
    await page.route('**/repository/branches?**', async (route) => {
      const json = { message: '500 Internal Server Error' };
      await (broken ? route.fulfill({ status: 500, json }) : route.continue());
    });
    await page.goto(`/${project}/-/branches`);
    await says(page, 'Something went wrong');
    await header(page, 'Project').waitFor();
    await screenshot(page, 'error-failed');
    await accessible(page);
    broken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await headed(page, 'Branches');
    await page.getByRole('link', { name: 'main' }).first().waitFor();
    person.problems();
  });
}

export async function pageErrorsJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    await populated(api(instance.url, rootToken));
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const { page } = person;
      await suite.step('who is not signed in is offered to sign in, and comes back', async () => {
        await page.goto('/lighthouse/ledger');
        await says(page, 'Page not found');
        await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
        await page.getByLabel('Username or e').fill('root');
        await page.locator('input[name=password]').fill(rootPassword);
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('heading', { name: 'This repository is empty' }).waitFor();
        assert.equal(new URL(page.url()).pathname, '/lighthouse/ledger');
        await signOut(page);
      });
      await signIn(page, { login: 'keeper', password });
      await missing(suite, page);
      await forbidden(suite, page);
      await failed(suite, person);
      await signOut(page);
      await signIn(page, { login: 'root', password: rootPassword });
      await aliases(suite, page);
      await suite.step('administrators keep the list of their pages beside what is not found', async () => {
        await page.goto('/admin/users/nobody-at-all');
        await page.getByRole('heading', { name: 'Page not found' }).waitFor();
        await adminList(page).waitFor();
        await screenshot(page, 'error-missing-in-admin');
        await accessible(page);
      });
      for (const [mode, options] of [
        ['dark', { colorScheme: 'dark' }],
        ['390', { colorScheme: 'light' }],
      ] as const)
        await suite.step(`error pages look right, ${mode}`, async () => {
          await page.emulateMedia(options);
          if (mode === '390') await page.setViewportSize({ width: 390, height: 800 });
          await page.goto(`/${project}/-/merge_requests/99`);
          await says(page, 'Page not found');
          await screenshot(page, `error-missing-${mode}`);
          await accessible(page);
        });
      await person.close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
