/** `POST /api/graphql`: who the token stands for, as clients ask before they begin. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken } from '../../../../test/factories.ts';

interface Answer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string }[];
}

let app: TestApp;
let person: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  person = await buildToken(app);
});
afterAll(() => app.close());

const ask = (json: object, token?: string) => app.request<Answer>('POST', '/api/graphql', { json, token });

it('tells who the token stands for, and the version', async () => {
  const { body, status, headers } = await ask(
    { query: 'query {currentUser {active}}', variables: null, operationName: null },
    person.secret,
  );
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(body).toEqual({ data: { currentUser: { active: true } } });
  const { user } = person;
  const whole = await ask(
    { query: '{ currentUser { id username name state bot publicEmail webUrl } metadata { version revision } }' },
    person.secret,
  );
  expect(whole.body.data).toMatchObject({
    currentUser: { id: `gid://gitlab/User/${user.id}`, username: user.username, name: user.name, bot: false },
    metadata: { version: expect.stringMatching(/^\d+\.\d+/) },
  });
});

it('names the operation and takes variables', async () => {
  const query =
    'query Who($with: Boolean!) { currentUser { username @include(if: $with) } } query Other { metadata { version } }';
  const { body } = await ask({ query, operationName: 'Who', variables: { with: false } }, person.secret);
  expect(body).toEqual({ data: { currentUser: {} } });
});

it('security: strangers are nobody, and a token needs a scope that reads', async () => {
  expect((await ask({ query: '{ currentUser { id } metadata { version } }' })).body).toEqual({
    data: { currentUser: null, metadata: null },
  });
  expect(await ask({ query: '{ currentUser { id } }' }, 'glpat-unknown')).toMatchObject({ status: 401 });
  const narrow = await buildToken(app, { scopes: ['read_repository'] });
  expect(await ask({ query: '{ currentUser { id } }' }, narrow.secret)).toMatchObject({ status: 403 });
});

it('says what is wrong with a query among its errors', async () => {
  for (const [query, message] of [
    ['{ currentUser { salary } }', /Cannot query field "salary"/],
    ['{ currentUser {', /Syntax Error/],
    ['{ currentUser }', /must have a selection of subfields/],
    ['mutation { destroy }', /not configured|mutation/i],
    [`{ currentUser { ${'id '.repeat(3000)} } }`, /tokens/],
  ] as const) {
    const { status, body } = await ask({ query }, person.secret);
    expect([status, body.data ?? null]).toEqual([200, null]);
    expect(body.errors?.[0]?.message).toMatch(message);
  }
});

it('security: takes JSON objects of some size only', async () => {
  const post = (text: string) =>
    fetch(`${app.url}/api/graphql`, { method: 'POST', body: text, headers: { 'Content-Type': 'application/json' } });
  expect((await post('nonsense')).status).toBe(400);
  expect((await post('{"query": 5}')).status).toBe(400);
  expect((await post(JSON.stringify({ query: 'x'.repeat(200_000) }))).status).toBe(413);
});

it('tells tools its schema', async () => {
  const { body } = await ask({ query: '{ __schema { queryType { name } types { name } } }' });
  expect(body.data).toMatchObject({ __schema: { queryType: { name: 'Query' } } });
});
