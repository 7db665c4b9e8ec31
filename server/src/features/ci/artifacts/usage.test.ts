/** The quota of a project's artifacts, and the figures of their clean-up. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyZip, type ProtocolRunner, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { deleteExpired } from './artifacts.queries.ts';

let world: World;
let project: TestProject;
let runner: ProtocolRunner;
beforeAll(async () => {
  world = await startWorld();
  project = await world.project();
  runner = await world.runner();
  await project.push('a:\n  parallel: 3\n  script: x\n');
});
afterAll(() => world.close());

const statistics = async (token = world.owner.token) =>
  await world.app.api<Record<string, unknown>>('GET', `/projects/${project.id}/ci/artifacts/statistics`, { token });
const setQuota = (artifacts_quota: number | null, token = world.admin.token) =>
  world.app.api('PUT', `/projects/${project.id}`, { token, json: { artifacts_quota } });
const zip = (bytes: number) => ({ data: emptyZip(bytes), name: 'a.zip', type: 'archive', format: 'zip' });

it('refuses what exceeds the quota and says so; administrators set it', async () => {
  await setQuota(5, world.owner.token);
  expect((await statistics()).body.quota).toBeNull();
  expect((await setQuota(10_000)).status).toBe(200);
  const [first, second, third] = [await runner.next(), await runner.next(), await runner.next()];
  expect((await runner.upload(first, zip(6000))).status).toBe(201);
  const refused = await runner.upload(second, zip(6000));
  expect(refused.status).toBe(413);
  expect(JSON.parse(refused.text).message).toBe(
    '413 Request Entity Too Large - the artifacts of the project exceed artifacts_quota, 10000 bytes: 4000 are left',
  );
  expect((await runner.upload(second, zip(4000))).status).toBe(201);
  expect((await runner.upload(third, zip(22))).status).toBe(413);
  // Nothing of what was refused is kept.
  expect((await statistics()).body).toEqual({
    count: 2,
    size: 10_000,
    expiring_size: 10_000,
    quota: 10_000,
    removals: [],
  });
  await setQuota(null);
  expect((await runner.upload(third, zip(22))).status).toBe(201);
  for (const job of [first, second, third]) await runner.update(job, 'failed');
});

it('counts what the clean-up removes, by day', async () => {
  const { db } = world.app;
  const past = { expire_at: new Date(Date.now() - 60_000) };
  await db
    .updateTable('job_artifacts')
    .set(past)
    .where('project_id', '=', project.id)
    .where('size', '>', 100)
    .execute();
  expect(await transaction(db, async (tx) => deleteExpired(tx, true, 1))).toBe(1);
  expect(await transaction(db, async (tx) => deleteExpired(tx, true, 100))).toBe(1);
  expect((await statistics()).body).toMatchObject({
    ...{ count: 1, size: 22 },
    removals: [{ removed_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), count: 2, size: 10_000 }],
  });
  expect((await statistics((await world.account()).token)).status).toBe(404);
});
