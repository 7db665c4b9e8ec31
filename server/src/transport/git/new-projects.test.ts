/** Pushes to a path at which there is no project: who gets one, who learns nothing, and what is never made. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { protocolRunner } from '../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildGroup, buildMember, buildToken, unique } from '../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../test/git.ts';
import { buildRepositoryProject } from '../../../test/repositories.ts';
import { addKey, keyPair, type SshKeyPair, sshCommand } from '../../../test/ssh.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let port: number;
let git: GitClient;
let admin: BuiltToken;
let person: BuiltToken;
let key: SshKeyPair;
let asPerson: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp();
  port = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  git = await gitClient();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  person = await buildToken(app);
  key = await addKey(app, person.secret);
  asPerson = await sshCommand(git, key);
  await git.run(['init', '-q', 'local']);
  await git.commit('local', 'README.md', 'mine');
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const urlOf = (path: string, secret: string, username = 'git') => {
  const url = new URL(`${app.url}/${path}.git`);
  [url.username, url.password] = [username, secret];
  return url.href;
};
const sshUrl = (path: string) => `ssh://git@127.0.0.1:${port}/${path}.git`;
const push = (path: string, by: BuiltToken = person, refs: readonly string[] = ['main']) =>
  git.try(['push', urlOf(path, by.secret), ...refs], 'local');
const pushBySsh = (path: string, env = asPerson) => git.try(['push', sshUrl(path), 'main'], 'local', env);
const own = (name = unique('pushed')) => `${person.user.username}/${name}`;
const found = async (path: string) =>
  await app.api<Json>('GET', `/projects/${encodeURIComponent(path)}`, { token: admin.secret });
const nobodyHas = async (path: string) => expect((await found(path)).status).toBe(404);
const unknown = 'The project you were looking for could not be found or you do not have permission to view it.';
const settings = (values: Json) => app.settings.write(values as Parameters<TestApp['settings']['write']>[0]);
const words = (stderr: string) =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.replace(/^remote: ?/, '').trimEnd());

describe('a private project comes of a push', () => {
  it('over HTTP, in the own namespace, and is told once', async () => {
    const path = own();
    const { code, stderr } = await push(path);
    expect([code, words(stderr)]).toEqual([
      0,
      expect.arrayContaining([
        `The private project ${path} was successfully created.`,
        'To configure the remote, run:',
        `  git remote add origin ${app.url}/${path}.git`,
        'To view the project, visit:',
        `  ${app.url}/${path}`,
      ]),
    ]);
    const made = await found(path);
    expect(made.body).toMatchObject({
      visibility: 'private',
      name: path.split('/')[1],
      creator_id: person.user.id,
      default_branch: 'main',
      empty_repo: false,
    });
    const events = app.db.selectFrom('audit_events').select(['event', 'author_id']);
    const event = await events.where('entity_path', '=', path).where('event', '=', 'project_created').execute();
    expect(event).toEqual([{ event: 'project_created', author_id: person.user.id }]);
    const again = await push(path, person, ['main:refs/heads/other']);
    expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining('successfully created')]);
  });

  it('over SSH, with the address for SSH', async () => {
    const path = own();
    const { code, stderr } = await pushBySsh(path);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`The private project ${path} was successfully`)]);
    expect(stderr).toMatch(new RegExp(`git remote add origin \\S+@\\S+[:/]${path}\\.git`));
    expect((await found(path)).body).toMatchObject({ visibility: 'private' });
  });

  it('in groups and subgroups by those who may make projects there, under any branch', async () => {
    const group = await buildGroup(app, { owner: person.user, visibility: 'public' });
    const below = await buildGroup(app, { parent: group });
    const { user } = await buildMember(app, { of: group, level: 30 });
    const developer = await buildToken(app, { user });
    const path = `${below.full_path}/${unique('deep')}`;
    // It is theirs to make, and the first branch is not: the group keeps that to maintainers.
    const first = await push(path, developer, ['main:refs/heads/trunk']);
    expect([first.code, first.stderr]).toEqual([1, expect.stringMatching(/default branch .*not.* exist/)]);
    expect((await found(path)).body).toMatchObject({
      visibility: 'private',
      namespace: { full_path: below.full_path },
    });
    const token = { token: person.secret };
    await app.api('PUT', `/groups/${group.id}`, { ...token, json: { project_creation_level: 'maintainer' } });
    await app.api('PUT', `/groups/${below.id}`, { ...token, json: { project_creation_level: 'maintainer' } });
    const second = `${below.full_path}/${unique('deep')}`;
    const refused = await push(second, developer);
    expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining(unknown)]);
    await nobodyHas(second);
    const third = `${below.full_path.toUpperCase()}/${unique('deep')}`;
    expect((await push(third)).code).toBe(0);
    expect((await found(third)).body).toMatchObject({ namespace: { full_path: below.full_path } });
  });

  it('two pushes at once make one project, and both are pushes to it', async () => {
    const path = own();
    const names = ['a', 'b', 'c', 'd'];
    const pushes = await Promise.all(
      names.map((name, at) => (at % 2 ? pushBySsh(path) : push(path, person, [`main:refs/heads/${name}`]))),
    );
    const lost = pushes.filter(
      ({ code, stderr }) => code !== 0 && !/fetch first|changed at the same time/.test(stderr),
    );
    expect(lost).toEqual([]);
    expect(pushes.filter(({ stderr }) => stderr.includes('successfully created'))).toHaveLength(1);
    const rows = app.db
      .selectFrom('projects')
      .select('id')
      .where('path', '=', path.split('/')[1] ?? '');
    expect(await rows.execute()).toHaveLength(1);
  });
});

describe('nothing comes of', () => {
  it('fetches, and of the request that brings the pack alone', async () => {
    const path = own();
    const read = await git.try(['ls-remote', urlOf(path, person.secret)]);
    expect([read.code === 0, read.stderr]).toEqual([false, expect.stringContaining(unknown)]);
    expect((await git.try(['ls-remote', sshUrl(path)], '.', asPerson)).stderr).toContain(unknown);
    const headers = {
      'Content-Type': 'application/x-git-receive-pack-request',
      Authorization: `Basic ${Buffer.from(`x:${person.secret}`).toString('base64')}`,
    };
    const post = await app.request('POST', `/${path}.git/git-receive-pack`, { raw: Buffer.from('0000'), headers });
    expect(post.status).toBe(404);
    const lfs = await app.request('POST', `/${path}.git/info/lfs/objects/batch`, {
      headers: { ...headers, 'Content-Type': 'application/vnd.git-lfs+json' },
      raw: Buffer.from(JSON.stringify({ operation: 'upload', objects: [{ oid: 'a'.repeat(64), size: 1 }] })),
    });
    expect(lfs.status).toBe(404);
    await nobodyHas(path);
  });

  it('pushes of strangers: the answer is that of what they may not see', async () => {
    const stranger = await buildToken(app);
    const closed = await buildRepositoryProject(app);
    const open = await buildGroup(app, { owner: person.user, visibility: 'public' });
    const paths = [own(), `${open.full_path}/${unique('x')}`, `${unique('nowhere')}/x`, closed.fullPath];
    for (const path of paths) {
      const refused = await push(path, stranger);
      expect([path, refused.code, words(refused.stderr)]).toEqual([path, 128, [unknown]]);
    }
    for (const path of paths.slice(0, 3)) await nobodyHas(path);
    const anonymous = await app.request('GET', `/${paths[0]}.git/info/refs?service=git-receive-pack`);
    expect(anonymous.status).toBe(401);
  });

  it('security 16: tokens without the scope, of deployments, of jobs and keys of machines', async () => {
    const path = own();
    for (const scopes of [['read_repository'], ['read_api'], ['read_user']]) {
      const refused = await push(path, await buildToken(app, { user: person.user, scopes }));
      expect([scopes, refused.code, words(refused.stderr)]).toEqual([scopes, 128, [unknown]]);
    }
    const home = await buildRepositoryProject(app, { owner: person });
    const group = await buildGroup(app, { owner: person.user });
    const deploy = await app.api<{ username: string; token: string }>('POST', `/groups/${group.id}/deploy_tokens`, {
      token: person.secret,
      json: { name: 'd', scopes: ['read_repository'] },
    });
    const inGroup = `${group.full_path}/${unique('x')}`;
    const { username, token } = deploy.body;
    expect((await git.try(['push', urlOf(inGroup, token, username), 'main'], 'local')).stderr).toContain(unknown);
    const pair = keyPair();
    await home.api('POST', '/deploy_keys', { json: { title: 'k', key: pair.public, can_push: true } });
    expect((await pushBySsh(path, await sshCommand(git, pair))).stderr).toContain(unknown);
    const runner = await app.api<Json>('POST', '/user/runners', {
      token: admin.secret,
      json: { runner_type: 'instance_type', run_untagged: true },
    });
    await home.commit('main', { '.gitlab-ci.yml': 'one: {script: [make]}\n' });
    expect((await home.api('POST', '/pipeline', { json: { ref: 'main' } })).status).toBe(201);
    const job = await protocolRunner(app, String(runner.body.token)).next();
    const byJob = await git.try(['push', urlOf(path, job.token, 'gitlab-ci-token'), 'main'], 'local');
    expect([byJob.code === 0, byJob.stderr]).toEqual([false, expect.stringContaining(unknown)]);
    for (const each of [path, inGroup]) await nobodyHas(each);
    const writer = await buildToken(app, { user: person.user, scopes: ['write_repository'] });
    expect((await push(path, writer)).code).toBe(0);
  });

  it('names that projects cannot have, and limits: with the reason', async () => {
    const limited = await buildToken(app);
    await app.db.updateTable('users').set({ projects_limit: 0 }).where('id', '=', limited.user.id).execute();
    const home = `${limited.user.username}/${unique('x')}`;
    const cases = [
      [person, own('blob'), 'Could not create project: Path blob is a reserved name'],
      [person, own('x.atom'), 'Could not create project: Path can contain only letters'],
      [person, own('a%20b'), 'Could not create project: Path can contain only letters'],
      [person, `${person.user.id}/x`, unknown],
      [person, own('none/x'), unknown],
      [person, own('x.wiki'), unknown],
      [
        limited,
        home,
        'Could not create project: Personal project creation is not allowed. Please contact your administrator with questions',
      ],
    ] as const;
    for (const [by, path, reason] of cases) {
      const refused = await push(path, by);
      expect([path, refused.code === 0, refused.stderr]).toEqual([path, false, expect.stringContaining(reason)]);
    }
    await nobodyHas(home);
    const usual = await app.settings.read();
    const other = { default_project_visibility: 'internal', default_group_visibility: 'internal' };
    await settings({ restricted_visibility_levels: ['private'], ...other });
    try {
      const path = own();
      expect((await push(path)).stderr).toContain('private has been restricted by your administrator');
      const bySsh = await pushBySsh(path);
      expect(bySsh.stderr).toContain('ERROR: Could not create project: Visibility level private has been restricted');
      await nobodyHas(path);
    } finally {
      await settings({
        restricted_visibility_levels: usual.restricted_visibility_levels,
        default_project_visibility: usual.default_project_visibility,
        default_group_visibility: usual.default_group_visibility,
      });
    }
  });

  it('paths that a project had before: they lead to it', async () => {
    const path = own();
    expect((await push(path)).code).toBe(0);
    const name = unique('renamed');
    const target = `/projects/${encodeURIComponent(path)}`;
    expect((await app.api('PUT', target, { token: person.secret, json: { path: name } })).status).toBe(200);
    const again = await push(path, person, ['main:refs/heads/after']);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining(name)]);
    const branches = `/projects/${encodeURIComponent(own(name))}/repository/branches/after`;
    expect((await app.api('GET', branches, { token: person.secret })).status).toBe(200);
    const rows = app.db
      .selectFrom('projects')
      .select('id')
      .where('path', '=', path.split('/')[1] ?? '');
    expect(await rows.execute()).toEqual([]);
  });

  it('pushes where a group or the instance takes no git that way, or nothing now', async () => {
    const group = await buildGroup(app, { owner: person.user });
    await app.db
      .updateTable('namespaces')
      .set({ enabled_git_access_protocol: 'ssh' })
      .where('id', '=', group.id)
      .execute();
    const path = `${group.full_path}/${unique('x')}`;
    expect((await push(path)).stderr).toContain(unknown);
    await nobodyHas(path);
    expect((await pushBySsh(path)).code).toBe(0);
    await settings({ maintenance_mode: true });
    try {
      const second = own();
      expect((await push(second)).stderr).toContain('maintenance mode');
      await nobodyHas(second);
    } finally {
      await settings({ maintenance_mode: false });
    }
  });
});
