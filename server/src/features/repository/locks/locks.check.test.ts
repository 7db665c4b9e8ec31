/** Locks of files and folders of the default branch as pushes, commits of the API and merge requests of others meet them. Slow, sampled: many real pushes. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { basic, lfsClient } from '../../../../test/lfs.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { keyPair, sshCommand } from '../../../../test/ssh.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let ann: BuiltToken;
let bob: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
});
beforeEach(async () => {
  project = await buildRepositoryProject(app, {
    files: { 'README.md': '# x\n', 'art/a.psd': '1', 'art/deep/b.psd': '1', 'artful.psd': '1', 'b.psd': '1' },
  });
  ann = await project.member(40);
  bob = await project.member(40);
});
afterAll(async () => {
  await git.close();
  await app.close();
});

async function lock(file: string, who = ann): Promise<number> {
  const made = await project.api<{ id: number }>('POST', '/path_locks', { token: who.secret, json: { path: file } });
  expect(made.status).toBe(201);
  return made.body.id;
}
async function clone(who: BuiltToken): Promise<string> {
  const name = unique('clone');
  await git.run(['clone', '-q', project.remote(who.secret), name]);
  return name;
}
const said = (text: string) => text.replaceAll(/\nremote: ?/g, '\n').replaceAll(/\s+/g, ' ');
async function refusedPush(where: string, reason: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await git.try(['push', ...args], where);
  expect([code, said(stderr)]).toEqual([1, expect.stringContaining(`Millrace: ${reason}`)]);
}
const inArt = (file: string) => `The path '${file}' is in 'art', which is locked by @${ann.user.username}.`;
const onFile = (file: string) => `The path '${file}' is locked by @${ann.user.username}.`;
/** A commit of the API. */
const change = (who: BuiltToken, actions: readonly Json[], branch = 'main', more: Json = {}) =>
  project.api('POST', '/repository/commits', {
    token: who.secret,
    json: { branch, commit_message: 'x', actions, ...more },
  });
const write = (file: string, content = unique('content')) => ({ action: 'update', file_path: file, content });

describe('a locked folder', () => {
  it('is changed by its holder alone: pushes of others to the default branch are refused', async () => {
    await lock('art');
    const where = await clone(bob);
    await git.commit(where, 'art/deep/b.psd', 'changed');
    await refusedPush(where, inArt('art/deep/b.psd'), 'origin', 'HEAD:main');
    // Other branches are free, and so is what is only called alike.
    await git.run(['push', '-q', 'origin', 'HEAD:refs/heads/topic'], where);
    await git.run(['reset', '-q', '--hard', 'origin/main'], where);
    await git.commit(where, 'artful.psd', 'changed');
    await git.run(['push', '-q', 'origin', 'HEAD:main'], where);
    // New, removed, made a file, and renamed as a whole.
    await git.commit(where, 'art/new.psd', 'new');
    await refusedPush(where, inArt('art/new.psd'), 'origin', 'HEAD:main');
    await git.run(['reset', '-q', '--hard', 'origin/main'], where);
    await git.run(['rm', '-q', '-r', 'art'], where);
    await git.commit(where, 'art', 'a file now');
    await refusedPush(where, onFile('art'), 'origin', 'HEAD:main');
    await git.run(['reset', '-q', '--hard', 'origin/main'], where);
    await git.run(['mv', 'art', 'pictures'], where);
    await git.run(['commit', '-q', '-m', 'rename'], where);
    await refusedPush(where, inArt('art/a.psd'), 'origin', 'HEAD:main');
    // Its holder renames it; the lock stays where it was.
    const own = await clone(ann);
    await git.run(['mv', 'art', 'pictures'], own);
    await git.run(['commit', '-q', '-m', 'rename'], own);
    await git.run(['push', '-q', 'origin', 'HEAD:main'], own);
    await git.run(['pull', '-q', '--rebase'], own);
    await git.commit(own, 'pictures/a.psd', '2');
    await git.run(['push', '-q', 'origin', 'HEAD:main'], own);
    await git.run(['fetch', '-q'], where);
    await git.run(['reset', '-q', '--hard', 'origin/main'], where);
    await git.commit(where, 'pictures/a.psd', '3');
    await git.run(['push', '-q', 'origin', 'HEAD:main'], where);
    await git.commit(where, 'art/again.psd', '3');
    await refusedPush(where, inArt('art/again.psd'), 'origin', 'HEAD:main');
  });

  it('holds against many files at once, against merges that undo it, and against histories that never had it', async () => {
    await lock('art');
    const where = await clone(bob);
    await mkdir(path.join(git.directory, where, 'many'));
    const files = Array.from({ length: 1500 }, (_, at) => path.join(git.directory, where, `many/${at}.txt`));
    await Promise.all(files.map((file) => writeFile(file, file)));
    await git.run(['add', '.'], where);
    await git.commit(where, 'many/last.txt', 'x');
    await git.run(['push', '-q', 'origin', 'HEAD:main'], where);

    // What the holder did is not undone by a merge that takes nothing of it.
    await git.run(['checkout', '-q', '-b', 'ours'], where);
    await git.commit(where, 'README.md', 'ours');
    expect((await change(ann, [write('art/a.psd')])).status).toBe(201);
    await git.run(['fetch', '-q'], where);
    await git.run(['merge', '-q', '-s', 'ours', '--no-edit', 'origin/main'], where);
    await refusedPush(where, inArt('art/a.psd'), 'origin', 'HEAD:main');
    // With all of it the merge is nobody's change of the file.
    await git.run(['reset', '-q', '--hard', 'HEAD^1'], where);
    await git.run(['merge', '-q', '--no-edit', 'origin/main'], where);
    await git.run(['push', '-q', 'origin', 'HEAD:main'], where);

    await project.api('DELETE', '/protected_branches/main');
    await git.run(['checkout', '-q', '--orphan', 'fresh'], where);
    await git.run(['rm', '-q', '-r', '--cached', '.'], where);
    await git.commit(where, 'README.md', 'fresh');
    await refusedPush(where, inArt('art/a.psd'), '--force', 'origin', 'HEAD:main');
    await git.run(['push', '-q', 'origin', 'HEAD:refs/heads/fresh'], where);
    await project.api('PUT', '', { json: { default_branch: 'fresh' } });
    // The locks are those of the default branch that is.
    await git.run(['push', '-q', '--force', 'origin', 'HEAD:main'], where);
    await git.commit(where, 'art/a.psd', 'x');
    await refusedPush(where, inArt('art/a.psd'), 'origin', 'HEAD:refs/heads/fresh');
  });
});

describe('a locked file', () => {
  it('is changed by nobody else through the API', async () => {
    const id = await lock('b.psd');
    for (const action of [
      write('b.psd'),
      { action: 'delete', file_path: 'b.psd' },
      { action: 'move', file_path: 'c.psd', previous_path: 'b.psd' },
      { action: 'chmod', file_path: 'b.psd', execute_filemode: true },
    ]) {
      const mixed = [write('README.md'), action];
      expect(await change(bob, mixed)).toMatchObject({ status: 400, body: { message: onFile('b.psd') } });
    }
    const file = '/repository/files/b.psd';
    const json = { branch: 'main', commit_message: 'x', content: 'y' };
    for (const method of ['PUT', 'DELETE'] as const)
      expect(await project.api(method, file, { token: bob.secret, json })).toMatchObject({
        status: 400,
        body: { message: onFile('b.psd') },
      });
    // On a branch of one's own it may be changed; picking that onto the default branch may not.
    const there = await change(bob, [write('b.psd')], 'topic', { start_branch: 'main' });
    expect(there.status).toBe(201);
    const pick = { token: bob.secret, json: { branch: 'main' } };
    expect(await project.api('POST', `/repository/commits/${there.body.id}/cherry_pick`, pick)).toMatchObject({
      status: 400,
      body: { message: onFile('b.psd') },
    });
    const own = await change(ann, [write('b.psd')]);
    expect(own.status).toBe(201);
    expect(await project.api('POST', `/repository/commits/${own.body.id}/revert`, pick)).toMatchObject({
      status: 400,
      body: { message: onFile('b.psd') },
    });
    await project.api('DELETE', `/path_locks/${id}`, { token: ann.secret });
    expect((await change(bob, [write('b.psd')])).status).toBe(201);
  });

  it('is not changed with deploy keys, whoever made them', async () => {
    await lock('b.psd', project.owner);
    const pair = keyPair();
    const json = { title: 'deploy', key: pair.public, can_push: true };
    expect((await project.api('POST', '/deploy_keys', { json })).status).toBe(201);
    await project.api('DELETE', '/protected_branches/main');
    const where = await clone(bob);
    await git.commit(where, 'b.psd', 'changed');
    const port = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
    const remote = `ssh://git@127.0.0.1:${port}/${project.fullPath}.git`;
    const pushed = await git.try(['push', remote, 'HEAD:main'], where, await sshCommand(git, pair));
    expect([pushed.code, said(pushed.stderr)]).toEqual([
      1,
      expect.stringContaining(`The path 'b.psd' is locked by @${project.owner.user.username}.`),
    ]);
    await git.commit(where, 'b.psd', '1');
    await git.run(['push', '-q', remote, 'HEAD:main'], where, await sshCommand(git, pair));
  });

  it('keeps merge requests of others from the default branch, not those of its holder', async () => {
    const proposed = async (who: BuiltToken, file: string, target = 'main') => {
      const branch = unique('topic');
      expect((await change(who, [write(file)], branch, { start_branch: 'main' })).status).toBe(201);
      const json = { source_branch: branch, target_branch: target, title: branch };
      return (await project.api<Json>('POST', '/merge_requests', { token: who.secret, json })).body.iid as number;
    };
    const status = async (iid: number, who: BuiltToken) =>
      (await project.api<Json>('GET', `/merge_requests/${iid}`, { token: who.secret })).body.detailed_merge_status;
    const merge = (iid: number, who: BuiltToken) =>
      project.api('PUT', `/merge_requests/${iid}/merge`, { token: who.secret, json: {} });
    await project.api('POST', '/repository/branches', { json: { branch: 'next', ref: 'main' } });
    const [first, second, third, elsewhere] = [
      await proposed(bob, 'b.psd'),
      await proposed(ann, 'b.psd'),
      await proposed(bob, 'README.md'),
      await proposed(bob, 'b.psd', 'next'),
    ];
    expect(await status(first, bob)).toBe('mergeable');
    await lock('b.psd');
    expect(await status(first, bob)).toBe('locked_paths');
    expect(await merge(first, bob)).toMatchObject({ status: 400, body: { message: onFile('b.psd') } });
    for (const free of [third, elsewhere]) {
      expect(await status(free, bob)).toBe('mergeable');
      expect((await merge(free, bob)).status).toBe(200);
    }
    // What the holder proposed is reviewed and merged by others.
    expect(await status(second, bob)).toBe('mergeable');
    expect((await merge(second, bob)).status).toBe(200);
    const fourth = await proposed(bob, 'b.psd');
    expect([await status(fourth, bob), await status(fourth, ann)]).toEqual(['locked_paths', 'mergeable']);
    expect((await merge(fourth, ann)).status).toBe(200);
  });

  it('of Git LFS is kept on every branch; one of the default branch becomes one when its holder wants', async () => {
    const client = lfsClient(app, project);
    const ask = async <T>(method: 'GET' | 'POST', json: unknown, who: BuiltToken) => {
      const { status, body } = await client.send<string>(method, '/info/lfs/locks', json, basic(who.secret));
      return { status, ...(JSON.parse(body) as T) };
    };
    await lock('b.psd');
    await lock('art');
    // Clients of Git LFS keep their files from every branch: only locks that count there are told.
    expect(await ask('GET', undefined, bob)).toMatchObject({ status: 200, locks: [] });
    expect(await ask('POST', { path: 'b.psd' }, bob)).toMatchObject({ status: 409, lock: { path: 'b.psd' } });
    expect(await ask('POST', { path: 'art/a.psd' }, bob)).toMatchObject({
      status: 409,
      lock: { path: 'art' },
      message: `'art' is locked already, by ${ann.user.name}.`,
    });
    const topic = () => change(bob, [write('b.psd')], unique('topic'), { start_branch: 'main' });
    expect((await topic()).status).toBe(201);
    expect(await ask('POST', { path: 'b.psd' }, ann)).toMatchObject({ status: 201, lock: { path: 'b.psd' } });
    expect(await ask('POST', { path: 'b.psd' }, ann)).toMatchObject({ status: 409 });
    expect(await ask('POST', { path: 'art/a.psd' }, ann)).toMatchObject({ status: 201, lock: { path: 'art/a.psd' } });
    expect(await ask('GET', undefined, bob)).toMatchObject({ locks: [{ path: 'b.psd' }, { path: 'art/a.psd' }] });
    expect(await topic()).toMatchObject({
      status: 400,
      body: { message: `The path 'b.psd' is locked in Git LFS by @${ann.user.username}.` },
    });
    await project.api('PUT', '', { json: { lfs_enabled: false } });
    expect((await topic()).status).toBe(201);
    expect((await change(bob, [write('b.psd')])).status).toBe(400);
  });
});
