/** What users are told of the instance, and addresses that git can use, as SSH and the settings come and go. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildGroup, buildProject, buildToken } from '../../../../test/factories.ts';

interface Configuration {
  readonly ssh: { readonly host_keys: { readonly fingerprint_sha256: string; readonly key: string }[] } | null;
  readonly git_protocols: string[];
  readonly ssh_keys: unknown[];
  readonly limits: Record<string, unknown>;
  readonly formulas: unknown;
  readonly throttles: unknown[];
}
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ environment: { MILLRACE_SSH_URL: 'ssh://git@git.example.com:2200' } });
});
afterAll(() => app.close());

const configuration = async () => {
  const { status, body } = await app.api<Configuration>('GET', '/instance_configuration');
  expect(status).toBe(200);
  return body;
};
const setting = (values: Record<string, unknown>) =>
  app.settings.write(values as Parameters<TestApp['settings']['write']>[0]);

it('addresses and host keys are offered only while SSH is served and allowed, to everybody who sees the project', async () => {
  const owner = await buildToken(app);
  const top = await buildGroup(app, { owner: owner.user });
  const sub = await buildGroup(app, { parent: top });
  const project = await buildProject(app, { namespace: sub });
  const target = `/projects/${project.id}/git_addresses`;
  const addresses = async () => (await app.api('GET', target, { token: owner.secret })).body;
  const path = `${sub.full_path}/${project.path}.git`;
  const shown = async () => {
    const read = await app.api<{ ssh_url_to_repo: string }>('GET', `/projects/${project.id}`, { token: owner.secret });
    return read.body.ssh_url_to_repo;
  };
  const [http, ssh] = [`${app.url}/${path}`, `ssh://git@git.example.com:2200/${path}`];

  expect((await app.api('GET', target)).status).toBe(404);
  expect((await app.api('GET', target, { token: (await buildToken(app)).secret })).status).toBe(404);
  expect(await addresses()).toEqual({ http, ssh: null, ssh_key_missing: true });
  expect(await configuration()).toMatchObject({ ssh: null, git_protocols: ['http'] });

  await app.ssh.listen({ host: '127.0.0.1', port: 0 });
  expect(await addresses()).toEqual({ http, ssh, ssh_key_missing: true });
  const served = await configuration();
  expect(served).toMatchObject({
    ssh: { user: 'git', host: 'git.example.com', port: 2200 },
    git_protocols: ['http', 'ssh'],
  });
  const keys = served.ssh?.host_keys ?? [];
  expect(keys).toMatchObject([{ type: 'ssh-ed25519' }, { type: 'ecdsa-sha2-nistp256' }]);
  for (const { fingerprint_sha256, key } of keys) {
    const sum = createHash('sha256').update(Buffer.from(key.split(' ')[1] ?? '', 'base64'));
    expect(fingerprint_sha256).toBe(`SHA256:${sum.digest('base64').replace(/=+$/, '')}`);
  }

  const ofTop = (enabled_git_access_protocol: string) =>
    app.api('PUT', `/groups/${top.id}`, { token: owner.secret, json: { enabled_git_access_protocol } });
  expect(await shown()).toBe(ssh);
  expect((await ofTop('http')).status).toBe(200);
  expect(await addresses()).toEqual({ http, ssh: null, ssh_key_missing: true });
  expect(await shown()).toBe('');
  await ofTop('ssh');
  expect(await addresses()).toEqual({ http: null, ssh, ssh_key_missing: true });
  await ofTop('all');
  expect(await shown()).toBe(ssh);
  await setting({ enabled_git_access_protocol: 'http' });
  expect(await addresses()).toEqual({ http, ssh: null, ssh_key_missing: true });
  expect(await shown()).toBe('');
  expect(await configuration()).toMatchObject({ ssh: null, git_protocols: ['http'] });
  await setting({ enabled_git_access_protocol: 'ssh' });
  expect(await addresses()).toEqual({ http: null, ssh, ssh_key_missing: true });
  expect((await configuration()).git_protocols).toEqual(['ssh']);
  await setting({ enabled_git_access_protocol: 'all' });
  expect(await shown()).toBe(ssh);
});

it('limits are those of the settings, throttles those that are on', async () => {
  const before = await configuration();
  expect(before.limits).toMatchObject({ attachment_bytes: 104_857_600, ssh_key_days: null, access_token_days: 365 });
  expect(before.throttles).toEqual([]);
  await setting({
    max_attachment_size: 7,
    max_ssh_key_lifetime: 30,
    gitlab_shell_operation_limit: 0,
    rsa_key_restriction: 3072,
    ecdsa_key_restriction: -1,
    throttle_authenticated_api_enabled: true,
    throttle_authenticated_api_requests_per_period: 500,
    throttle_authenticated_api_period_in_seconds: 60,
  });
  const after = await configuration();
  expect(after.limits).toMatchObject({ attachment_bytes: 7_340_032, ssh_key_days: 30, ssh_operations: null });
  expect(after.throttles).toEqual([{ name: 'authenticated_api', requests: 500, period: 60 }]);
  expect(after.ssh_keys).toEqual(
    expect.arrayContaining([
      { kind: 'rsa', allowed: true, minimum_bits: 3072 },
      { kind: 'ecdsa', allowed: false, minimum_bits: null },
      { kind: 'ed25519', allowed: true, minimum_bits: null },
    ]),
  );
});
