/** Version and metadata over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken } from '../../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

it('[1/versioning/1 4] tells the compatible release and our own', async () => {
  const { secret } = await buildToken(app, { scopes: ['read_user'] });
  const version = await app.api<{ version: string; revision: string }>('GET', '/version', { token: secret });
  expect(version.body.version).toMatch(/^\d+\.\d+\.\d+-millrace$/);
  expect(version.body.revision).not.toBe('');
  const metadata = await app.api('GET', '/metadata', { token: secret });
  expect(version.body).toEqual(metadata.body);
  expect(metadata.body).toEqual({
    version: version.body.version,
    revision: version.body.revision,
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: true,
    millrace_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  expect((await app.api('GET', '/version')).status).toBe(401);
});
