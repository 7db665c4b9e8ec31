/** What destroys something asks first, on every page: one click alone changes nothing. Then a log is erased. Slow: each of them is clicked, refused and looked at. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { accessible, confirmAction, openWindow, screenshot, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { startMailServer } from '../support/mail.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'archive/charters';
const id = encodeURIComponent(project);
const settings = `/${project}/-/settings`;
const groupSettings = '/groups/archive/-/settings';
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Where a button is that destroys something. */
type Danger = readonly [what: string, address: string, button: string];

const dangers: readonly Danger[] = [
  ['a variable', `${settings}?part=variables`, 'Delete SEAL'],
  ['an entry of the allowlist of job tokens', `${settings}?part=job-tokens`, 'Remove Scriptorium'],
  ['a deploy token', `${settings}?part=deploy-tokens`, 'Revoke vault'],
  ['an access token', `${settings}?part=access-tokens`, 'Revoke reader'],
  ['the value of an access token', `${settings}?part=access-tokens`, 'Rotate reader'],
  ['a webhook', `${settings}?part=hooks`, 'Remove https://example.com/bell'],
  ['a protected branch', `${settings}?part=protected-branches`, 'Unprotect main'],
  ['a push rule', `${settings}?part=push-rules`, 'Delete push rule'],
  ['the project', `${settings}?part=place`, 'Delete project'],
  ['a picture', '/-/user_settings/profile', 'Remove avatar'],
  ['a badge of a group', `${groupSettings}?part=badges`, 'Delete Seal'],
  ['a label of a group', `${groupSettings}?part=labels`, 'Delete vellum'],
  ['a link to a SAML group', `${groupSettings}?part=directory`, 'Unlink scribes'],
  ['an invited group', '/groups/archive/-/group_members?tab=groups', 'Remove Scriptorium'],
  ['a membership', '/groups/archive/-/group_members', 'Remove Beda Venerabilis'],
  ['an invitation', '/groups/archive/-/group_members?tab=invitations', 'Cancel the invitation of monk@example.com'],
  ['a request for access', '/groups/archive/-/group_members?tab=requests', 'Decline Cuthbert Tyne'],
  ['an issue of an epic', '/groups/archive/-/epics/1', 'Remove Count the seals from the epic'],
  ['a branch', `/${project}/-/branches`, 'Delete draft'],
  ['a tag', `/${project}/-/tags`, 'Delete v1'],
  ['a milestone', `/${project}/-/milestones/1`, 'Delete'],
  ['a release', `/${project}/-/releases/v1`, 'Delete'],
  ['a page of a wiki', `/${project}/-/wikis/home`, 'Delete'],
  ['a comment', `/${project}/-/commit/main`, 'Delete'],
  ['an SSH key', '/-/user_settings/ssh_keys', 'Remove quill'],
  ['another session', '/-/user_settings/active_sessions', 'Sign out'],
  ['all other sessions', '/-/user_settings/active_sessions', 'Sign out of all other sessions'],
  ['a key of another person', '/admin/users/beda', 'Remove reed'],
  ['an address of another person', '/admin/users/beda', 'Remove beda@jarrow.example.com'],
  ['an account', '/admin/users/beda', 'Delete user'],
];

const keys = {
  quill: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICRmuv1jJbOPRZeA/JFlqWkI+OaYth8fg64rJxFWn+2I',
  reed: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILoWdqEpbjaLsTFo6EHCGhZuKfwFCSJr5IBBzUx/k624',
};

async function populated(call: Api): Promise<number> {
  const make = async <T = { id: number }>(path: string, body: object): Promise<T> => {
    const answer = await call.call<T>('POST', path, body);
    assert.ok(answer.status === 200 || answer.status === 201, `${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  };
  const person = (username: string, name: string) =>
    make('/users', {
      ...{ username, name, email: `${username}@example.com`, password: rootPassword },
      skip_confirmation: true,
    });
  const { id: archive } = await make('/groups', { name: 'Archive', path: 'archive', visibility: 'public' });
  const { id: other } = await make('/groups', { name: 'Scriptorium', path: 'scriptorium' });
  await make('/projects', { name: 'Charters', path: 'charters', namespace_id: archive, initialize_with_readme: true });
  const commit = (branch: string, actions: object[], more = {}) =>
    make<{ id: string }>(`/projects/${id}/repository/commits`, {
      ...{ branch, commit_message: 'Copy a charter', actions },
      ...more,
    });
  const pipeline = { action: 'create', file_path: '.gitlab-ci.yml', content: 'copy:\n  script: [echo in secretis]\n' };
  const { id: sha } = await commit('main', [pipeline]);
  await commit('draft', [{ action: 'create', file_path: 'draft.txt', content: 'x\n' }], { start_branch: 'main' });
  await make(`/projects/${id}/variables`, { key: 'SEAL', value: 'red wax' });
  await make(`/projects/${id}/job_token_scope/groups_allowlist`, { target_group_id: other });
  await make(`/projects/${id}/deploy_tokens`, { name: 'vault', scopes: ['read_repository'] });
  const day = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  await make(`/projects/${id}/access_tokens`, { name: 'reader', scopes: ['read_api'], expires_at: day });
  await make(`/projects/${id}/hooks`, { url: 'https://example.com/bell', push_events: true });
  await make(`/projects/${id}/push_rule`, { commit_message_regex: 'Copy' });
  await make(`/projects/${id}/repository/tags`, { tag_name: 'v1', ref: 'main' });
  await make(`/projects/${id}/milestones`, { title: 'Binding' });
  await make(`/projects/${id}/releases`, { tag_name: 'v1', name: 'First copy' });
  await make(`/projects/${id}/wikis`, { title: 'home', content: 'The charters' });
  await make(`/projects/${id}/repository/commits/${sha}/discussions`, { body: 'Which hand is this?' });
  const { id: epic_id } = await make(`/groups/${archive}/epics`, { title: 'Seals' });
  await make(`/projects/${id}/issues`, { title: 'Count the seals', epic_id });
  const link_url = 'https://example.com/seal';
  await make(`/groups/${archive}/badges`, { name: 'Seal', link_url, image_url: `${link_url}.svg` });
  await make(`/groups/${archive}/labels`, { name: 'vellum', color: '#ccaa66' });
  await make(`/groups/${archive}/saml_group_links`, { saml_group_name: 'scribes', access_level: 30 });
  await make(`/groups/${archive}/share`, { group_id: other, group_access: 30 });
  const beda = await person('beda', 'Beda Venerabilis');
  const cuthbert = await person('cuthbert', 'Cuthbert Tyne');
  await make(`/groups/${archive}/members`, { user_id: beda.id, access_level: 30 });
  await make(`/groups/${archive}/invitations`, { email: 'monk@example.com', access_level: 30 });
  await make(`/users/${beda.id}/keys`, { title: 'reed', key: keys.reed });
  await make(`/users/${beda.id}/emails`, { email: 'beda@jarrow.example.com', skip_confirmation: true });
  await make('/user/keys', { title: 'quill', key: keys.quill });
  const token = { name: 't', scopes: ['api'], expires_at: day };
  const { token: asks } = await make<{ token: string }>(`/users/${cuthbert.id}/personal_access_tokens`, token);
  await api(call.url, asks).expect(201, 'POST', `/groups/${archive}/access_requests`);
  const form = new FormData();
  form.append('avatar', new Blob([Buffer.from(picture, 'base64')], { type: 'image/png' }), 'me.png');
  const headers = { 'PRIVATE-TOKEN': call.token };
  const answer = await fetch(`${call.url}/api/v4/user/avatar`, { method: 'PUT', headers, body: form });
  assert.equal(answer.status, 200, await answer.text());
  // Somewhere else somebody is signed in, too.
  const session = await fetch(`${call.url}/-/session`, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ login: 'root', password: rootPassword }),
  });
  assert.ok(session.ok, await session.text());
  return await until('a job that has passed', 120, async () => {
    const jobs = await call.expect<{ id: number; status: string }[]>(200, 'GET', `/projects/${id}/jobs`);
    return jobs.find(({ status }) => status === 'success')?.id;
  });
}

async function asks(page: Page, [what, address, name]: Danger, changes: () => string[]): Promise<void> {
  await page.goto(address);
  const button = page.getByRole('button', { name, exact: true }).first();
  await button.waitFor();
  changes();
  await button.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
  await screenshot(page, `danger-${what.replaceAll(' ', '-')}`);
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.reload();
  await button.waitFor();
  assert.deepEqual(changes(), [], `${what} was destroyed by one click`);
}

async function erases(page: Page, call: Api, job: number): Promise<void> {
  await page.goto(`/${project}/-/jobs/${job}`);
  await page.getByText('in secretis').first().waitFor();
  await page.getByRole('button', { name: 'Erase log and artifacts' }).click();
  await page.getByRole('dialog').getByText('will be deleted permanently').waitFor();
  await screenshot(page, 'job-erase');
  await accessible(page);
  const before = await call.expect<{ erased_at: string | null }>(200, 'GET', `/projects/${id}/jobs/${job}`);
  assert.equal(before.erased_at, null);
  await confirmAction(page, 'Erase');
  const note = page.getByText(/^Log and artifacts erased by .*Administrator/);
  await note.locator('time').waitFor();
  assert.equal(await page.getByText('in secretis').count(), 0, 'the log is still shown');
  assert.equal(await page.getByRole('button', { name: 'Erase log and artifacts' }).count(), 0);
  await screenshot(page, 'job-erased');
  await accessible(page);
}

export async function pageDangersJourney(suite: Suite): Promise<void> {
  const mail = await startMailServer();
  const instance = await startInstance({ env: { MILLRACE_SMTP_URL: mail.url } });
  try {
    const call = api(instance.url, rootToken);
    const job = await populated(call);
    await withBrowser(async (browser) => {
      const { page, close } = await openWindow(browser, instance.url);
      await signIn(page, { login: 'root', password: rootPassword });
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
      });
      const changes = () => sent.splice(0);
      for (const danger of dangers)
        await suite.step(`${danger[0]} is destroyed by no click alone`, () => asks(page, danger, changes));
      await suite.step('an erased log says who erased it and when, at once', () => erases(page, call, job));
      await close();
    });
  } finally {
    await instance.stop();
    instance.remove();
    await mail.close();
  }
}
