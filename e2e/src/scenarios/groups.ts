/** Groups in a real browser: the tree, settings, badges, labels, moving, archiving, deleting and bringing back. Slow: every settings page of a group. */
import assert from 'node:assert/strict';
import { type Api, api } from '../support/api.ts';
import { accessible, openWindow, type Person, screenshot, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

/** One pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const root = { login: 'root', password: rootPassword };
const quiet = (person: Person) => assert.deepEqual(person.problems(), []);

interface World {
  readonly top: { readonly id: number };
}

async function populated(call: Api): Promise<World> {
  const group = (values: object) => call.expect<{ id: number }>(201, 'POST', '/groups', values);
  const top = await group({ name: 'Observatory', path: 'observatory', description: 'Telescopes and their software' });
  const optics = await group({ name: 'Optics', path: 'optics', parent_id: top.id, description: 'Mirrors and lenses' });
  await group({ name: 'Mirrors', path: 'mirrors', parent_id: optics.id });
  await group({ name: 'Radio', path: 'radio', parent_id: top.id });
  await group({ name: 'Laboratory', path: 'laboratory', description: 'Where things are tried' });
  await call.expect(201, 'POST', '/projects', { name: 'polish', namespace_id: optics.id, description: 'Grinds glass' });
  await call.expect(201, 'POST', '/projects', { name: 'dome', namespace_id: top.id, description: 'Opens the roof' });
  return { top };
}

export async function groupJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    const world = await populated(call);
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      await tree(suite, person);
      await settings(suite, person);
      await parts(suite, person);
      await accounts(suite, person);
      await moves(suite, person, world);
      await person.close();
      await visits(suite, await openWindow(browser, instance.url), call);
    });
    for (const look of [{ dark: true }, { width: 390 }])
      await withBrowser(async (browser) => {
        const person = await openWindow(browser, instance.url, look);
        await looks(suite, person, 'width' in look ? 'narrow' : 'dark');
        await person.close();
      });
  } finally {
    await instance.stop();
    instance.remove();
  }
}

async function tree(suite: Suite, person: Person): Promise<void> {
  const { page } = person;
  await suite.required('browser: groups are found, opened and searched', async () => {
    await signIn(page, root);
    await page.goto('/dashboard/groups');
    await page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Observatory / Optics / Mirrors' }).waitFor();
    await screenshot(page, 'groups-own');
    await accessible(page);
    await page.getByLabel('Order').selectOption('Newest first');
    await page.waitForURL(/sort=newest/);
    await page.getByLabel('Visibility').selectOption('Public');
    await page.getByText('No groups match your filter').waitFor();
    await page.getByLabel('Visibility').selectOption('Any visibility');
    await page.getByLabel('Search groups').fill('observ');
    await page.waitForURL(/search=observ/);
    await page.getByRole('link', { name: 'Laboratory' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Observatory', exact: true }).click();
    await page.getByRole('heading', { name: 'Observatory', level: 1 }).waitFor();
    await page.getByRole('navigation', { name: 'Group' }).getByRole('link', { name: 'Members 1' }).waitFor();
    await page.getByText('Projects 1').click();
    await page.waitForURL(/list=projects/);
    await page.getByRole('button', { name: 'Contents of Optics' }).waitFor({ state: 'detached' });
    await page.getByText('Subgroups 2').click();
    await page.getByRole('button', { name: 'Contents of Optics' }).click();
    await page.getByRole('list', { name: 'In Optics' }).getByRole('link', { name: 'polish' }).waitFor();
    await page.getByRole('button', { name: 'Contents of Mirrors' }).click();
    await page.getByText('Empty group.').waitFor();
    await screenshot(page, 'group-tree');
    await accessible(page);
    await page.getByLabel('Search subgroups and projects').fill('mirr');
    await page.getByRole('link', { name: 'Observatory / Optics / Mirrors' }).waitFor();
    quiet(person);
  });
}

async function settings(suite: Suite, person: Person): Promise<void> {
  const { page } = person;
  await suite.required('browser: a group gets a picture, another name and other rules', async () => {
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('heading', { name: 'General', level: 2 }).waitFor();
    await page.locator('input[type=file]').setInputFiles({ name: 'group.png', mimeType: 'image/png', buffer: picture });
    await page.getByRole('button', { name: 'Remove avatar' }).waitFor();
    await page.locator('input[name=name]').fill('Great Observatory');
    await page.locator('input[name=path]').fill('great');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/\/groups\/great\/-\/settings/);
    await page.getByRole('link', { name: 'Great Observatory' }).waitFor();
    await screenshot(page, 'group-settings');
    await accessible(page);
    await page.getByRole('link', { name: 'Permissions and features' }).click();
    await page.getByRole('heading', { name: 'Permissions and features', level: 2 }).waitFor();
    await page.getByLabel('Roles allowed to create projects').selectOption('Owners');
    await page.getByRole('switch', { name: 'Prevent sharing projects with other groups' }).press('Space');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await screenshot(page, 'group-permissions');
    await accessible(page);
    await page.getByRole('link', { name: 'Merge requests and jobs' }).click();
    await page.getByRole('heading', { name: 'Merge requests and jobs', level: 2 }).waitFor();
    await page.getByLabel('Pipelines must succeed').check();
    await page.getByLabel('Maximum artifacts size').fill('20');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await screenshot(page, 'group-merges');
    await accessible(page);
    await page.getByRole('link', { name: 'Downloads', exact: true }).click();
    await page.getByRole('heading', { name: 'Downloads', level: 2 }).waitFor();
    await page.getByLabel('Projects', { exact: true }).fill('20');
    await page.getByLabel('Within').fill('3600');
    await page.getByRole('combobox', { name: 'Exempt users' }).fill('mirror');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Notified users' }).click();
    await page.getByRole('option').first().click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await screenshot(page, 'group-downloads');
    await accessible(page);
    quiet(person);
  });
}

async function parts(suite: Suite, person: Person): Promise<void> {
  const { page } = person;
  await suite.required('browser: badges and labels of a group', async () => {
    await page.getByRole('link', { name: 'Badges', exact: true }).click();
    await page.getByRole('heading', { name: 'Badges', level: 2, exact: true }).waitFor();
    await page.locator('input[name=name]').fill('Tests');
    await page.locator('input[name=link_url]').fill('https://ci.example/%{project_path}');
    await page.locator('input[name=image_url]').fill('https://ci.example/%{default_branch}.svg');
    await page.getByRole('button', { name: 'Add badge' }).click();
    await page.getByRole('button', { name: 'Delete Tests' }).waitFor();
    await screenshot(page, 'group-badges');
    await accessible(page);
    await page.getByRole('link', { name: 'Labels', exact: true }).click();
    await page.getByRole('heading', { name: 'Labels', level: 2, exact: true }).waitFor();
    await page.locator('input[name=name]').fill('needs a clear sky');
    await page.getByRole('button', { name: 'Create label' }).click();
    await page.getByRole('button', { name: 'Delete needs a clear sky' }).waitFor();
    await screenshot(page, 'group-labels');
    await accessible(page);
    quiet(person);
  });
}

async function accounts(suite: Suite, person: Person): Promise<void> {
  const { page } = person;
  await suite.required('browser: a service account of a group gets a token, and leaves', async () => {
    await page.getByRole('link', { name: 'Service accounts', exact: true }).click();
    await page.getByRole('heading', { name: 'Service accounts', level: 2 }).waitFor();
    await page.locator('input[name=name]').fill('Night sweep');
    await page.locator('input[name=username]').fill('night-sweep');
    await page.getByRole('button', { name: 'Create service account' }).click();
    await page.getByRole('button', { name: 'Remove Night sweep' }).waitFor();
    await screenshot(page, 'group-service-accounts');
    await accessible(page);
    await page.getByRole('button', { name: 'Tokens of Night sweep' }).click();
    const tokens = page.getByRole('dialog');
    await tokens.getByText('No tokens.').waitFor();
    await screenshot(page, 'service-account-tokens');
    await accessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove Night sweep' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('Night sweep');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove service account' }).click();
    await page.getByText('None yet.').waitFor();
    quiet(person);
  });
}

async function moves(suite: Suite, person: Person, { top }: World): Promise<void> {
  const { page } = person;
  const confirm = async (name: string, action: string) => {
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: action }).click();
  };
  await suite.required('browser: a group moves, is archived, deleted and brought back', async () => {
    await page.getByRole('link', { name: 'Transfer, archive, delete' }).click();
    await page.getByRole('heading', { name: 'Transfer group' }).waitFor();
    await screenshot(page, 'group-advanced');
    await accessible(page);
    await page.getByLabel('Below').selectOption('Laboratory');
    await page.getByRole('button', { name: 'Transfer group' }).click();
    await confirm('great', 'Transfer group');
    await page.waitForURL(/\/groups\/laboratory\/great$/);
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('link', { name: 'Transfer, archive, delete' }).click();
    await page.getByRole('button', { name: 'Archive group', exact: true }).click();
    await page.getByRole('button', { name: 'Unarchive group' }).click();
    await page.getByRole('button', { name: 'Archive group', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete group' }).click();
    await confirm('laboratory/great', 'Delete group');
    await page.waitForURL(/\/dashboard\/groups/);
    await page.goto(`/groups/laboratory/great-deletion_scheduled-${top.id}/-/settings?part=advanced`);
    await page.getByRole('button', { name: 'Restore group' }).click();
    await page.waitForURL(/\/groups\/laboratory\/great$/);
    await page.getByRole('heading', { name: 'Great Observatory', level: 1 }).waitFor();
    quiet(person);
  });
}

async function visits(suite: Suite, visitor: Person, call: Api): Promise<void> {
  const { page } = visitor;
  await suite.required('browser: whoever is not signed in explores what is public', async () => {
    const open = { name: 'Planetarium', path: 'planetarium', visibility: 'public' };
    const { id } = await call.expect<{ id: number }>(201, 'POST', '/groups', open);
    await call.expect(201, 'POST', '/projects', { name: 'stars', namespace_id: id, visibility: 'public' });
    await page.goto('/users/sign_in');
    await page.getByRole('link', { name: 'Explore public projects' }).click();
    const projects = page.getByRole('list', { name: 'Projects' });
    await projects.getByRole('link', { name: 'Planetarium / stars' }).waitFor();
    assert.equal(await projects.getByRole('listitem').count(), 1);
    await screenshot(page, 'explore');
    await accessible(page);
    await page.getByRole('link', { name: 'Groups', exact: true }).click();
    await page.getByRole('list', { name: 'Groups' }).getByRole('link', { name: 'Planetarium' }).click();
    await page.getByRole('link', { name: 'stars' }).click();
    await page.waitForURL(/\/planetarium\/stars$/);
    await page.getByRole('heading', { name: 'stars', level: 1 }).waitFor({ state: 'attached' });
    await page.getByText('This repository is empty').waitFor();
    await page.goto('/');
    await page.getByLabel('Username or email').waitFor();
    quiet(visitor);
  });
  await visitor.close();
}

async function looks(suite: Suite, person: Person, name: string): Promise<void> {
  const { page } = person;
  await suite.required(`browser: pages of groups, ${name}`, async () => {
    await signIn(page, root);
    await page.goto('/groups/laboratory/great');
    await page.getByRole('button', { name: 'Contents of Optics' }).click();
    await page.getByRole('list', { name: 'In Optics' }).getByRole('link', { name: 'polish' }).waitFor();
    await screenshot(page, `group-tree-${name}`);
    await accessible(page);
    await page.goto('/groups/laboratory/great/-/settings');
    await page.getByRole('heading', { name: 'General', level: 2 }).waitFor();
    await screenshot(page, `group-settings-${name}`);
    await accessible(page);
    await page.goto('/groups/laboratory/great/-/settings?part=permissions');
    await page.getByRole('heading', { name: 'Permissions and features', level: 2 }).waitFor();
    await screenshot(page, `group-permissions-${name}`);
    await accessible(page);
    quiet(person);
  });
}
