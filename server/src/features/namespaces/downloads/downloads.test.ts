/** Who downloads more projects of a group than it allows is told of: by git over HTTP and SSH, and as archives. Slow, sampled: real clones by git. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildToken,
  unique,
} from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { addKey, sshCommand } from '../../../../test/ssh.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

let app: TestApp;
let git: GitClient;
let mails: MailServer;
let sshPort: number;
beforeAll(async () => {
  mails = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mails.url}?verify=off` } });
  git = await gitClient();
  sshPort = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await git.close();
  await app.close();
  await mails.close();
});

interface Place {
  readonly top: Namespace;
  readonly owner: BuiltToken;
  readonly projects: readonly [RepositoryProject, RepositoryProject, RepositoryProject, RepositoryProject];
  readonly limit: (json: Json) => Promise<void>;
  readonly member: (level?: Level) => Promise<BuiltToken>;
  /** Names of who has downloaded, with the number of projects. */
  readonly counted: () => Promise<Record<string, number>>;
  /** What owners see of who was told of. */
  readonly audited: () => Promise<unknown[]>;
}

/** A group with a subgroup and four projects. */
async function place(): Promise<Place> {
  const owner = await buildToken(app);
  const top = await buildGroup(app, { owner: owner.user });
  const sub = await buildGroup(app, { parent: top });
  const project = (of: Namespace) =>
    buildRepositoryProject(app, { owner, settings: { namespace_id: of.id }, files: { 'a.txt': 'one\n' } });
  const projects = [await project(top), await project(sub), await project(sub), await project(top)] as const;
  return {
    top,
    owner,
    projects,
    limit: async (json) => {
      const answer = await app.api('PUT', `/groups/${top.id}`, { token: owner.secret, json });
      expect([answer.status, answer.body]).toEqual([200, answer.body]);
    },
    member: async (level = Level.developer) => {
      const token = await buildToken(app);
      await buildMember(app, { user: token.user, of: top, level });
      return token;
    },
    counted: async () => {
      const rows = await app.db
        .selectFrom('project_downloads as d')
        .innerJoin('users as u', 'u.id', 'd.user_id')
        .select(({ fn }) => ['u.username', fn.countAll<number>().as('projects')])
        .where('d.namespace_id', '=', top.id)
        .groupBy('u.username')
        .execute();
      return Object.fromEntries(rows.map(({ username, projects }) => [username, Number(projects)]));
    },
    audited: async () => {
      const { body } = await app.api<Json[]>('GET', `/groups/${top.id}/audit_events`, { token: owner.secret });
      return body.filter((event) => event.event_name === 'project_download_limit_exceeded');
    },
  };
}

const clone = (project: RepositoryProject, secret: string, username = 'git') =>
  git.run(['clone', '-q', project.remote(secret, username), unique('clone')]);
const archive = async (project: RepositoryProject, secret: string) => {
  const answer = await project.api<string>('GET', '/repository/archive.tar', { token: secret });
  expect(answer.status).toBe(200);
};
const reaches = (at: Place, wanted: Record<string, number>) =>
  eventually(JSON.stringify(wanted), async () => {
    const now = await at.counted();
    return Object.entries(wanted).every(([name, count]) => now[name] === count) ? now : null;
  });
const told = (of: BuiltToken) => mails.received.filter(({ to }) => to.includes(of.user.email)).length;

test('projects are counted once each, over git and as archives, and owners told once in the interval', async () => {
  const at = await place();
  const [one, two, three, four] = at.projects;
  const developer = await at.member();
  const name = developer.user.username;
  await at.limit({ unique_project_download_limit: 2, unique_project_download_limit_interval_in_seconds: 600 });
  await clone(two, developer.secret);
  await reaches(at, { [name]: 1 });
  await clone(two, developer.secret);
  await archive(one, developer.secret);
  await reaches(at, { [name]: 2 });
  expect(await at.audited()).toEqual([]);
  const key = await sshCommand(git, await addKey(app, developer.secret));
  await git.run(['clone', '-q', `ssh://git@127.0.0.1:${sshPort}/${three.fullPath}.git`, unique('clone')], '.', key);
  const mail = await mails.next(at.owner.user.email);
  expect(mail.header('Subject')).toBe(`${developer.user.name} downloads many projects of ${at.top.name}`);
  expect(mail.text).toContain(`(@${name}) has downloaded 3 projects`);
  expect(await at.audited()).toMatchObject([
    {
      entity_type: 'Group',
      entity_id: at.top.id,
      details: { projects: 3, allowed: 2, seconds: 600, target_id: developer.user.id },
    },
  ]);
  await clone(four, developer.secret);
  await reaches(at, { [name]: 4 });
  expect([(await at.audited()).length, told(at.owner)]).toEqual([1, 1]);
  // It goes on as before: nothing is taken away.
  await clone(four, developer.secret);
});

test('owners, who is excepted, machines, and groups without a limit are not counted', async () => {
  const [at, unlimited] = [await place(), await place()];
  const [one, two] = at.projects;
  const [free, counted] = [await at.member(), await at.member()];
  await at.limit({
    unique_project_download_limit: 1,
    unique_project_download_limit_interval_in_seconds: 600,
    unique_project_download_limit_allowlist: [free.user.username.toUpperCase()],
  });
  const json = { name: 'deploy', username: 'deploy', scopes: ['read_repository'] };
  const made = await app.api<Json>('POST', `/groups/${at.top.id}/deploy_tokens`, { token: at.owner.secret, json });
  expect(made.status).toBe(201);
  for (const project of [one, two]) {
    await clone(project, at.owner.secret);
    await clone(project, free.secret);
    await clone(project, String(made.body.token), 'deploy');
  }
  await buildMember(app, { user: counted.user, of: unlimited.top, level: Level.developer });
  await clone(unlimited.projects[0], counted.secret);
  await clone(one, counted.secret);
  // Written after the others, or with them.
  expect(await reaches(at, { [counted.user.username]: 1 })).toEqual({ [counted.user.username]: 1 });
  expect([await unlimited.counted(), await at.audited(), told(at.owner)]).toEqual([{}, [], 0]);
});

test('members of the list are told in place of owners, again when the interval is over', async () => {
  const at = await place();
  const [one, two, three] = at.projects;
  const [developer, guard, stranger] = [await at.member(), await at.member(Level.reporter), await buildToken(app)];
  await at.limit({
    unique_project_download_limit: 1,
    unique_project_download_limit_interval_in_seconds: 600,
    unique_project_download_limit_alertlist: [guard.user.id, stranger.user.id],
  });
  await clone(one, developer.secret);
  await clone(two, developer.secret);
  await mails.next(guard.user.email);
  const past = new Date(Date.now() - 601_000);
  const passed = async (what: 'both' | 'downloads') => {
    await app.db.updateTable('project_downloads').set({ downloaded_at: past }).execute();
    if (what === 'both') await app.db.updateTable('project_download_alerts').set({ told_at: past }).execute();
  };
  // What was before the interval no longer counts.
  await passed('both');
  await clone(three, developer.secret);
  await reaches(at, { [developer.user.username]: 3 });
  expect(await at.audited()).toHaveLength(1);
  await clone(one, developer.secret);
  await mails.next(guard.user.email);
  expect([(await at.audited()).length, told(at.owner), told(stranger)]).toEqual([2, 0, 0]);
  // A task forgets what no interval reaches back to.
  const ancient = new Date(Date.now() - 864_001_000);
  await app.db.updateTable('project_downloads').set({ downloaded_at: ancient }).execute();
  await runTask(app, 'namespaces.forget_downloads');
  expect(await at.counted()).toEqual({});
});

test('the instance limits projects of a person in a period: people are told, and banned where that is wanted', async () => {
  const at = await place();
  const [one, two, three] = at.projects;
  const admin = await buildToken(app, { user: await buildAdmin(app) });
  const [developer, free, guard] = [await at.member(), await at.member(), await buildToken(app)];
  const set = async (json: Json) =>
    expect(await app.api('PUT', '/application/settings', { token: admin.secret, json })).toMatchObject({ status: 200 });
  await set({
    max_number_of_repository_downloads: 1,
    max_number_of_repository_downloads_within_time_period: 600,
    git_rate_limit_users_allowlist: [free.user.username],
    git_rate_limit_users_alertlist: [guard.user.id],
  });
  const state = async (of: BuiltToken) =>
    (await app.api<Json>('GET', `/users/${of.user.id}`, { token: admin.secret })).body.state;
  for (const project of [one, two]) {
    await archive(project, free.secret);
    await archive(project, developer.secret);
  }
  const mail = await mails.next(guard.user.email);
  expect(mail.header('Subject')).toBe(`${developer.user.name} downloads many projects`);
  expect(mail.text).toContain('was not banned');
  expect([await state(developer), await state(free)]).toEqual(['active', 'active']);
  await set({ auto_ban_user_on_excessive_projects_download: true });
  for (const project of [one, three]) await archive(project, admin.secret);
  expect((await mails.next(guard.user.email)).header('Subject')).toContain(admin.user.name);
  await clone(one, developer.secret);
  await eventually('the ban', async () => ((await state(developer)) === 'banned' ? true : null));
  expect([await state(free), await state(admin)]).toEqual(['active', 'active']);
  const { body } = await app.api<Json[]>('GET', '/audit_events', { token: admin.secret });
  const seen = body.filter(({ event_name }) => event_name === 'project_download_limit_exceeded');
  expect(seen.map(({ entity_type, entity_id }) => [entity_type, entity_id])).toContainEqual([
    'User',
    developer.user.id,
  ]);
  await set({ max_number_of_repository_downloads: 0, auto_ban_user_on_excessive_projects_download: false });
  await app.db
    .updateTable('instance_downloads')
    .set({ downloaded_at: new Date(Date.now() - 864_001_000) })
    .execute();
  await runTask(app, 'namespaces.forget_downloads');
  expect(await app.db.selectFrom('instance_downloads').select('user_id').execute()).toEqual([]);
});
