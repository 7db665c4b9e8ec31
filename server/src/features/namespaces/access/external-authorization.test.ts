/** The service that administrators let decide who may access which project, on loopback. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startWorld, type World } from '../../../../test/ci.ts';
import { buildToken } from '../../../../test/factories.ts';
import { type Receiver, startReceiver } from '../../../../test/receiver.ts';

let world: World;
let service: Receiver;
let project: Awaited<ReturnType<World['project']>>;
beforeAll(async () => {
  world = await startWorld();
  service = await startReceiver();
  project = await world.project();
  await project.commit(null, { message: 'x', files: { 'a.txt': 'a' } });
  await settings({
    external_authorization_service_enabled: true,
    external_authorization_service_url: `${service.url}/authorize`,
    external_authorization_service_default_label: 'internal',
    external_authorization_service_timeout: 5,
  });
});
afterAll(async () => {
  await service.close();
  await world.close();
});
beforeEach(() => {
  service.received.length = 0;
  service.answer = { status: 200 };
});

const settings = async (json: object) =>
  expect((await world.app.api('PUT', '/application/settings', { token: world.admin.token, json })).status).toBe(200);
const get = async (path: string, token?: string) =>
  (await world.app.api('GET', path, token === undefined ? {} : { token })).status;
/** An answer counts for hours, so that each question is about a label of its own. */
let labels = 0;
async function relabel(): Promise<string> {
  labels += 1;
  const label = `label ${labels}`;
  const json = { external_authorization_classification_label: label };
  const done = await world.app.api('PUT', `/projects/${project.id}`, { token: world.admin.token, json });
  expect(done.status).toBe(200);
  service.received.length = 0;
  return label;
}
const own = () => `/projects/${project.id}`;

it('[3/api.application-settings/27 external_authorization_service_enabled, external_authorization_service_url, external_authorization_service_default_label] is asked once who may access what is classified so', async () => {
  const { user, token } = world.owner;
  const link = { user_id: user.id, provider: 'ldapmain', extern_uid: 'uid=owner,dc=example' };
  await world.app.db.insertInto('identities').values(link).execute();
  expect([await get(own(), token), await get(`${own()}/repository/tree`, token)]).toEqual([200, 200]);
  expect(service.received).toHaveLength(1);
  const [{ method, path, text } = { method: '', path: '', text: '{}' }] = service.received;
  expect([method, path, JSON.parse(text)]).toEqual([
    'POST',
    '/authorize',
    {
      user_identifier: user.email,
      project_classification_label: 'internal',
      user_ldap_dn: link.extern_uid,
      identities: [{ provider: link.provider, extern_uid: link.extern_uid }],
    },
  ]);
});

it('asks anew about the label of the project, and hides it from those who are refused', async () => {
  const label = await relabel();
  service.answer = { status: 403, body: '{"reason":"not cleared"}' };
  expect(await get(own(), world.owner.token)).toBe(404);
  expect(JSON.parse(service.received[0]?.text ?? '{}')).toMatchObject({ project_classification_label: label });
  // The refusal is kept, too; administrators see everything.
  service.answer = { status: 200 };
  expect([await get(own(), world.owner.token), await get(own(), world.admin.token)]).toEqual([404, 200]);
  expect(service.received).toHaveLength(1);
  // git asks by the same gate.
  const url = `/${project.path}.git/info/refs?service=git-upload-pack`;
  const authorization = `Basic ${Buffer.from(`x:${world.owner.token}`).toString('base64')}`;
  expect((await world.app.request('GET', url, { headers: { authorization } })).status).toBe(404);
});

it.each([500, 302, 0])('no verdict (status %i) keeps out, until the next request asks again', async (status) => {
  await relabel();
  service.answer = { status };
  expect(await get(own(), world.owner.token)).toBe(404);
  service.answer = { status: 200 };
  expect(await get(own(), world.owner.token)).toBe(200);
  expect(service.received).toHaveLength(2);
});

it('[3/api.application-settings/27 external_authorization_service_timeout] waits no longer than it may', async () => {
  await relabel();
  await settings({ external_authorization_service_timeout: 0.05 });
  service.answer = { status: -1 };
  expect(await get(own(), world.owner.token)).toBe(404);
  await settings({ external_authorization_service_timeout: 5 });
});

it('deploy tokens are closed unless the setting opens them; nobody without an account gets in', async () => {
  await relabel();
  const json = { name: 'd', scopes: ['read_repository'] };
  const made = await world.app.api<{ username: string; token: string }>('POST', `${own()}/deploy_tokens`, {
    token: world.admin.token,
    json,
  });
  const { username, token } = made.body;
  const authorization = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;
  const url = `/${project.path}.git/info/refs?service=git-upload-pack`;
  const fetched = async () => (await world.app.request('GET', url, { headers: { authorization } })).status;
  expect(await fetched()).toBe(404);
  await settings({ allow_deploy_tokens_and_keys_with_external_authn: true });
  expect(await fetched()).toBe(200);
  await world.app.db.updateTable('projects').set({ visibility: 'public' }).where('id', '=', project.id).execute();
  expect(await get(own())).toBe(404);
  expect(service.received).toEqual([]);
});

it('content of several projects is shown together to administrators alone', async () => {
  const { token } = await buildToken(world.app, { user: world.owner.user }).then(({ secret }) => ({ token: secret }));
  for (const path of ['/issues', '/merge_requests', '/todos', '/events', '/search?scope=issues&search=abc'])
    expect([path, await get(path, token), await get(path, world.admin.token)]).toEqual([path, 403, 200]);
  await settings({ external_authorization_service_enabled: false });
  expect([await get('/issues', token), await get(own())]).toEqual([200, 200]);
  expect(service.received).toEqual([]);
});
