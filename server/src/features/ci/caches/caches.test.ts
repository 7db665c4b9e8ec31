/** Caches of jobs: saved and restored over the protocol, listed, measured, evicted and cleared. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JobPayload, type ProtocolRunner, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildProject } from '../../../../test/factories.ts';

interface Cache {
  readonly id: number;
  readonly key: string;
  readonly protected: boolean;
  readonly size: number;
  readonly hits: number;
}

let world: World;
let project: TestProject;
let runner: ProtocolRunner;
beforeAll(async () => {
  world = await startWorld({
    environment: { MILLRACE_MAX_CACHE_BYTES: '2000', MILLRACE_MAX_PROJECT_CACHE_BYTES: '3000' },
  });
  project = await world.project();
  runner = await world.runner();
});
afterAll(() => world.close());

const config = `test:
  parallel: 2
  script: x
  cache:
    - {key: deps, paths: [a], fallback_keys: [old]}
    - {key: shared, paths: [b], fallback_keys: [old], unprotect: true}
`;
const keysOf = (job: JobPayload) =>
  (job.cache as { key: string; fallback_keys: string[] }[]).map((each) => [each.key, ...each.fallback_keys]);
const cacheUrl = (job: JobPayload, key: string) =>
  `${world.app.url}/api/v4/jobs/${job.id}/cache?${new URLSearchParams({ key })}`;

async function save(job: JobPayload, key: string, content: string | Buffer, token = job.token): Promise<number> {
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(Buffer.from(content))]), 'cache.zip');
  return (await fetch(cacheUrl(job, key), { method: 'POST', headers: { 'JOB-TOKEN': token }, body })).status;
}
async function restore(job: JobPayload, key: string): Promise<string | number> {
  const answer = await fetch(cacheUrl(job, key), { headers: { 'JOB-TOKEN': job.token } });
  return answer.status === 200 ? await answer.text() : answer.status;
}
const caches = async (of: { id: number } = project) =>
  (await world.app.api<Cache[]>('GET', `/projects/${of.id}/ci/caches`, { token: world.owner.token })).body;
const call = (method: 'GET' | 'DELETE', path: string, token = world.owner.token) =>
  world.app.api<Record<string, unknown>>(method, `/projects/${project.id}/ci/caches${path}`, { token });

it('keeps what a job saves, counts hits and misses, and forgets what is deleted', async () => {
  await project.push(config);
  const job = await runner.next();
  expect(keysOf(job)).toEqual([
    ['deps-protected', 'old-protected'],
    ['shared-non_protected', 'old-non_protected'],
  ]);
  const [{ key }] = job.cache as [{ key: string }];
  expect(await restore(job, key)).toBe(404);
  expect(await save(job, key, 'first')).toBe(204);
  expect(await restore(job, key)).toBe('first');
  expect(await save(job, key, 'second')).toBe(204);
  expect(await restore(job, key)).toBe('second');
  expect(await caches()).toMatchObject([{ key, protected: true, size: 6, hits: 2 }]);
  const { body } = await call('GET', '/statistics');
  expect(body).toEqual({ count: 1, size: 6, size_limit: 3000, hits: 2, misses: 1, hit_rate: 0.667 });
  const [cache] = await caches();
  expect((await call('DELETE', `/${cache?.id}`)).status).toBe(204);
  expect((await call('DELETE', `/${cache?.id}`)).status).toBe(404);
  expect(await restore(job, key)).toBe(404);
  // Objects go with their rows.
  const doomed = await world.app.db.selectFrom('object_deletions').selectAll().execute();
  expect(doomed.length).toBeGreaterThanOrEqual(2);
  await runner.update(job, 'success');
});

it('deletes those not used for longest, and refuses one that is too large', async () => {
  const job = await runner.next();
  for (const key of ['a', 'b']) expect(await save(job, key, Buffer.alloc(1400))).toBe(204);
  await restore(job, 'a');
  expect(await save(job, 'c', Buffer.alloc(1400))).toBe(204);
  expect((await caches()).map(({ key }) => key).sort()).toEqual(['a', 'c']);
  expect(await save(job, 'd', Buffer.alloc(2001))).toBe(413);
  await runner.update(job, 'success');
  expect(await save(job, 'late', 'x')).toBe(403);
});

it('security: jobs of other refs neither read nor plant caches of protected ones', async () => {
  await project.push(config, { branch: 'feature' });
  const job = await runner.next();
  expect(keysOf(job)).toEqual([
    ['deps-non_protected', 'old-non_protected'],
    ['shared-non_protected', 'old-non_protected'],
  ]);
  expect(await save(job, 'deps-protected', 'poison')).toBe(403);
  expect(await restore(job, 'deps-protected')).toBe(403);
  expect(await save(job, 'deps-non_protected', 'x', 'glcbt-wrong')).toBe(403);
  expect(await save(job, 'deps-non_protected', 'mine')).toBe(204);
  // Another project has caches of its own.
  const other = await buildProject(world.app, { owner: world.owner.user });
  expect(await caches(other)).toEqual([]);
  const [cache] = await caches();
  const path = `/projects/${other.id}/ci/caches/${cache?.id}`;
  expect((await world.app.api('DELETE', path, { token: world.owner.token })).status).toBe(404);
  await runner.update(job, 'success');
});

it('clears all: runners elsewhere get other keys', async () => {
  const reader = await world.account();
  expect((await call('DELETE', '', reader.token)).status).toBe(404);
  expect((await call('DELETE', '')).status).toBe(204);
  expect(await caches()).toEqual([]);
  expect((await call('GET', '/statistics')).body).toMatchObject({ count: 0, hits: 0, misses: 0, hit_rate: null });
  const job = await runner.next();
  expect(keysOf(job)[0]).toEqual(['deps-1-non_protected', 'old-1-non_protected']);
  await runner.update(job, 'success');
  const events = await world.app.db
    .selectFrom('audit_events')
    .select('event')
    .where('entity_id', '=', project.id)
    .execute();
  expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['job_cache_deleted', 'job_caches_cleared']));
});
