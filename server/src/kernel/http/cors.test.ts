/** Requests of pages from other origins, and their preflights. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { buildToken } from '../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const headers = { Origin: 'https://editor.example' };
const preflight = (target: string, method: string, wanted?: string) =>
  fetch(app.url + target, {
    method: 'OPTIONS',
    headers: {
      ...headers,
      'Access-Control-Request-Method': method,
      ...(wanted === undefined ? {} : { 'Access-Control-Request-Headers': wanted }),
    },
  });

it('answers pages of any origin without credentials, with what scripts may read', async () => {
  const token = (await buildToken(app)).secret;
  const bad = { raw: '{', headers: { ...headers, 'Content-Type': 'application/json' } };
  const answers = [
    [await app.api('GET', '/projects', { headers }), 200],
    [await app.api('GET', '/user', { token, headers }), 200],
    [await app.api('GET', '/user', { headers }), 401],
    [await app.api('GET', '/nothing', { headers }), 404],
    [await app.api('POST', '/projects', bad), 401],
  ] as const;
  for (const [answer, status] of answers) {
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/Link.*X-Total\b/);
    expect(answer.headers.get('vary')).toContain('Origin');
  }
});

it('answers a preflight of any route and method without asking who it is', async () => {
  const answer = await preflight('/api/v4/projects/1/issues', 'POST', 'private-token, content-type');
  expect([answer.status, await answer.text()]).toEqual([200, '']);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-allow-methods')).toContain('DELETE');
  expect(answer.headers.get('access-control-allow-headers')).toBe('private-token, content-type');
  expect(answer.headers.get('access-control-max-age')).toBe('7200');
  expect((await preflight('/api/v4/user', 'GET')).headers.get('access-control-allow-headers')).toBeNull();
});

it('says nothing to requests without an origin, of pages, and of names that are none', async () => {
  const plain = await app.api('GET', '/projects');
  expect(plain.headers.get('access-control-allow-origin')).toBeNull();
  const page = await app.request('GET', '/-/health', { headers });
  expect(page.headers.get('access-control-allow-origin')).toBeNull();
  expect((await app.request('GET', '/-/session', { headers })).headers.get('access-control-allow-origin')).toBeNull();
  const odd = await preflight('/api/v4/user', 'GET', 'x"y');
  expect([odd.status, odd.headers.get('access-control-allow-headers')]).toEqual([200, null]);
});
