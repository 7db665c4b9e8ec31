/** Notification mails with a real SMTP server: who gets one, in which thread, and how they end. Slow, sampled: mails are waited for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually, protocolRunner } from '../../../../test/ci.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
} from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { tellDueIssues } from '../../planning/index.ts';

interface Numbered {
  readonly id: number;
  readonly iid: number;
}
let mails: MailServer;
let app: TestApp;
let group: Awaited<ReturnType<typeof buildGroup>>;
let project: Project;
let base: string;
let owner: BuiltToken;
let other: BuiltToken;
let guest: BuiltToken;
beforeAll(async () => {
  mails = await startMailServer({ user: 'millrace', password: 'p@ss/word' });
  app = await startTestApp({
    background: true,
    environment: { MILLRACE_SMTP_URL: `${mails.url}?tls=required&verify=off` },
  });
  owner = await person();
  group = await buildGroup(app, { owner: owner.user });
  project = await buildProject(app, { namespace: group, visibility: 'private' });
  base = `/projects/${project.id}`;
  other = await person(Level.developer);
  guest = await person(Level.guest);
});
afterAll(async () => {
  await app.close();
  await mails.close();
});

async function person(level?: Level): Promise<BuiltToken> {
  const made = await buildToken(app);
  await app.db.updateTable('users').set({ confirmed_at: new Date() }).where('id', '=', made.user.id).execute();
  if (level !== undefined) await buildMember(app, { of: project, user: made.user, level });
  return made;
}
const call = async <T = Numbered>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  json?: object,
  by = owner,
) => {
  const answer = await app.api<T>(method, path, { token: by.secret, ...(json ? { json } : {}) });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
};
const issue = (json: object = {}, by = owner) => call('POST', `${base}/issues`, { title: 'An issue', ...json }, by);
const level = (who: BuiltToken, json: object, at = base) => call('PUT', `${at}/notification_settings`, json, who);
const next = (who: BuiltToken) => mails.next(who.user.email);
const got = (who: BuiltToken) => mails.received.filter(({ to }) => to.includes(who.user.email)).length;
const about = (who: BuiltToken, { iid }: Numbered) =>
  mails.received.filter(
    ({ to, header }) => to.includes(who.user.email) && header('X-GitLab-Issue-IID') === String(iid),
  );
/** Everything that happened so far is sent: mails of one queue arrive in their order. */
async function settled() {
  const witness = await person(Level.guest);
  await call('POST', `${base}/issues`, { title: 'Last', description: `@${witness.user.username}` });
  await next(witness);
}

describe('a mail', () => {
  it('names the author above the text where the instance wants it (email_author_in_body)', async () => {
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    const named = `Author: ${owner.user.name} (@${owner.user.username})`;
    const set = (email_author_in_body: boolean) =>
      call('PUT', '/application/settings', { email_author_in_body }, admin);
    const told = async () => {
      await issue({ description: `@${other.user.username}` });
      return (await next(other)).text.includes(named);
    };
    expect(await told()).toBe(false);
    await set(true);
    expect(await told()).toBe(true);
    await set(false);
  });

  it('tells of a new issue, is a thread with what follows, and says why it came', async () => {
    const made = await issue({ description: `Look, @${other.user.username} **now**`, assignee_ids: [guest.user.id] });
    const first = await next(other);
    expect(first.header('Subject')).toBe(`${project.name} | An issue (#${made.iid})`);
    expect(first.text).toContain(`${owner.user.name} created issue #${made.iid}: An issue`);
    expect(first.text).toContain('**now**');
    expect(first.html).toContain('<strong>now</strong>');
    expect(first.html).toContain(`href="${app.url}/`);
    expect(first.header('X-GitLab-NotificationReason')).toBe('mentioned');
    expect(first.header('X-GitLab-Project-Id')).toBe(String(project.id));
    expect(first.header('X-GitLab-Issue-IID')).toBe(String(made.iid));
    const assigned = await next(guest);
    expect(assigned.header('X-GitLab-NotificationReason')).toBe('assigned');
    const thread = first.header('References');
    expect(thread).toMatch(new RegExp(`^<issue_${made.id}@`));
    const note = await call('POST', `${base}/issues/${made.iid}/notes`, { body: 'A *word*' });
    const second = await next(guest);
    expect(second.header('Subject')).toBe(`Re: ${project.name} | An issue (#${made.iid})`);
    expect([second.header('In-Reply-To'), second.header('References')]).toEqual([thread, thread]);
    const begun = await call('POST', `${base}/issues/${made.iid}/discussions`, { body: 'A thread' });
    const opening = await next(guest);
    await call('POST', `${base}/issues/${made.iid}/discussions/${begun.id}/notes`, { body: 'An answer' });
    const own = `<discussion_${begun.id}@${new URL(app.url).hostname}>`;
    for (const mail of [opening, await next(guest)])
      expect([mail.header('In-Reply-To'), mail.header('References')]).toEqual([own, `${thread} ${own}`]);
    expect(second.text).toContain('A *word*');
    expect(second.text).toContain(`/-/issues/${made.iid}#note_${note.id}`);
    await call('PUT', `${base}/issues/${made.iid}`, { state_event: 'close' });
    expect((await next(guest)).text).toContain(`Issue #${made.iid} was closed by ${owner.user.name}`);
    await call('PUT', `${base}/issues/${made.iid}`, { state_event: 'reopen' });
    expect((await next(guest)).text).toContain('was reopened by');
    await call('PUT', `${base}/issues/${made.iid}`, { assignee_ids: [other.user.id] });
    const assigning = `assigned issue #${made.iid} to ${other.user.name}`;
    expect((await next(guest)).text).toContain(assigning);
    await eventually('the mail', async () => about(other, made).some(({ text }) => text.includes(assigning)));
    await settled();
    expect(got(owner)).toBe(0);
  });

  it('ends with a link that stops the thread without signing in, but not mentions', async () => {
    const made = await issue({ assignee_ids: [guest.user.id] });
    const mail = await next(guest);
    const url = /<(.*)>/.exec(mail.header('List-Unsubscribe') ?? '')?.[1] ?? '';
    expect(mail.header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(mail.text).toContain(url);
    const path = new URL(url).pathname;
    const shown = await app.request<string>('GET', path);
    expect([shown.status, String(shown.body).includes('Unsubscribe')]).toEqual([200, true]);
    expect(
      (await call<{ subscribed: boolean }>('GET', `${base}/issues/${made.iid}`, undefined, guest)).subscribed,
    ).toBe(true);
    expect((await app.request('POST', path)).status).toBe(200);
    expect(
      (await call<{ subscribed: boolean }>('GET', `${base}/issues/${made.iid}`, undefined, guest)).subscribed,
    ).toBe(false);
    expect((await app.request('POST', path.replace(/.\/unsubscribe$/, '!/unsubscribe'))).status).toBe(404);
    const before = got(guest);
    await call('POST', `${base}/issues/${made.iid}/notes`, { body: 'Nobody hears this' });
    await settled();
    expect(got(guest)).toBe(before);
    await call('POST', `${base}/issues/${made.iid}/notes`, { body: `@${guest.user.username} does` });
    expect((await next(guest)).text).toContain('does');
  });
});

describe('levels', () => {
  it('decide who hears of what: watch, participating, mention, custom, disabled', async () => {
    const [watcher, custom, quiet, mentioned] = [
      await person(Level.developer),
      await person(Level.developer),
      await person(Level.developer),
      await person(Level.developer),
    ];
    await level(watcher, { level: 'watch' }, '');
    await level(custom, { level: 'custom', new_issue: true });
    await level(quiet, { level: 'disabled' });
    await level(mentioned, { level: 'mention' });
    const names = [quiet, mentioned].map(({ user }) => `@${user.username}`).join(' ');
    const made = await issue({ description: names, assignee_ids: [mentioned.user.id] });
    await Promise.all([next(watcher), next(custom), next(mentioned)]);
    await call('POST', `${base}/issues/${made.iid}/notes`, { body: 'A word' });
    await next(watcher);
    await level(watcher, { level: 'participating' });
    await call('POST', `${base}/issues/${made.iid}/notes`, { body: 'Another' });
    await call('POST', `${base}/issues/${made.iid}/subscribe`, undefined, quiet);
    await call('POST', `${base}/issues/${made.iid}/notes`, { body: 'For subscribers' });
    expect((await next(quiet)).header('X-GitLab-NotificationReason')).toBe('subscribed');
    await settled();
    expect([watcher, custom, mentioned].map((who) => about(who, made).length)).toEqual([2, 1, 1]);
  });

  it('reach nobody who does not see the issue, nor where the project sends no mail', async () => {
    const stranger = await person();
    await issue({ description: `@${stranger.user.username}` });
    const secret = await issue({ confidential: true, description: `@${guest.user.username}` });
    const before = got(guest);
    await call('POST', `${base}/issues/${secret.iid}/notes`, { body: `@${guest.user.username}` });
    const open = await issue();
    await call('POST', `${base}/issues/${open.iid}/notes`, { body: `@${guest.user.username}`, internal: true });
    await settled();
    expect([got(stranger), got(guest)]).toEqual([0, before]);
    await app.delivery.drain();
    await call('PUT', base, { emails_enabled: false });
    await issue({ description: `@${guest.user.username}` });
    await app.delivery.drain();
    await call('PUT', base, { emails_enabled: true });
    await settled();
    expect(got(guest)).toBe(before);
  });
});

it('groups and everybody are named together: a to-do and a mail for each member who sees it', async () => {
  const team = await buildGroup(app, { owner: owner.user });
  const [member, outsider] = [await person(Level.developer), await person()];
  for (const { user } of [member, outsider]) await buildMember(app, { of: team, user, level: Level.guest });
  const made = await issue({ description: `Hello @${team.full_path}` });
  expect((await next(member)).header('X-GitLab-NotificationReason')).toBe('mentioned');
  const todos = async (who: BuiltToken) =>
    call<{ target_url: string; action_name: string }[]>('GET', '/todos', undefined, who);
  await eventually('the to-do', async () => (await todos(member)).length === 1);
  expect(await todos(member)).toMatchObject([{ action_name: 'mentioned', target: { id: made.id } }]);
  const all = await issue();
  await call('POST', `${base}/issues/${all.iid}/notes`, { body: '@all: look' });
  await next(member);
  await eventually('the other to-do', async () => (await todos(member)).length === 2);
  await settled();
  expect([got(outsider), (await todos(outsider)).length]).toEqual([0, 0]);
});

it('issues that are due tomorrow are told to those who take part, their author among them, once a day', async () => {
  const author = await person(Level.developer);
  const watcher = await person(Level.developer);
  await level(watcher, { level: 'watch' });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const made = await issue({ due_date: tomorrow, assignee_ids: [guest.user.id] }, author);
  const closed = await issue({ due_date: tomorrow, assignee_ids: [guest.user.id] }, author);
  await call('PUT', `${base}/issues/${closed.iid}`, { state_event: 'close' }, author);
  await app.delivery.drain();
  await settled();
  const before = [author, guest, watcher].map((who) => about(who, made).length);
  await tellDueIssues(app.db);
  await app.delivery.drain();
  await settled();
  const due = (who: BuiltToken, which: Numbered) =>
    about(who, which).filter(({ text }) => text.includes('is due tomorrow'));
  expect([author, guest, watcher].map((who) => due(who, made).length)).toEqual([1, 1, 0]);
  expect([author, guest].map((who) => due(who, closed).length)).toEqual([0, 0]);
  expect([author, guest, watcher].map((who) => about(who, made).length)).toEqual(
    before.map((count, at) => count + (at === 2 ? 0 : 1)),
  );
});

it('edits are told: the milestone, whoever is newly named, and subscribers of an added label', async () => {
  const [assignee, named, fan] = [await person(Level.guest), await person(Level.guest), await person(Level.guest)];
  const made = await issue({ assignee_ids: [assignee.user.id] });
  await next(assignee);
  const edit = (json: object) => call('PUT', `${base}/issues/${made.iid}`, json);
  const milestone = await call('POST', `${base}/milestones`, { title: 'v1.0' });
  await edit({ milestone_id: milestone.id });
  expect((await next(assignee)).text).toContain(`changed the milestone of issue #${made.iid} to v1.0`);
  await edit({ milestone_id: 0 });
  expect((await next(assignee)).text).toContain(`removed the milestone of issue #${made.iid}`);
  await edit({ description: `Ask @${named.user.username}` });
  const mail = await next(named);
  expect(mail.header('X-GitLab-NotificationReason')).toBe('mentioned');
  expect(mail.text).toContain(`mentioned you in issue #${made.iid}`);
  await call('POST', `${base}/labels`, { name: 'news', color: '#112233' });
  await call('POST', `${base}/labels/news/subscribe`, undefined, fan);
  await edit({ description: `Ask @${named.user.username} again`, add_labels: 'news' });
  expect((await next(fan)).text).toContain(`added the labels news to issue #${made.iid}`);
  await settled();
  // The description named them before, and labels are for those who follow them.
  expect([assignee, named, fan].map((who) => about(who, made).length)).toEqual([3, 1, 1]);
});

it('epics that are closed and reopened are told to those who take part', async () => {
  const epics = `/groups/${group.id}/epics`;
  const [author, reader] = [await person(), await person()];
  await buildMember(app, { of: group, user: author.user, level: Level.developer });
  await buildMember(app, { of: group, user: reader.user, level: Level.guest });
  const made = await call('POST', epics, { title: 'Large' }, author);
  await app.delivery.drain();
  await call('POST', `${epics}/${made.id}/notes`, { body: 'A word' }, reader);
  await next(author);
  await call('PUT', `${epics}/${made.iid}`, { state_event: 'close' }, author);
  expect((await next(reader)).text).toContain(`Epic &${made.iid} was closed by ${author.user.name}`);
  await call('PUT', `${epics}/${made.iid}`, { state_event: 'reopen' }, author);
  expect((await next(reader)).text).toContain('was reopened by');
});

it('pipelines that end are told to who started them, releases and moves to members who want to know', async () => {
  const repository = await buildRepositoryProject(app, { owner });
  const [starter, watcher] = [await person(), await person()];
  for (const { user } of [starter, watcher])
    await buildMember(app, { of: await repository.row(), user, level: Level.maintainer });
  const at = `/projects/${repository.id}`;
  const { token } = await call<{ token: string }>('POST', '/user/runners', {
    ...{ runner_type: 'project_type', project_id: repository.id, run_untagged: true },
  });
  const runner = protocolRunner(app, token);
  await repository.commit('main', {
    '.gitlab-ci.yml': 'test:\n  script: "true"\n  rules: [{if: $CI_PIPELINE_SOURCE == "api"}]\n',
  });
  /** A pipeline that ends so; answers its id. */
  const run = async (state: 'success' | 'failed') => {
    const made = await call('POST', `${at}/pipeline`, { ref: 'main' }, starter);
    await runner.run(state);
    return made.id;
  };
  const failed = await run('failed');
  const mail = await next(starter);
  const { name } = await repository.row();
  expect(mail.header('Subject')).toMatch(new RegExp(`^${name} \\| Failed pipeline for main \\| [0-9a-f]{8}$`));
  expect(mail.text).toContain(`Pipeline #${failed} has failed.`);
  expect(mail.text).toContain('Failed jobs: test');
  expect([mail.header('X-GitLab-Pipeline-Id'), mail.header('X-GitLab-Pipeline-Status')]).toEqual([
    String(failed),
    'failed',
  ]);
  const fixed = await run('success');
  expect((await next(starter)).text).toContain(`Pipeline #${fixed} has passed again.`);
  await run('success');
  await app.delivery.drain();
  await level(starter, { level: 'custom', success_pipeline: true, failed_pipeline: false }, '');
  const passed = await run('success');
  expect((await next(starter)).header('Subject')).toContain('Successful pipeline for main');
  await run('failed');
  await app.delivery.drain();
  await level(watcher, { level: 'custom', new_release: true }, at);
  await call('POST', `${at}/releases`, { tag_name: 'v1', ref: 'main', name: 'First', description: 'It *works*' });
  const release = await next(watcher);
  expect(release.header('Subject')).toBe(`${name} | New release: First`);
  expect(release.html).toContain('<em>works</em>');
  await repository.commit('topic', { 'x.txt': 'x' }, { start_branch: 'main' });
  await call('POST', `${at}/pipeline`, { ref: 'topic' }, starter);
  const request = { source_branch: 'topic', target_branch: 'main', title: 'A change' };
  const { iid } = await call('POST', `${at}/merge_requests`, request);
  await app.delivery.drain();
  await level(watcher, { level: 'custom', merge_when_pipeline_succeeds: true }, at);
  await call('PUT', `${at}/merge_requests/${iid}/merge`, { auto_merge: true });
  expect((await next(watcher)).text).toContain(`set merge request !${iid} to be merged when all checks pass`);
  await level(watcher, { level: 'participating' }, at);
  const { path_with_namespace: before } = await call<{ path_with_namespace: string }>('GET', at);
  await call('PUT', `${at}/transfer`, { namespace: group.id });
  expect((await next(watcher)).text).toContain(`Project ${before} was moved to ${group.full_path}/`);
  await settled();
  expect([got(starter), passed > fixed]).toEqual([3, true]);
});

it('reviewers and assignees hear that they were chosen, and of pushes to what they review', async () => {
  const repository = await buildRepositoryProject(app, { owner });
  const [reviewer, assignee] = [await person(), await person()];
  for (const { user } of [reviewer, assignee])
    await buildMember(app, { of: await repository.row(), user, level: Level.developer });
  await repository.commit('topic', { 'a.txt': 'a' }, { start_branch: 'main' });
  const at = `/projects/${repository.id}/merge_requests`;
  const made = await call('POST', at, { source_branch: 'topic', target_branch: 'main', title: 'A change' });
  // Told before anybody reviews it: who is told is decided when a fact is delivered.
  await app.delivery.drain();
  await settled();
  await call('PUT', `${at}/${made.iid}`, { reviewer_ids: [reviewer.user.id], assignee_ids: [assignee.user.id] });
  const asked = await next(reviewer);
  expect(asked.text).toContain(`requested a review of merge request !${made.iid} from ${reviewer.user.name}`);
  expect((await next(assignee)).text).toContain(`merge request !${made.iid}`);
  await repository.commit('topic', { 'b.txt': 'b' });
  for (const who of [reviewer, assignee])
    expect((await next(who)).text).toContain(`pushed new commits to merge request !${made.iid}`);
  await call('PUT', `${at}/${made.iid}`, { title: 'Draft: A change' });
  await call('PUT', `${at}/${made.iid}`, { title: 'A change' });
  expect((await next(reviewer)).text).toContain(`marked merge request !${made.iid} as ready`);
  await call('PUT', `${at}/${made.iid}`, { reviewer_ids: [] });
  expect((await next(reviewer)).text).toContain(`removed the reviewers of merge request !${made.iid}`);
});

describe('comments on', () => {
  const mentions = (mail: { text: string; header(name: string): string | null }) => [
    mail.header('Subject'),
    mail.header('List-Unsubscribe'),
    mail.header('X-GitLab-NotificationReason'),
  ];

  const stop = expect.stringMatching(/^<http.+\/-\/sent_notifications\/.+\/unsubscribe>$/);
  /** Follows the link of a mail; answers what the page says. */
  const unsubscribe = async (mail: { text: string; header(name: string): string | null }) => {
    const url = /<(.*)>/.exec(mail.header('List-Unsubscribe') ?? '')?.[1] ?? '';
    expect(mail.text).toContain(url);
    const said = await app.request<string>('POST', new URL(url).pathname);
    expect(said.status).toBe(200);
    return String(said.body);
  };

  it('commits reach who made them, who commented and who is named, if they read the code', async () => {
    const repository = await buildRepositoryProject(app, { owner });
    const [maker, reader, blind] = [await person(), await person(), await person()];
    for (const [who, role] of [
      [maker, Level.developer],
      [reader, Level.reporter],
      [blind, Level.guest],
    ] as const)
      await buildMember(app, { of: await repository.row(), user: who.user, level: role });
    const at = `/projects/${repository.id}/repository/commits`;
    const actions = [{ action: 'create', file_path: 'made.txt', content: 'x' }];
    const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Make a file\n\nIt is empty.', actions };
    const { id: sha } = await call<{ id: string }>('POST', at, commit, maker);
    const body = `Why, @${blind.user.username} and @${reader.user.username}?`;
    await call('POST', `${at}/${sha}/comments`, { note: body });
    const mail = await next(maker);
    const project = await repository.row();
    expect(mentions(mail)).toEqual([`Re: ${project.name} | Make a file (${sha.slice(0, 8)})`, stop, null]);
    expect(mail.text).toContain(`${owner.user.name} commented on commit ${sha.slice(0, 8)}:`);
    expect(mail.text).toMatch(new RegExp(`/-/commit/${sha}#note_\\d+`));
    expect(mail.header('X-GitLab-Commit-ID')).toBe(sha);
    expect(mentions(await next(reader))[2]).toBe('mentioned');
    const discussion = await call<{ id: string }>('POST', `${at}/${sha}/discussions`, { body: 'Because' }, reader);
    expect((await next(maker)).text).toContain('Because');
    const heard = await next(owner);
    expect(heard.text).toContain('Because');
    // Whoever has enough of one commit hears of the others, and of this one by name.
    const already = got(owner);
    expect(await unsubscribe(heard)).toContain(`Unsubscribed from commit ${sha.slice(0, 8)}`);
    await call('POST', `${at}/${sha}/comments`, { note: 'Once more' }, reader);
    expect((await next(maker)).text).toContain('Once more');
    await settled();
    expect(got(owner)).toBe(already);
    await call('POST', `${at}/${sha}/comments`, { note: `@${owner.user.username}!` }, reader);
    expect((await next(owner)).text).toContain(`@${owner.user.username}!`);
    expect(discussion.id).toMatch(/^[0-9a-f]{40}$/);
    await settled();
    expect(got(blind)).toBe(0);
  });

  it('snippets reach their author and those who are named, if they see the snippet', async () => {
    const of = await buildProject(app, { namespace: group, visibility: 'public' });
    const [author, stranger] = [await person(), await person()];
    await buildMember(app, { of, user: author.user, level: Level.reporter });
    const at = `/projects/${of.id}/snippets`;
    const values = { title: 'A script', visibility: 'private', files: [{ file_path: 'a.sh', content: 'ls' }] };
    const { id } = await call('POST', at, values, author);
    await call('POST', `${at}/${id}/notes`, { body: `Run it as @${stranger.user.username} *twice*` });
    const mail = await next(author);
    expect(mentions(mail)).toEqual([`Re: ${of.name} | A script ($${id})`, stop, null]);
    expect(mail.text).toContain(`${owner.user.name} commented on snippet $${id}:`);
    expect(mail.text).toMatch(new RegExp(`/-/snippets/${id}#note_\\d+`));
    expect(mail.html).toContain('<em>twice</em>');
    await call('POST', `${at}/${id}/notes`, { body: 'I did' }, author);
    const heard = await next(owner);
    expect(heard.text).toContain('I did');
    expect(await unsubscribe(heard)).toContain(`Unsubscribed from snippet $${id}`);
    const before = got(owner);
    await call('POST', `${at}/${id}/notes`, { body: 'Again' }, author);
    await settled();
    expect(got(owner)).toBe(before);
    expect(got(stranger)).toBe(0);
    expect((await call<unknown[]>('GET', '/todos', undefined, stranger)).length).toBe(0);
  });
});
