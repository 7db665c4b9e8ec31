/** Integrations over HTTP and to a real receiver: set, inherited, secret, and told what happens. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Account, eventually, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildAdmin, buildGroup, buildToken, buildUser } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { type Receiver, startReceiver } from '../../../../test/receiver.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { isOwnAddress } from '../../../kernel/mail/index.ts';
import { chatServices } from './services/chat.ts';
import { mentionInJira } from './services/jira.ts';
import { diffsOf } from './services/mails.ts';
import { chatMessage, rendered } from './services/message.ts';

type Json = Record<string, unknown>;
let world: World;
let receiver: Receiver;
let mail: MailServer;
let group: Namespace;
let project: TestProject;
let place: string;
let admin: string;

beforeAll(async () => {
  mail = await startMailServer();
  world = await startWorld({ environment: { MILLRACE_SMTP_URL: `${mail.url}?tls=off` } });
  receiver = await startReceiver();
  await world.app.settings.write({ allow_local_requests_from_web_hooks_and_services: true });
  group = await buildGroup(world.app, { owner: world.owner.user });
  const inner = await buildGroup(world.app, { owner: world.owner.user, parent: group });
  project = await world.project({ namespace_id: inner.id });
  place = `/projects/${project.id}`;
  admin = (await buildToken(world.app, { user: await buildAdmin(world.app) })).secret;
  await project.commit(null, { files: { 'a.txt': 'a' } });
  await world.app.delivery.drain();
});
afterEach(async () => {
  await world.app.delivery.drain();
  await world.app.db.deleteFrom('integrations').execute();
  receiver.received.length = 0;
  receiver.answer = { status: 200, body: 'ok' };
});
afterAll(async () => {
  await receiver.close();
  await world.close();
  await mail.close();
});

const call = <T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: object, as?: Account) =>
  world.app.api<T>(method, path, { token: (as ?? world.owner).token, ...(json ? { json } : {}) });
const asAdmin = <T = Json>(method: 'GET' | 'PUT' | 'DELETE', path: string, json?: object) =>
  world.app.api<T>(method, path, { token: admin, ...(json ? { json } : {}) });
const heard = (what: string, wanted: (body: Json, path: string) => boolean) =>
  eventually(what, async () => {
    const found = receiver.received.find(({ text, path }) => text !== '' && wanted(JSON.parse(text) as Json, path));
    return found && { ...found, body: JSON.parse(found.text) as Json };
  });
const calls = () => world.app.db.selectFrom('integration_calls').selectAll().orderBy('id').execute();

it('an integration is set, listed, changed and disabled, also under its older name, and its secrets are never returned', async () => {
  const webhook = `${receiver.url}/canary-webhook`;
  expect(await call('PUT', `${place}/integrations/slack`, {})).toMatchObject({
    status: 400,
    body: { error: 'webhook is missing' },
  });
  const set = await call('PUT', `${place}/integrations/slack`, { webhook, username: 'bot', note_events: false });
  expect(set).toMatchObject({
    status: 200,
    body: { slug: 'slack', active: true, inherited: false, push_events: true, note_events: false },
  });
  expect(set.body.properties).toEqual({ username: 'bot', notify_only_broken_pipelines: true });
  for (const path of ['integrations', 'services']) {
    expect((await call<Json[]>('GET', `${place}/${path}`)).body.map(({ slug }) => slug)).toEqual(['slack']);
    const one = await call('GET', `${place}/${path}/slack`);
    expect(one.body).toMatchObject({ slug: 'slack', title: 'Slack notifications' });
    expect(JSON.stringify(one.body)).not.toContain('canary');
  }
  const row = await world.app.db.selectFrom('integrations').selectAll().executeTakeFirstOrThrow();
  expect(JSON.stringify(row.properties)).not.toContain('canary');
  expect(row.secrets_sealed?.toString('latin1')).not.toContain('canary');
  // The secret stays where it is not given again.
  expect((await call('PUT', `${place}/services/slack`, { username: 'other' })).body.properties).toEqual({
    username: 'other',
    notify_only_broken_pipelines: true,
  });
  expect((await call('DELETE', `${place}/integrations/slack`)).status).toBe(204);
  expect((await call('DELETE', `${place}/services/slack`)).status).toBe(204);
  expect((await call<Json[]>('GET', `${place}/integrations`)).body).toEqual([]);
  expect((await call('GET', `${place}/integrations/slack`)).body).toMatchObject({ active: false, properties: {} });
});

it('disables what was never set, as programs do that only know what there should be', async () => {
  const events = world.app.db
    .selectFrom('audit_events')
    .select('id')
    .where('event', '=', 'integration_disabled')
    .where('entity_id', '=', project.id);
  const before = (await events.execute()).length;
  for (const path of ['integrations', 'services'])
    expect((await call('DELETE', `${place}/${path}/hangouts-chat`)).status).toBe(204);
  expect((await call('DELETE', `${place}/integrations/no-such`)).status).toBe(404);
  expect((await events.execute()).length).toBe(before);
});

it('refuses what is unknown, malformed or not allowed', async () => {
  const put = (slug: string, json: object) => call('PUT', `${place}/integrations/${slug}`, json);
  expect((await put('no-such', {})).status).toBe(404);
  expect((await call('GET', `${place}/integrations/slack`)).status).toBe(404);
  expect((await put('slack', { webhook: 'ftp://example.com' })).status).toBe(400);
  expect((await put('slack', { webhook: `${receiver.url}/x`, branches_to_be_notified: 'some' })).status).toBe(400);
  expect((await put('telegram', { token: 't', room: 'r', thread: 'x' })).status).toBe(400);
  expect((await put('custom-issue-tracker', { project_url: 'https://example.com' })).status).toBe(400);
  const stranger = (await buildToken(world.app, { user: await buildUser(world.app) })).secret;
  for (const [method, path] of [
    ['GET', `${place}/integrations`],
    ['PUT', `${place}/integrations/slack`],
    ['GET', `/groups/${group.id}/integrations`],
    ['GET', '/admin/integrations'],
  ] as const)
    expect((await world.app.api(method, path, { token: stranger })).status).toBeGreaterThanOrEqual(403);
  expect((await world.app.api('GET', '/integrations')).status).toBe(401);
  const kinds = await call<Json[]>('GET', '/integrations');
  expect(kinds.body.length).toBeGreaterThan(30);
  expect(kinds.body.find(({ slug }) => slug === 'jira')).toMatchObject({ acts: true });
  expect(kinds.body.find(({ slug }) => slug === 'asana')).toMatchObject({ acts: false });
});

it('a secret does not follow to another address', async () => {
  const jenkins = { jenkins_url: receiver.url, project_name: 'job', username: 'u', password: 'canary' };
  expect((await call('PUT', `${place}/integrations/jira`, { url: receiver.url, password: 'canary' })).status).toBe(200);
  const moved = await call('PUT', `${place}/integrations/jira`, { url: 'http://127.0.0.2:1' });
  expect(moved).toMatchObject({ status: 400, body: { error: 'password is missing' } });
  expect((await call('PUT', `${place}/integrations/jenkins`, jenkins)).status).toBe(200);
  await call('PUT', `${place}/integrations/jenkins`, { jenkins_url: 'http://127.0.0.2:1' });
  const row = await world.app.db
    .selectFrom('integrations')
    .select('secrets_sealed')
    .where('slug', '=', 'jenkins')
    .executeTakeFirstOrThrow();
  expect(row.secrets_sealed).toBeNull();
});

it('settings of the instance and of groups count below, the nearest first, until a place has its own', async () => {
  const webhook = (name: string) => ({ webhook: `${receiver.url}/${name}` });
  const effective = async () => (await call('GET', `${place}/integrations/mattermost`)).body;
  expect((await asAdmin('PUT', '/admin/integrations/mattermost', { ...webhook('all'), username: 'all' })).status).toBe(
    200,
  );
  expect(await effective()).toMatchObject({ inherited: true, active: true, properties: { username: 'all' } });
  const groups = `/groups/${group.id}/integrations`;
  expect((await call('GET', `${groups}/mattermost`)).body).toMatchObject({ inherited: true });
  await call('PUT', `${groups}/mattermost`, { ...webhook('group'), username: 'group' });
  expect(await effective()).toMatchObject({ inherited: true, properties: { username: 'group' } });
  expect((await call<Json[]>('GET', groups)).body).toMatchObject([{ slug: 'mattermost', inherited: false }]);
  await call('PUT', `${place}/integrations/mattermost`, { ...webhook('own'), username: 'own' });
  expect(await effective()).toMatchObject({ inherited: false, properties: { username: 'own' } });
  const sha = await project.commit(null, { message: 'Own', files: { 'own.txt': '1' } });
  await heard('the own webhook', (_body, path) => path === '/own');
  expect(receiver.received.map(({ path }) => path)).toEqual(['/own']);
  expect(sha).toMatch(/^[0-9a-f]{40}$/);
  await call('PUT', `${place}/integrations/mattermost`, { use_inherited_settings: true });
  expect(await effective()).toMatchObject({ inherited: true, properties: { username: 'group' } });
  expect((await call('DELETE', `${groups}/mattermost`)).status).toBe(204);
  // Disabled in the group: that counts below, too.
  expect(await effective()).toMatchObject({ inherited: true, active: false });
  expect((await asAdmin<Json[]>('GET', '/admin/integrations')).body).toMatchObject([{ slug: 'mattermost' }]);
  expect((await asAdmin('GET', '/admin/integrations/mattermost')).body).toMatchObject({ inherited: false });
  expect((await asAdmin('DELETE', '/admin/integrations/mattermost')).status).toBe(204);
});

it('chats hear of pushes and merge requests, of the branches that are wanted, once each', async () => {
  for (const [slug, more] of [
    ['slack', { username: 'bot', push_channel: '#pushes' }],
    ['mattermost', { username: 'bot', push_channel: 'pushes,town-square' }],
    ['discord', {}],
    ['microsoft-teams', {}],
    ['hangouts-chat', {}],
    ['telegram', { webhook: undefined, hostname: `${receiver.url}/telegram`, token: 'T', room: '7' }],
  ] as const) {
    const json = { webhook: `${receiver.url}/${slug}`, ...more };
    expect((await call('PUT', `${place}/integrations/${slug}`, json)).status).toBe(200);
  }
  await project.commit(null, { branch: 'other', message: 'Not the default branch', files: { 'o.txt': '1' } });
  await project.commit(null, { message: 'Add <b> & more', files: { 'b.txt': '1' } });
  const slack = await heard('Slack', (_body, path) => path === '/slack');
  expect(slack.body).toMatchObject({ username: 'bot', channel: '#pushes' });
  expect(String(slack.body.text)).toContain('pushed to branch');
  expect(JSON.stringify(slack.body.attachments)).toContain('Add &lt;b&gt; &amp; more');
  const mattermost = await heard(
    'Mattermost',
    (body, path) => path === '/mattermost' && body.channel === 'town-square',
  );
  expect(mattermost.body).toMatchObject({
    username: 'bot',
    text: slack.body.text,
    attachments: slack.body.attachments,
  });
  await heard('the other channel', (body, path) => path === '/mattermost' && body.channel === 'pushes');
  const discord = await heard('Discord', (_body, path) => path === '/discord');
  expect(discord.body).toMatchObject({ allowed_mentions: { parse: [] } });
  const teams = await heard('Teams', (_body, path) => path === '/microsoft-teams');
  expect(teams.body['@type']).toBe('MessageCard');
  await heard('Google Chat', (body, path) => path === '/hangouts-chat' && String(body.text).includes('pushed'));
  const telegram = await heard('Telegram', (_body, path) => path === '/telegram/botT/sendMessage');
  expect(telegram.body).toMatchObject({ chat_id: '7', parse_mode: 'HTML' });
  const open = await call('POST', `${place}/merge_requests`, {
    source_branch: 'other',
    target_branch: 'main',
    title: 'A request',
  });
  expect(open.status).toBe(201);
  await heard(
    'the merge request',
    (body, path) => path === '/slack' && String(body.text).includes('opened merge request'),
  );
  const told = await eventually('all calls', async () => {
    const rows = await calls();
    return rows.every(({ ok }) => ok !== null) && rows;
  });
  expect(told.every(({ ok }) => ok)).toBe(true);
  expect(told.some(({ message }) => message === 'The branch is not one that is sent')).toBe(true);
  // The same fact again changes nothing.
  const keys = told.map(({ integration_id, fact_id, event }) => `${integration_id} ${fact_id} ${event}`);
  expect(new Set(keys).size).toBe(keys.length);
});

it('what a service refuses is kept and shown by a test, and a test tells what is missing', async () => {
  const test = (path = 'integrations') => call('POST', `${place}/${path}/slack/test`);
  expect((await test()).status).toBe(404);
  await call('PUT', `${place}/integrations/slack`, { webhook: `${receiver.url}/in` });
  receiver.answer = { status: 410, body: 'gone' };
  expect(await test()).toMatchObject({ status: 422, body: { message: 'The service answered 410' } });
  receiver.answer = { status: 200, body: 'ok' };
  for (const path of ['integrations', 'services'])
    expect(await test(path)).toMatchObject({ status: 201, body: { message: 'Sent' } });
  await call('PUT', `${place}/integrations/asana`, { api_key: 'k' });
  expect((await call('POST', `${place}/integrations/asana/test`)).status).toBe(422);
});

it('Jenkins gets the payload of the webhook with the credentials', async () => {
  const json = { jenkins_url: `${receiver.url}/ci/`, project_name: 'folder/build', username: 'u', password: 'p' };
  await call('PUT', `${place}/integrations/jenkins`, json);
  const sha = await project.commit(null, { files: { 'j.txt': '1' } });
  const got = await heard('Jenkins', (body) => body.after === sha);
  expect(got.path).toBe('/ci/project/folder/build');
  expect(got.headers.authorization).toBe(`Basic ${Buffer.from('u:p').toString('base64')}`);
  expect(got.headers['x-gitlab-event']).toBe('Push Hook');
});

it('mails about pushes show the commits, files and diffs, to the recipients alone, on all branches unless set', async () => {
  const recipients = 'team@example.com\nnobody, other@example.com';
  await call('PUT', `${place}/integrations/emails-on-push`, { recipients });
  await project.commit(null, { message: 'Tell the team', files: { 'told.txt': '<b>one</b>\n' } });
  const got = await mail.next('team@example.com');
  expect(got.text).toContain('Tell the team');
  expect(got.text).toContain('added: told.txt');
  expect(got.text.replaceAll('\r\n', '\n')).toContain('told.txt\n========\n@@ -0,0 +1 @@\n+<b>one</b>');
  expect(got.html).toContain('+&lt;b&gt;one&lt;/b&gt;');
  expect(got.html).not.toContain('<b>one');
  expect(got.header('from')).not.toContain(world.owner.user.email);
  expect((await mail.next('other@example.com')).header('subject')).toContain('pushed to branch');
  await call('PUT', `${place}/integrations/emails-on-push`, { disable_diffs: true });
  await project.commit(null, { message: 'Tell less', files: { 'less.txt': 'secret line\n' } });
  const less = await mail.next('team@example.com');
  expect(less.text).toContain('added: less.txt');
  expect(less.text).not.toContain('secret line');
  await project.commit(null, { branch: 'mailed', message: 'On a branch', files: { 'branch.txt': '1\n' } });
  expect((await mail.next('team@example.com')).text).toContain('mailed');
  await call('PUT', `${place}/integrations/emails-on-push`, { branches_to_be_notified: 'default' });
  await project.commit(null, { branch: 'mailed', message: 'Not sent', files: { 'branch.txt': '2\n' } });
  await project.commit(null, { message: 'Sent', files: { 'main.txt': '2\n' } });
  expect((await mail.next('team@example.com')).text).toContain('Sent');
});

it('mails about pushes come from who pushed only where that address is of the domain of the instance', async () => {
  const json = { recipients: 'team@example.com', send_from_committer_email: true };
  await call('PUT', `${place}/integrations/emails-on-push`, json);
  await project.commit(null, { message: 'Elsewhere', files: { 's1.txt': '1' } });
  const instance = (await mail.next('team@example.com')).header('from') ?? '';
  expect(instance).not.toContain(world.owner.user.email);
  const { hostname } = new URL(world.app.url);
  const own = `pusher@${hostname}`;
  const { id } = world.owner.user;
  await world.app.db.updateTable('users').set({ commit_email: own }).where('id', '=', id).execute();
  await project.commit(null, { message: 'Own domain', files: { 's2.txt': '1' } });
  const got = await mail.next('team@example.com');
  expect(got.header('from')).toContain(own);
  expect(got.header('reply-to')).toContain(own);
  // The envelope stays that of the instance: what bounces comes back to it.
  expect(instance).toContain(got.from);
  await world.app.db.updateTable('users').set({ commit_email: null }).where('id', '=', id).execute();
});

it('diffs in mails are bounded: what does not fit is named', () => {
  const file = (name: string, diff: string) => ({
    ...{ old_path: name, new_path: name, diff },
    ...{ new_file: false, renamed_file: false, deleted_file: false },
  });
  const large = `@@ -1 +1 @@\n+${'x'.repeat(60_000)}\n`;
  const body = diffsOf({
    files: [file('a', large), file('b', large), file('c', '@@\n+c\n'), file('d', '')],
    overflow: true,
  });
  expect(body?.text.length).toBeLessThan(70_000);
  expect(body?.text).toContain('b\n========\n(diff left out: the mail is too large)');
  expect(body?.text).toContain('c\n========\n@@\n+c');
  expect(body?.text).toContain('d\n========\n(no diff');
  expect(body?.text).toMatch(/More files changed\.$/);
  const many = Array.from({ length: 150 }, (_, at) => file(`f${at}`, '@@\n+x\n'));
  expect(diffsOf({ files: many, overflow: false })?.text.match(/^f\d+$/gm)).toHaveLength(100);
  expect(diffsOf({ files: [], overflow: false })).toBeNull();
  for (const [address, expected] of [
    ['a@git.example.com', true],
    ['a@example.com', true],
    ['a@EXAMPLE.com', true],
    ['a@com', false],
    ['a@other.example.com', false],
    ['a@ple.com', false],
    ['a@x@example.com', false],
  ] as const)
    expect([address, isOwnAddress(address, 'https://git.example.com:8443')]).toEqual([address, expected]);
});

it('finished pipelines are mailed, only those that failed and of the branches that are wanted', async () => {
  const set = { recipients: 'ci@example.com', notify_only_broken_pipelines: true };
  expect((await call('PUT', `${place}/integrations/pipelines-email`, set)).status).toBe(200);
  const runner = await world.runner();
  const run = async (branch: string, status: 'success' | 'failed') => {
    const content = `build: {script: [x]} # ${branch} ${status}\n`;
    await project.commit(null, { branch, message: status, files: { '.gitlab-ci.yml': content } });
    const job = await runner.next();
    await runner.update(job, status);
  };
  await run('main', 'success');
  await run('side', 'failed');
  await run('main', 'failed');
  const got = await mail.next('ci@example.com');
  expect(got.header('subject')).toMatch(/^Pipeline #\d+ of branch main of .+ failed$/);
  await call('PUT', `${place}/integrations/pipelines-email`, {
    notify_only_broken_pipelines: false,
    branches_to_be_notified: 'all',
  });
  await run('side', 'success');
  expect((await mail.next('ci@example.com')).header('subject')).toMatch(/of branch side of .+ passed$/);
});

it('Jira issues that commits mention get a comment and a link, and are moved when a commit closes them', async () => {
  const json = { url: receiver.url, username: 'u', password: 'p', jira_issue_transition_id: '31' };
  await call('PUT', `${place}/integrations/jira`, json);
  receiver.answer = { status: 200, body: '{}' };
  await project.commit(null, { message: 'Closes PROJ-12, see OTHER-3', files: { 'k.txt': '1' } });
  await heard('the transition', (_body, path) => path === '/rest/api/2/issue/PROJ-12/transitions');
  await heard('the link', (_body, path) => path === '/rest/api/2/issue/OTHER-3/remotelink');
  const paths = receiver.received.map(({ path }) => path);
  expect(paths).toContain('/rest/api/2/issue/PROJ-12/comment');
  expect(paths).toContain('/rest/api/2/issue/OTHER-3/comment');
  expect(receiver.received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('u:p').toString('base64')}`);
});

it('Jira: automatic transitions, keys of some projects, and patterns of one’s own', async () => {
  const sent: { method: string; url: string; body?: string }[] = [];
  const mention = (values: Json, message: string) =>
    mentionInJira(
      { url: 'https://jira', password: 'p', jira_auth_type: 1, ...values } as Parameters<typeof mentionInJira>[0],
      {
        object_kind: 'push',
        ref: 'refs/heads/main',
        project: { default_branch: 'main', path_with_namespace: 'a/b' },
        commits: [{ message, url: 'https://x', author: { name: 'Ada' } }],
      },
      async (request) => {
        sent.push(request);
        expect(request.headers.Authorization).toBe('Bearer p');
        return { transitions: [{ id: '5', to: { statusCategory: { key: 'done' } } }] };
      },
    );
  expect(await mention({ jira_issue_transition_automatic: true, project_keys: ['AB'] }, 'Fixes AB-1 and CD-2')).toBe(1);
  expect(sent.at(-1)).toMatchObject({ method: 'POST', body: '{"transition":{"id":"5"}}' });
  expect(await mention({ jira_issue_prefix: 'JIRA#', jira_issue_regex: '[a-z]+-\\d+' }, 'JIRA#ab-1 cd-2')).toBe(1);
  expect(await mention({ jira_issue_regex: '(' }, 'AB-1')).toBe(0);
});

it('messages: finished pipelines alone, texts of people without markup, Pushover with its fields', () => {
  const project = { path_with_namespace: 'a/b', web_url: 'https://host/a/b' };
  const pipeline = (status: string) =>
    chatMessage({
      object_kind: 'pipeline',
      project,
      user: { name: 'Ada' },
      object_attributes: { id: 7, ref: 'main', status },
    });
  expect(pipeline('running')).toBeNull();
  const failed = pipeline('failed');
  expect(failed && rendered(failed, 'plain').sentence).toBe('Pipeline #7 of branch main of a/b by Ada failed');
  const note = chatMessage({
    object_kind: 'note',
    project,
    user: { name: '[x](https://evil)' },
    object_attributes: { noteable_type: 'Issue', url: 'https://host/1', note: '<script> @everyone' },
  });
  if (!note || !failed) throw new Error('there is a message');
  expect(rendered(note, 'markdown').sentence).toContain('\\[x\\](https://evil)');
  expect(rendered(note, 'html').details).toBe('&lt;script&gt; @everyone');
  const [request] =
    chatServices.pushover?.({ api_key: 'A', user_key: 'U', priority: '2' }, 'push_events', failed) ?? [];
  const form = new URLSearchParams(request?.body);
  expect(Object.fromEntries(form)).toMatchObject({ token: 'A', user: 'U', priority: '2', retry: '60' });
});
