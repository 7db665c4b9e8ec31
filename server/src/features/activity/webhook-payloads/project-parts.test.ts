/** Webhooks of wiki pages, feature flags, reactions and vulnerabilities, from what happens to a real receiver. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, startWorld, type World } from '../../../../test/ci.ts';
import { buildGroup, buildProject } from '../../../../test/factories.ts';
import { type Received, type Receiver, startReceiver } from '../../../../test/receiver.ts';
import { runTask } from '../../../../test/tasks.ts';

type Json = Record<string, unknown>;
interface Payload extends Json {
  readonly object_attributes: Json;
}
let world: World;
let receiver: Receiver;
let projectId: number;
let base: string;
const hooks = new Map<string, unknown>();
beforeAll(async () => {
  world = await startWorld();
  receiver = await startReceiver();
  await world.app.settings.write({ allow_local_requests_from_web_hooks_and_services: true });
  projectId = (await buildProject(world.app, { owner: world.owner.user })).id;
  base = `/projects/${projectId}`;
  for (const event of ['wiki_page_events', 'feature_flag_events', 'emoji_events', 'vulnerability_events']) {
    const values = { push_events: false, [event]: true, url: `${receiver.url}/${event}` };
    hooks.set(event, (await call('POST', `${base}/hooks`, values)).id);
  }
  await call('PUT', `${base}/integrations/slack`, {
    ...{ webhook: `${receiver.url}/slack`, push_events: false },
    ...{ wiki_page_events: true, vulnerability_events: true },
  });
});
afterAll(async () => {
  await receiver.close();
  await world.close();
});

const call = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: object) => {
  const answer = await world.app.api<Json>(method, path, { token: world.owner.token, ...(json ? { json } : {}) });
  expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
  return answer.body;
};
const payloadOf = (received: Received) => JSON.parse(received.text) as Payload;
const heard = (path: string, wanted: (payload: Payload) => boolean) =>
  eventually(`a call of ${path}`, async () =>
    receiver.received.find((each) => each.path === `/${path}` && wanted(payloadOf(each))),
  );
const with_ =
  (wanted: Json) =>
  ({ object_attributes: found }: Payload) =>
    Object.entries(wanted).every(([name, value]) => found[name] === value);
const around = () => ({
  project: expect.objectContaining({ id: projectId, path_with_namespace: expect.any(String) }),
  user: expect.objectContaining({ id: world.owner.user.id, username: world.owner.user.username }),
});
/** Trying a hook sends what is there. */
const tried = async (event: string) => {
  const before = receiver.received.length;
  await call('POST', `${base}/hooks/${String(hooks.get(event))}/test/${event}`);
  return await eventually('the trial', async () =>
    receiver.received.slice(before).find(({ path }) => path === `/${event}`),
  );
};

it('pages of a wiki are told when they are created, updated and deleted', async () => {
  await call('POST', `${base}/wikis`, { title: 'Notes/First page', content: 'One' });
  const made = await heard('wiki_page_events', with_({ action: 'create' }));
  expect(made.headers['x-gitlab-event']).toBe('Wiki Page Hook');
  const web = `${world.app.url}/${String((await call('GET', base)).path_with_namespace)}`;
  expect(payloadOf(made)).toEqual({
    object_kind: 'wiki_page',
    ...around(),
    wiki: {
      web_url: `${web}/-/wikis/home`,
      git_ssh_url: expect.any(String),
      git_http_url: `${web}.wiki.git`,
      path_with_namespace: expect.stringMatching(/\.wiki$/),
      default_branch: 'main',
    },
    object_attributes: {
      ...{ title: 'First page', slug: 'Notes/First-page', content: 'One', format: 'markdown', action: 'create' },
      message: expect.stringContaining('created page: First page'),
      version_id: expect.stringMatching(/^[0-9a-f]{40}$/),
      url: `${web}/-/wikis/Notes/First-page`,
      diff_url: expect.stringContaining(`${web}/-/wikis/Notes/First-page/diff?version_id=`),
    },
  });
  await call('PUT', `${base}/wikis/Notes%2FFirst-page`, { content: 'Two' });
  await heard('wiki_page_events', with_({ action: 'update', content: 'Two' }));
  expect(payloadOf(await tried('wiki_page_events'))).toMatchObject({ object_attributes: { content: 'Two' } });
  await call('DELETE', `${base}/wikis/Notes%2FFirst-page`);
  // What it was last.
  await heard('wiki_page_events', with_({ action: 'delete', content: 'Two', slug: 'Notes/First-page' }));
  const chat = await eventually('a message', async () => receiver.received.find(({ path }) => path === '/slack'));
  expect(String((JSON.parse(chat.text) as Json).text)).toMatch(/created wiki page <[^|]+\|First page>/);
});

it('feature flags are told when they are switched on or off, not otherwise', async () => {
  await call('POST', `${base}/feature_flags`, { name: 'beta', description: 'New look', version: 'new_version_flag' });
  await call('PUT', `${base}/feature_flags/beta`, { description: 'The new look' });
  await call('PUT', `${base}/feature_flags/beta`, { active: false });
  const off = await heard('feature_flag_events', with_({ active: false }));
  expect(off.headers['x-gitlab-event']).toBe('Feature Flag Hook');
  expect(payloadOf(off)).toEqual({
    object_kind: 'feature_flag',
    ...around(),
    user_url: `${world.app.url}/${world.owner.user.username}`,
    object_attributes: { id: expect.any(Number), name: 'beta', description: 'The new look', active: false },
  });
  await call('PUT', `${base}/feature_flags/beta`, { active: true });
  await heard('feature_flag_events', with_({ active: true }));
  expect(receiver.received.filter(({ path }) => path === '/feature_flag_events')).toHaveLength(2);
  expect(payloadOf(await tried('feature_flag_events'))).toMatchObject({ object_attributes: { name: 'beta' } });
});

it('reactions are told when they are added and taken back, but not on what is confidential', async () => {
  const secret = await call('POST', `${base}/issues`, { title: 'Secret', confidential: true });
  await call('POST', `${base}/issues/${String(secret.iid)}/award_emoji`, { name: 'eyes' });
  const issue = await call('POST', `${base}/issues`, { title: 'Open' });
  const at = `${base}/issues/${String(issue.iid)}`;
  const award = await call('POST', `${at}/award_emoji`, { name: 'tada' });
  const made = await heard('emoji_events', with_({ action: 'award', awardable_type: 'Issue' }));
  expect(made.headers['x-gitlab-event']).toBe('Emoji Hook');
  expect(payloadOf(made)).toMatchObject({
    ...{ object_kind: 'emoji', event_type: 'award', project_id: projectId, ...around() },
    object_attributes: {
      ...{ id: award.id, name: 'tada', user_id: world.owner.user.id, awardable_id: issue.id },
      awarded_on_url: issue.web_url,
      created_at: expect.stringMatching(/ UTC$/),
    },
    issue: { id: issue.id, title: 'Open' },
  });
  await call('DELETE', `${at}/award_emoji/${String(award.id)}`);
  await heard('emoji_events', with_({ action: 'revoke', id: award.id }));
  const note = await call('POST', `${at}/notes`, { body: 'Well' });
  await call('POST', `${at}/notes/${String(note.id)}/award_emoji`, { name: 'heart' });
  expect(payloadOf(await heard('emoji_events', with_({ name: 'heart' })))).toMatchObject({
    object_attributes: {
      ...{ awardable_type: 'Note', awardable_id: note.id },
      awarded_on_url: `${String(issue.web_url)}#note_${String(note.id)}`,
    },
    note: { id: note.id, note: 'Well' },
    issue: { id: issue.id },
  });
  // A quick action takes it back where it is there.
  await call('POST', `${at}/notes`, { body: '/react :rocket:' });
  await heard('emoji_events', with_({ name: 'rocket', action: 'award' }));
  await call('POST', `${at}/notes`, { body: '/react :rocket:' });
  await heard('emoji_events', with_({ name: 'rocket', action: 'revoke' }));
  const told = receiver.received.filter(({ path }) => path === '/emoji_events').map(payloadOf);
  expect(told.filter(with_({ name: 'eyes' }))).toEqual([]);
  expect(payloadOf(await tried('emoji_events'))).toMatchObject({ object_kind: 'emoji' });
});

async function finding(): Promise<string> {
  const { db } = world.app;
  const project_id = projectId;
  const scanner = await db
    .insertInto('security_scanners')
    .values({ project_id, external_id: 'scanner', name: 'Scanner', vendor: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  const identifier = await db
    .insertInto('security_identifiers')
    .values({ project_id, external_type: 'cve', external_id: 'CVE-2026-1', name: 'CVE-2026-1', url: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id, uuid } = await db
    .insertInto('vulnerability_findings')
    .values({
      ...{ uuid: randomUUID(), project_id, scanner_id: scanner.id, primary_identifier_id: identifier.id },
      ...{ report_type: 'sast', name: 'Weakness', severity: 'high', confidence: 'unknown' },
      ...{ location: '{"file":"a.c","start_line":3}', links: '[]', location_fingerprint: '1'.repeat(40) },
      ...{ project_fingerprint: '2'.repeat(40), metadata_version: '15.0.0', raw_metadata: '{}' },
    })
    .returning(['id', 'uuid'])
    .executeTakeFirstOrThrow();
  await db
    .insertInto('finding_identifiers')
    .values({ finding_id: id, identifier_id: identifier.id, position: 0 })
    .execute();
  return uuid;
}

it('vulnerabilities are told when they are created and get another state', async () => {
  const made = await call('POST', `${base}/vulnerabilities`, { finding_id: await finding() });
  const created = await heard('vulnerability_events', with_({ state: 'opened' }));
  expect(created.headers['x-gitlab-event']).toBe('Vulnerability Hook');
  expect(payloadOf(created)).toMatchObject({
    object_kind: 'vulnerability',
    object_attributes: {
      ...{ title: 'Weakness', severity: 'high', report_type: 'sast', project_id: projectId, issues: [], cvss: [] },
      url: expect.stringContaining(`/-/security/vulnerabilities/${String(made.id)}`),
      location: { file: 'a.c', start_line: 3 },
      identifiers: [{ name: 'CVE-2026-1', external_id: 'CVE-2026-1', external_type: 'cve', url: null }],
      confirmed_at: null,
    },
  });
  await call('POST', `/vulnerabilities/${String(made.id)}/confirm`);
  const confirmed = payloadOf(await heard('vulnerability_events', with_({ state: 'confirmed' })));
  expect(confirmed.object_attributes).toMatchObject({ confirmed_by_id: world.owner.user.id });
  expect(payloadOf(await tried('vulnerability_events'))).toMatchObject({ object_attributes: { title: 'Weakness' } });
  const issue = await call('POST', `${base}/issues`, { title: 'Mend it' });
  const hidden = await call('POST', `${base}/issues`, { title: 'Not for everybody', confidential: true });
  const links = `/vulnerabilities/${String(made.id)}/issue_links`;
  await call('POST', links, { target_issue_iid: hidden.iid });
  await call('POST', links, { target_issue_iid: issue.iid });
  const linked = await heard('vulnerability_events', ({ object_attributes }) => {
    const [first] = object_attributes.issues as Json[];
    return first !== undefined;
  });
  expect(payloadOf(linked).object_attributes.issues).toEqual([
    { title: 'Mend it', url: issue.web_url, created_at: expect.any(String), updated_at: expect.any(String) },
  ]);
  const told = receiver.received.filter(({ path }) => path === '/vulnerability_events');
  expect(told.filter(({ text }) => text.includes('Not for everybody'))).toEqual([]);
  await eventually('a message', async () => receiver.received.find(({ text }) => text.includes('(high) is confirmed')));
});

it('access tokens of projects and groups are told when they expire within 7 days, and on the last one', async () => {
  const { app, owner } = world;
  const group = await buildGroup(app, { owner: owner.user });
  const values = { push_events: false, resource_access_token_events: true };
  await call('POST', `${base}/hooks`, { ...values, url: `${receiver.url}/of_project` });
  await call('POST', `/groups/${group.id}/hooks`, { ...values, url: `${receiver.url}/of_group` });
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const token = async (place: string, name: string, days: number) =>
    await call('POST', `${place}/access_tokens`, { name, scopes: ['api'], access_level: 30, expires_at: day(days) });
  const soon = await token(base, 'soon', 5);
  await token(base, 'later', 40);
  const ofGroup = await token(`/groups/${group.id}`, 'of group', 6);
  const sweep = async () => {
    await runTask(app, 'tokens.expiring');
    await app.delivery.drain();
  };
  await sweep();
  const told = await heard('of_project', () => true);
  expect(told.headers['x-gitlab-event']).toBe('Resource Access Token Hook');
  expect(payloadOf(told)).toEqual({
    ...{ object_kind: 'access_token', event_name: 'expiring_access_token', project: around().project },
    object_attributes: {
      ...{ user_id: soon.user_id, id: soon.id, name: 'soon', expires_at: day(5) },
      created_at: expect.stringMatching(/ UTC$/),
    },
  });
  expect(payloadOf(await heard('of_group', () => true))).toMatchObject({
    group: { group_id: group.id, full_path: group.full_path },
    object_attributes: { id: ofGroup.id, name: 'of group' },
  });
  await sweep();
  const row = (values: object) =>
    app.db.updateTable('access_tokens').set(values).where('id', '=', Number(soon.id)).execute();
  await row({ expires_at: day(1) });
  await sweep();
  await heard('of_project', with_({ expires_at: day(1) }));
  expect(receiver.received.filter(({ path }) => path === '/of_project')).toHaveLength(2);
});
