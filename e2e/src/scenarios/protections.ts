/** Protected branches and tags in a real browser, and what git says at them. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api } from '../support/api.ts';
import { counted, look, openPart, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'lighthouse/lamp';
const settings = (part: string) => `/${project}/-/settings?part=${part}`;
const rules = `/projects/${encodeURIComponent(project)}`;

const open = (page: Page, part: string, heading: string) => openPart(page, settings(part), heading);
/** Chooses in a list of who may. */
async function choose(page: Page, label: string, typed: string, option: string): Promise<void> {
  const field = page.getByRole('combobox', { name: label, exact: true });
  await field.fill(typed);
  await page.getByRole('option', { name: option }).click();
  await page.keyboard.press('Escape');
}

async function populated(call: Api): Promise<void> {
  const group = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Lighthouse', path: 'lighthouse' });
  const json = { name: 'Lamp', namespace_id: group.id, initialize_with_readme: true };
  const { id } = await call.expect<{ id: number }>(201, 'POST', '/projects', json);
  const person = {
    username: 'keeper',
    name: 'Keeper',
    email: 'keeper@example.com',
    password: 'foghorn-3-blasts-at-dusk',
  };
  const user = await call.expect<{ id: number }>(201, 'POST', '/users', { ...person, skip_confirmation: true });
  await call.expect(201, 'POST', `/projects/${id}/members`, { user_id: user.id, access_level: 30 });
  await call.expect(201, 'POST', `/projects/${id}/repository/branches`, { branch: 'release/1', ref: 'main' });
  await call.expect(201, 'POST', `/groups/${group.id}/protected_branches`, { name: 'production' });
}

export async function protectionJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    await populated(call);
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const { page } = person;
      await signIn(page, { login: 'root', password: rootPassword });
      await suite.step(
        'a branch is protected by pattern, for a role and one person, changed and unprotected',
        async () => {
          await open(page, 'protected-branches', 'Protected branches');
          await page.getByText('inherited').waitFor();
          await page.getByLabel('Branch or pattern').fill('release/*');
          await choose(page, 'Allowed to push and merge', 'Keep', 'Keeper (@keeper)');
          await choose(page, 'Allowed to merge', 'Dev', 'Developers + Maintainers');
          await look(page, 'protected-branches-form');
          await page.getByRole('button', { name: 'Protect', exact: true }).click();
          await page.getByText('Push: Maintainers, Keeper').waitFor();
          await page.getByRole('button', { name: 'Edit release/*' }).click();
          await page.getByRole('heading', { name: 'Edit release/*' }).waitFor();
          await page.getByLabel('Allow force push').check();
          await page.getByLabel('Require approval of code owners').check();
          await look(page, 'protected-branch-change');
          await page.getByRole('button', { name: 'Save changes' }).click();
          await page.getByText('force push', { exact: true }).waitFor();
          await look(page, 'protected-branches');
          type Rule = { allow_force_push: boolean; push_access_levels: object[] };
          const rule = await call.expect<Rule>(200, 'GET', `${rules}/protected_branches/release%2F*`);
          assert.deepEqual([rule.allow_force_push, rule.push_access_levels.length], [true, 2]);
          await page.goto(`/${project}/-/branches`);
          await page.getByRole('heading', { name: 'Branches', level: 1 }).waitFor();
          await counted(page.getByText('protected', { exact: true }), 2);
          await look(page, 'branches-protected');
          await open(page, 'protected-branches', 'Protected branches');
          await page.getByRole('button', { name: 'Unprotect release/*' }).click();
          await page.getByRole('dialog').getByRole('textbox').fill('release/*');
          await page.getByRole('dialog').getByRole('button', { name: 'Unprotect' }).click();
          await page.getByText('Push: Maintainers, Keeper').waitFor({ state: 'detached' });
        },
      );
      await suite.step('tags are protected, and the page says why a name is refused', async () => {
        await open(page, 'protected-tags', 'Protected tags');
        for (const again of [false, true]) {
          await page.getByLabel('Tag or pattern').fill('v*');
          await page.getByRole('button', { name: 'Protect', exact: true }).click();
          await (again
            ? page.getByText('Name has already been taken')
            : page.getByText('Create: Maintainers')
          ).waitFor();
        }
        await look(page, 'protected-tags');
      });
      await suite.step('packages are protected by name, and the rule is changed and removed', async () => {
        await open(page, 'protected-packages', 'Protected packages');
        await page.getByLabel('Package name or pattern').fill('release-*');
        await page.getByRole('button', { name: 'Protect', exact: true }).click();
        await page.getByText('Publish: Maintainers and above').waitFor();
        await page.getByRole('button', { name: 'Edit release-*' }).click();
        await page.getByRole('heading', { name: 'Edit release-*' }).waitFor();
        await page.getByRole('combobox', { name: 'Allowed to delete' }).click();
        await page.getByRole('option', { name: 'Owners and administrators' }).click();
        await page.getByRole('button', { name: 'Save changes' }).click();
        await page.getByText('Delete: Owners and administrators').waitFor();
        await look(page, 'protected-packages');
        await page.getByRole('button', { name: 'Unprotect release-*' }).click();
        await page.getByRole('dialog').getByRole('textbox').fill('release-*');
        await page.getByRole('dialog').getByRole('button', { name: 'Unprotect' }).click();
        await page.getByText('No protected packages.').waitFor();
      });
      await person.close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
