/** Second factors in a real browser, with its software security key, on an instance that is reached by a name. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { Page } from 'playwright-core';
import { api } from '../support/api.ts';
import { accessible, openWindow, screenshot, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { sendLogin, signedIn, signIn, signOut, totpCode } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

/** A free port below those that the system gives away by itself: nobody is given it before the instance has it. */
async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 5000); port < 30_000; port += 1) {
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  return assert.fail('no port');
}

const login = 'grace';
const password = 'compiler-nanoseconds-1906';

export async function twoFactorJourney(suite: Suite): Promise<void> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const instance = await startInstance({
    env: { MILLRACE_PORT: String(port), MILLRACE_URL: url, MILLRACE_RUNNER: 'off' },
  });
  try {
    const admin = api(instance.url, rootToken);
    await admin.expect(201, 'POST', '/users', {
      username: login,
      name: 'Grace',
      email: 'grace@example.com',
      password,
      skip_confirmation: true,
    });
    await withBrowser(async (browser) => {
      const { page, problems } = await openWindow(browser, url);
      await walk(suite, page, problems);
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}

async function walk(suite: Suite, page: Page, problems: () => string[]): Promise<void> {
  let secret = '';
  let recoveryCode = '';
  await suite.required('browser: an authenticator application is added', async () => {
    await sendLogin(page, { login, password });
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Two-factor authentication' }).click();
    await page.getByRole('button', { name: 'Add authenticator application' }).click();
    await page.getByLabel(/^Your password/).fill(password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByAltText('The secret as a QR code').waitFor();
    await screenshot(page, 'two-factor-application');
    await accessible(page);
    secret =
      (await page
        .getByText(/^[A-Z2-7]{32}$/)
        .first()
        .textContent()) ?? '';
    await page.getByLabel(/^First code/).fill('000000');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('is invalid').waitFor();
    await page.getByLabel(/^First code/).fill(totpCode(secret));
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('Save these recovery codes now').waitFor();
    const codes = await page
      .getByText(/^[0-9a-f]{16}\s/)
      .first()
      .textContent();
    recoveryCode = codes?.trim().split(/\s+/)[0] ?? '';
    await screenshot(page, 'two-factor-codes');
    await accessible(page);
    assert.deepEqual(
      problems().filter((problem) => !problem.includes('400')),
      [],
    );
  });
  await suite.required('browser: signing in asks for a code, and takes a recovery code', async () => {
    await signOut(page);
    await sendLogin(page, { login, password });
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await screenshot(page, 'second-factor');
    await accessible(page);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel(/^Recovery code/).fill(recoveryCode);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await signedIn(page);
  });
  await suite.required('browser: a security key is registered and opens the account', async () => {
    const devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'usb',
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto('/-/profile/two_factor_auth');
    await page.getByRole('button', { name: 'Add security key or passkey' }).click();
    await page.getByLabel(/^Name/).fill('Keyring');
    await page.getByLabel(/^Your password/).fill(password);
    await page.getByRole('button', { name: 'Register key' }).click();
    await page.getByText('Keyring').waitFor();
    await screenshot(page, 'two-factor');
    await accessible(page);
    await signOut(page);
    await sendLogin(page, { login, password });
    await page.getByRole('button', { name: 'Use security key' }).click();
    await signedIn(page);
  });
  await suite.step('browser: active sessions are seen and ended', async () => {
    await page.goto('/-/user_settings/active_sessions');
    await page.getByText('This session').waitFor();
    await screenshot(page, 'active-sessions');
    await accessible(page);
  });
  await suite.step('browser: admin mode is entered with password and second factor', async () => {
    await signOut(page);
    const admin = api(new URL(page.url()).origin, rootToken);
    await signIn(page, { login: 'root', password: rootPassword });
    await admin.expect(200, 'PUT', '/application/settings', { admin_mode: true });
    await page.goto('/admin/session/new');
    await page.getByLabel(/^Your password/).fill(rootPassword);
    await screenshot(page, 'admin-mode');
    await accessible(page);
    await page.getByRole('button', { name: 'Enter admin mode' }).click();
    await page.waitForURL(/\/admin\/users$/);
    await page.getByText('grace@example.com').or(page.getByText('@grace')).first().waitFor();
  });
}
