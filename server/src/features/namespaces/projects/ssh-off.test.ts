/** An instance without SSH offers no address of it. */
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let owner: BuiltToken;
let project: RepositoryProject;

beforeAll(async () => {
  app = await startTestApp({ environment: { MILLRACE_SSH_PORT: 'off' } });
  owner = await buildToken(app);
  project = await buildRepositoryProject(app, { owner });
});
afterAll(async () => app.close());

it('projects and their lists have an empty address of SSH and that of HTTP', async () => {
  const addresses = { ssh_url_to_repo: '', http_url_to_repo: `${app.url}/${project.fullPath}.git` };
  const read = await app.api('GET', `/projects/${project.id}`, { token: owner.secret });
  expect(read.body).toMatchObject(addresses);
  const listed = await app.api('GET', '/projects', { token: owner.secret, query: { owned: true } });
  expect(listed.body).toEqual([expect.objectContaining(addresses)]);
  const told = await app.api('GET', `/projects/${project.id}/git_addresses`, { token: owner.secret });
  expect(told.body).toEqual({ http: addresses.http_url_to_repo, ssh: null, ssh_key_missing: true });
});

it('snippets as well', async () => {
  const json = { title: 'a', visibility: 'private', files: [{ file_path: 'a.rb', content: 'a' }] };
  const made = await app.api<{ id: number }>('POST', '/snippets', { token: owner.secret, json });
  expect(made.body).toMatchObject({ ssh_url_to_repo: '', http_url_to_repo: `${app.url}/snippets/${made.body.id}.git` });
});

it('nor does one whose port was taken when it started', async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const { port } = holder.address() as AddressInfo;
  const other = await startTestApp();
  try {
    const { secret } = await buildToken(other, { user: await buildAdmin(other) });
    const made = await other.api<{ id: number; ssh_url_to_repo: string }>('POST', '/projects', {
      token: secret,
      json: { name: 'Offered' },
    });
    expect(made.body.ssh_url_to_repo).toMatch(/^ssh:|^git@/);
    await expect(other.ssh.listen({ host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const read = () => other.api('GET', `/projects/${made.body.id}`, { token: secret });
    expect((await read()).body).toMatchObject({ ssh_url_to_repo: '' });
    await other.ssh.listen({ host: '127.0.0.1', port: 0 });
    expect((await read()).body).toMatchObject({ ssh_url_to_repo: made.body.ssh_url_to_repo });
  } finally {
    await other.close();
    holder.close();
  }
});
