/** Budgets of git: what a flood of anonymous callers may take, and what stays for everybody else. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let large: RepositoryProject;
let small: RepositoryProject;

beforeAll(async () => {
  app = await startTestApp({
    environment: {
      MILLRACE_GIT_BUDGETS: 'anonymous_download=2:1:60:60,anonymous_heavy=1:0:60:60',
    },
  });
  // Limits of requests are another mechanism: here nobody is stopped by them.
  await app.settings.write({
    project_repositories_archive_limit: 0,
    project_repositories_archive_unauthenticated_limit: 0,
  });
  large = await buildRepositoryProject(app, { visibility: 'public' });
  small = await buildRepositoryProject(app, { visibility: 'public' });
  // More than sockets and streams hold on the way: git waits for a client that does not read.
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await large.commit('main', { [name]: randomBytes(4 * 1024 * 1024).toString('base64') });
});
afterAll(() => app.close());

it('[security 24] [1/errors/17] a flood of anonymous archives has its own places, the rest is 503; signed-in callers keep theirs', async () => {
  const clients: AbortController[] = [];
  // Clients that do not read what they asked for: their processes stay until they leave.
  const archive = () => {
    const client = new AbortController();
    clients.push(client);
    const target = `${app.url}/api/v4/projects/${large.id}/repository/archive.tar`;
    return fetch(target, { signal: client.signal }).then((answer) => ({ answer, client }));
  };
  const flood = Array.from({ length: 12 }, archive);
  const waiting = new Set(flood);
  const answered: Awaited<(typeof flood)[number]>[] = [];
  while (answered.length < 11) {
    const [next, request] = await Promise.race(
      [...waiting].map((each) => each.then((found) => [found, each] as const)),
    );
    waiting.delete(request);
    answered.push(next);
  }
  const running = answered.filter(({ answer }) => answer.status === 200);
  const refused = answered.filter(({ answer }) => answer.status === 503);
  expect([running.length, refused.length]).toEqual([2, 9]);
  for (const { answer } of refused) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answer.json()).toEqual({
      message: '503 Service Unavailable - the git budget anonymous_download is used up: 2 at once, 1 waiting',
    });
  }

  // Every place of strangers is taken and will be: people do not notice.
  const { secret } = await buildToken(app);
  for (let index = 0; index < 5; index += 1) {
    const own = await app.api('GET', `/projects/${small.id}/repository/archive.tar`, { token: secret });
    expect(own.status).toBe(200);
  }
  expect(waiting.size).toBe(1);

  // Who leaves gives the place to who waits: the process has ended with its client.
  running[0]?.client.abort();
  const [last] = await Promise.all(waiting);
  expect(last?.answer.status).toBe(200);
  for (const client of clients) client.abort();
});

it('[security 24] work that takes longer than its budget is ended with 503', async () => {
  const impatient = await startTestApp({ environment: { MILLRACE_GIT_BUDGETS: 'anonymous_download=1:5:1:60' } });
  try {
    const project = await buildRepositoryProject(impatient, { visibility: 'public', files: null });
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await project.commit('main', { [name]: randomBytes(4 * 1024 * 1024).toString('base64') });
    const target = `${impatient.url}/api/v4/projects/${project.id}/repository/archive.tar`;
    const client = new AbortController();
    const first = await fetch(target, { signal: client.signal });
    expect(first.status).toBe(200);
    const second = await fetch(target);
    expect(second.status).toBe(503);
    expect(second.headers.get('retry-after')).toBe('5');
    expect(await second.json()).toEqual({
      message: '503 Service Unavailable - the git budget anonymous_download is used up: 1 at once, no place within 1 s',
    });
    client.abort();
  } finally {
    await impatient.close();
  }
});

it('[security 24] long walks of strangers have places of their own as well', async () => {
  const log = (token?: string) =>
    app.api('GET', `/projects/${large.id}/repository/commits?path=a&ref_name=main`, { token });
  const { secret } = await buildToken(app);
  // One at once and none waiting; the answer of a walk is kept by its ids, so each asks another window.
  const walks = Array.from({ length: 8 }, (_, index) =>
    app.api<{ message?: string }>('GET', `/projects/${large.id}/repository/commits?path=a&per_page=${index + 1}`),
  );
  const [found, own] = await Promise.all([Promise.all(walks), log(secret)]);
  const refused = found.filter(({ status }) => status === 503);
  expect(found.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  expect(refused.length + found.filter(({ status }) => status === 200).length).toBe(8);
  expect(refused[0]?.body.message).toContain('the git budget anonymous_heavy is used up: 1 at once, 0 waiting');
  expect(own.status).toBe(200);
});
