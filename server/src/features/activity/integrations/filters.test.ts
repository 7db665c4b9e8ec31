/** What integrations are told of and what not: labels, channels, changed statuses, closed issues elsewhere, and limits. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eventually, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { type Receiver, startReceiver } from '../../../../test/receiver.ts';

type Json = Record<string, unknown>;
let world: World;
let receiver: Receiver;
let mail: MailServer;
let project: TestProject;
let place: string;

beforeAll(async () => {
  mail = await startMailServer();
  world = await startWorld({ environment: { MILLRACE_SMTP_URL: `${mail.url}?tls=off` } });
  receiver = await startReceiver();
  await world.app.settings.write({ allow_local_requests_from_web_hooks_and_services: true });
  project = await world.project();
  place = `/projects/${project.id}`;
  await world.app.delivery.drain();
});
afterEach(async () => {
  await told();
  await world.app.db.deleteFrom('integrations').execute();
  receiver.received.length = 0;
  receiver.answer = { status: 200, body: 'ok' };
});
afterAll(async () => {
  await receiver.close();
  await world.close();
  await mail.close();
});

const call = <T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: object) =>
  world.app.api<T>(method, path, { token: world.owner.token, ...(json ? { json } : {}) });
const set = async (slug: string, json: object) => {
  const answer = await call('PUT', `${place}/integrations/${slug}`, json);
  expect([slug, answer.status]).toEqual([slug, 200]);
  return answer.body;
};
/** Everything that happened was told, or not. */
async function told() {
  await world.app.delivery.drain();
  return await eventually('all calls', async () => {
    const rows = await world.app.db.selectFrom('integration_calls').selectAll().orderBy('id').execute();
    return rows.every(({ ok }) => ok !== null) && rows;
  });
}
const sent = () => receiver.received.flatMap(({ text }) => (text.startsWith('{') ? [JSON.parse(text) as Json] : []));

it('flags that are on by default are so from the first settings on, and lists have an end', async () => {
  const { properties } = await set('jenkins', { jenkins_url: receiver.url, project_name: 'job' });
  expect(properties).toMatchObject({ enable_ssl_verification: true });
  expect((await set('slack', { webhook: receiver.url })).properties).toEqual({ notify_only_broken_pipelines: true });
  expect((await set('slack', { notify_only_broken_pipelines: false })).properties).toEqual({
    notify_only_broken_pipelines: false,
  });
  const kinds = await call<{ slug: string; fields: Json[] }[]>('GET', '/integrations');
  const defaults = (slug: string) =>
    Object.fromEntries(
      kinds.body.find((kind) => kind.slug === slug)?.fields.map(({ name, default: usual }) => [name, usual]) ?? [],
    );
  expect(defaults('jenkins')).toMatchObject({ enable_ssl_verification: true, username: null });
  expect(defaults('discord')).toMatchObject({ branches_to_be_notified: 'default' });
  expect(defaults('emails-on-push')).toMatchObject({ branches_to_be_notified: 'all', disable_diffs: null });
  const addresses = (count: number) => Array.from({ length: count }, (_, at) => `p${at}@example.com`).join(' ');
  const put = (slug: string, json: object) => call('PUT', `${place}/integrations/${slug}`, json);
  for (const [slug, most] of [
    ['pipelines-email', 30],
    ['emails-on-push', 750],
  ] as const) {
    expect((await put(slug, { recipients: addresses(most) })).status).toBe(200);
    expect(await put(slug, { recipients: addresses(most + 1) })).toMatchObject({
      status: 400,
      body: { message: { recipients: [`can't have more than ${most} entries`] } },
    });
  }
  expect((await put('slack', { push_channel: Array.from('abcdefghijk').join(',') })).status).toBe(400);
});

it('chats hear of issues, merge requests and comments with the labels that are wanted', async () => {
  await set('slack', { webhook: receiver.url, labels_to_be_notified: '~bug, docs' });
  const open = async (title: string, labels: string) =>
    (await call<{ iid: number }>('POST', `${place}/issues`, { title, labels })).body.iid;
  const bug = await open('A bug', 'bug,other');
  const other = await open('Something else', 'other');
  await call('POST', `${place}/issues/${bug}/notes`, { body: 'on the bug' });
  await call('POST', `${place}/issues/${other}/notes`, { body: 'on the other' });
  await told();
  const texts = () => JSON.stringify(sent());
  expect(texts()).toContain('A bug');
  expect(texts()).toContain('on the bug');
  expect(texts()).not.toContain('Something else');
  expect(texts()).not.toContain('on the other');
  await set('slack', { labels_to_be_notified_behavior: 'match_all' });
  await open('One of two', 'bug');
  await open('Both of them', 'docs,bug');
  await told();
  expect(texts()).not.toContain('One of two');
  expect(texts()).toContain('Both of them');
});

it('what is confidential goes to its own channel, else to that of its kind', async () => {
  await set('slack', { webhook: receiver.url, channel: 'all', issue_channel: 'issues', note_channel: 'notes' });
  const open = (title: string) => call<{ iid: number }>('POST', `${place}/issues`, { title, confidential: true });
  const { body } = await open('Secret one');
  await call('POST', `${place}/issues/${body.iid}/notes`, { body: 'secret' });
  await told();
  expect(sent().map(({ channel }) => channel)).toEqual(['issues', 'notes']);
  await set('slack', { confidential_issue_channel: 'few', confidential_note_channel: 'fewer' });
  const second = await open('Secret two');
  await call('POST', `${place}/issues/${second.body.iid}/notes`, { body: 'secret' });
  await told();
  expect(sent().map(({ channel }) => channel)).toEqual(['issues', 'notes', 'few', 'fewer']);
});

it('chats hear of edited wiki pages and of deployments that start', async () => {
  await set('slack', { webhook: receiver.url });
  const page = `${place}/wikis`;
  await call('POST', page, { title: 'Manual', content: 'One' });
  await call('PUT', `${page}/Manual`, { content: 'Two', message: 'More to read' });
  const { body: commits } = await call<{ id: string }[]>('GET', `${place}/repository/commits`);
  const deployment = { environment: 'prod', sha: commits[0]?.id, ref: 'main', tag: false, status: 'running' };
  await call('POST', `${place}/deployments`, deployment);
  await told();
  const texts = sent().map(({ text }) => String(text));
  expect(texts.some((text) => text.includes('edited wiki page'))).toBe(true);
  expect(JSON.stringify(sent())).toContain('More to read');
  expect(texts.some((text) => text.endsWith('started'))).toBe(true);
});

it('pipelines are told where they passed or failed, and only when that changed if so wanted', async () => {
  await set('slack', {
    ...{ webhook: receiver.url, notify_only_broken_pipelines: false },
    ...{ notify_only_when_pipeline_status_changes: true, push_events: false },
  });
  await set('pipelines-email', { recipients: 'ci@example.com', branches_to_be_notified: 'all' });
  const runner = await world.runner();
  const run = async (status: 'success' | 'failed') => {
    await project.commit(`build: {script: [x]} # ${Math.random()}\n`, { message: status });
    await runner.update(await runner.next(), status);
    await told();
    return sent().map(({ text }) => /(passed|failed)$/.exec(String(text))?.[1]);
  };
  expect(await run('success')).toEqual([]);
  expect(await run('success')).toEqual([]);
  expect(await run('failed')).toEqual(['failed']);
  expect(await run('failed')).toEqual(['failed']);
  expect(await run('success')).toEqual(['failed', 'passed']);
  // Mails are about failures alone unless told otherwise.
  expect((await mail.next('ci@example.com')).header('subject')).toMatch(/failed$/);
  await mail.next('ci@example.com');
  const mails = () => mail.received.filter(({ to }) => to.includes('ci@example.com')).length;
  const before = mails();
  // A test is sent whatever is filtered: the newest pipeline passed.
  expect((await call('POST', `${place}/integrations/pipelines-email/test`)).status).toBe(201);
  expect((await mail.next('ci@example.com')).header('subject')).toMatch(/passed$/);
  await call('PUT', place, { emails_enabled: false });
  await run('failed');
  await world.app.delivery.drain();
  expect(mails()).toBe(before + 1);
  await call('PUT', place, { emails_enabled: true });
});

it('a test of an integration fails where there is nothing to send', async () => {
  const empty = await world.project();
  await empty.push('build: {script: [x]}\n');
  const at = `/projects/${empty.id}/integrations/pipelines-email`;
  await call('PUT', at, { recipients: 'ci@example.com' });
  expect(await call('POST', `${at}/test`)).toMatchObject({
    status: 422,
    body: { message: 'Nothing to send for this event' },
  });
});

it('Jira: a test asks the server, a commit is mentioned once, and a merged request closes what it says', async () => {
  await set('jira', { url: receiver.url, username: 'u', password: 'p', jira_issue_transition_id: '31' });
  const test = () => call('POST', `${place}/integrations/jira/test`);
  receiver.answer = { status: 401, body: '' };
  expect(await test()).toMatchObject({ status: 422, body: { message: 'Jira answered 401' } });
  receiver.answer = { status: 200, body: '<html>' };
  expect(await test()).toMatchObject({ status: 422, body: { message: 'No Jira answered at this address' } });
  receiver.answer = { status: 200, body: '{"version":"9.4"}' };
  expect(await test()).toMatchObject({ status: 201, body: { message: 'Jira 9.4 answered' } });
  receiver.received.length = 0;
  const posts = () =>
    receiver.received
      .filter(({ method }) => method === 'POST')
      .map(({ path }) => path.replace('/rest/api/2/issue/', ''));

  const sha = await project.commit(null, { branch: 'topic', message: 'See AB-1', files: { 'topic.txt': '1' } });
  await told();
  expect(posts()).toEqual(['AB-1/comment', 'AB-1/remotelink']);
  // The link is there: merging the commit does not mention it again.
  const { body: commit } = await call<{ web_url: string }>('GET', `${place}/repository/commits/${sha}`);
  receiver.answer = { status: 200, body: JSON.stringify([{ object: { url: commit.web_url } }]) };
  receiver.received.length = 0;
  await call('POST', `${place}/repository/branches?branch=again&ref=topic`);
  const request = await call<{ iid: number }>('POST', `${place}/merge_requests`, {
    ...{ source_branch: 'topic', target_branch: 'main', title: 'Change' },
    description: 'Nothing yet',
  });
  await told();
  expect(posts()).toEqual([]);
  const at = `${place}/merge_requests/${request.body.iid}`;
  await call('PUT', at, { description: 'Closes AB-2' });
  await told();
  expect(posts()).toEqual(['AB-2/comment', 'AB-2/remotelink']);
  receiver.received.length = 0;
  await eventually('the merge', async () => (await call('PUT', `${at}/merge`, { squash: true })).status === 200);
  await told();
  expect(posts()).toContain('AB-2/transitions');
  expect(posts()).not.toContain('AB-1/comment');
  // What is resolved already stays.
  receiver.received.length = 0;
  receiver.answer = { status: 200, body: '{"fields":{"resolution":{"name":"Done"}}}' };
  await project.commit(null, { message: 'Closes AB-3', files: { 'closing.txt': '1' } });
  await told();
  expect(posts()).toEqual(['AB-3/comment', 'AB-3/remotelink']);
});
