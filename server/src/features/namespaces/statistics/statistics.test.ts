/** What projects and groups are told to store follows every file that comes and goes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyZip, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildAdmin, buildGroup, buildToken } from '../../../../test/factories.ts';
import { plansOf, seed } from '../../../../test/plans.queries.ts';
import { runTask } from '../../../../test/tasks.ts';
import { anonymous } from '../../../kernel/authz/subjects.ts';
import { walkedPage } from '../projects/listing.queries.ts';
import { recordMeasures } from './statistics.queries.ts';

let world: World;
let admin: string;
beforeAll(async () => {
  world = await startWorld();
  admin = (await buildToken(world.app, { user: await buildAdmin(world.app) })).secret;
});
afterAll(() => world.close());

const run = (name: string) => runTask(world.app, name);

async function told(project: TestProject): Promise<Record<string, number>> {
  const { body } = await world.app.api<{ statistics: Record<string, number> }>('GET', `/projects/${project.id}`, {
    token: admin,
    query: { statistics: 'true' },
  });
  return body.statistics;
}

async function add(table: 'project_uploads', projectId: number, size: number): Promise<void> {
  const secret = `${projectId}-${size}`;
  await world.app.db
    .insertInto(table)
    .values({ project_id: projectId, secret, file_name: 'a', object_key: `uploads/${secret}`, size })
    .execute();
}

it('[3/fields.group/19] sums follow files, in the transaction of each; measured sizes are added; the night repairs', async () => {
  const group = await buildGroup(world.app, { owner: world.owner.user });
  const inside = await buildGroup(world.app, { parent: group });
  const project = await world.project({ namespace_id: inside.id });
  const other = await world.project({ namespace_id: group.id });
  expect((await told(project)).storage_size).toBe((await told(project)).repository_size);
  // Repositories are measured in the background: how large they are may change at any time here.
  const beside = (sizes: Record<string, number>) => (sizes.storage_size ?? 0) - (sizes.repository_size ?? 0);
  await recordMeasures(world.app.db, project.id, { wiki_size: 1007 });

  const runner = await world.runner();
  await project.push('build: {script: [x], artifacts: {paths: [dist]}}');
  const job = await runner.next();
  const file = { data: emptyZip(64), name: 'a.zip', type: 'archive', format: 'zip' };
  expect((await runner.upload(job, file)).status).toBe(201);
  await runner.update(job, 'success');
  await add('project_uploads', project.id, 300);
  await add('project_uploads', project.id, 40);
  await add('project_uploads', other.id, 2);
  const artifacts = (await told(project)).job_artifacts_size ?? 0;
  expect(artifacts).toBeGreaterThanOrEqual(64);
  const full = await told(project);
  expect(full).toMatchObject({ wiki_size: 1007, uploads_size: 340 });
  expect(beside(full)).toBe(1347 + artifacts);
  const below = await world.app.api<{ statistics: Record<string, number> }>('GET', `/groups/${group.id}`, {
    token: admin,
    query: { statistics: 'true' },
  });
  expect(below.body.statistics).toMatchObject({ wiki_size: 1007, uploads_size: 342, job_artifacts_size: artifacts });
  expect(beside(below.body.statistics)).toBe(1349 + artifacts);

  // What is not there is not counted, whichever way it goes; nothing else changes.
  await world.app.db
    .transaction()
    .execute(async (tx) => {
      await tx.deleteFrom('project_uploads').where('size', '=', 300).execute();
      throw new Error('undone');
    })
    .catch(() => undefined);
  expect((await told(project)).uploads_size).toBe(340);
  await world.app.db.deleteFrom('project_uploads').where('size', 'in', [300, 2]).execute();
  await world.app.api('DELETE', `/projects/${project.id}/jobs/${job.id}/artifacts`, { token: world.owner.token });
  const less = await told(project);
  expect(less).toMatchObject({ uploads_size: 40, job_artifacts_size: 0 });
  expect(beside(less)).toBe(1047);
  expect((await told(other)).uploads_size).toBe(0);

  await world.app.db.updateTable('project_statistics').set({ uploads_size: 99, job_artifacts_size: 5 }).execute();
  await run('namespaces.recount_statistics');
  expect(await told(project)).toMatchObject({ uploads_size: 40, job_artifacts_size: 0, wiki_size: 1007 });
  expect((await told(other)).uploads_size).toBe(0);
});

it('orders of large lists walk an index', async () => {
  await seed(
    world.app.database,
    `insert into projects (namespace_id, name, path, visibility, repository_path)
       select (select min(id) from namespaces), 'many-' || n, 'many-' || n, 'public', '@many/' || n
       from generate_series(1, 3000) n;
     update project_statistics set repository_size = project_id;
     analyze projects, project_statistics, namespaces`,
  );
  for (const [order, index] of [
    ['storage_size', 'storage'],
    ['repository_size', 'repository'],
    ['wiki_size', 'wiki'],
    ['packages_size', 'packages'],
  ] as const) {
    const window = { order, direction: 'desc', limit: 21, offset: 0, after: null } as const;
    const [plan] = await plansOf(world.app.database, (db) => walkedPage(db, anonymous, {}, window));
    expect(plan).toContain(`Scan Backward using project_statistics_${index} on`);
  }
});
