/** Commits that the product signs, and what is told of signatures of the instance and of people. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createMessage, readPrivateKey, sign } from 'openpgp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { gpgKeyTexts } from '../../../../test/keys.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'millrace-signatures-'));
const file = (name: string) => path.join(directory, name);
function keyNamed(name: string): { key: string; publicKey: string } {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file(name)]);
  return { key: file(name), publicKey: readFileSync(`${file(name)}.pub`, 'utf8').trim() };
}
const current = keyNamed('current');
const former = keyNamed('former');
writeFileSync(file('old'), `# before\n\n${former.publicKey} of last year\n`);

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let owner: BuiltToken;

beforeAll(async () => {
  app = await startTestApp({
    environment: {
      MILLRACE_COMMIT_SIGNING_KEY: current.key,
      MILLRACE_COMMIT_SIGNING_OLD_KEYS: file('old'),
      MILLRACE_COMMITTER_NAME: 'Forge',
      MILLRACE_COMMITTER_EMAIL: 'forge@example.com',
    },
  });
  git = await gitClient();
  owner = await buildToken(app);
  project = await buildRepositoryProject(app, { owner });
});
afterAll(async () => {
  await git.close();
  await app.close();
  rmSync(directory, { recursive: true, force: true });
});

/** A clone, and what git itself says of every commit in it. */
async function verified(remote: string) {
  writeFileSync(file('signers'), `* ${current.publicKey}\n`);
  const where = unique('clone');
  await git.run(['clone', '-q', remote, where]);
  const settings = ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${file('signers')}`];
  const format = ['--format=%G?|%cn|%ce|%an|%s', '--all'];
  return (await git.run([...settings, 'log', ...format], where)).split('\n').map((line) => line.split('|'));
}

const signature = async (of: RepositoryProject, sha: string) => {
  const { status, body } = await of.api<Json>('GET', `/repository/commits/${sha}/signature`);
  return { ...body, status } as Json;
};

describe('commits of the product', () => {
  it('are signed, whoever makes them: git verifies each; the author stays the person', async () => {
    const json = { branch: 'main', commit_message: 'By file', content: 'x' };
    expect((await project.api('POST', '/repository/files/f.txt', { json })).status).toBe(201);
    const side = await project.commit('side', { 's.txt': 's' }, { start_branch: 'main', commit_message: 'By action' });
    for (const [way, branch] of [
      ['cherry_pick', 'main'],
      ['revert', 'side'],
    ]) {
      const made = await project.api('POST', `/repository/commits/${side}/${way}`, { json: { branch } });
      expect([way, made.status]).toEqual([way, 201]);
    }
    for (const [branch, squash] of [
      ['one', false],
      ['two', true],
    ] as const) {
      await project.commit(branch, { [`${branch}.txt`]: '1' }, { start_branch: 'main' });
      await project.commit(branch, { [`${branch}-2.txt`]: '2' });
      const request = { source_branch: branch, target_branch: 'main', title: `Merge ${branch}` };
      const { body } = await project.api('POST', '/merge_requests', { json: request });
      await project.commit('main', { [`besides-${branch}`]: '' });
      const merged = await project.api('PUT', `/merge_requests/${body.iid}/merge`, { json: { squash } });
      expect([branch, merged.status, merged.body.state]).toEqual([branch, 200, 'merged']);
    }
    const page = { title: 'Home', content: 'Hello' };
    expect((await project.api('POST', '/wikis', { json: page })).status).toBe(201);
    const commits = await verified(project.remote(owner.secret));
    expect(commits).toHaveLength(12);
    for (const [good, name, email, author, subject] of commits)
      expect([subject, good, name, email, author]).toEqual([
        ...[subject, 'G', 'Forge', 'forge@example.com', owner.user.name],
      ]);
    const wiki = await verified(project.remote(owner.secret).replace(/\.git$/, '.wiki.git'));
    expect(wiki.map((line) => line.slice(0, 4))).toEqual([['G', 'Forge', 'forge@example.com', owner.user.name]]);
  });

  it('are told to be verified by the system, with the committer of the instance', async () => {
    const sha = await project.commit('main', { 'told.txt': '' });
    expect(await signature(project, sha)).toEqual({
      ...{ status: 200, signature_type: 'SSH', verification_status: 'verified_system', key: null },
      commit_source: 'gitaly',
    });
    expect((await project.api('GET', `/repository/commits/${sha}`)).body).toMatchObject({
      ...{ committer_name: 'Forge', committer_email: 'forge@example.com', author_name: owner.user.name },
      signature_status: 'verified_system',
    });
    const key = await app.api('GET', '/web_commits/public_key');
    expect([key.status, key.body]).toEqual([200, { public_key: current.publicKey }]);
  });

  it('keep their badge when the key changes; keys of others have none', async () => {
    const other = await startTestApp({ environment: { MILLRACE_COMMIT_SIGNING_KEY: former.key } });
    try {
      const there = await buildRepositoryProject(other, {});
      await git.run(['clone', '-q', there.remote(there.owner.secret), 'moved']);
      await git.run(['push', '-q', project.remote(owner.secret), 'HEAD:refs/heads/moved'], 'moved');
      expect(await signature(project, 'moved')).toMatchObject({ status: 200, verification_status: 'verified_system' });
      const here = project.remote(owner.secret);
      await git.run(['push', '-q', there.remote(there.owner.secret), `+HEAD:refs/heads/x`], 'moved');
      await git.run(['fetch', '-q', here, 'main'], 'moved');
      await git.run(['push', '-q', there.remote(there.owner.secret), `FETCH_HEAD:refs/heads/foreign`], 'moved');
      expect(await signature(there, 'foreign')).toMatchObject({ status: 200, verification_status: 'unknown_key' });
    } finally {
      await other.close();
    }
  });

  it('are as before where no key is configured', async () => {
    const plain = await startTestApp();
    try {
      const there = await buildRepositoryProject(plain, {});
      expect(await signature(there, 'main')).toEqual({ status: 404, message: '404 Signature Not Found' });
      expect((await there.api('GET', '/repository/commits/main')).body).toMatchObject({
        ...{ committer_name: there.owner.user.name, signature_status: null },
      });
      const key = await plain.api('GET', '/web_commits/public_key');
      expect([key.status, key.body]).toEqual([404, { message: 'Public key not found.' }]);
    } finally {
      await plain.close();
    }
  });

  it('pass push rules about committers as those of the person who made them', async () => {
    const ruled = await buildRepositoryProject(app, { owner });
    const rule = { commit_committer_check: true, commit_committer_name_check: true, member_check: true };
    expect((await ruled.api('POST', '/push_rule', { json: rule })).status).toBe(201);
    await ruled.commit('main', { 'ruled.txt': '' });
    // Pushed from outside, the committer of the instance is nobody of the project.
    await git.run(['clone', '-q', ruled.remote(owner.secret), 'ruled']);
    const as = { GIT_COMMITTER_NAME: 'Forge', GIT_COMMITTER_EMAIL: 'forge@example.com' };
    await git.run(['commit', '-q', '--allow-empty', '-m', 'Forged'], 'ruled', as);
    const { code, stderr } = await git.try(['push', 'origin', 'HEAD:main'], 'ruled');
    expect([code !== 0, stderr.includes('forge@example.com')]).toEqual([true, true]);
  });
});

describe('signatures of people', () => {
  let clone: string;
  beforeAll(async () => {
    clone = unique('people');
    await git.run(['clone', '-q', project.remote(owner.secret), clone]);
  });

  async function signedCommit(key: string, email: string): Promise<string> {
    const branch = unique('signed');
    const settings = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}`];
    const as = { GIT_COMMITTER_EMAIL: email };
    await git.run([...settings, 'commit', '-q', '-S', '--allow-empty', '-m', branch], clone, as);
    await git.run(['push', '-q', 'origin', `HEAD:refs/heads/${branch}`], clone);
    return branch;
  }
  const added = async (of: BuiltToken, publicKey: string, usage_type: string) => {
    const json = { title: unique('key'), key: publicKey, usage_type };
    const { status, body } = await app.api<Json>('POST', '/user/keys', { token: of.secret, json });
    expect(status).toBe(201);
    return body;
  };

  it('SSH: verified by a key and a confirmed address of the committer, and by nothing less', async () => {
    const [mine, login] = [keyNamed('mine'), keyNamed('login')];
    const { email } = owner.user;
    const branch = await signedCommit(mine.key, email);
    expect(await signature(project, branch)).toMatchObject({ verification_status: 'unknown_key', key: null });
    const key = await added(owner, mine.publicKey, 'signing');
    const { status, ...found } = await signature(project, branch);
    expect([status, found]).toEqual([
      200,
      { signature_type: 'SSH', verification_status: 'verified', key, commit_source: 'gitaly' },
    ]);
    // A key that only signs in signs nothing.
    await added(owner, login.publicKey, 'auth');
    expect(await signature(project, await signedCommit(login.key, email))).toMatchObject({
      verification_status: 'unknown_key',
    });
    const stranger = await buildToken(app);
    for (const address of [stranger.user.email, 'nobody@example.com'])
      expect([address, (await signature(project, await signedCommit(mine.key, address))).verification_status]).toEqual([
        address,
        'other_user',
      ]);
    await app.api('POST', '/user/emails', { token: owner.secret, json: { email: 'later@example.com' } });
    await app.db.updateTable('emails').set({ confirmed_at: null }).where('email', '=', 'later@example.com').execute();
    const later = await signedCommit(mine.key, 'Later@example.com');
    expect(await signature(project, later)).toMatchObject({ verification_status: 'unverified' });
    await app.db
      .updateTable('emails')
      .set({ confirmed_at: new Date() })
      .where('email', '=', 'later@example.com')
      .execute();
    expect(await signature(project, later)).toMatchObject({ verification_status: 'verified' });
  });

  it('security: a signature over another commit is not verified', async () => {
    const key = keyNamed('moved-signature');
    await added(owner, key.publicKey, 'auth_and_signing');
    const branch = await signedCommit(key.key, owner.user.email);
    expect(await signature(project, branch)).toMatchObject({ verification_status: 'verified' });
    const text = (await git.run(['cat-file', 'commit', 'HEAD'], clone)).replace(branch, 'Something else');
    writeFileSync(path.join(git.directory, 'forged'), `${text}\n`);
    const forged = await git.run(['hash-object', '-w', '-t', 'commit', '../forged'], clone);
    await git.run(['push', '-q', 'origin', `${forged}:refs/heads/forged`], clone);
    expect(await signature(project, 'forged')).toMatchObject({ verification_status: 'unverified' });
    expect((await project.api('GET', '/repository/commits/forged')).body.signature_status).toBe('unverified');
  });

  it('GPG: verified by a key with a confirmed address of the committer', async () => {
    const { email, name } = owner.user;
    const texts = await gpgKeyTexts(email);
    const signingKeys = await readPrivateKey({ armoredKey: texts.privateKey });
    const make = async (branch: string, committer: string, spoilt = '') => {
      const [tree, time] = [await git.run(['rev-parse', 'HEAD^{tree}'], clone), '1700000000 +0000'];
      const head = `tree ${tree}\nauthor A <a@example.com> ${time}\ncommitter ${name} <${committer}> ${time}\n`;
      const body = `\nSigned by ${branch}\n`;
      const message = await createMessage({ binary: new Uint8Array(Buffer.from(head + body)) });
      const armoured = String(await sign({ message, signingKeys, detached: true, format: 'armored' }));
      const lines = armoured.trim().replaceAll('\r', '').split('\n').join('\n ');
      writeFileSync(path.join(git.directory, 'pgp'), `${head}gpgsig ${lines}\n${body}${spoilt}`);
      const id = await git.run(['hash-object', '-w', '-t', 'commit', '../pgp'], clone);
      await git.run(['push', '-q', 'origin', `${id}:refs/heads/${branch}`], clone);
      return (await signature(project, branch)) as Json;
    };
    expect(await make('pgp-unknown', email)).toMatchObject({
      ...{ signature_type: 'PGP', verification_status: 'unknown_key', gpg_key_id: null },
    });
    const added = await app.api<Json>('POST', '/user/gpg_keys', {
      token: owner.secret,
      json: { key: texts.publicKey },
    });
    expect(added.status).toBe(201);
    expect(await make('pgp-good', email)).toEqual({
      ...{ status: 200, signature_type: 'PGP', verification_status: 'verified', commit_source: 'gitaly' },
      ...{ gpg_key_id: added.body.id, gpg_key_primary_keyid: added.body.primary_keyid, gpg_key_subkey_id: null },
      ...{ gpg_key_user_name: 'Person', gpg_key_user_email: email },
    });
    expect(await make('pgp-spoilt', email, 'more\n')).toMatchObject({ verification_status: 'unverified' });
    expect(await make('pgp-other', 'x@example.com')).toMatchObject({ verification_status: 'other_user' });
    await app.db.updateTable('users').set({ confirmed_at: null }).where('id', '=', owner.user.id).execute();
    expect(await signature(project, 'pgp-good')).toMatchObject({ verification_status: 'unverified_key' });
    await app.db.updateTable('users').set({ confirmed_at: new Date() }).where('id', '=', owner.user.id).execute();
  });

  it('of tags, over what they say', async () => {
    const key = keyNamed('tagging');
    await added(owner, key.publicKey, 'signing');
    const settings = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${key.key}`];
    await git.run([...settings, 'tag', '-s', '-m', 'Tagged', 'v1'], clone, { GIT_COMMITTER_EMAIL: owner.user.email });
    await git.run(['push', '-q', 'origin', 'v1'], clone);
    expect((await project.api('GET', '/repository/tags/v1/signature')).body).toMatchObject({
      ...{ signature_type: 'SSH', verification_status: 'verified', key: { title: expect.any(String) } },
    });
  });
});
