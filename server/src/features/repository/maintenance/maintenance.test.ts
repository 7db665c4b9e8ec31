/** The commit-graph of a pushed repository appears by itself, also past the lock of a killed git. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken, buildUser } from '../../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ background: true });
});
afterAll(() => app.close());

it('a commit-graph is written after enough writes, although a killed git left its lock', async () => {
  const user = await buildUser(app);
  const { secret: token } = await buildToken(app, { user });
  const json = { name: 'graph', path: 'graph', initialize_with_readme: true };
  const created = await app.api<{ id: number }>('POST', '/projects', { token, json });
  expect(created.status).toBe(201);
  const repositories = readdirSync(app.directory, { recursive: true, encoding: 'utf8' });
  const repository = repositories.find((name) => name.endsWith('.git'));
  const info = path.join(app.directory, repository ?? '', 'objects/info');
  mkdirSync(path.join(info, 'commit-graphs'), { recursive: true });
  const lock = path.join(info, 'commit-graphs/commit-graph-chain.lock');
  writeFileSync(lock, '');
  // Generation 1 is the README; the graph is due at the 32nd.
  for (let step = 2; step <= 32; step++) {
    const body = { branch: `b${step}`, ref: 'main' };
    const made = await app.api('POST', `/projects/${created.body.id}/repository/branches`, { token, json: body });
    expect(made.status).toBe(201);
    if (step < 32) expect(existsSync(path.join(info, 'commit-graphs/commit-graph-chain'))).toBe(false);
  }
  await expect
    .poll(() => existsSync(path.join(info, 'commit-graphs/commit-graph-chain')), { timeout: 10_000 })
    .toBe(true);
  await expect.poll(() => existsSync(lock)).toBe(false);
});
