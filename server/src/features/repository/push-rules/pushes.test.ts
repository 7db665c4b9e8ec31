/** What push rules do to real pushes, API commits and merges. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildGroup, buildToken, buildUser, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import type { PushRuleValues } from './push-rules.queries.ts';

let app: TestApp;
let git: GitClient;
let owner: BuiltToken;
let group: Namespace;
let project: RepositoryProject;
let clone: string;

beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
});
afterAll(async () => {
  await git.close();
  await app.close();
});

beforeEach(async () => {
  owner = await buildToken(app, { user: await buildUser(app, { name: 'Carl Committer' }) });
  group = await buildGroup(app, { owner: owner.user });
  const below = await buildGroup(app, { parent: group });
  project = await buildRepositoryProject(app, { owner, settings: { namespace_id: below.id } });
  clone = unique('clone');
  await git.run(['clone', '-q', project.remote(owner.secret), clone]);
});

/** The rule of the group at the top: it counts for the project two levels below. */
async function rule(values: PushRuleValues): Promise<void> {
  await app.db.deleteFrom('push_rules').execute();
  await app.db
    .insertInto('push_rules')
    .values({ namespace_id: group.id, ...values })
    .execute();
}
const push = (...args: string[]) => git.try(['push', ...args], clone);
async function refused(reason: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await push(...args);
  expect(stderr.replaceAll(/\nremote: ?/g, '\n')).toContain(`Millrace: ${reason}`);
  expect(stderr).toContain('pre-receive hook declined');
  expect(code).not.toBe(0);
}
async function accepted(...args: string[]): Promise<void> {
  const { code, stderr } = await push(...args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
}
const commit = (message: string, more: Record<string, string> = {}, ...flags: string[]) =>
  git.run(['commit', '-q', '--allow-empty', '-m', message, ...flags], clone, more);
const amend = (message: string, more: Record<string, string> = {}, ...flags: string[]) =>
  commit(message, more, '--amend', ...flags);

describe('[3/api.groups/10] each field against git push', () => {
  test('commit_message_regex', async () => {
    await rule({ commit_message_regex: '^Fixes \\d+' });
    await commit('nothing of it');
    await refused("Commit message does not follow the pattern '^Fixes \\d+'", 'origin', 'main');
    await amend('Title\n\nFixes 12');
    await accepted('origin', 'main');
  });

  test('commit_message_negative_regex', async () => {
    await rule({ commit_message_negative_regex: 'ssh\\:\\/\\/' });
    await commit('see ssh://host');
    await refused("Commit message contains the forbidden pattern 'ssh\\:\\/\\/'", 'origin', 'main');
    await amend('see the host');
    await accepted('origin', 'main');
  });

  test('branch_name_regex, for all but the default branch', async () => {
    await rule({ branch_name_regex: '^(feat|fix)/' });
    await commit('one');
    await accepted('origin', 'main');
    await refused("Branch name does not follow the pattern '^(feat|fix)/'", 'origin', 'main:other');
    await accepted('origin', 'main:feat/one');
    await rule({ branch_name_regex: '^never$' });
    await accepted('origin', ':feat/one');
  });

  test('author_email_regex, of authors and committers', async () => {
    await rule({ author_email_regex: '@example.com$' });
    await commit('a', { GIT_AUTHOR_EMAIL: 'ada@evil.test' });
    await refused("Author's email 'ada@evil.test' does not follow the pattern '@example.com$'", 'origin', 'main');
    await amend('a', { GIT_COMMITTER_EMAIL: 'carl@evil.test' }, '--reset-author');
    await refused("Committer's email 'carl@evil.test' does not follow the pattern '@example.com$'", 'origin', 'main');
    await amend('a', {}, '--reset-author');
    await accepted('origin', 'main');
  });

  test('file_name_regex, of new and renamed files, also in the middle of a push', async () => {
    await git.commit(clone, 'tool.exe', 'old');
    await accepted('origin', 'main');
    await rule({ file_name_regex: '(jar|exe)$' });
    await git.commit(clone, 'tool.exe', 'changed');
    await accepted('origin', 'main');
    await git.commit(clone, 'lib/new.jar', 'x');
    await git.run(['rm', '-q', 'lib/new.jar'], clone);
    await commit('gone again');
    await refused('File name lib/new.jar was prohibited by the pattern "(jar|exe)$".', 'origin', 'main');
    await git.run(['reset', '-q', '--hard', 'origin/main'], clone);
    await git.run(['mv', 'README.md', 'readme.exe'], clone);
    await commit('renamed');
    await refused('File name readme.exe was prohibited by the pattern "(jar|exe)$".', 'origin', 'main');
  });

  test('prevent_secrets', async () => {
    await rule({ prevent_secrets: true });
    for (const [file, pattern] of [
      ['.ssh/id_rsa', 'id_(rsa|dsa|(ed25519|ecdsa)(_sk)?)$'],
      ['id_ecdsa_sk', 'id_(rsa|dsa|(ed25519|ecdsa)(_sk)?)$'],
      ['.ssh/personal_ed25519_sk', '(ssh|config)/(personal|server)_(rsa|dsa|(ed\\d+|ecdsa)(_sk)?)$'],
      ['deploy_ed25519', '_(rsa|dsa|(ed\\d+|ecdsa)(_sk)?)$'],
      ['certs/server.key', '\\.(pem|key)$'],
      ['.aws/credentials', 'aws/credentials$'],
      ['.bash_history', '[._]history$'],
    ] as const) {
      await git.commit(clone, file, 'secret');
      await refused(`File name ${file} was prohibited by the pattern "${pattern}".`, 'origin', 'main');
      await git.run(['reset', '-q', '--hard', 'origin/main'], clone);
    }
    await git.commit(clone, 'history.md', 'harmless');
    await accepted('origin', 'main');
  });

  test('max_file_size', async () => {
    await rule({ max_file_size: 1 });
    await git.commit(clone, 'big file.bin', 'x'.repeat(1024 ** 2 + 1));
    await refused(
      'File "big file.bin" is larger than the allowed size of 1 MiB. Use Git LFS to manage this file.',
      'origin',
      'main',
    );
    await git.run(['reset', '-q', '--hard', 'origin/main'], clone);
    await git.commit(clone, 'big file.bin', 'x'.repeat(1024 ** 2));
    await accepted('origin', 'main');
  });

  test('deny_delete_tag, for git push alone', async () => {
    await git.run(['tag', 'v1'], clone);
    await git.run(['tag', 'v2'], clone);
    await accepted('origin', 'v1', 'v2');
    await rule({ deny_delete_tag: true });
    await refused('You cannot delete a tag', 'origin', ':v1');
    expect((await project.api('DELETE', '/repository/tags/v2')).status).toBe(204);
    await rule({ deny_delete_tag: false });
    await accepted('origin', ':v1');
  });

  test('member_check', async () => {
    await rule({ member_check: true });
    const { email } = owner.user;
    await commit('a', { GIT_AUTHOR_EMAIL: email });
    await refused("Committer 'carl@example.com' is not a member of team", 'origin', 'main');
    await amend('a', { GIT_COMMITTER_EMAIL: email.toUpperCase(), GIT_AUTHOR_EMAIL: 'x@y.z' }, '--reset-author');
    await refused("Author 'x@y.z' is not a member of team", 'origin', 'main');
    const stranger = await buildUser(app, { confirmed: false });
    await amend('a', { GIT_COMMITTER_EMAIL: email, GIT_AUTHOR_EMAIL: stranger.email }, '--reset-author');
    await refused(`Author '${stranger.email}' is not a member of team`, 'origin', 'main');
    await amend('a', { GIT_COMMITTER_EMAIL: email, GIT_AUTHOR_EMAIL: email }, '--reset-author');
    await accepted('origin', 'main');
  });

  test('commit_committer_check', async () => {
    await rule({ commit_committer_check: true });
    await commit('a');
    await refused(
      "You cannot push commits for 'carl@example.com'. You can only push commits if the committer email is one of your own verified emails.",
      'origin',
      'main',
    );
    await amend('a', { GIT_COMMITTER_EMAIL: owner.user.email });
    await accepted('origin', 'main');
    const hidden = `${owner.user.id}-${owner.user.username}@users.noreply.127.0.0.1`;
    await commit('b', { GIT_COMMITTER_EMAIL: hidden });
    await accepted('origin', 'main');
  });

  test('commit_committer_name_check', async () => {
    await rule({ commit_committer_name_check: true });
    await commit('a', { GIT_COMMITTER_NAME: 'Somebody Else' });
    await refused('Your git username is inconsistent with your Millrace account name', 'origin', 'main');
    await amend('a');
    await accepted('origin', 'main');
  });

  test('reject_non_dco_commits', async () => {
    await rule({ reject_non_dco_commits: true });
    await commit('a');
    await refused('Commit message must contain a DCO signoff', 'origin', 'main');
    await amend('a', {}, '--signoff');
    await accepted('origin', 'main');
  });

  test('reject_unsigned_commits', async () => {
    await rule({ reject_unsigned_commits: true });
    await commit('a');
    await refused('Commit must be signed with a GPG key', 'origin', 'main');
    const key = path.join(git.directory, unique('key'));
    await git.run(['version']);
    const { execFileSync } = await import('node:child_process');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const signing = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}`];
    await git.run([...signing, 'commit', '-q', '--allow-empty', '--amend', '-S', '-m', 'a'], clone);
    await accepted('origin', 'main');
  });
});

test('[3/api.groups/10 commit_message_regex, commit_message_negative_regex] rules about messages let the first commit with a README through, not others of the API', async () => {
  await rule({ commit_message_regex: '^Ruly', commit_message_negative_regex: 'Initial' });
  const json = { name: unique('p'), namespace_id: group.id, initialize_with_readme: true };
  const made = await app.api<Json>('POST', '/projects', { token: owner.secret, json });
  expect(made).toMatchObject({ status: 201, body: { empty_repo: false, default_branch: 'main' } });
  const file = `/projects/${made.body.id}/repository/files/a`;
  const second = { branch: 'main', content: 'x', commit_message: 'Initial commit' };
  expect(await app.api('POST', file, { token: owner.secret, json: second })).toMatchObject({
    status: 400,
    body: { message: "Commit message does not follow the pattern '^Ruly'" },
  });
  // What the commit brings, and whose it is, is looked at as ever.
  await rule({ file_name_regex: 'README' });
  const refusal = await app.api('POST', '/projects', { token: owner.secret, json: { ...json, name: unique('p') } });
  expect(refusal.status).toBe(400);
});

test('only what no ref has is looked at', async () => {
  await commit('unruly');
  await accepted('origin', 'main');
  await rule({ commit_message_regex: '^Ruly' });
  await accepted('origin', 'main:copy');
  await commit('Ruly now');
  await accepted('origin', 'main');
});

test('a rule of the project counts instead of that of the group', async () => {
  await rule({ commit_message_regex: '^Never$' });
  await app.db.insertInto('push_rules').values({ project_id: project.id }).execute();
  await commit('anything');
  await accepted('origin', 'main');
});

test('a push with more new commits than push_rules_commit_limit is refused when a rule looks at commits', async () => {
  const settings = async (limit: number) => {
    const admin = await buildToken(app, { user: await buildAdmin(app), scopes: ['api', 'admin_mode'] });
    const json = { push_rules_commit_limit: limit };
    expect((await app.api('PUT', '/application/settings', { token: admin.secret, json })).status).toBe(200);
  };
  await rule({ commit_message_regex: '.' });
  await settings(2);
  for (const message of ['one', 'two', 'three']) await commit(message);
  await refused(
    'The push has more new commits than push_rules_commit_limit (2): push fewer at once.',
    'origin',
    'main',
  );
  await accepted('origin', 'main~1:main');
  await accepted('origin', 'main');
  await settings(100_000);
});

test('a thousand commits are looked at in a moment', async () => {
  await rule({ commit_message_regex: '.', author_email_regex: '.', member_check: false, prevent_secrets: true });
  const lines = Array.from(
    { length: 1000 },
    (_, at) =>
      `commit refs/heads/many\ncommitter C <c@example.com> ${1_700_000_000 + at} +0000\ndata 2\nx\n` +
      `M 644 inline f${at % 50}\ndata 3\n${String(at % 10)}xx\n\n`,
  );
  const input = path.join(git.directory, unique('import'));
  await writeFile(input, lines.join(''));
  const { execFileSync } = await import('node:child_process');
  const { readFileSync } = await import('node:fs');
  execFileSync('git', ['fast-import', '--quiet'], {
    cwd: path.join(git.directory, clone),
    input: readFileSync(input),
  });
  const started = performance.now();
  await accepted('origin', 'many');
  expect(performance.now() - started).toBeLessThan(30_000);
});

describe('writes of the product itself', () => {
  test('[3/api.groups/10] commits of the API keep to the rule, and say why not', async () => {
    await rule({ commit_message_regex: '^Fixes', file_name_regex: 'exe$' });
    const send = (commit_message: string, file_path: string) =>
      project.api<Json>('POST', '/repository/commits', {
        json: { branch: 'main', commit_message, actions: [{ action: 'create', file_path, content: 'x' }] },
      });
    expect(await send('no', 'a')).toMatchObject({
      status: 400,
      body: { message: "Commit message does not follow the pattern '^Fixes'" },
    });
    expect(await send('Fixes it', 'a.exe')).toMatchObject({
      status: 400,
      body: { message: 'File name a.exe was prohibited by the pattern "exe$".' },
    });
    expect((await send('Fixes it', 'a')).status).toBe(201);
    await rule({ branch_name_regex: '^feat/' });
    const branch = (name: string) =>
      project.api('POST', '/repository/branches', { json: { branch: name, ref: 'main' } });
    expect(await branch('other')).toMatchObject({
      status: 400,
      body: { message: "Branch name does not follow the pattern '^feat/'" },
    });
    expect((await branch('feat/other')).status).toBe(201);
    await rule({ reject_unsigned_commits: true, reject_non_dco_commits: true });
    expect((await send('made here', 'b')).status).toBe(201);
  });

  test('[3/api.groups/10] the merge commit keeps to the rule', async () => {
    await project.commit('topic', { new: 'x' }, { start_branch: 'main' });
    const json = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
    const { body } = await project.api<Json>('POST', '/merge_requests', { json });
    await rule({ commit_message_regex: '^Ruly' });
    const merge = (more: Json) => project.api('PUT', `/merge_requests/${body.iid}/merge`, { json: more });
    expect(await merge({})).toMatchObject({
      status: 400,
      body: { message: "Commit message does not follow the pattern '^Ruly'" },
    });
    expect((await merge({ merge_commit_message: 'Ruly merged' })).status).toBe(200);
  });
});
