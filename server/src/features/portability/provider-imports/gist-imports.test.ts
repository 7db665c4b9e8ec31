/** Imports of gists from a server that answers in the public shapes of the hosted provider. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { closeServed, type Reply, served } from '../../../../test/providers.ts';
import { addJob } from '../../../kernel/queue/index.ts';

let app: TestApp;
let person: BuiltToken;
let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mails.url}?tls=off` } });
  person = await buildToken(app);
  const admin = await buildToken(app, { user: await buildAdmin(app) });
  const json = { allow_local_requests_from_web_hooks_and_services: true, import_sources: ['github'] };
  expect((await app.api('PUT', '/application/settings', { token: admin.secret, json })).status).toBe(200);
});
afterEach(closeServed);
afterAll(async () => {
  await app.close();
  await mails.close();
});

interface File {
  readonly filename: string;
  readonly content: string;
  readonly truncated?: boolean;
  readonly raw_url?: string;
}
const gist = (id: string, open: boolean, files: readonly File[], description = '') => ({
  id,
  public: open,
  description,
  files: Object.fromEntries(files.map((file) => [file.filename, file])),
});
const file = (filename: string, content = `In ${filename}`): File => ({ filename, content });

const server = (first: (path: string) => Reply | undefined = () => undefined) =>
  served(({ path, query, authorization }, url) => {
    const special = first(path);
    if (special !== undefined) return special;
    if (path === '/raw/large.txt') return { status: authorization === '' ? 200 : 400, body: 'Large' };
    if (authorization !== 'Bearer good') return { status: 401, body: { message: 'Bad credentials' } };
    const many = Array.from({ length: 11 }, (_, at) => file(`f${at}.txt`));
    const gists = [
      gist('a', true, [file('one.txt'), file('two.md')], 'Open one'),
      gist('b', false, [{ ...file('large.txt', 'La'), truncated: true, raw_url: `${url}/raw/large.txt` }]),
      gist('c', true, many, 'Too many'),
      gist('d', true, [file('.git')], 'Bad name'),
    ];
    if (path === '/api/v3/user') return { body: { login: 'octocat' } };
    const one = gists.find(({ id }) => path === `/api/v3/gists/${id}`);
    if (one) return { body: one };
    if (path !== '/api/v3/gists') return null;
    const second = query.get('page') === '2';
    const link = `<${url}/api/v3/gists?per_page=100&page=2>; rel="next"`;
    return second ? { body: gists.slice(2) } : { body: gists.slice(0, 2), headers: { Link: link } };
  });
const ask = (url: string, token = 'good', name: 'github' | 'hostedgit' = 'github', by: BuiltToken | null = person) =>
  app.api<{ message?: unknown }>('POST', `/import/${name}/gists`, {
    ...(by ? { token: by.secret } : {}),
    json: { personal_access_token: token, [`${name}_hostname`]: url },
  });
it('[3/api.imports/4] [3/api.imports/4 personal_access_token] [3/api.imports/4 202] [3/api.imports/4 422] [1/limits.other-limits/5] gists of at most ten files become snippets; a mail lists those that failed', async () => {
  const { url } = await server();
  const running = { user_id: person.user.id, config_sealed: Buffer.from('x') };
  await app.db.insertInto('gist_imports').values(running).execute();
  for (const name of ['github', 'hostedgit'] as const)
    expect(await ask(url, 'good', name)).toMatchObject({
      status: 422,
      body: { message: 'Import already in progress' },
    });
  await app.db.deleteFrom('gist_imports').execute();
  expect((await ask(url, 'good', 'hostedgit')).status).toBe(202);
  const mail = await mails.next(person.user.email);
  for (const part of ['Too many', 'Snippets have at most 10 files', 'Bad name']) expect(mail.text).toContain(part);
  expect(mail.text).not.toContain('Open one');
  const { body } = await app.api<{ id: number; title: string }[]>('GET', '/snippets', { token: person.secret });
  expect(body).toMatchObject([
    { title: 'large.txt', visibility: 'private', imported: true, imported_from: 'github', file_name: 'large.txt' },
    { title: 'Open one', visibility: 'public', files: [{ path: 'one.txt' }, { path: 'two.md' }] },
  ]);
  const headers = { 'PRIVATE-TOKEN': person.secret };
  const raw = await fetch(`${app.url}/api/v4/snippets/${body[0]?.id}/raw`, { headers });
  expect(await raw.text()).toBe('"Large"');
  expect((await ask(url)).status).toBe(202);
  await mails.next(person.user.email);
  expect(await app.db.selectFrom('gist_imports').select('user_id').execute()).toEqual([]);
});

it('[3/api.imports/4 401] [3/api.imports/4 429] a token that is not valid, a limit that is reached and a broken server are told', async () => {
  const { url } = await server();
  expect((await ask(url, 'bad')).status).toBe(401);
  expect((await ask(url, 'good', 'github', null)).status).toBe(401);
  const limited = await server(() => ({ status: 403, headers: { 'x-ratelimit-remaining': '0' } }));
  expect((await ask(limited.url)).status).toBe(429);
  const broken = await server(() => ({ status: 418 }));
  expect((await ask(broken.url)).status).toBe(422);
  expect((await ask('ftp://x')).status).toBe(400);
  expect(await app.db.selectFrom('gist_imports').select('user_id').execute()).toEqual([]);
});

it('[3/api.imports/4] an import whose last attempt fails is over, and a mail names what is missing', async () => {
  const failures = JSON.stringify([{ title: 'Too many', reason: 'Snippets have at most 10 files' }]);
  // What seals its token is not a secret of this instance: no attempt can read it.
  const broken = { user_id: person.user.id, config_sealed: Buffer.from('x'), failures };
  await app.db.insertInto('gist_imports').values(broken).execute();
  await addJob(app.db, { name: 'portability.import_gists', maxAttempts: 1 }, { user_id: person.user.id });
  const mail = await mails.next(person.user.email);
  for (const part of ['Too many', 'All other gists', 'An unexpected error occurred']) expect(mail.text).toContain(part);
  expect(await app.db.selectFrom('gist_imports').selectAll().execute()).toEqual([]);
});
