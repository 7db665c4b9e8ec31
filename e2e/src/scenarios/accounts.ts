/** Accounts in a real browser: asking for one, its profile and keys, and what administrators do with it. */
import assert from 'node:assert/strict';
import { type Api, api } from '../support/api.ts';
import { accessible, openWindow, type Person, screenshot, valued, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { sendLogin, signedIn, signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const login = 'hedy';
const password = 'frequency-hopping-1942';
const newPassword = 'torpedo-guidance-88-keys';
const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl hedy@piano';
/** One pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Nothing that the page logged but the refusals that the step provoked. */
function quiet(person: Person, refusals = 0): void {
  const found = person.problems();
  const answers = found.filter((problem) => problem.includes('Failed to load resource'));
  assert.deepEqual(
    [answers.length, found.filter((problem) => !answers.includes(problem))],
    [refusals, []],
    found.join('\n'),
  );
}

export async function accountJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    // A browser each: in one, this build of Chromium keeps the cookies of all windows together.
    await withBrowser((first) =>
      withBrowser(async (second) => {
        const hedy = await openWindow(first, instance.url);
        const root = await openWindow(second, instance.url);
        await asks(suite, hedy);
        await approved(suite, root, hedy);
        await looksAfterItself(suite, hedy);
        await isSeen(suite, root, api(instance.url, rootToken));
        await isBlocked(suite, root, hedy);
      }),
    );
  } finally {
    await instance.stop();
    instance.remove();
  }
}

async function asks(suite: Suite, person: Person): Promise<void> {
  const { page } = person;
  await suite.required('browser: somebody asks for an account, and is told why it waits', async () => {
    await page.goto('/users/sign_in');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByRole('heading', { name: 'Create an account' }).waitFor();
    await page.locator('input[name=name]').fill('Hedy Lamarr');
    await page.locator('input[name=username]').fill(login);
    await page.locator('input[name=email]').fill('hedy@example.com');
    await page.locator('input[name=password]').fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('is too short').waitFor();
    await screenshot(page, 'sign-up-refused');
    await accessible(page);
    quiet(person, 1);
    await page.locator('input[name=password]').fill(password);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'Your account is pending approval' }).waitFor();
    await screenshot(page, 'sign-up-waits');
    await accessible(page);
    await sendLogin(page, { login, password });
    await page.getByText('is pending approval by an administrator').waitFor();
    quiet(person, 1);
  });
}

async function approved(suite: Suite, root: Person, hedy: Person): Promise<void> {
  const { page } = root;
  await suite.required('browser: an administrator finds who waits, and approves', async () => {
    await signIn(page, { login: 'root', password: rootPassword });
    await page.goto('/admin/users');
    await page.getByLabel('Status', { exact: true }).selectOption('blocked_pending_approval');
    await page.waitForURL(/filter=blocked_pending_approval/);
    const list = page.getByRole('list', { name: 'Users' });
    await list.getByText('@root').waitFor({ state: 'detached' });
    await list.getByText('Pending approval').waitFor();
    await page.getByRole('link', { name: /Hedy Lamarr/ }).click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('button', { name: 'Block', exact: true }).waitFor();
    quiet(root);
    await hedy.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await signedIn(hedy.page);
  });
}

async function looksAfterItself(suite: Suite, person: Person): Promise<void> {
  const { page } = person;
  await suite.required('browser: picture and status are set, and others see them', async () => {
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'me.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
    await page.getByRole('region', { name: 'Avatar' }).getByRole('alert').waitFor();
    quiet(person, 1);
    await page.locator('input[type=file]').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: picture });
    await page.getByRole('button', { name: 'Remove avatar' }).waitFor();
    await page.locator('input[name=message]').fill('Tuning the piano');
    await page.getByLabel('Emoji').selectOption('headphones');
    await page.getByLabel('Busy').check();
    await page.getByRole('button', { name: 'Set status' }).click();
    await page.getByText('Saved.').waitFor();
    await screenshot(page, 'profile-settings');
    await accessible(page);
    await page.getByRole('link', { name: 'View profile' }).click();
    await page.waitForURL(new RegExp(`/${login}$`));
    await page.getByText('Tuning the piano (busy)').waitFor();
    await screenshot(page, 'profile-own');
    await accessible(page);
    quiet(person);
  });

  await suite.required(
    'browser: an SSH key that is none is refused under its field, a right one is listed',
    async () => {
      await page.goto('/-/user_settings/ssh_keys');
      await page.getByLabel('Public key').fill('ssh-ed25519 nothing');
      await page.getByLabel('Title').fill('Piano');
      await page.getByRole('button', { name: 'Add key' }).click();
      await page.getByText('is invalid').first().waitFor();
      await screenshot(page, 'ssh-key-refused');
      await accessible(page);
      quiet(person, 1);
      await page.getByLabel('Title').fill('');
      await page.getByLabel('Public key').fill(sshKey);
      await valued(page.getByLabel('Title'), 'hedy@piano');
      await page.getByLabel('Use').selectOption('Signing');
      await page.getByLabel('Expires').fill('2099-01-01');
      await page.getByRole('button', { name: 'Add key' }).click();
      const row = page.getByRole('list', { name: 'SSH keys' }).getByRole('listitem');
      await row.getByText('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU').waitFor();
      await row.getByText('Signing', { exact: true }).waitFor();
      await screenshot(page, 'ssh-keys-own');
      await accessible(page);
      quiet(person);
    },
  );

  await suite.required('browser: an address is added and removed', async () => {
    await page.goto('/-/profile/emails');
    await page.getByLabel('Email', { exact: false }).last().fill('lamarr@example.com');
    await page.getByRole('button', { name: 'Add address' }).click();
    await page.getByText('not confirmed').waitFor();
    await page.getByRole('button', { name: 'Remove lamarr@example.com' }).click();
    await page.getByLabel(/to confirm/).fill('lamarr@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove address' }).click();
    await page.getByText('lamarr@example.com').first().waitFor({ state: 'detached' });
    quiet(person);
  });

  await suite.required('browser: a new password needs the present one, and this browser stays signed in', async () => {
    await page.goto('/-/user_settings/password');
    const fill = async (current: string) => {
      await page.locator('input[name=current]').fill(current);
      await page.locator('input[name=password]').fill(newPassword);
      await page.locator('input[name=again]').fill(newPassword);
      await page.getByRole('button', { name: 'Change password' }).click();
    };
    await fill('not the password');
    await page.getByText('is invalid').waitFor();
    quiet(person, 1);
    await fill(password);
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await signedIn(page);
    quiet(person);
  });
}

async function isSeen(suite: Suite, person: Person, admin: Api): Promise<void> {
  const { page } = person;
  await suite.required('browser: a profile is followed and left', async () => {
    await page.goto(`/${login}`);
    await page.getByRole('region', { name: 'About' }).waitFor();
    await screenshot(page, 'profile-other');
    await page.getByRole('button', { name: 'Follow', exact: true }).click();
    await page.getByRole('button', { name: 'Unfollow' }).waitFor();
    await page.getByRole('link', { name: 'Followers 1' }).click();
    await page.getByRole('list', { name: 'Followers' }).getByText('Administrator').waitFor();
    await page.getByRole('button', { name: 'Unfollow' }).click();
    await page.getByText('No followers yet').waitFor();
    quiet(person);
  });
  await suite.required('browser: an account is made and edited; a taken name is refused in words', async () => {
    await page.goto('/admin/users/new');
    await page.locator('input[name=name]').fill('George Antheil');
    await page.locator('input[name=username]').fill(login);
    await page.locator('input[name=email]').fill('george@example.com');
    await page.locator('input[name=password]').fill(password);
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByText('has already been taken').waitFor();
    quiet(person, 1);
    await page.locator('input[name=username]').fill('george');
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByRole('heading', { name: 'George Antheil' }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('External', { exact: false }).first().check();
    await page.getByLabel('Note').fill('Writes for player pianos');
    await page.locator('input[name=username]').fill('antheil');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/\/admin\/users\/antheil$/);
    await page.getByText('Writes for player pianos').waitFor();
    const [found] = await admin.expect<{ external: boolean; projects_limit: number }[]>(
      200,
      'GET',
      '/users?username=antheil',
    );
    assert.equal(found?.external, true);
    quiet(person);
    await page.getByRole('button', { name: 'Delete user' }).click();
    await page.getByLabel(/to confirm/).fill('antheil');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
    await page.waitForURL(/\/admin\/users$/);
  });
}

async function isBlocked(suite: Suite, root: Person, hedy: Person): Promise<void> {
  const { page } = root;
  await suite.required('browser: who is blocked is signed out at once and stays out', async () => {
    await page.goto(`/admin/users/${login}`);
    await page.getByRole('button', { name: 'Block', exact: true }).waitFor();
    await screenshot(page, 'admin-user');
    await accessible(page);
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByText('Ends sessions and tokens immediately').waitFor();
    await screenshot(page, 'admin-user-block');
    await accessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await page.getByRole('button', { name: 'Unblock' }).waitFor();
    await hedy.page.goto('/-/user_settings/profile');
    await hedy.page.getByLabel('Username or email').waitFor();
    await sendLogin(hedy.page, { login, password: newPassword });
    await hedy.page.getByText('not active').waitFor();
    await page.getByRole('button', { name: 'Unblock' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unblock' }).click();
    await page.getByRole('button', { name: 'Block', exact: true }).waitFor();
    await hedy.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await signedIn(hedy.page);
    quiet(root);
  });
}
