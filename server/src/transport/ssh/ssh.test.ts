/** git over SSH: the real git over ssh2's client, keys of people and of machines, and what is refused. Slow, sampled: each git is a process of its own. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildGroup, buildToken, unique } from '../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../test/git.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../test/repositories.ts';
import { addKey, connect, giveSecondFactor, keyPair, type SshKeyPair, sshCommand } from '../../../test/ssh.ts';
import { stopClock } from '../../../test/windows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let port: number;
let git: GitClient;
let admin: BuiltToken;
let project: RepositoryProject;
let ownerKey: SshKeyPair & { readonly id: number };
let asOwner: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp();
  port = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  git = await gitClient();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  project = await buildRepositoryProject(app);
  ownerKey = await addKey(app, project.owner.secret);
  asOwner = await sshCommand(git, ownerKey);
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const urlOf = (fullPath = project.fullPath) => `ssh://git@127.0.0.1:${port}/${fullPath}.git`;
/** One command on a connection of its own. */
async function once(key: SshKeyPair, command: string | null, input?: string) {
  const connection = await connect(port, key);
  try {
    return await connection.run(command, input);
  } finally {
    connection.end();
  }
}
const setting = (values: Json) => app.settings.write(values as Parameters<TestApp['settings']['write']>[0]);
const pack = (fullPath = project.fullPath) => `git-upload-pack '/${fullPath}.git'`;
const flush = '0000';

describe('the real git', () => {
  it.each([0, 1, 2])('clones and fetches with protocol version %i', async (version) => {
    const name = `v${version}`;
    const protocol = ['-c', `protocol.version=${version}`];
    await git.run([...protocol, 'clone', '-q', urlOf(), name], '.', asOwner);
    const id = await project.commit('main', { [name]: 'x' });
    await git.run([...protocol, 'fetch', '-q'], name, asOwner);
    expect(await git.run(['rev-parse', 'origin/main'], name)).toBe(id);
  });

  it('pushes as over HTTP: the same words, the same facts', async () => {
    const mine = await git.commit('v2', 'mine.txt', 'y');
    const pushed = await git.try(['push', 'origin', 'HEAD:refs/heads/topic'], 'v2', asOwner);
    expect([pushed.code, pushed.stderr]).toEqual([
      0,
      expect.stringContaining('To create a merge request for topic, visit:'),
    ]);
    const { body } = await project.api<Json>('GET', '/repository/branches/topic');
    expect(body).toMatchObject({ commit: { id: mine } });
    const other = await sshCommand(git, ownerKey, '');
    expect((await git.try(['push', 'origin', 'HEAD:topic'], 'v2', other)).stderr).toContain('up-to-date');
    const facts = app.db.selectFrom('facts').selectAll().where('kind', '=', 'push').orderBy('id', 'desc').limit(1);
    const fact = await facts.executeTakeFirstOrThrow();
    expect([fact.actor_id, fact.payload]).toMatchObject([project.owner.user.id, { via: 'push', after: mine }]);
  });

  it('shallow and partial clones, many branches in one push, and archives', async () => {
    await project.commit('main', { deep: '1' });
    await git.run(['clone', '-q', '--depth', '1', urlOf(), 'shallow'], '.', asOwner);
    expect(await git.run(['rev-list', '--count', 'HEAD'], 'shallow')).toBe('1');
    await git.commit('shallow', 'from-shallow', 'z');
    await git.run(['push', '-q', 'origin', 'HEAD:refs/heads/from-shallow'], 'shallow', asOwner);
    await git.run(['fetch', '-q', '--unshallow'], 'shallow', asOwner);
    expect(Number(await git.run(['rev-list', '--count', 'HEAD'], 'shallow'))).toBeGreaterThan(2);
    await git.run(['clone', '-q', '--filter=blob:none', urlOf(), 'partial'], '.', asOwner);
    expect(await readFile(path.join(git.directory, 'partial', 'README.md'), 'utf8')).toBe('# Hello\n');
    await git.run(
      ['push', '-q', 'origin', ...['a', 'b', 'c'].map((name) => `HEAD:refs/heads/many-${name}`)],
      'shallow',
      asOwner,
    );
    await git.run(['archive', '--remote', urlOf(), '-o', 'a.zip', 'main', 'README.md'], '.', asOwner);
    expect(await git.run(['archive', '--remote', urlOf(), '--list'], '.', asOwner)).toContain('zip');
    const hidden = await git.try(['archive', '--remote', urlOf(), 'HEAD~1'], '.', asOwner);
    expect(hidden.code).not.toBe(0);
  });

  it('a shallow clone whose missing history is not here either is told so', async () => {
    await git.run(['init', '-q', 'long']);
    for (const name of ['one', 'two', 'three']) await git.commit('long', name, name);
    await git.run(['clone', '-q', '--depth', '1', `file://${path.join(git.directory, 'long')}`, 'cut'], '.', {});
    const refused = await git.try(['push', urlOf(), 'HEAD:refs/heads/cut'], 'cut', asOwner);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('this clone is shallow');
  });

  it('a refused push says why: protected branches, and reports before the whole pack was read', async () => {
    const developer = await project.member(30);
    const key = await sshCommand(git, await addKey(app, developer.secret));
    await git.run(['clone', '-q', urlOf(), 'refused'], '.', key);
    await git.commit('refused', 'x', 'y');
    const result = await git.try(['push', 'origin', 'HEAD:main'], 'refused', key);
    expect(result.stderr).toContain('You are not allowed to push code to protected branches on this project.');
    const guest = await sshCommand(git, await addKey(app, (await project.member(20)).secret));
    expect((await git.try(['push', 'origin', 'HEAD:refs/heads/x'], 'refused', guest)).stderr).toContain(
      'remote: ERROR: You are not allowed to push code to this project.',
    );
  });

  it('a renamed project works by its old address, with a remark', async () => {
    const moved = await buildRepositoryProject(app, { owner: project.owner });
    const path = unique('moved');
    expect((await moved.api('PUT', '', { json: { path } })).status).toBe(200);
    const { stderr, code } = await git.try(['ls-remote', urlOf(moved.fullPath)], '.', asOwner);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`git remote set-url origin ssh://git@127.0.0.1`)]);
    expect(stderr).toContain(`/${path}.git`);
  });
});

describe('sessions', () => {
  it('greets, and has no shell, no files, no forwarding; several sessions share a connection', async () => {
    const connection = await connect(port, ownerKey);
    const welcome = { code: 0, stdout: `Welcome to Millrace, @${project.owner.user.username}!\n` };
    expect(await connection.run(null)).toMatchObject(welcome);
    const [first, second, third] = await Promise.all([
      connection.run(pack(), flush, { GIT_PROTOCOL: 'version=2' }),
      connection.run(pack(), flush, { GIT_PROTOCOL: 'version=1', LD_PRELOAD: '/tmp/x.so' }),
      connection.run('discover'),
    ]);
    expect(first.stdout).toContain('version 2');
    expect(second.stdout).toContain('version 1');
    expect(third).toMatchObject(welcome);
    expect(await connection.run('cat /etc/passwd')).toMatchObject({ code: 1, stdout: '' });
    const { client } = connection;
    const refused = (act: (done: (error: Error | undefined) => void) => void) =>
      new Promise<boolean>((resolve) => act((error) => resolve(error instanceof Error)));
    expect(await refused((done) => client.sftp(done))).toBe(true);
    expect(await refused((done) => client.subsys('netconf', done))).toBe(true);
    expect(await refused((done) => client.forwardIn('127.0.0.1', 0, done))).toBe(true);
    expect(await refused((done) => client.forwardOut('127.0.0.1', 1, '127.0.0.1', port, done))).toBe(true);
    expect(await refused((done) => client.exec('discover', { pty: true }, done))).toBe(true);
    expect(await refused((done) => client.exec('discover', { x11: true }, done))).toBe(true);
    expect(await connection.run('discover')).toMatchObject(welcome);
    connection.end();
  });

  it('every kind of key signs in, RSA with SHA-2 alone; the time of its use is kept', async () => {
    for (const pair of [keyPair('ecdsa', 384), keyPair('rsa', 2048)]) {
      const key = await addKey(app, project.owner.secret, { pair });
      expect((await once(key, null)).stdout).toContain('Welcome');
    }
    await app.identity.close();
    const { body } = await app.api<Json>('GET', `/user/keys/${ownerKey.id}`, { token: project.owner.secret });
    expect(Date.parse(String(body.last_used_at))).toBeGreaterThan(Date.now() - 60_000);
  });

  it('an unknown key, another username, a password: nobody comes in', async () => {
    const denied = /authentication methods failed/;
    await expect(connect(port, keyPair())).rejects.toThrow(denied);
    await expect(connect(port, ownerKey, { username: 'root' })).rejects.toThrow(denied);
    const withPassword = { username: project.owner.user.username, password: 'x' };
    await expect(connect(port, { private: '', public: '' }, withPassword)).rejects.toThrow();
    const signing = await addKey(app, project.owner.secret, { pair: keyPair(), usage_type: 'signing' });
    await expect(connect(port, signing)).rejects.toThrow(denied);
  });
});

describe('lines that are none of git', () => {
  const push = () => pack().replace('upload', 'receive');
  it.each([
    ['a fetch of version 2', pack, 'version=2', 'zzzz'],
    ['a fetch of version 2', pack, 'version=2', '0003'],
    ['a fetch of version 2', pack, 'version=2', '0014command=ls-refs\n00'],
    ['a fetch of version 1', pack, 'version=1', 'zzzz'],
    ['a fetch of version 0', pack, '', 'fff1'],
    ['a fetch of version 0', pack, '', '0032want '],
    ['a push', push, '', 'garbage'],
    ['a push', push, '', 'fff1'],
    ['a push', push, '', '0012not a command\n0000'],
  ])('%s is refused with words: %s %s %j', async (_what, command, protocol, input) => {
    const connection = await connect(port, ownerKey);
    const before = app.logs.length;
    const answer = await connection.run(command(), input, protocol === '' ? {} : { GIT_PROTOCOL: protocol });
    connection.end();
    expect(answer.code).toBe(1);
    expect(answer.stderr).toContain('remote: ERROR: 400 Bad request - ');
    expect(app.logs.slice(before).filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});

describe('who may not', () => {
  const refusal = async (key: SshKeyPair, command = pack()) => {
    const { code, stderr, stdout } = await once(key, command, flush);
    expect([code, stdout]).toEqual([1, '']);
    return stderr;
  };

  it('security 18: keys of blocked and deactivated people, expired and removed keys stop on an open connection too', async () => {
    const person = await project.member(30);
    const key = await addKey(app, person.secret);
    const connection = await connect(port, key);
    const asked = async () => await connection.run(pack(), flush);
    expect((await asked()).code).toBe(0);
    const users = (change: Json) => app.db.updateTable('users').set(change).where('id', '=', person.user.id).execute();
    await users({ state: 'blocked' });
    expect((await asked()).stderr).toContain('ERROR: Your account has been blocked.');
    await users({ state: 'deactivated' });
    expect((await asked()).stderr).toContain('Your account has been deactivated.');
    await users({ state: 'active' });
    const keys = (change: Json) => app.db.updateTable('ssh_keys').set(change).where('id', '=', key.id).execute();
    await keys({ expires_at: new Date(Date.now() - 1000) });
    expect((await asked()).stderr).toContain('Your SSH key has expired.');
    await keys({ expires_at: null });
    await app.db.deleteFrom('grants').where('user_id', '=', person.user.id).execute();
    expect((await asked()).stderr).toContain('could not be found');
    await app.api('DELETE', `/user/keys/${key.id}`, { token: person.secret });
    expect((await asked()).stderr).toContain('This SSH key has been removed.');
    connection.end();
  });

  it('security 16: what one may not see is not there, however it is written', async () => {
    const stranger = await addKey(app, (await buildToken(app)).secret);
    const missing = 'The project you were looking for could not be found';
    for (const fullPath of [project.fullPath, `${project.fullPath}x`, 'no/where', '../../etc'])
      expect(await refusal(stranger, pack(fullPath))).toContain(missing);
    const open = await buildRepositoryProject(app, { visibility: 'public' });
    expect((await once(stranger, pack(open.fullPath), flush)).code).toBe(0);
    expect(await refusal(stranger, `git-receive-pack '${open.fullPath}'`)).toContain('not allowed to push');
  });

  it('key types and sizes of the settings count at sign-in, not only when a key is added', async () => {
    const key = await addKey(app, project.owner.secret, { pair: keyPair('rsa', 2048) });
    try {
      await setting({ rsa_key_restriction: 3072 });
      expect(await refusal(key)).toContain('must be at least 3072 bits');
      await setting({ rsa_key_restriction: -1 });
      expect(await refusal(key)).toContain('type is forbidden');
    } finally {
      await setting({ rsa_key_restriction: 0 });
    }
  });

  it('the protocol that the instance or the top group leaves', async () => {
    const group = await buildGroup(app, { owner: project.owner.user });
    const inside = await buildRepositoryProject(app, { owner: project.owner, settings: { namespace_id: group.id } });
    const http = async () => (await git.try(['ls-remote', inside.remote(project.owner.secret)])).code;
    const ssh = async () => (await once(ownerKey, pack(inside.fullPath), flush)).code;
    const both = async () => [await http(), await ssh()];
    const limit = (value: string) =>
      app.api('PUT', `/groups/${group.id}`, {
        token: project.owner.secret,
        json: { enabled_git_access_protocol: value },
      });
    expect(await both()).toEqual([0, 0]);
    await limit('http');
    expect(await both()).toEqual([0, 1]);
    await limit('ssh');
    expect(await both()).toEqual([128, 0]);
    await limit('all');
    try {
      await setting({ enabled_git_access_protocol: 'http' });
      expect(await refusal(ownerKey)).toContain('Git access over SSH is not allowed');
      await setting({ enabled_git_access_protocol: 'ssh' });
      expect(await both()).toEqual([128, 0]);
    } finally {
      await setting({ enabled_git_access_protocol: 'all' });
    }
  });

  it('networks of a group, and the limit of operations a minute', async () => {
    const group = await buildGroup(app, { owner: project.owner.user });
    const inside = await buildRepositoryProject(app, { owner: project.owner, settings: { namespace_id: group.id } });
    const ranges = (value: string) =>
      app.db.updateTable('namespaces').set({ ip_restriction_ranges: value }).where('id', '=', group.id).execute();
    await ranges('10.0.0.0/8');
    expect(await refusal(ownerKey, pack(inside.fullPath))).toContain('could not be found');
    await ranges('127.0.0.0/8');
    try {
      stopClock();
      await setting({ gitlab_shell_operation_limit: 2 });
      const codes = [];
      for (let round = 0; round < 3; round += 1) codes.push((await once(ownerKey, pack(inside.fullPath), flush)).code);
      expect(codes).toEqual([0, 0, 1]);
    } finally {
      await setting({ gitlab_shell_operation_limit: 600 });
    }
  });

  it('security 15: a second factor that is required, and one that git asks for', async () => {
    const person = await project.member(30);
    const key = await addKey(app, person.secret);
    try {
      await setting({ require_two_factor_authentication: true, two_factor_grace_period: 0 });
      expect(await refusal(key)).toContain('Set up two-factor authentication first');
    } finally {
      await setting({ require_two_factor_authentication: false, two_factor_grace_period: 48 });
    }
    expect((await once(key, '2fa_verify', '123456\n')).stdout).toContain('no second factor');
    const [code = ''] = await giveSecondFactor(app, person.user);
    const flag = { token: admin.secret, json: { value: true } };
    expect((await app.api('POST', '/features/two_factor_for_cli', flag)).status).toBe(201);
    expect(await refusal(key)).toContain('2fa_verify');
    expect(await once(key, '2fa_verify', 'wrong\n')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('wrong'),
    });
    expect(await refusal(key)).toContain('2fa_verify');
    expect(await once(key, '2fa_verify', `${code}\n`)).toMatchObject({ code: 0 });
    expect((await once(key, pack(), flush)).code).toBe(0);
    await app.db.updateTable('ssh_keys').set({ verified_until: new Date() }).where('id', '=', key.id).execute();
    expect(await refusal(key)).toContain('2fa_verify');
    await app.api('DELETE', '/features/two_factor_for_cli', { token: admin.secret });
  });
});

describe('deploy keys', () => {
  it('read their projects, and push where they may', async () => {
    const pair = keyPair();
    const made = await project.api<{ id: number }>('POST', '/deploy_keys', { json: { title: 'ci', key: pair.public } });
    expect(made.status).toBe(201);
    expect((await once(pair, null)).stdout).toBe('Welcome to Millrace, deploy key ci!\n');
    const env = await sshCommand(git, pair);
    await git.run(['clone', '-q', urlOf(), 'deployed'], '.', env);
    await git.commit('deployed', 'from-key', 'x');
    const push = () => git.try(['push', 'origin', 'HEAD:refs/heads/from-key'], 'deployed', env);
    expect((await push()).stderr).toContain('This deploy key does not have write access to this project.');
    await project.api('PUT', `/deploy_keys/${made.body.id}`, { json: { can_push: true } });
    expect((await push()).code).toBe(0);
    const onMain = await git.try(['push', 'origin', 'HEAD:main'], 'deployed', env);
    expect(onMain.stderr).toContain('not allowed to push code to protected branches');
    const { body } = await project.api<Json[]>('GET', '/repository/branches?search=from-key');
    expect(body).toHaveLength(1);
    // Who made it is gone: it still reads, in nobody's name it does not write.
    await app.db.updateTable('ssh_keys').set({ created_by_id: null }).where('id', '=', made.body.id).execute();
    expect((await once(pair, pack(), flush)).code).toBe(0);
    expect((await once(pair, `git-receive-pack '${project.fullPath}'`, flush)).stderr).toContain(
      'who made this deploy key',
    );
    await project.api('DELETE', `/deploy_keys/${made.body.id}`);
    await expect(connect(port, pair)).rejects.toThrow(/authentication methods failed/);
  });

  it('security 17: they are nobody on other projects, and have no account', async () => {
    const pair = keyPair();
    const json = { title: 'other', key: pair.public, can_push: true };
    expect((await project.api('POST', '/deploy_keys', { json })).status).toBe(201);
    const other = await buildRepositoryProject(app, { owner: project.owner });
    const shown = await buildRepositoryProject(app, { owner: project.owner, visibility: 'public' });
    const internal = await buildRepositoryProject(app, { owner: project.owner, visibility: 'internal' });
    for (const hidden of [other, internal])
      expect((await once(pair, pack(hidden.fullPath), flush)).stderr).toContain('could not be found');
    expect((await once(pair, pack(shown.fullPath), flush)).code).toBe(0);
    expect((await once(pair, `git-receive-pack '${shown.fullPath}'`, flush)).code).toBe(1);
    expect((await once(pair, 'personal_access_token x api')).stderr).toContain('deploy keys have no account');
  });
});

describe('commands of the account', () => {
  it('a new access token, within the limits of all tokens', async () => {
    const person = await buildToken(app);
    const key = await addKey(app, person.secret);
    const inAWeek = () => new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
    const before = inAWeek();
    const { code, stdout } = await once(key, 'personal_access_token laptop read_api,read_user 7');
    const [, token = '', scopes, expires] = /^Token: {3}(\S+)\nScopes: {2}(\S+)\nExpires: (\S+)\n$/.exec(stdout) ?? [];
    expect([code, scopes]).toEqual([0, 'read_api,read_user']);
    expect([before, inAWeek()]).toContain(expires);
    expect((await app.api<Json>('GET', '/user', { token })).body.id).toBe(person.user.id);
    expect(await once(key, 'personal_access_token x sudo,nonsense')).toMatchObject({ code: 1, stdout: '' });
    expect((await once(key, 'personal_access_token x')).stderr).toContain('Usage: personal_access_token');
  });

  it('new recovery codes after a yes', async () => {
    const person = await buildToken(app);
    const key = await addKey(app, person.secret);
    expect(await once(key, '2fa_recovery_codes', 'yes\n')).toMatchObject({ code: 1 });
    await giveSecondFactor(app, person.user);
    expect((await once(key, '2fa_recovery_codes', 'no\n')).stdout).toContain('Nothing was changed');
    const { stdout, code } = await once(key, '2fa_recovery_codes', 'yes\n');
    expect([code, stdout.match(/^[0-9a-f]{16}$/gm)?.length]).toEqual([0, 10]);
  });

  it('the address and a credential of LFS', async () => {
    const { code, stdout } = await once(ownerKey, `git-lfs-authenticate '${project.fullPath}.git' upload`);
    const answer = JSON.parse(stdout) as { href: string; header: { Authorization: string }; expires_in: number };
    expect([code, answer.href]).toEqual([0, `${app.url}/${project.fullPath}.git/info/lfs`]);
    expect(answer.expires_in).toBeGreaterThan(60);
    const [name, password = ''] = Buffer.from(answer.header.Authorization.slice(6), 'base64').toString().split(/:(.*)/);
    expect(name).toBe(project.owner.user.username);
    const { open } = app.identity.lfsCredentials;
    expect(open(password)).toMatchObject({ keyId: ownerKey.id, projectId: project.id, operation: 'upload' });
    expect([open(password.replace('.upload.', '.download.')), open('lfs-1.1.upload.1.x')]).toEqual([null, null]);
    await project.api('PUT', '', { json: { lfs_enabled: false } });
    expect((await once(ownerKey, `git-lfs-authenticate '${project.fullPath}.git' download`)).stderr).toContain(
      'not enabled',
    );
  });
});
