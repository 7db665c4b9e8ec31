/** How large repositories and pushes may be: real pushes over HTTP and SSH, commits of the API, merges. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { addKey, sshCommand } from '../../../../test/ssh.ts';
import { readableSize } from './sizes.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let ssh: { url: (path: string) => string; env: Record<string, string> };
beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  project = await buildRepositoryProject(app);
  const port = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  ssh = {
    url: (path) => `ssh://git@127.0.0.1:${port}/${path}.git`,
    env: await sshCommand(git, await addKey(app, project.owner.secret)),
  };
});
afterAll(async () => {
  await git.close();
  await app.close();
});
afterEach(() => app.settings.write({ receive_max_input_size: null, repository_size_limit: 0 }));

/** Text that does not get smaller when it is packed. */
const noise = (bytes: number) => randomBytes(bytes).toString('latin1').replaceAll('\0', ' ');
const megabyte = 1024 ** 2;
const said = (stderr: string) => stderr.replaceAll(/\nremote: ?/g, '\n').replaceAll(/\s+/g, ' ');

async function cloned(): Promise<string> {
  const clone = unique('clone');
  await git.run(['clone', '-q', project.remote(project.owner.secret), clone]);
  return clone;
}
/** What was measured of the project last. */
const measured = (repository_size: number, lfs_objects_size = 0) =>
  app.db
    .updateTable('project_statistics')
    .set({ repository_size, lfs_objects_size })
    .where('project_id', '=', project.id)
    .execute();

describe('receive_max_input_size', () => {
  it('is told to who pushes more, over HTTP, SSH and to wikis; what is smaller is taken', async () => {
    await app.settings.write({ receive_max_input_size: 1 });
    const clone = await cloned();
    await git.commit(clone, 'large.bin', noise(megabyte + 1));
    const wiki = project.remote(project.owner.secret).replace(/\.git$/, '.wiki.git');
    for (const [url, env] of [
      ['origin', {}],
      [ssh.url(project.fullPath), ssh.env],
      [wiki, {}],
      [ssh.url(`${project.fullPath}.wiki`), ssh.env],
    ] as const) {
      const { code, stderr } = await git.try(['push', url, 'HEAD:refs/heads/large'], clone, env);
      expect([url, code, said(stderr)]).toEqual([
        url,
        1,
        expect.stringContaining('the push is larger than 1 MiB (receive_max_input_size)'),
      ]);
    }
    await git.run(['reset', '-q', '--hard', 'origin/main'], clone);
    await git.commit(clone, 'small.bin', noise(megabyte / 2));
    await git.run(['push', '-q', 'origin', 'HEAD:refs/heads/small'], clone);
    await app.settings.write({ receive_max_input_size: 2 });
    await git.commit(clone, 'large.bin', noise(megabyte + 1));
    await git.run(['push', '-q', 'origin', 'HEAD:refs/heads/large'], clone);
  });
});

describe('repository_size_limit', () => {
  const reason = (what: string, over: string, has: string) =>
    `${what}, because this repository would exceed its size limit of 1 MiB by ${over}: it has ${has} now (repository_size_limit).`;

  it('counts what the repository and its large files have, and lets go of what is deleted', async () => {
    const clone = await cloned();
    await git.run(['push', '-q', 'origin', 'HEAD:refs/heads/spare', 'HEAD:refs/heads/other'], clone);
    await app.settings.write({ repository_size_limit: 1 });
    await measured(megabyte / 4, megabyte / 4);
    await git.commit(clone, 'fits.bin', noise(megabyte / 4));
    await git.run(['push', '-q', 'origin', 'HEAD:refs/heads/fits'], clone);
    await measured(megabyte / 2, megabyte / 2);
    await git.commit(clone, 'more.txt', 'x');
    for (const [url, env] of [
      ['origin', {}],
      [ssh.url(project.fullPath), ssh.env],
    ] as const) {
      const { code, stderr } = await git.try(['push', url, 'HEAD:refs/heads/more'], clone, env);
      expect([code, said(stderr)]).toEqual([1, expect.stringMatching(/rejected, .* of 1 MiB by .* it has 1 MiB now/)]);
    }
    // A push that both takes away and adds: each ref for itself.
    const mixed = await git.try(['push', 'origin', ':spare', 'HEAD:refs/heads/more'], clone);
    expect([mixed.code, mixed.stderr]).toEqual([1, expect.stringContaining('[deleted]         spare')]);
    await measured(3 * megabyte);
    await git.run(['push', '-q', 'origin', ':other'], clone);
    await git.run(['push', '-q', 'origin', 'origin/main:refs/heads/again'], clone);
  });

  it('what is too much by itself is not stored first', async () => {
    const clone = await cloned();
    await app.settings.write({ repository_size_limit: 1 });
    await measured(megabyte / 2);
    await git.commit(clone, 'large.bin', noise(2 * megabyte));
    const { code, stderr } = await git.try(['push', 'origin', 'HEAD:refs/heads/more'], clone);
    expect([code, said(stderr)]).toEqual([
      1,
      expect.stringContaining(reason('rejected', 'more than 1 MiB', '512 KiB')),
    ]);
    expect(stderr).toContain('remote unpack failed');
  });

  it('is said by the project, else by the nearest group, else by the instance; in bytes, and 0 is any size', async () => {
    const admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
    const made = async (path: string, json: Json, token = admin): Promise<Json> => {
      const { status, body } = await app.api<Json>('POST', path, { token, json });
      expect([status, body]).toEqual([201, body]);
      return body;
    };
    const set = (path: string, repository_size_limit: number | null) =>
      app.api<Json>('PUT', path, { token: admin, json: { repository_size_limit } });
    const top = await made('/groups', { name: unique('G'), path: unique('g'), repository_size_limit: megabyte });
    const below = await made('/groups', { name: unique('G'), path: unique('g'), parent_id: top.id });
    const own = await made('/projects', { name: unique('p'), namespace_id: below.id, initialize_with_readme: true });
    await app.db
      .updateTable('project_statistics')
      .set({ repository_size: megabyte / 2, lfs_objects_size: 0 })
      .where('project_id', '=', Number(own.id))
      .execute();
    const clone = unique('clone');
    const url = `${app.url}/${own.path_with_namespace}.git`.replace('://', `://x:${admin}@`);
    await git.run(['clone', '-q', url, clone]);
    await git.commit(clone, 'large.bin', noise(megabyte * 0.6));
    const pushed = async () =>
      said((await git.try(['push', 'origin', `HEAD:refs/heads/${unique('b')}`], clone)).stderr);
    const refused = (size: string) => expect.stringContaining(`exceed its size limit of ${size} by`);
    expect(await pushed()).toEqual(refused('1 MiB'));
    await set(`/groups/${below.id}`, megabyte * 0.75);
    expect(await pushed()).toEqual(refused('768 KiB'));
    const commit = {
      branch: 'main',
      commit_message: 'x',
      actions: [{ action: 'create', file_path: 'x', content: 'x' }],
    };
    await set(`/projects/${own.id}`, megabyte / 4);
    const { body } = await app.api<Json>('POST', `/projects/${own.id}/repository/commits`, {
      token: admin,
      json: commit,
    });
    expect(body.message).toEqual(refused('256 KiB'));
    const oid = 'a'.repeat(64);
    const batch = await fetch(`${app.url}/${own.path_with_namespace}.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`x:${admin}`).toString('base64')}`,
        'content-type': 'application/vnd.git-lfs+json',
      },
      body: JSON.stringify({ operation: 'upload', objects: [{ oid, size: 1000 }] }),
    });
    expect([batch.status, await batch.text()]).toEqual([406, refused('256 KiB')]);
    await app.settings.write({ repository_size_limit: 1 });
    // Any size, for this project alone.
    await set(`/projects/${own.id}`, 0);
    expect(await pushed()).toContain('[new branch]');
    expect((await set(`/projects/${own.id}`, null)).body.repository_size_limit).toBeNull();
    await set(`/groups/${below.id}`, null);
    await set(`/groups/${top.id}`, null);
    await git.commit(clone, 'more.bin', noise(megabyte * 0.6));
    expect(await pushed()).toEqual(refused('1 MiB'));
  });

  it('holds for commits of the API and merges', async () => {
    const commit = () =>
      project.api('POST', '/repository/commits', {
        json: {
          branch: unique('api'),
          start_branch: 'main',
          commit_message: 'x',
          actions: [{ action: 'create', file_path: 'api.txt', content: noise(2000) }],
        },
      });
    await project.commit('topic', { new: 'x' }, { start_branch: 'main' });
    const json = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
    const { body } = await project.api<Json>('POST', '/merge_requests', { json });
    await app.settings.write({ repository_size_limit: 1 });
    await measured(2 * megabyte);
    const told = (what: string) => ({
      status: 400,
      body: { message: expect.stringContaining(reason(what, '', '').slice(0, 60)) },
    });
    expect(await commit()).toMatchObject(told('Your changes could not be committed'));
    expect(await project.api('PUT', `/merge_requests/${body.iid}/merge`, { json: {} })).toMatchObject(
      told('This merge request cannot be merged'),
    );
    const branch = { branch: unique('free'), ref: 'main' };
    expect((await project.api('POST', '/repository/branches', { json: branch })).status).toBe(201);
    expect((await project.api('DELETE', `/repository/branches/${branch.branch}`)).status).toBe(204);
    await measured(megabyte / 2);
    expect((await commit()).status).toBe(201);
  });
});

it('sizes are told in units of 1024', () => {
  expect([0, 1023, 1024, 1536, 1024 ** 2 * 10, 1024 ** 3 * 2.34, 1024 ** 6].map(readableSize)).toEqual([
    '0 bytes',
    '1023 bytes',
    '1 KiB',
    '1.5 KiB',
    '10 MiB',
    '2.3 GiB',
    '1024 PiB',
  ]);
});
