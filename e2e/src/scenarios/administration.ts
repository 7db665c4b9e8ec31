/** What administrators do for accounts and see of changes, and the pages that mails and settings lead people to. Slow: forty pages, one after the other. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api } from '../support/api.ts';
import {
  accessible,
  confirmAction,
  counted,
  openWindow,
  type Person,
  screenshot,
  ticked,
  valued,
  withBrowser,
} from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { type MailServer, startMailServer } from '../support/mail.ts';
import { sendLogin, signedIn, signIn, signOut } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const login = 'rosalind';
const email = 'rosalind@example.com';
const name = 'Rosalind Franklin';
/** One after the other: each step that changes it takes the next. */
const passwords = ['photograph-51-at-kings', 'helix-of-two-strands', 'tobacco-mosaic-virus', 'coal-and-graphite-1945'];
let password = passwords[0] ?? '';

interface World {
  readonly suite: Suite;
  readonly admin: Api;
  readonly url: string;
  readonly mail: MailServer;
  /** The administrator and the person, each in a browser of their own. */
  readonly root: Person;
  readonly person: Person;
}

const pathOf = (link: string) => new URL(link).pathname + new URL(link).search;
const settings = (admin: Api, values: object) => admin.expect(200, 'PUT', '/application/settings', values);
/** Looked at by eye and by axe. */
async function seen(page: Page, title: string): Promise<void> {
  await screenshot(page, title);
  await accessible(page);
}

export async function administrationJourney(suite: Suite): Promise<void> {
  const mail = await startMailServer();
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off', MILLRACE_SMTP_URL: mail.url } });
  try {
    await withBrowser((first) =>
      withBrowser(async (second) => {
        const [person, root] = [await openWindow(first, instance.url), await openWindow(second, instance.url)];
        const world = { suite, admin: api(instance.url, rootToken), url: instance.url, mail, root, person };
        await confirms(world);
        await choosesPasswords(world);
        await isHelped(world);
        await isActedAs(world);
        await leavesEvents(world);
        await letsJobsIn(world);
        await setsTheInstance(world);
        await looksOfItsOwn(world);
        await isMaintained(world);
      }),
    );
  } finally {
    await instance.stop();
    instance.remove();
    await mail.close();
  }
}

async function confirms({ suite, admin, mail, person: { page } }: World): Promise<void> {
  await suite.required('browser: the link of a mail confirms the address of a new account', async () => {
    await settings(admin, {
      signup_enabled: true,
      require_admin_approval_after_user_signup: false,
      email_confirmation_setting: 'hard',
    });
    await page.goto('/users/sign_up');
    await page.getByRole('heading', { name: 'Create an account' }).waitFor();
    await page.locator('input[name=name]').fill(name);
    await page.locator('input[name=username]').fill(login);
    await page.locator('input[name=email]').fill(email);
    await page.locator('input[name=password]').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Create an account' }).waitFor({ state: 'detached' });
    await seen(page, 'sign-up-to-confirm');
    await page.goto(pathOf(await mail.link(email)));
    await page.getByRole('heading', { name: 'Confirm your email address' }).waitFor();
    await seen(page, 'confirm-address');
    await page.getByRole('button', { name: 'Confirm email address' }).click();
    await page.getByRole('heading', { name: 'Address confirmed' }).waitFor();
    await seen(page, 'address-confirmed');
  });

  await suite.required(
    'browser: the terms of the instance are read and accepted before the first session',
    async () => {
      await settings(admin, { enforce_terms: true, terms: '## Terms\n\nBe **kind** to the laboratory.' });
      await sendLogin(page, { login, password });
      await page.getByRole('region', { name: 'Terms' }).getByText('to the laboratory').waitFor();
      await seen(page, 'terms');
      await page.getByLabel('I accept the terms').check();
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await signedIn(page);
      await settings(admin, { enforce_terms: false, after_sign_out_path: '/users/sign_in?from=work#out' });
      await signOut(page);
      assert.match(page.url(), /\/users\/sign_in\?from=work#out$/);
      await settings(admin, { after_sign_out_path: null });
      await signIn(page, { login, password });
      await signOut(page);
    },
  );
}

async function choosesPasswords({ suite, admin, mail, person: { page } }: World): Promise<void> {
  await suite.required('browser: a forgotten password is replaced with the link of a mail', async () => {
    await page.goto('/users/sign_in');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.locator('input[name=email]').fill(email);
    await page.locator('form button[type=submit]').click();
    await page.getByText('a message with a link is on its way').waitFor();
    await seen(page, 'forgotten-password');
    const link = pathOf(await mail.link(email));
    await page.goto(link);
    await page.getByRole('heading', { name: 'New password' }).waitFor();
    password = passwords[1] ?? '';
    await page.locator('input[name=password]').fill(password);
    await seen(page, 'new-password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password was changed.').waitFor();
    await page.goto(link);
    await page.locator('input[name=password]').fill('another-one-entirely');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('This link is invalid').waitFor();
    await seen(page, 'stale-link');
    await signIn(page, { login, password });
    await signOut(page);
  });

  await suite.required('browser: a password that somebody else set is changed before anything else', async () => {
    const [user] = await admin.expect<{ id: number }[]>(200, 'GET', `/users?username=${login}`);
    await admin.expect(200, 'PUT', `/users/${user?.id}`, { password: 'set-by-an-administrator' });
    await sendLogin(page, { login, password: 'set-by-an-administrator' });
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await seen(page, 'expired-password');
    password = passwords[2] ?? '';
    await page.locator('input[name=new_password]').fill(password);
    await page.getByRole('button', { name: 'Change password and sign in' }).click();
    await signedIn(page);
    await signOut(page);
  });
}

async function isHelped({ suite, admin, mail, root, person }: World): Promise<void> {
  const { page } = root;
  await suite.required('browser: an administrator finds a locked account among its kind and unlocks it', async () => {
    await settings(admin, { max_login_attempts: 1 });
    await sendLogin(person.page, { login, password: 'not the password' });
    await person.page.getByText('Invalid login or password.').waitFor();
    await settings(admin, { max_login_attempts: 10 });
    await signIn(page, { login: 'root', password: rootPassword });
    await page.goto('/admin/users');
    await page.getByLabel('Status', { exact: true }).selectOption({ label: 'Locked (1)' });
    await page.waitForURL(/filter=locked/);
    await page.getByRole('list', { name: 'Users' }).getByText('@root').waitFor({ state: 'detached' });
    await seen(page, 'admin-users-locked');
    await page.getByRole('link', { name: new RegExp(name) }).click();
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlock' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Unlock' }).waitFor({ state: 'detached' });
    await signIn(person.page, { login, password });
    assert.deepEqual(root.problems(), []);
  });

  await suite.required('browser: an administrator sends a link for a new password', async () => {
    await page.getByRole('button', { name: 'Send password reset link' }).click();
    await page.getByText('works once, for two days').waitFor();
    await seen(page, 'admin-user-reset');
    await page.getByRole('dialog').getByRole('button', { name: 'Send password reset link' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await person.page.goto(pathOf(await mail.link(email)));
    await person.page.getByRole('heading', { name: 'New password' }).waitFor();
    password = passwords[3] ?? '';
    await person.page.locator('input[name=password]').fill(password);
    await person.page.getByRole('button', { name: 'Change password' }).click();
    await person.page.getByText('Your password was changed.').waitFor();
    await signIn(person.page, { login, password });
  });
}

async function isActedAs({ suite, url, root, person }: World): Promise<void> {
  const { page } = root;
  const banner = page.getByRole('region', { name: 'Impersonation' });
  await suite.required('browser: an administrator acts as a person, and every page says so', async () => {
    await page.goto(`/admin/users/${login}`);
    await page.getByRole('button', { name: 'Impersonate', exact: true }).click();
    await page.getByText('and act in their name').waitFor();
    await seen(page, 'impersonate-asked');
    await page.getByRole('button', { name: `Impersonate @${login}` }).click();
    await banner.getByText('is impersonating').waitFor();
    await page.getByRole('button', { name: `Account of ${name}` }).waitFor();
    await seen(page, 'impersonate-start');
    await page.goto('/-/user_settings/password');
    await banner.getByText(`@${login}`).waitFor();
    await page.locator('input[name=current]').fill(password);
    await page.locator('input[name=password]').fill('not-by-somebody-else');
    await page.locator('input[name=again]').fill('not-by-somebody-else');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('not while impersonating somebody').waitFor();
    await seen(page, 'impersonate-password');
    await person.page.goto('/-/user_settings/active_sessions');
    await person.page.getByText('impersonating you').waitFor();
    await seen(person.page, 'sessions-impersonated');
    root.problems();
    await banner.getByRole('button', { name: 'Stop impersonating' }).click();
    await page.waitForURL(new RegExp(`/admin/users/${login}$`));
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Impersonate', exact: true }).waitFor();
    assert.deepEqual(root.problems(), []);
  });

  await suite.required('browser: an impersonation token is made, works, and is revoked', async () => {
    await page.getByRole('link', { name: 'Impersonation tokens' }).click();
    await page.getByRole('heading', { name: `Impersonation tokens of ${name}` }).waitFor();
    await page.getByLabel('Name', { exact: false }).first().fill('laboratory');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Copy the token “laboratory” now').waitFor();
    await seen(page, 'impersonation-tokens');
    const secret = /glpat-[\w-]+/.exec((await page.getByRole('status').textContent()) ?? '')?.[0] ?? '';
    const user = await api(url, secret).expect<{ username: string }>(200, 'GET', '/user');
    assert.equal(user.username, login);
    await page.getByRole('button', { name: 'Revoke laboratory' }).click();
    await page.getByLabel(/to confirm/).fill('laboratory');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('No tokens.').waitFor();
    await api(url, secret).expect(401, 'GET', '/user');
    assert.deepEqual(root.problems(), []);
  });
}

async function leavesEvents({ suite, root, person }: World): Promise<void> {
  await suite.required('browser: the audit log tells who did what, by kind, author and day', async () => {
    const { page } = root;
    await page.goto('/admin/audit_logs');
    const list = page.getByRole('list', { name: 'Audit events' });
    await list.getByText('User impersonation started').waitFor();
    await seen(page, 'audit-log');
    await page.getByLabel('About').selectOption('The instance');
    await page.waitForURL(/entity_type=Instance/);
    await list.getByText('Application setting updated: max_login_attempts').first().waitFor();
    await list.getByText('1 → 10').waitFor();
    await seen(page, 'audit-log-instance');
    await page.getByLabel('Author').fill(login);
    await page.getByText('No events match your filter').waitFor();
    await page.getByLabel('Author').fill('');
    await page.waitForURL((url) => !url.search.includes('author'));
    await page.getByLabel('From').fill('2099-01-01');
    await page.waitForURL(/created_after=2099-01-01/);
    await page.getByText('No events match your filter').waitFor();
    assert.deepEqual(root.problems(), []);
  });

  await suite.required('browser: people see what opened their account and what tried to', async () => {
    const { page } = person;
    await page.goto('/-/user_settings/active_sessions');
    await page.getByRole('link', { name: 'Authentication log' }).click();
    const list = page.getByRole('list', { name: 'Audit events' });
    await list.getByText('Sign in failed').first().waitFor();
    await list.getByText('Impersonation started').waitFor();
    await seen(page, 'authentication-log');
    await page.setViewportSize({ width: 390, height: 844 });
    await seen(page, 'authentication-log-390');
    await page.setViewportSize({ width: 1280, height: 900 });
  });
}

async function letsJobsIn({ suite, admin, root }: World): Promise<void> {
  const { page } = root;
  await suite.required('browser: a project lets the jobs of a group in, and tells its changes', async () => {
    const group = await admin.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Kings', path: 'kings' });
    await admin.expect(201, 'POST', '/groups', { name: 'Birkbeck', path: 'birkbeck' });
    await admin.expect(201, 'POST', '/projects', { name: 'dna', namespace_id: group.id });
    await page.goto('/kings/dna/-/settings');
    await page.getByRole('link', { name: 'Job tokens' }).click();
    await page.getByText('No projects or groups are allowed.').waitFor();
    await page.getByLabel('Project or group').fill('nothing/there');
    await page.getByRole('button', { name: 'Add to allowlist' }).click();
    await page.getByText('Not Found').waitFor();
    // The refusals that this step provoked: no project has the path, and no group.
    assert.equal(root.problems().length, 2);
    await page.getByLabel('Project or group').fill('birkbeck');
    await page.getByRole('button', { name: 'Add to allowlist' }).click();
    await page.getByRole('list', { name: 'Allowlist' }).getByText('Birkbeck').waitFor();
    root.problems();
    await seen(page, 'job-token-scope');
    const kept = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await page.getByLabel('Limit access to this project').uncheck();
    assert.equal((await kept).status(), 204);
    await page.reload();
    await page.getByRole('button', { name: 'Remove Birkbeck' }).click();
    await confirmAction(page, 'Remove');
    await page.getByText('No projects or groups are allowed.').waitFor();
    await ticked(page.getByLabel('Limit access to this project'), false);
    await page.getByRole('link', { name: 'Audit events' }).click();
    const list = page.getByRole('list', { name: 'Audit events' });
    await list.getByText('Job token scope group added').waitFor();
    await seen(page, 'audit-project');
    await page.goto('/groups/kings/-/audit_events');
    await list.getByText('Group created').waitFor();
    await seen(page, 'audit-group');
    assert.deepEqual(root.problems(), []);
  });
}

async function setsTheInstance({ suite, admin, root }: World): Promise<void> {
  await suite.required('browser: settings by topic, what differs from its default, and back', async () => {
    const { page } = root;
    const limit = async () =>
      (await admin.expect<{ max_login_attempts: number }>(200, 'GET', '/application/settings')).max_login_attempts;
    const before = await limit();
    await page.goto('/admin/application_settings/general');
    const topic = page.getByRole('list', { name: 'Topics' }).getByRole('link', { name: /^Accounts, sign-in/ });
    await topic.click();
    const field = page.locator('input[name=max_login_attempts]');
    await field.fill('4');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    assert.equal(await limit(), 4);
    await page.getByRole('link', { name: /^Changed from default/ }).click();
    await valued(field, '4');
    const lists = [
      page.getByRole('navigation', { name: 'Administration' }),
      page.getByRole('navigation', { name: 'Views of the settings' }),
    ];
    const current = await Promise.all(lists.map((list) => list.locator('[aria-current]').allTextContents()));
    assert.match(current.join(), /^Settings,Changed from default \(\d+\)$/);
    await seen(page, 'settings-changed');
    const about = page.locator('.mantine-InputWrapper-root', { has: field });
    await about.getByRole('button', { name: 'Use the default' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    await counted(field, 0);
    await settings(admin, { max_login_attempts: before });
    assert.deepEqual(root.problems(), []);
  });
}

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="24"><rect width="90" height="24" fill="#7a1f5c"/></svg>';

async function looksOfItsOwn({ suite, root, person }: World): Promise<void> {
  await suite.required('browser: the instance has a logo, a name and lines of its own', async () => {
    const { page } = root;
    await page.goto('/admin/application_settings/appearance');
    await page.getByRole('heading', { name: 'Appearance' }).waitFor();
    const bar = page.getByRole('region', { name: 'Logo in the navigation bar' });
    const chosen = page.waitForEvent('filechooser');
    await bar.getByRole('button', { name: 'Choose a logo' }).click();
    await (await chosen).setFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(logo) });
    await page.getByRole('link', { name: 'Start page' }).locator('img[src$="logo.svg"]').waitFor();
    await page
      .getByRole('textbox', { name: 'Header message' })
      .fill('**Staging**: see [status](https://status.example.com)');
    await page.getByRole('textbox', { name: 'Footer message' }).fill('Internal use only');
    await page.getByLabel('Background color').fill('#7a1f5c');
    await page.getByRole('textbox', { name: 'Title' }).fill('ACME Forge');
    await page.getByRole('textbox', { name: 'Description', exact: true }).fill('Where ACME builds *everything*.');
    await page.getByRole('textbox', { name: 'New project' }).fill('Ask before you create one.');
    await page.getByRole('button', { name: 'Save appearance' }).click();
    const header = page.getByRole('region', { name: 'Header message' });
    await header.getByRole('link', { name: 'status' }).waitFor();
    await page.getByRole('region', { name: 'Footer message' }).getByText('Internal use only').waitFor();
    await seen(page, 'appearance');
    await page.goto('/projects/new');
    await page.getByText('Ask before you create one.').waitFor();
    await seen(page, 'new-project-guidelines');
    const before = person.page;
    await before.context().clearCookies();
    await before.goto('/users/sign_in');
    await before.getByRole('heading', { name: 'Sign in to ACME Forge' }).waitFor();
    await before.getByText('everything').waitFor();
    await seen(before, 'sign-in-of-its-own');
    await page.goto('/admin/application_settings/appearance');
    await bar.getByRole('button', { name: 'Remove logo' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove logo' }).click();
    await page.getByRole('link', { name: 'Millrace, start page' }).waitFor();
    for (const name of ['Header message', 'Footer message', 'Title', 'New project'])
      await page.getByRole('textbox', { name }).fill('');
    await page.getByRole('button', { name: 'Save appearance' }).click();
    await header.waitFor({ state: 'detached' });
    assert.deepEqual(root.problems(), []);
  });
}

async function isMaintained({ suite, admin, root }: World): Promise<void> {
  await suite.required('browser: every page says while nothing can be changed, and that it can again', async () => {
    const { page } = root;
    await settings(admin, { maintenance_mode: true, maintenance_mode_message: 'We move to a new disk. Back at noon.' });
    await page.goto('/admin/users');
    const line = page.getByRole('region', { name: 'Maintenance' });
    await line.getByText('Back at noon.').waitFor();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    await seen(page, 'maintenance');
    await settings(admin, { maintenance_mode: false });
    await page.reload();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    assert.equal(await line.count(), 0);
    assert.deepEqual(root.problems(), []);
  });
}
