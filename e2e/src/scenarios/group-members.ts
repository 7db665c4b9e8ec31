/** Members in a real browser: adding, changing, asking, inviting whole groups, the link of an invitation, push rules. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { Page } from 'playwright-core';
import { api } from '../support/api.ts';
import { accessible, confirmAction, look, openWindow, screenshot, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import type { Suite } from '../support/suite.ts';

/** Takes every message and keeps its text: as much of SMTP as a sender needs. */
async function mailbox() {
  const messages: string[] = [];
  const server = createServer((socket) => {
    let text = '';
    let data = false;
    socket.on('error', () => socket.destroy());
    socket.write('220 here\r\n');
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      for (;;) {
        const end = text.indexOf(data ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const part = text.slice(0, end);
        text = text.slice(end + (data ? 5 : 2));
        if (data) messages.push(part.replaceAll('=\r\n', '').replaceAll('=3D', '='));
        const starts = !data && /^DATA/i.test(part);
        data = starts;
        socket.write(starts ? '354 go on\r\n' : /^QUIT/i.test(part) ? '221 bye\r\n' : '250 ok\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}?tls=off`,
    async link(): Promise<string> {
      for (const until = performance.now() + 60_000; performance.now() < until; ) {
        const found = /https?:\/\/\S+(\/-\/invites\?invitation_token=[\w-]+)/.exec(messages.join('\n'))?.[1];
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return assert.fail(`no invitation in ${messages.length} messages`);
    },
    close: () => server.close(),
  };
}

async function signIn(page: Page, login: string): Promise<void> {
  await page.goto('/users/sign_in');
  await page.getByLabel('Username or email').fill(login);
  await page.locator('input[name=password]').fill(rootPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: /^Account of/ }).waitFor();
}

export async function membersJourney(suite: Suite): Promise<void> {
  const mail = await mailbox();
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off', MILLRACE_SMTP_URL: mail.url } });
  const admin = api(instance.url, rootToken);
  const user = (username: string, name: string) =>
    admin.expect(201, 'POST', '/users', {
      username,
      name,
      email: `${username}@example.com`,
      password: rootPassword,
      skip_confirmation: true,
    });
  try {
    await user('ada', 'Ada Member');
    await user('bob', 'Bob Asker');
    const group = await admin.expect(201, 'POST', '/groups', {
      name: 'Harbour',
      path: 'harbour',
      visibility: 'public',
    });
    const guests = await admin.expect(201, 'POST', '/groups', { name: 'Pilots', path: 'pilots', visibility: 'public' });
    const namespace_id = (group as { id: number }).id;
    await admin.expect(201, 'POST', '/projects', { name: 'clock', namespace_id, visibility: 'public' });
    assert.ok((guests as { id: number }).id);
    await withBrowser(async (browser) => {
      const root = await openWindow(browser, instance.url);
      const { page } = root;
      await suite.step('members of a group are added, changed and removed on its page', async () => {
        await signIn(page, 'root');
        await page.goto('/groups/harbour/-/group_members');
        await page.getByRole('heading', { name: 'Members', exact: true }).waitFor();
        const who = page.getByRole('combobox', { name: 'Username or email' });
        await who.fill('nobody-here');
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByRole('alert').waitFor();
        // Who was refused stays in the field, to be mended or taken out.
        await who.press('Backspace');
        await who.fill('ada');
        await page.getByRole('option', { name: /Ada Member/ }).waitFor();
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByLabel('Role of Ada Member').selectOption('20');
        await look(page, 'group-members');
        await page.goto('/harbour/clock/-/project_members');
        await page.getByText('inherited from').first().waitFor();
        await page.getByLabel('Name or username').fill('ada');
        await page.waitForURL(/search=ada/);
        await page.getByText('Ada Member').waitFor();
        await look(page, 'project-members');
      });
      await suite.step('members are filtered, changed together, and their seats shown', async () => {
        await page.goto('/groups/harbour/-/group_members');
        await page.getByRole('heading', { name: 'Members', exact: true }).waitFor();
        await page.getByLabel('Filter by role').selectOption('Reporter');
        await page.waitForURL(/level=20/);
        await page.getByText('1 member', { exact: true }).waitFor();
        await page.getByLabel('Select Ada Member').check();
        await page.getByLabel('Expiration date of the selected members').fill('2999-12-31');
        await page.getByRole('button', { name: 'Set expiration date' }).click();
        await page.getByText('until 2999-12-31').waitFor();
        await look(page, 'group-members-bulk');
        await page.getByRole('tab', { name: 'Seats' }).click();
        await page.waitForURL(/tab=seats/);
        await page.getByRole('button', { name: 'Memberships of Ada Member' }).click();
        await page.getByRole('list', { name: 'Memberships of Ada Member' }).getByText('Harbour').waitFor();
        await look(page, 'group-seats');
        await page.getByRole('tab', { name: 'Waiting' }).click();
        await page.getByRole('heading', { name: 'No pending members' }).waitFor();
        await accessible(page);
      });
      await suite.step('a group is invited as a whole, and taken back', async () => {
        await page.goto('/groups/harbour/-/group_members');
        await page.getByRole('tab', { name: 'Groups' }).click();
        await page.getByRole('combobox', { name: /^Group/ }).selectOption({ label: 'pilots' });
        await page.getByRole('button', { name: 'Invite group' }).click();
        await page.getByRole('link', { name: 'Pilots' }).waitFor();
        await look(page, 'group-members-groups');
        await page.getByRole('button', { name: 'Remove Pilots' }).click();
        await confirmAction(page, 'Remove group');
        await page.getByText('No groups are invited.').waitFor();
      });
      await suite.step('who asks for access is let in', async () => {
        const bob = await admin.expect(201, 'POST', '/users/3/personal_access_tokens', { name: 't', scopes: ['api'] });
        await api(instance.url, (bob as { token: string }).token).expect(
          201,
          'POST',
          '/groups/harbour/access_requests',
        );
        await page.getByRole('tab', { name: 'Access requests' }).click();
        await page.getByRole('button', { name: 'Approve Bob Asker' }).waitFor();
        await look(page, 'group-members-requests');
        await page.getByRole('button', { name: 'Approve Bob Asker' }).click();
        await page.getByText('No access requests.').waitFor();
      });
      await suite.step('the push rule of a project is kept on its settings page', async () => {
        await page.goto('/harbour/clock/-/settings?part=push-rules');
        await page.getByLabel('Commit messages must match').fill('(');
        await page.getByRole('button', { name: 'Save push rule' }).click();
        await page.getByText('not valid RE2 syntax').first().waitFor();
        await page.getByLabel('Commit messages must match').fill('^Fixes');
        await page.getByLabel('Reject unsigned commits').check();
        await page.getByRole('button', { name: 'Save push rule' }).click();
        await page.getByRole('button', { name: 'Delete push rule' }).waitFor();
        await look(page, 'push-rules');
        const rule = await admin.expect(200, 'GET', '/projects/harbour%2Fclock/push_rule');
        assert.equal((rule as { commit_message_regex: string }).commit_message_regex, '^Fixes');
      });
      await suite.step('an address is invited', async () => {
        await page.goto('/groups/harbour/-/group_members');
        await page.getByRole('combobox', { name: 'Username or email' }).fill('new@example.com');
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByRole('tab', { name: 'Invitations' }).click();
        await page.getByText('new@example.com').waitFor();
        await look(page, 'group-members-invitations');
      });
      await root.close();
    });
    // Windows of one browser may share their cookies here: who is invited has a browser of their own.
    await withBrowser(async (browser) => {
      await suite.step('the link in the mail makes a member of whoever signs in', async () => {
        const link = await mail.link();
        await user('cleo', 'Cleo Invited');
        const other = await openWindow(browser, instance.url, { width: 390, dark: true });
        await other.page.goto(link);
        await other.page.getByRole('link', { name: 'Sign in to join' }).waitFor();
        await accessible(other.page);
        await signIn(other.page, 'cleo');
        await other.page.goto(link);
        await other.page.getByRole('button', { name: 'Join as Cleo Invited' }).waitFor();
        await screenshot(other.page, 'invitation-dark-390');
        await other.page.getByRole('button', { name: 'Join as Cleo Invited' }).click();
        await other.page.waitForURL('**/harbour');
        await other.page.goto('/groups/harbour/-/group_members');
        await other.page.getByText('Cleo Invited').first().waitFor();
        await look(other.page, 'group-members-dark-390');
        await other.close();
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
    mail.close();
  }
}
