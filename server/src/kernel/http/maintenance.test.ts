/** Maintenance mode, over every way in: what is there is read, and nothing of it changes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProtocolRunner, startWorld, type TestProject, type World } from '../../../test/ci.ts';
import { buildUser, unique } from '../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../test/git.ts';
import { addKey, sshCommand } from '../../../test/ssh.ts';
import { runTask } from '../../../test/tasks.ts';
import { notifyPending } from '../../features/ci/scheduling/process.queries.ts';
import { transaction } from '../db/index.ts';

const refusal = 'You cannot perform write operations on a read-only instance';
const notice = 'Back at noon.';
const password = 'correct horse battery';

let world: World;
let git: GitClient;
let project: TestProject;
let runner: ProtocolRunner;
let remote: string;
let ssh: { readonly url: string; readonly env: Record<string, string> };
beforeAll(async () => {
  world = await startWorld();
  git = await gitClient();
  project = await world.project();
  runner = await world.runner();
  const { app, owner } = world;
  const url = new URL(`${app.url}/${project.path}.git`);
  [url.username, url.password] = ['git', owner.token];
  remote = url.href;
  const port = await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  const env = await sshCommand(git, await addKey(app, owner.token));
  ssh = { url: `ssh://git@127.0.0.1:${port}/${project.path}.git`, env };
});
afterAll(async () => {
  await git.close();
  await world.close();
});

const switched = async (on: boolean, token = world.admin.token) =>
  (
    await world.app.api('PUT', '/application/settings', {
      token,
      json: { maintenance_mode: on, maintenance_mode_message: on ? notice : '' },
    })
  ).status;
const whileOn = async (work: () => Promise<void>) => {
  expect(await switched(true)).toBe(200);
  try {
    await work();
  } finally {
    expect(await switched(false)).toBe(200);
  }
};
const create = () =>
  world.app.api<{ message: unknown }>('POST', '/projects', { token: world.owner.token, json: { name: unique('m') } });

it('the API refuses what changes something, with 503 and the reason, and answers the rest', async () => {
  await whileOn(async () => {
    const refused = await create();
    expect([refused.status, refused.body.message]).toEqual([503, `${refusal}: ${notice}`]);
    expect(refused.headers.get('retry-after')).toBe('60');
    for (const method of ['PUT', 'DELETE'] as const)
      expect((await world.app.api(method, `/projects/${project.id}`, { token: world.owner.token })).status).toBe(503);
    expect((await world.app.api('GET', `/projects/${project.id}`, { token: world.owner.token })).status).toBe(200);
    // No way in for those who may not end it.
    expect(await switched(false, world.owner.token)).toBe(403);
    expect((await world.app.api('POST', '/no/such/route', { token: world.owner.token })).status).toBe(404);
  });
  expect((await create()).status).toBe(201);
});

it('people sign in and out, and every page is told', async () => {
  const user = await buildUser(world.app, { password });
  await whileOn(async () => {
    const signedIn = await world.app.request<{ csrf_token: string; maintenance: unknown }>('POST', '/-/session', {
      json: { login: user.username, password },
    });
    expect([signedIn.status, signedIn.body.maintenance]).toEqual([201, { message: notice }]);
    const headers = {
      Cookie: signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '',
      'X-CSRF-Token': signedIn.body.csrf_token,
    };
    expect((await world.app.request('DELETE', '/-/session', { headers })).status).toBe(204);
    const name = unique('new');
    const json = { name, username: name, email: `${name}@example.com`, password };
    expect((await world.app.request('POST', '/-/registration', { json })).status).toBe(503);
  });
  expect((await world.app.request<{ maintenance: unknown }>('GET', '/-/session')).body.maintenance).toBe(null);
});

it('git fetches and does not push, over HTTP and SSH; LFS takes no objects', async () => {
  await git.run(['clone', '-q', remote, 'clone']);
  await git.commit('clone', 'a.txt', 'a');
  const text = 'Git push is not allowed because this Millrace instance is currently in (read-only) maintenance mode';
  await whileOn(async () => {
    for (const [url, env] of [
      [remote, {}],
      [ssh.url, ssh.env],
    ] as const) {
      await git.run(['fetch', '-q', url], 'clone', env);
      const pushed = await git.try(['push', url, 'HEAD:main'], 'clone', env);
      expect([pushed.code, pushed.stderr]).toEqual([expect.any(Number), expect.stringContaining(`${text}: ${notice}`)]);
      expect(pushed.code).not.toBe(0);
    }
    const batch = (operation: string) =>
      fetch(`${new URL(remote).origin}/${project.path}.git/info/lfs/objects/batch`, {
        method: 'POST',
        headers: {
          Authorization: `Basic ${Buffer.from(`git:${world.owner.token}`).toString('base64')}`,
          Accept: 'application/vnd.git-lfs+json',
          'Content-Type': 'application/vnd.git-lfs+json',
        },
        body: JSON.stringify({ operation, objects: [{ oid: 'a'.repeat(64), size: 1 }] }),
      });
    expect((await batch('download')).status).toBe(200);
    const upload = await batch('upload');
    expect([upload.status, await upload.text()]).toEqual([403, expect.stringContaining(notice)]);
  });
  await git.run(['push', '-q', remote, 'HEAD:main'], 'clone');
});

it('no job is handed out, neither to who asks nor to who waits; running ones are not given up', async () => {
  const { app } = world;
  const job = { script: ['true'] };
  const { id } = await project.push(JSON.stringify({ one: job, two: { ...job, when: 'manual' } }));
  const running = await runner.next();
  const two = await project.job(id, 'two');
  const cursor = (await runner.request()).headers.get('x-gitlab-last-update') ?? '';
  let answered = false;
  const held = runner.request(cursor).finally(() => {
    answered = true;
  });
  const jobNamed = (jobId: number) =>
    app.db.selectFrom('jobs').select('status').where('id', '=', jobId).executeTakeFirstOrThrow();
  const look = async () => await runTask(app, 'ci.watch_runners');
  await look();
  // As if it had looked for an hour: what is not heard of is lost.
  const hour = { since: new Date(Date.now() - 3_600_000), seen_at: new Date() };
  await app.db.updateTable('runner_watch').set(hour).execute();
  await whileOn(async () => {
    const refused = await runner.request();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
    expect((await runner.patch(running, 'more\n')).status).toBe(503);
    // As a delayed job does whose time has come: it waits, and wakes who is held.
    await app.db
      .updateTable('jobs')
      .set({ status: 'pending', queued_at: new Date() })
      .where('id', '=', two.id)
      .execute();
    await transaction(app.db, notifyPending);
    const long = { contacted_at: new Date(Date.now() - 86_400_000) };
    await app.db.updateTable('jobs').set(long).where('id', '=', running.id).execute();
    await look();
    expect((await jobNamed(running.id)).status).toBe('running');
    for (let asked = 0; asked < 20; asked++)
      expect((await app.api('GET', '/projects', { token: world.owner.token })).status).toBe(200);
    expect([answered, (await jobNamed(two.id)).status]).toEqual([false, 'pending']);
  });
  await look();
  expect((await jobNamed(running.id)).status).toBe('running');
  expect((await runner.patch(running, 'more\n')).status).toBe(202);
  expect((await runner.update(running, 'success')).status).toBe(200);
  await transaction(app.db, notifyPending);
  expect(JSON.parse((await held).text)).toMatchObject({ id: two.id });
});
