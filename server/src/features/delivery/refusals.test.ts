/** Refusals of environments, deployments and freeze periods: their status and the texts that programs of the ecosystem search for. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Method, startTestApp, type TestApp } from '../../../test/app.ts';
import type { BuiltToken } from '../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../test/repositories.ts';
import { Level } from '../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
let developer: BuiltToken;
let head: string;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app);
  developer = await project.member(Level.developer);
  head = (await project.api<{ id: string }>('GET', '/repository/commits/main')).body.id;
  expect((await project.api('POST', '/environments', { json: { name: 'staging' } })).status).toBe(201);
});
afterAll(() => app.close());

interface Request {
  readonly method: Method;
  readonly path: string;
  readonly json?: object;
  readonly by?: BuiltToken;
}
const get = (path: string) => (): Request => ({ method: 'GET', path });
const post = (path: string, json: object) => (): Request => ({ method: 'POST', path, json });
const deployment = (values: object) => (): Request => ({
  method: 'POST',
  path: '/deployments',
  json: { environment: 'staging', sha: head, ref: 'main', tag: false, status: 'success', ...values },
});
const since = 'finished_after=2020-01-01T00:00:00Z';
const yesterday = () => new Date(Date.now() - 86_400_000).toISOString();

const refusals: ReadonlyArray<readonly [what: string, send: () => Request, status: number, body: object]> = [
  [
    'environments by two letters',
    get('/environments?search=st'),
    400,
    { message: '400 Bad request - Search query is less than 3 characters' },
  ],
  [
    'environments by name and search',
    get('/environments?name=staging&search=stag'),
    400,
    { error: 'name, search cannot be used together' },
  ],
  [
    'an environment with a slug',
    post('/environments', { name: 'qa', slug: 'qa' }),
    400,
    { error: 'slug is automatically generated and cannot be changed' },
  ],
  [
    'an environment again',
    post('/environments', { name: 'staging' }),
    400,
    { message: { name: ['has already been taken'] } },
  ],
  ['an environment that does not exist', get('/environments/999999'), 404, { message: '404 Not found' }],
  [
    'stopping stale environments by a developer',
    () => ({ ...post('/environments/stop_stale', { before: '2020-01-01' })(), by: developer }),
    403,
    { message: '403 Forbidden' },
  ],
  [
    'stopping stale environments of yesterday',
    () => post('/environments/stop_stale', { before: yesterday() })(),
    400,
    { message: '400 Bad request - Invalid Date' },
  ],
  ['a deployment of an empty ref', deployment({ ref: '' }), 400, { error: 'ref is empty' }],
  ['a deployment of an empty commit', deployment({ sha: '' }), 400, { error: 'sha is empty' }],
  ['a deployment to an empty name', deployment({ environment: '' }), 400, { error: 'environment is empty' }],
  [
    'a deployment of a branch that does not exist',
    deployment({ ref: 'none' }),
    400,
    { message: { ref: ['The branch or tag does not exist'] } },
  ],
  [
    'a deployment of a commit that does not exist',
    deployment({ sha: 'a'.repeat(40) }),
    400,
    { message: { sha: ['The commit does not exist'] } },
  ],
  ['a deployment that does not exist', get('/deployments/999999'), 404, { message: '404 Not found' }],
  [
    'deployments by their end in another order',
    get(`/deployments?status=success&${since}`),
    400,
    { message: '400 Bad request - `finished_at` filter requires `finished_at` sort.' },
  ],
  [
    'failed deployments by their end',
    get(`/deployments?status=failed&order_by=finished_at&${since}`),
    400,
    { message: '400 Bad request - `finished_at` filter must be combined with `success` status filter.' },
  ],
  [
    'deployments without an end in the order of their ends',
    get('/deployments?status=running&order_by=finished_at'),
    400,
    {
      message:
        '400 Bad request - `finished_at` sort requires `finished_at` filter or a filter with at least one of the finished statuses.',
    },
  ],
  ['a freeze period that does not exist', get('/freeze_periods/999999'), 404, { message: '404 Not found' }],
  [
    'a freeze period without an end',
    post('/freeze_periods', { freeze_start: '0 23 * * 5' }),
    400,
    { error: 'freeze_end is missing' },
  ],
  [
    'a freeze period that never ends',
    post('/freeze_periods', { freeze_start: '0 23 * * 5', freeze_end: '0 0 0 * *' }),
    400,
    { message: { freeze_end: [' is invalid syntax'] } },
  ],
];

it.each(refusals)('%s', async (_what, send, status, body) => {
  const { method, path, json, by = project.owner } = send();
  const answer = await project.api(method, path, { token: by.secret, ...(json ? { json } : {}) });
  expect([answer.status, answer.body]).toEqual([status, body]);
});

it('failed deployments are listed in the order of their ends', async () => {
  expect((await project.api('GET', '/deployments?status=failed&order_by=finished_at')).status).toBe(200);
});
