/** Settings in a real browser: push rules above projects, directory links, deploy keys, webhooks, the picture of a project. Slow: every part is opened and saved. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import type { Page } from 'playwright-core';
import { type Api, api } from '../support/api.ts';
import {
  accessible,
  confirmAction,
  counted,
  look,
  openPart,
  openWindow,
  ticked,
  valued,
  withBrowser,
} from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { startReceiver } from '../support/receiver.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

/** One pixel. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A public key in one line, as `ssh-keygen` writes it. */
function publicKey(comment: string): string {
  const { publicKey: made } = generateKeyPairSync('ed25519');
  const raw = made.export({ format: 'der', type: 'spki' }).subarray(-32);
  const kind = Buffer.from('ssh-ed25519');
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return `ssh-ed25519 ${Buffer.concat([part(kind), part(raw)]).toString('base64')} ${comment}`;
}

async function populated(call: Api): Promise<void> {
  const { id } = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Weather', path: 'weather' });
  await call.expect(201, 'POST', '/groups', { name: 'Radar', path: 'radar', parent_id: id });
  await call.expect(201, 'POST', '/projects', { name: 'Barometer', namespace_id: id });
  await call.expect(201, 'POST', '/projects', { name: 'Rain gauge', namespace_id: id });
}

export async function settingsJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    await populated(call);
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const { page } = person;
      await signIn(page, { login: 'root', password: rootPassword });
      await pushRules(suite, page, call);
      await directory(suite, page, call);
      await deployKeys(suite, page, call);
      await webhooks(suite, page, call);
      await lateLists(suite, page);
      await serviceAccounts(suite, page, call);
      await pictureOfProject(suite, page);
      await topics(suite, page, call);
      await messages(suite, page);
      await backups(suite, page);
      await person.close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}

async function pushRules(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step('the push rule of a group counts below it until a place has its own', async () => {
    await openPart(page, '/groups/weather/-/settings?part=push-rules', 'Push rules');
    await page.getByLabel('Commit messages must match').fill('^[A-Z]');
    await page.getByRole('button', { name: 'Save push rule' }).click();
    await page.getByRole('button', { name: 'Delete push rule' }).waitFor();
    await look(page, 'group-push-rule');
    await openPart(page, '/groups/weather/radar/-/settings?part=push-rules', 'Push rules');
    await page.getByText('This rule is inherited.').waitFor();
    await valued(page.getByLabel('Commit messages must match'), '^[A-Z]');
    assert.equal(await page.getByRole('button', { name: 'Delete push rule' }).count(), 0);
    await page.getByLabel('Reject unsigned commits').check();
    await page.getByRole('button', { name: 'Save push rule' }).click();
    await page.getByRole('button', { name: 'Delete push rule' }).click();
    await confirmAction(page, 'Delete push rule');
    await page.getByText('This rule is inherited.').waitFor();
  });
  await suite.step('the push rule of the instance is kept by administrators', async () => {
    await openPart(page, '/admin/push_rule', 'Push rules');
    await page.getByLabel('Maximum file size (MB)').fill('50');
    await page.getByRole('button', { name: 'Save push rule' }).click();
    await page.getByRole('button', { name: 'Delete push rule' }).waitFor();
    await look(page, 'admin-push-rule');
    assert.equal((await call.expect<{ max_file_size: number }>(200, 'GET', '/admin/push_rule')).max_file_size, 50);
  });
}

async function directory(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step('groups of directories are linked to a group, and the links removed', async () => {
    await openPart(page, '/groups/weather/-/settings?part=directory', 'SAML and LDAP groups');
    const saml = page.getByRole('region', { name: 'SAML groups' });
    await saml.getByRole('textbox', { name: 'SAML group' }).fill('meteorologists');
    await saml.getByLabel('Role').selectOption('Reporter');
    await saml.getByRole('button', { name: 'Link SAML group' }).click();
    await saml.getByText('any provider').waitFor();
    const ldap = page.getByRole('region', { name: 'LDAP groups' });
    await ldap.getByLabel('By').selectOption('Filter');
    await ldap.getByRole('textbox', { name: 'Filter' }).fill('(l=Brest)');
    await ldap.getByRole('textbox', { name: 'Server' }).fill('ldapmain');
    await ldap.getByRole('button', { name: 'Link LDAP group' }).click();
    await ldap.getByText('(l=Brest)').waitFor();
    await look(page, 'group-directory');
    await ldap.getByRole('button', { name: 'Unlink (l=Brest)' }).click();
    await confirmAction(page, 'Unlink');
    await ldap.getByText('No LDAP group is linked.').waitFor();
    const links = await call.expect<Array<{ name: string }>>(200, 'GET', '/groups/weather/saml_group_links');
    assert.deepEqual(
      links.map(({ name }) => name),
      ['meteorologists'],
    );
  });
}

async function deployKeys(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step('deploy keys of a project are added, taken by another, allowed to push, removed', async () => {
    await openPart(page, '/weather/barometer/-/settings?part=deploy-keys', 'Deploy keys');
    await page.getByText('No deploy keys yet.').waitFor();
    await page.getByLabel('Public key').fill('no key');
    await page.getByLabel('Title').fill('roof');
    await page.getByRole('button', { name: 'Add deploy key' }).click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    await page.getByLabel('Title').fill('');
    await page.getByLabel('Public key').fill(publicKey('roof'));
    await page.getByRole('button', { name: 'Add deploy key' }).click();
    await page.getByRole('checkbox', { name: 'Write access of roof' }).click();
    await page.getByRole('checkbox', { name: 'Write access of roof', checked: true, disabled: false }).waitFor();
    await openPart(page, '/weather/rain-gauge/-/settings?part=deploy-keys', 'Deploy keys');
    await page.getByRole('combobox', { name: 'Project' }).fill('baro');
    await page.getByRole('option', { name: 'weather/barometer' }).click();
    await page.getByRole('button', { name: 'Enable roof' }).click();
    await page.getByRole('checkbox', { name: 'Write access of roof' }).waitFor();
    await ticked(page.getByRole('checkbox', { name: 'Write access of roof' }), false);
    await look(page, 'project-deploy-keys');
    await page.getByRole('button', { name: 'Remove roof' }).click();
    await page.getByLabel('to confirm').fill('roof');
    await page.getByRole('button', { name: 'Remove deploy key' }).click();
    await page.getByText('No deploy keys yet.').waitFor();
    const [kept] = await call.expect<Array<{ can_push: boolean }>>(
      200,
      'GET',
      '/projects/weather%2Fbarometer/deploy_keys',
    );
    assert.equal(kept?.can_push, true);
  });
  await suite.step('administrators see all deploy keys and add one that every project may take', async () => {
    await openPart(page, '/admin/deploy_keys', 'Deploy keys');
    await page.getByText('(write access)').waitFor();
    await page.getByLabel('Public key').fill(publicKey('mirror'));
    await page.getByRole('button', { name: 'Add deploy key' }).click();
    await page.getByText('public', { exact: true }).waitFor();
    await look(page, 'admin-deploy-keys');
    await page.getByLabel('Show', { exact: true }).selectOption('Available to all projects');
    await page.getByText('(write access)').waitFor({ state: 'detached' });
  });
}

async function webhooks(suite: Suite, page: Page, call: Api): Promise<void> {
  const receiver = await startReceiver();
  try {
    await suite.step('a webhook is added, tried, its calls are read and one is sent again', async () => {
      const { id } = await call.expect<{ id: number }>(200, 'GET', '/groups/weather');
      const vane = { name: 'Wind vane', namespace_id: id, initialize_with_readme: true };
      await call.expect(201, 'POST', '/projects', vane);
      await openPart(page, '/weather/wind-vane/-/settings?part=hooks', 'Webhooks');
      await page.getByText('No webhooks yet.').waitFor();
      await page.getByLabel('URL').fill(`${receiver.url}/vane`);
      await page.getByLabel('Name').fill('Roof');
      await page.getByRole('textbox', { name: 'Secret' }).fill('north by north-west');
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByText('Invalid url given').waitFor();
      await call.expect(200, 'PUT', '/application/settings', {
        allow_local_requests_from_web_hooks_and_services: true,
        web_hook_test_limit: 0,
      });
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByText('Executable').waitFor();
      const attempt = async (trigger: string, answer: string) => {
        await page.getByRole('button', { name: 'Test Roof' }).click();
        await page.getByRole('menuitem', { name: trigger }).click();
        await page.getByText(answer).waitFor();
      };
      await attempt('Merge requests', 'Ensure the project has merge requests.');
      receiver.answer = { status: 503, body: 'no wind' };
      await attempt('Pushes', 'Hook executed successfully: HTTP 503');
      receiver.answer = { status: 200, body: 'noted' };
      await page.getByRole('button', { name: 'Recent deliveries of Roof' }).click();
      await page.getByRole('button', { name: '503 push hooks' }).click();
      await page.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('Resent; the response was 200.').waitFor();
      await page.getByRole('button', { name: '503 push hooks' }).click();
      await page.getByRole('button', { name: '200 push hooks' }).click();
      await page.getByText('noted', { exact: true }).waitFor();
      await page.getByText('"object_kind": "push"').waitFor();
      const [first, second] = receiver.received;
      assert.equal(first?.['x-gitlab-token'], 'north by north-west');
      assert.equal(second?.['idempotency-key'], first['idempotency-key']);
      assert.equal(await page.getByText('north by north-west').count(), 0);
      await look(page, 'project-webhooks');
      await page.getByLabel('Status').selectOption('Failed (5xx)');
      await page.getByRole('button', { name: '200 push hooks' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: '503 push hooks' }).waitFor();
    });
    await suite.step(
      'headers, masked parts, branches and a template of a webhook are written and never shown',
      async () => {
        const hooks = '/projects/weather%2Fwind-vane/hooks';
        await openPart(page, '/weather/wind-vane/-/settings?part=hooks', 'Webhooks');
        const form = page.getByRole('form', { name: 'Add webhook' });
        await form.getByRole('textbox', { name: 'URL', exact: true }).fill(`${receiver.url}/{place}`);
        await form.getByRole('button', { name: 'Add a masked part' }).click();
        await form.getByLabel('Name of masked part 1').fill('place');
        await form.getByRole('textbox', { name: 'Value of masked part 1' }).fill('cellar');
        await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Masked');
        await form.getByLabel('Description').fill('Below the stairs');
        await form.getByLabel('Branches').fill('release/*');
        await form.getByRole('button', { name: 'Add a header' }).click();
        await form.getByLabel('Name of header 1').fill('X-Damp');
        await form.getByRole('textbox', { name: 'Value of header 1' }).fill('wet and dark');
        await form.getByLabel('Template').fill('{"ref":"{{ref}}"}');
        await look(page, 'project-webhook-form');
        await form.getByRole('button', { name: 'Add webhook' }).click();
        await page.getByRole('button', { name: 'Test Masked' }).click();
        await page.getByRole('menuitem', { name: 'Pushes' }).click();
        await page.getByText('201 Created').waitFor();
        assert.equal(receiver.received.at(-1)?.['x-damp'], 'wet and dark');
        await page.getByRole('button', { name: 'Edit Masked' }).click();
        const edit = page.getByRole('form', { name: 'Save webhook' });
        await valued(edit.getByLabel('Branches'), 'release/*');
        await valued(edit.getByLabel('Template'), '{"ref":"{{ref}}"}');
        await edit.getByLabel('Branch filter').selectOption('All branches');
        await edit.getByRole('button', { name: 'Remove header 1' }).click();
        await edit.getByRole('button', { name: 'Add a header' }).click();
        await edit.getByLabel('Name of header 1').fill('X-Dry');
        await edit.getByRole('textbox', { name: 'Value of header 1' }).fill('dust');
        await look(page, 'project-webhook-edit');
        await edit.getByRole('button', { name: 'Save webhook' }).click();
        await edit.waitFor({ state: 'detached' });
        assert.equal(await page.getByText(/wet and dark|cellar|dust/).count(), 0);
        type Kept = Record<'description' | 'branch_filter_strategy' | 'url', string> &
          Record<'custom_headers' | 'url_variables', { key: string }[]> & { id: number };
        const all = await call.expect<Kept[]>(200, 'GET', hooks);
        const kept = all.find((hook) => hook.description === 'Below the stairs');
        assert.deepEqual(
          [kept?.branch_filter_strategy, kept?.custom_headers, kept?.url_variables, kept?.url],
          ['all_branches', [{ key: 'X-Dry' }], [{ key: 'place' }], `${receiver.url}/{place}`],
        );
        await call.expect(204, 'DELETE', `${hooks}/${kept?.id}`);
      },
    );
    await suite.step('a webhook that fails pauses, which its page tells, until a try works', async () => {
      const hooks = '/projects/weather%2Fwind-vane/hooks';
      const [hook] = await call.expect<Array<{ id: number }>>(200, 'GET', hooks);
      receiver.answer = { status: 500, body: 'broken' };
      for (let failure = 0; failure < 4; failure += 1)
        await call.expect(422, 'POST', `${hooks}/${hook?.id}/test/push_events`);
      await openPart(page, '/weather/wind-vane/-/settings?part=hooks', 'Webhooks');
      await page.getByText('Paused until').waitFor();
      await look(page, 'project-webhook-paused');
      receiver.answer = { status: 200, body: 'noted' };
      await page.getByRole('button', { name: 'Test Roof' }).click();
      await page.getByRole('menuitem', { name: 'Pushes' }).click();
      await page.getByText('201 Created').waitFor();
      await page.getByText('Executable').waitFor();
    });
    await suite.step('groups and the instance have webhooks in the same way', async () => {
      await openPart(page, '/groups/weather/-/settings?part=hooks', 'Webhooks');
      await page.getByLabel('URL').fill(`${receiver.url}/weather`);
      await page.getByLabel('Members').check();
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByText('Pushes, Members', { exact: true }).waitFor();
      await accessible(page);
      await openPart(page, '/admin/hooks', 'System hooks');
      await page.getByLabel('URL').fill(`${receiver.url}/all`);
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByRole('button', { name: `Test ${receiver.url}/all` }).click();
      await page.getByRole('menuitem', { name: 'A project is made' }).click();
      await page.getByText('project_create was sent.').waitFor();
      await page.getByRole('button', { name: 'Recent deliveries of' }).click();
      await page.getByRole('button', { name: '200 system hooks' }).waitFor();
      await look(page, 'admin-hooks');
    });
  } finally {
    await receiver.close();
  }
}

/** Forms below a list that comes late: seen only where they stay. */
async function lateLists(suite: Suite, page: Page): Promise<void> {
  const lists = /\/api\/v4\/projects\/[^/]+\/hooks/;
  await suite.step(
    'a form below a list appears when the list is there, and does not move under the pointer',
    async () => {
      const answer = Promise.withResolvers<void>();
      await page.route(lists, async (route) => {
        await answer.promise;
        await route.continue();
      });
      try {
        const asked = page.waitForRequest(lists);
        await page.goto('/weather/barometer/-/settings?part=hooks');
        await asked;
        const button = page.getByRole('button', { name: 'Add webhook', includeHidden: true });
        await button.waitFor({ state: 'attached' });
        assert.equal(await button.isVisible(), false);
        answer.resolve();
        await button.waitFor();
        assert.equal(await page.getByText('No webhooks yet.').isVisible(), true);
      } finally {
        answer.resolve();
        await page.unroute(lists);
      }
    },
  );
}

async function serviceAccounts(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step('a service account of a project is made and removed', async () => {
    await openPart(page, '/weather/barometer/-/settings?part=service-accounts', 'Service accounts');
    await page.getByText('None yet.').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Reader');
    await page.getByRole('button', { name: 'Create service account' }).click();
    await page.getByRole('button', { name: 'Tokens of Reader' }).waitFor();
    await look(page, 'project-service-accounts');
    const [made] = await call.expect<{ name: string }[]>(200, 'GET', '/projects/weather%2Fbarometer/service_accounts');
    assert.equal(made?.name, 'Reader');
    await page.getByRole('button', { name: 'Remove Reader' }).click();
    await page.getByLabel('to confirm').fill('Reader');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove service account' }).click();
    await page.getByText('None yet.').waitFor();
  });
}

async function pictureOfProject(suite: Suite, page: Page): Promise<void> {
  await suite.step('a project gets a picture, and loses it', async () => {
    await openPart(page, '/weather/barometer/-/settings', 'General');
    await page.locator('input[type=file]').setInputFiles({ name: 'p.png', mimeType: 'image/png', buffer: picture });
    await page.getByRole('button', { name: 'Remove avatar' }).waitFor();
    await look(page, 'project-settings-picture');
    await page.getByRole('button', { name: 'Remove avatar' }).click();
    await confirmAction(page, 'Remove avatar');
    await page.getByRole('button', { name: 'Remove avatar' }).waitFor({ state: 'detached' });
  });
}

async function topics(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step('topics lead from a project to others of the same, and administrators merge them', async () => {
    for (const name of ['barometer', 'rain-gauge'])
      await call.expect(200, 'PUT', `/projects/weather%2F${name}`, { topics: ['sensors', `kind-${name}`] });
    await page.goto('/weather/barometer');
    await page.getByRole('list', { name: 'Topics' }).getByRole('link', { name: 'sensors' }).click();
    await page.getByRole('heading', { name: 'sensors', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Weather / Rain gauge' }).waitFor();
    await look(page, 'topic');
    await page.getByRole('link', { name: 'All topics' }).click();
    await page.getByRole('heading', { name: 'Topics', level: 1 }).waitFor();
    await page.getByText('2 projects').waitFor();
    await look(page, 'topics');
    await openPart(page, '/admin/topics', 'Topics');
    await page.getByRole('button', { name: 'Edit sensors' }).click();
    await page.getByLabel('Title').fill('Sensors');
    await page.getByRole('button', { name: 'Save topic' }).click();
    await page.getByRole('button', { name: 'Merge kind-barometer' }).click();
    await page.getByRole('combobox', { name: 'Target topic' }).fill('sens');
    await page.getByRole('option', { name: 'Sensors' }).click();
    await page.getByRole('button', { name: 'Merge topics' }).click();
    await page.getByRole('link', { name: 'kind-barometer' }).waitFor({ state: 'detached' });
    await look(page, 'admin-topics');
    const { topics: kept } = await call.expect<{ topics: string[] }>(200, 'GET', '/projects/weather%2Fbarometer');
    assert.deepEqual(kept, ['sensors']);
  });
}

async function messages(suite: Suite, page: Page): Promise<void> {
  await suite.step(
    'administrators announce something on every page, and whoever has read it dismisses it',
    async () => {
      await openPart(page, '/admin/broadcast_messages', 'Broadcast messages');
      await page.getByText('No messages yet').waitFor();
      await page.getByRole('button', { name: 'New message' }).click();
      await page
        .getByRole('textbox', { name: 'Message' })
        .fill('Upgrade at noon: [status](https://status.example.com/)');
      await page.getByLabel('Can be dismissed').check();
      await accessible(page);
      await page.getByRole('button', { name: 'Create message' }).click();
      const banner = page.getByRole('region', { name: 'Announcement' });
      await banner.getByRole('link', { name: 'status' }).waitFor();
      await accessible(page);
      await look(page, 'admin-messages');
      await banner.getByRole('button', { name: 'Dismiss' }).click();
      await banner.waitFor({ state: 'detached' });
      await page.reload();
      await page.getByText('Upgrade at noon').waitFor();
      await counted(banner, 0);
      await page.getByRole('button', { name: /^Delete message/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete message' }).click();
      await page.getByText('No messages yet').waitFor();
    },
  );
}

async function backups(suite: Suite, page: Page): Promise<void> {
  await suite.step('administrators create a backup, verify it and set a schedule', async () => {
    await openPart(page, '/admin/backups', 'Backups');
    await page.getByText('No backups yet').waitFor();
    await page.getByRole('button', { name: 'Create backup' }).click();
    await page.getByRole('button', { name: /^Verify backup/ }).waitFor({ timeout: 120_000 });
    await page.getByText('millrace backup restore').waitFor();
    await page.getByLabel('Create backups on a schedule').check();
    await page.getByLabel('Backups to keep').fill('3');
    await page.getByRole('button', { name: 'Save schedule' }).click();
    await page.getByText('Next backup').waitFor();
    await accessible(page);
    await look(page, 'admin-backups');
  });
}
