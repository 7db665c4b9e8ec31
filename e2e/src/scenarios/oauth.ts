/** OAuth 2.0 in a real browser: a program on this machine asks, a person agrees, denies and takes it back; a device. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { type Api, api } from '../support/api.ts';
import { accessible, confirmAction, openWindow, type Person, screenshot, withBrowser } from '../support/browser.ts';
import { type Instance, rootPassword, rootToken, startInstance } from '../support/instance.ts';
import type { Suite } from '../support/suite.ts';
import { command, findPython } from './python-clients.ts';

const login = 'katherine';
const password = 'trajectory-of-friendship-7';

/** The program's own server: where the browser comes back to. */
async function startProgram(): Promise<{ url: string; came: URL[]; stop: () => Promise<void> }> {
  const came: URL[] = [];
  const server = createServer((request, response) => {
    came.push(new URL(request.url ?? '/', 'http://127.0.0.1'));
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Program</title><h1>Back again</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : assert.fail('no port');
  return {
    url: `http://127.0.0.1:${port}/callback`,
    came,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function signIn(page: Page, name: string, secret: string): Promise<void> {
  await page.getByLabel('Username or email').fill(name);
  await page.locator('input[name=password]').fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
const quiet = (person: Person) => assert.deepEqual(person.problems(), []);

interface Registered {
  readonly id: string;
  readonly secret: string;
}
/** Fills the form of the page that is open, and reads the secret that is shown once. */
async function register(page: Page, name: string, redirect: string): Promise<Registered> {
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByLabel(/^Redirect URIs/).fill(redirect);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  const fresh = page.getByRole('status').filter({ hasText: `Copy the secret of “${name}” now` });
  await fresh.waitFor();
  const [id, secret] = await fresh.locator('pre').allTextContents();
  return { id: id?.trim() ?? '', secret: secret?.trim() ?? '' };
}

export async function oauthJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  const program = await startProgram();
  try {
    const admin = api(instance.url, rootToken);
    const person = { username: login, name: 'Katherine', email: 'katherine@example.com', password };
    await admin.expect(201, 'POST', '/users', { ...person, skip_confirmation: true });
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const registered = await ofThePerson(suite, person, program.url);
      await theCode(suite, person, instance, program, registered);
      await theDevice(suite, person, instance.url, admin);
      await takesBack(suite, person);
    });
    await withBrowser(async (browser) => ofTheInstance(suite, await openWindow(browser, instance.url), admin));
  } finally {
    await program.stop();
    await instance.stop();
    instance.remove();
  }
}

async function ofThePerson(suite: Suite, person: Person, redirect: string): Promise<Registered> {
  const { page } = person;
  let registered: Registered = { id: '', secret: '' };
  await suite.required(
    'browser: an application is registered, its secret shown once [1/authentication/14]',
    async () => {
      await page.goto('/-/user_settings/applications');
      await signIn(page, login, password);
      await page.getByRole('heading', { name: 'Has access to your account' }).waitFor();
      await accessible(page);
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Orbit planner');
      await page.getByLabel(/^Redirect URIs/).fill('javascript:alert(1)');
      await page.getByRole('button', { name: 'Register', exact: true }).click();
      await page.getByText('is forbidden by the server.').first().waitFor();
      person.problems();
      registered = await register(page, 'Orbit planner', redirect);
      assert.match(registered.id, /^[0-9a-f]{64}$/);
      assert.match(registered.secret, /^gloas-/);
      await screenshot(page, 'applications-new');
      await accessible(page);
      await page.reload();
      await page.getByRole('list', { name: 'Applications' }).waitFor();
      assert.equal(await page.getByText(registered.secret).count(), 0);
      await page.getByRole('button', { name: 'Edit Orbit planner' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('checkbox', { name: /^api/ }).check();
      await screenshot(page, 'applications-edit');
      await accessible(page);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('read_user, api').waitFor();
      quiet(person);
    },
  );
  return registered;
}

type Program = Awaited<ReturnType<typeof startProgram>>;

async function theCode(
  suite: Suite,
  person: Person,
  { url, data }: Pick<Instance, 'url' | 'data'>,
  program: Program,
  registered: Registered,
): Promise<void> {
  const { page } = person;
  const verifier = randomBytes(32).toString('base64url');
  const request = (more: Record<string, string> = {}) =>
    `/oauth/authorize?${new URLSearchParams({
      client_id: registered.id,
      redirect_uri: program.url,
      response_type: 'code',
      scope: 'read_user',
      // What a router would take for a number.
      state: '1e3',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    })}`;
  const asked = page.getByRole('heading', { name: 'Allow access?' });
  const back = page.getByRole('heading', { name: 'Back again' });
  let token = '';

  await suite.required('browser: a stranger signs in and is asked; denying gives nothing', async () => {
    await page.context().clearCookies();
    await page.goto(request());
    await page.getByLabel('Username or email').waitFor();
    await signIn(page, login, password);
    await asked.waitFor();
    await page.getByText('Orbit planner').waitFor();
    await page.getByText(new URL(program.url).host).waitFor();
    await screenshot(page, 'oauth-consent');
    await accessible(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await screenshot(page, 'oauth-consent-390');
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('button', { name: 'Deny' }).click();
    await back.waitFor();
    const answer = program.came.at(-1)?.searchParams;
    assert.deepEqual([answer?.get('error'), answer?.get('state'), answer?.get('code')], ['access_denied', '1e3', null]);
  });
  await suite.required('browser: agreeing gives a code, and the code a token [1/authentication/2]', async () => {
    await page.goto(request());
    await asked.waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    await back.waitFor();
    const answer = program.came.at(-1)?.searchParams;
    assert.equal(answer?.get('state'), '1e3');
    assert.equal(answer?.get('iss'), url);
    const got = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${registered.id}:${registered.secret}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: answer?.get('code') ?? '',
        redirect_uri: program.url,
        code_verifier: verifier,
      }),
    });
    const tokens = (await got.json()) as { access_token: string; scope: string };
    assert.deepEqual([got.status, tokens.scope], [200, 'read_user']);
    token = tokens.access_token;
    // Agreed to before: the browser goes through.
    const before = program.came.length;
    await page.goto(request());
    await back.waitFor();
    assert.ok(program.came.length > before);
    await page.goto(request({ scope: 'read_user api' }));
    await asked.waitFor();
  });
  await suite.required('browser: a request to another address goes nowhere', async () => {
    const before = program.came.length;
    await page.goto(request({ redirect_uri: 'https://evil.example/' }));
    await page.getByRole('heading', { name: 'This request is invalid' }).waitFor();
    await page.getByText('The redirect URI is not one of those that the application registered.').waitFor();
    await screenshot(page, 'oauth-refused');
    await accessible(page);
    assert.equal(program.came.length, before);
    person.problems();
  });
  await suite.required('browser: no other site can show the question in a frame', async () => {
    const got = await fetch(`${url}/oauth/authorize`, { headers: { Accept: 'text/html' }, redirect: 'manual' });
    assert.equal(got.status, 302);
    const shown = await page.request.get(request({ scope: 'api' }), { headers: { Accept: 'text/html' } });
    assert.equal(shown.headers()['x-frame-options'], 'DENY');
    assert.match(shown.headers()['content-security-policy'] ?? '', /frame-ancestors 'none'/);
  });
  const python = await findPython(data);
  if (python === undefined) {
    console.log('  not run: python-gitlab is not on this machine');
    return;
  }
  await suite.step('python-gitlab with oauth_token is the person', async () => {
    const script = `
import sys
import gitlab
client = gitlab.Gitlab(sys.argv[1], oauth_token=sys.argv[2])
client.auth()
assert client.user.username == 'katherine', client.user
try:
    client.projects.create({'name': 'not allowed'})
    raise SystemExit('a token that reads the account made a project')
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 403, error
try:
    gitlab.Gitlab(sys.argv[1], private_token=sys.argv[2]).auth()
    raise SystemExit('an OAuth token was taken for a personal one')
except gitlab.exceptions.GitlabAuthenticationError:
    print('done')
`;
    const ran = await command(python, ['-', url, token], script, data);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /^done$/m);
  });
}

async function theDevice(suite: Suite, person: Person, url: string, admin: Api): Promise<void> {
  const { page } = person;
  await suite.required('browser: a device is connected by its code, and another one denied', async () => {
    const made = await admin.expect<{ application_id: string }>(201, 'POST', '/applications', {
      name: 'Television',
      redirect_uri: 'http://127.0.0.1/',
      scopes: 'read_user',
      confidential: false,
    });
    const post = async (path: string, form: Record<string, string>) =>
      (await (await fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams(form) })).json()) as Record<
        string,
        string
      >;
    const begin = () => post('/oauth/authorize_device', { client_id: made.application_id });
    const poll = (device_code = '') =>
      post('/oauth/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: made.application_id,
        device_code,
      });
    const first = await begin();
    await page.goto('/oauth/device');
    await page.getByRole('heading', { name: 'Connect a device' }).waitFor();
    await page.getByLabel(/^Code/).fill('BBBB-BBBB');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('No device is waiting with this code').waitFor();
    await screenshot(page, 'device-code');
    await accessible(page);
    await page.getByLabel(/^Code/).fill(first.user_code ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Connect this device?' }).waitFor();
    await screenshot(page, 'device-consent');
    await accessible(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('The device is connected').waitFor();
    await accessible(page);
    assert.equal((await poll(first.device_code)).scope, 'read_user');
    const second = await begin();
    await page.goto(new URL(second.verification_uri_complete ?? '').href);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Connect this device?' }).waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('The device was not given access.').waitFor();
    assert.equal((await poll(second.device_code)).error, 'access_denied');
    person.problems();
  });
}

async function takesBack(suite: Suite, person: Person): Promise<void> {
  const { page } = person;
  await suite.required('browser: what applications may do is seen and taken back', async () => {
    await page.goto('/-/user_settings/applications');
    const list = page.getByRole('list', { name: 'Authorized applications' });
    await list.getByText('Orbit planner').waitFor();
    await list.getByText('Television').waitFor();
    await screenshot(page, 'applications');
    await accessible(page);
    await list.getByRole('button', { name: 'Revoke Television' }).click();
    await confirmAction(page, 'Revoke access');
    await list.getByText('Television').waitFor({ state: 'detached' });
    const remove = page.getByRole('button', { name: 'Remove Orbit planner' });
    await remove.click();
    await page.getByLabel(/^Type/).fill('Orbit planner');
    await page.getByRole('button', { name: 'Remove application' }).click();
    await page.getByText('None yet.').waitFor();
    await page.reload();
    await page.getByText('No applications are authorized.').waitFor();
    quiet(person);
  });
}

async function ofTheInstance(suite: Suite, person: Person, admin: Api): Promise<void> {
  const { page } = person;
  await suite.required('browser: administrators register trusted applications of the instance', async () => {
    await page.goto('/admin/applications');
    await signIn(page, 'root', rootPassword);
    await page.getByRole('heading', { name: 'Add an application' }).waitFor();
    await page.getByRole('checkbox', { name: /^Trusted/ }).check();
    const { secret } = await register(page, 'Time sheet', 'https://time.example/callback');
    await screenshot(page, 'admin-applications');
    await accessible(page);
    await page.getByRole('button', { name: 'New secret for Time sheet' }).click();
    await page.getByLabel(/^Type/).fill('Time sheet');
    await page.getByRole('button', { name: 'Renew secret' }).click();
    await page.getByText(secret).waitFor({ state: 'detached' });
    quiet(person);
  });
  await suite.required('browser: owners register applications of their group', async () => {
    await admin.expect(201, 'POST', '/groups', { name: 'Flight', path: 'flight' });
    await page.goto('/groups/flight/-/settings?part=applications');
    await page.getByRole('heading', { name: 'Add an application' }).waitFor();
    await register(page, 'Slide rule', 'https://rule.example/');
    await screenshot(page, 'group-applications');
    await accessible(page);
    quiet(person);
  });
}
