/** Who may send and have which LFS objects: roles, scopes, kinds of credentials, those from SSH, other projects' objects. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { protocolRunner } from '../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken, unique } from '../../../test/factories.ts';
import { basic, type Headers, type LfsClient, lfsClient, type Made, made } from '../../../test/lfs.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../test/repositories.ts';
import { addKey, connect, keyPair } from '../../../test/ssh.ts';
import { runTask } from '../../../test/tasks.ts';

let app: TestApp;
let project: RepositoryProject;
let open: RepositoryProject;
let admin: BuiltToken;
let sshPort: number;
let client: LfsClient;
beforeAll(async () => {
  app = await startTestApp();
  sshPort = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  project = await buildRepositoryProject(app);
  open = await buildRepositoryProject(app, { visibility: 'public' });
  admin = await buildToken(app, { user: await buildAdmin(app) });
  client = lfsClient(app, project);
});
afterAll(() => app.close());

describe('who may', () => {
  const probes = async (headers: Headers, object: Made, of: RepositoryProject = project) => [
    (await client.batch('download', [object], headers, of)).status,
    (await client.get(object.oid, headers, of)).status,
    (await client.batch('upload', [made()], headers, of)).status,
    (await client.put(made(), headers, of)).status,
    await client.verify(object, headers, of),
  ];

  it('security 16: roles, scopes and kinds of credentials, as for git', async () => {
    const [secret, shown] = [made(), made()];
    await client.put(secret);
    await client.put(shown, client.asOwner(open), open);
    const anonymous = await client.batch('upload', [secret], {});
    expect([
      anonymous.status,
      anonymous.headers.get('lfs-authenticate'),
      anonymous.headers.get('www-authenticate'),
    ]).toEqual([401, 'Basic realm="Millrace"', 'Basic realm="Millrace"']);
    expect(await probes({}, secret)).toEqual([401, 401, 401, 401, 401]);
    expect(await probes({}, shown, open)).toEqual([200, 200, 401, 401, 401]);
    const free = (await client.batch('download', [shown], client.asOwner(open), open)).objects[0];
    expect([free?.authenticated, free?.actions?.download?.header]).toEqual([true, {}]);
    const stranger = await buildToken(app);
    expect(await probes(basic(stranger.secret), secret)).toEqual([404, 404, 404, 404, 404]);
    expect(await probes(basic(stranger.secret), shown, open)).toEqual([200, 200, 403, 403, 403]);
    for (const [level, expected] of [
      [10, [403, 403, 403, 403, 403]],
      [20, [200, 200, 403, 403, 403]],
      [30, [200, 200, 200, 200, 200]],
    ] as const)
      expect([level, await probes(basic((await project.member(level)).secret), secret)]).toEqual([level, expected]);
    const user = project.owner.user;
    for (const [scopes, expected] of [
      [['read_user'], [403, 403, 403, 403, 403]],
      [['read_repository'], [200, 200, 403, 403, 403]],
      [['write_repository'], [200, 200, 200, 200, 200]],
    ] as const)
      expect([scopes, await probes(basic((await buildToken(app, { user, scopes })).secret), secret)]).toEqual([
        scopes,
        expected,
      ]);
    const expired = await buildToken(app, { user, expiresAt: '2020-01-01' });
    expect(await probes(basic(expired.secret), secret)).toEqual([401, 401, 401, 401, 401]);
    expect(await probes(basic('lfs-1.1.upload.1.x'), secret)).toEqual([401, 401, 401, 401, 401]);
    const json = { name: 'reader', scopes: ['read_repository'] };
    const { body } = await project.api<Json>('POST', '/deploy_tokens', { json });
    const deploy = basic(String(body.token), String(body.username));
    expect(await probes(deploy, secret)).toEqual([200, 200, 403, 403, 403]);
    expect((await client.batch('download', [shown], deploy, open)).status).toBe(404);
  });

  it('a job token reads what its job may, and sends nothing', async () => {
    const object = made();
    await client.put(object);
    const runner = await app.api<Json>('POST', '/user/runners', {
      token: admin.secret,
      json: { runner_type: 'instance_type', run_untagged: true },
    });
    await project.commit('ci', { '.gitlab-ci.yml': 'one: {script: [make]}\n' }, { start_branch: 'main' });
    await project.api('POST', '/pipeline', { json: { ref: 'ci' } });
    const job = await protocolRunner(app, String(runner.body.token)).next();
    const token = basic(job.token, 'gitlab-ci-token');
    expect(await probes(token, object)).toEqual([200, 200, 403, 403, 403]);
    const other = await buildRepositoryProject(app, { owner: await buildToken(app) });
    expect((await client.batch('download', [object], token, other)).status).toBe(404);
  });

  it('security 17: an id known from elsewhere opens nothing: who has it sends the bytes', async () => {
    const object = made();
    await client.put(object);
    const other = await buildRepositoryProject(app);
    const thief = client.asOwner(other);
    expect((await client.batch('download', [object], thief, other)).objects).toMatchObject([{ error: { code: 404 } }]);
    expect((await client.batch('upload', [object], thief, other)).objects[0]?.actions).toHaveProperty('upload');
    expect([await client.verify(object, thief, other), (await client.get(object.oid, thief, other)).status]).toEqual([
      404, 404,
    ]);
    const files = await client.stored();
    expect(await client.put({ ...object, bytes: randomBytes(object.size) }, thief, other)).toMatchObject({
      status: 422,
    });
    expect((await client.get(object.oid, thief, other)).status).toBe(404);
    // With the bytes it is theirs too, and kept once.
    expect(await client.put(object, thief, other)).toMatchObject({ status: 200 });
    expect((await client.get(object.oid, thief, other)).status).toBe(200);
    // Drafts go after the answer.
    await expect.poll(client.stored).toBe(files);
    expect(await client.size(other)).toBe(object.size);
  });

  it('a fork has what its source has, and later what its owner may read there', async () => {
    const object = made();
    await client.put(object, client.asOwner(open), open);
    const fork = await app.api<Json>('POST', `/projects/${open.id}/fork`, { token: project.owner.secret });
    await runTask(app, 'namespaces.copy_fork', { project_id: fork.body.id, source_id: open.id });
    const forked = { ...open, id: Number(fork.body.id), fullPath: String(fork.body.path_with_namespace) };
    const owner = client.asOwner();
    expect((await client.get(object.oid, owner, forked)).status).toBe(200);
    expect(await client.size(forked)).toBe(await client.size(open));
    const later = made();
    await client.put(later, client.asOwner(open), open);
    expect((await client.get(later.oid, owner, forked)).status).toBe(404);
    expect((await client.batch('upload', [later], owner, forked)).objects).toEqual([
      { oid: later.oid, size: later.size },
    ]);
    expect((await client.get(later.oid, owner, forked)).status).toBe(200);
    // What the owner of the fork cannot read there has to be sent.
    const hidden = made();
    await client.put(hidden, client.asOwner(open), open);
    await open.api('PUT', '', { json: { repository_access_level: 'private' } });
    expect((await client.batch('upload', [hidden], owner, forked)).objects[0]?.actions).toHaveProperty('upload');
    await open.api('PUT', '', { json: { repository_access_level: 'enabled' } });
  });

  it('security 18: credentials from SSH are for their project and direction, while the key and its person are there', async () => {
    const object = made();
    await client.put(object);
    const person = await project.member(30);
    const granted = async (key: { private: string; public: string }, operation: string, of = project) => {
      const connection = await connect(sshPort, key);
      try {
        const { stdout } = await connection.run(`git-lfs-authenticate '${of.fullPath}.git' ${operation}`);
        return (JSON.parse(stdout) as { header: Headers }).header;
      } finally {
        connection.end();
      }
    };
    const key = await addKey(app, person.secret);
    const [download, upload] = [await granted(key, 'download'), await granted(key, 'upload')];
    expect(await probes(download, object)).toEqual([200, 200, 403, 403, 403]);
    expect(await probes(upload, object)).toEqual([403, 403, 200, 200, 200]);
    const { objects } = await client.batch('upload', [made()], upload);
    expect(objects[0]?.actions?.upload?.expires_in).toBeLessThanOrEqual(1800);
    expect((await client.batch('download', [object], download, open)).status).toBe(403);
    // Where git is for SSH only, this still belongs to SSH.
    await app.settings.write({ enabled_git_access_protocol: 'ssh' });
    expect([(await client.get(object.oid, download)).status, (await client.get(object.oid)).status]).toEqual([
      200, 403,
    ]);
    await app.settings.write({ enabled_git_access_protocol: 'all' });

    const machine = keyPair();
    const json = { title: 'machine', key: machine.public, can_push: false };
    const deployKey = await project.api<Json>('POST', '/deploy_keys', { json });
    expect(await probes(await granted(machine, 'download'), object)).toEqual([200, 200, 403, 403, 403]);
    await project.api('PUT', `/deploy_keys/${deployKey.body.id}`, { json: { can_push: true } });
    const pushing = await granted(machine, 'upload');
    expect(await probes(pushing, object)).toEqual([403, 403, 200, 200, 200]);
    await project.api('PUT', `/deploy_keys/${deployKey.body.id}`, { json: { can_push: false } });
    expect(await probes(pushing, object)).toEqual([403, 403, 403, 403, 403]);
    await project.api('DELETE', `/deploy_keys/${deployKey.body.id}`);
    expect((await client.batch('upload', [object], pushing)).status).toBe(401);

    await app.api('POST', `/users/${person.user.id}/block`, { token: admin.secret });
    expect((await client.get(object.oid, download)).status).toBe(401);
    await app.api('POST', `/users/${person.user.id}/unblock`, { token: admin.secret });
    expect((await client.get(object.oid, download)).status).toBe(200);
    await project.api('DELETE', `/members/${person.user.id}`);
    expect((await client.get(object.oid, download)).status).toBe(404);
    const again = await project.api('POST', '/members', { json: { user_id: person.user.id, access_level: 30 } });
    expect([again.status, (await client.get(object.oid, download)).status]).toEqual([201, 200]);
    await app.api('DELETE', `/user/keys/${key.id}`, { token: person.secret });
    expect((await client.get(object.oid, download)).status).toBe(401);
  });

  it('where LFS is off nothing is had or taken, in the project or as its group has it', async () => {
    const object = made();
    await client.put(object);
    await project.api('PUT', '', { json: { lfs_enabled: false } });
    expect(await probes(client.asOwner(), object)).toEqual([501, 501, 501, 501, 501]);
    expect(await probes(basic((await buildToken(app)).secret), object)).toEqual([404, 404, 404, 404, 404]);
    await project.api('PUT', '', { json: { lfs_enabled: true } });
    expect((await client.get(object.oid)).status).toBe(200);
    const group = await app.api<Json>('POST', '/groups', {
      token: project.owner.secret,
      json: { name: unique('g'), path: unique('g'), lfs_enabled: false },
    });
    const inGroup = await buildRepositoryProject(app, {
      owner: project.owner,
      settings: { namespace_id: group.body.id },
    });
    expect((await client.batch('upload', [object], client.asOwner(), inGroup)).status).toBe(501);
    expect(
      (await client.batch('upload', [object], client.asOwner(), { ...project, fullPath: `${project.fullPath}.wiki` }))
        .status,
    ).toBe(404);
  });
});
