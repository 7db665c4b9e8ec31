/** The value stream of projects and groups: medians of times that were worked out by hand. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  [owner, guest, stranger] = [await buildToken(app), await buildToken(app), await buildToken(app)];
});
afterAll(() => app.close());
const call = callsOf(() => app);

/** Noon of a day in January 2026, and hours after it. */
const at = (day: number, hours = 0) => new Date(Date.UTC(2026, 0, day, 12 + hours));
const hour = 3600;

async function place() {
  const group = await buildGroup(app, { owner: owner.user });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  const project = await buildProject(app, { namespace: group, owner: owner.user });
  return { group, project };
}

/** A merge request as its times say; to production where it was deployed. */
async function merged(
  projectId: number,
  iid: number,
  times: { pushed: Date; created: Date; merged: Date; deployed?: Date },
): Promise<void> {
  const { db } = app;
  const branch = `branch-${iid}`;
  await db
    .insertInto('events')
    .values({
      ...{ project_id: projectId, author_id: owner.user.id, action: 'pushed', push_action: 'created' },
      ...{ ref_type: 'branch', ref: branch, commit_count: 1, created_at: times.pushed },
    })
    .execute();
  const { id } = await db
    .insertInto('merge_requests')
    .values({
      ...{ iid, project_id: projectId, source_project_id: projectId, author_id: owner.user.id, title: branch },
      ...{ source_branch: branch, target_branch: 'main', state: 'merged' },
      ...{ created_at: times.created, merged_at: times.merged },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (!times.deployed) return;
  const tier = iid === 9 ? 'staging' : 'production';
  const environment = await db
    .insertInto('environments')
    .values({ project_id: projectId, name: `${tier}-${iid}`, slug: `${tier}-${iid}`, tier })
    .returning('id')
    .executeTakeFirstOrThrow();
  const deployment = await db
    .insertInto('deployments')
    .values({
      ...{ iid, project_id: projectId, environment_id: environment.id, ref: 'main', tag: false, sha: 'a'.repeat(40) },
      ...{ status: 'success', finished_at: times.deployed },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('deployment_merge_requests')
    .values({ deployment_id: deployment.id, merge_request_id: id })
    .execute();
}

describe('the value stream', () => {
  it('has the median time of each stage, from the first push to production', async () => {
    const { group, project } = await place();
    const path = `/projects/${project.id}/value_stream`;
    await merged(project.id, 1, { pushed: at(5), created: at(5, 2), merged: at(5, 6), deployed: at(5, 7) });
    await merged(project.id, 2, { pushed: at(6), created: at(6, 4), merged: at(6, 14), deployed: at(6, 17) });
    await merged(project.id, 3, { pushed: at(7), created: at(7, 6), merged: at(7, 8) });
    // Staging is not production; what was merged later is of another time.
    await merged(project.id, 9, { pushed: at(8), created: at(8, 1), merged: at(8, 2), deployed: at(8, 3) });
    await merged(project.id, 4, { pushed: at(25), created: at(25, 1), merged: at(25, 2), deployed: at(25, 3) });
    for (const [hours, confidential] of [
      [10, false],
      [30, false],
      [99, true],
    ] as const) {
      const json = { title: 'i', confidential, created_at: at(5).toISOString() };
      const issue = (await call('POST', `/projects/${project.id}/issues`, owner, json)).body;
      await app.db
        .updateTable('issues')
        .set({ state: 'closed', closed_at: at(5, hours) })
        .where('id', '=', issue.id as number)
        .execute();
    }
    const query = { from: at(1).toISOString(), to: at(20).toISOString() };
    const shown = async (address: string, token: BuiltToken) =>
      (await call<{ stages: Json[] }>('GET', address, token, undefined, query)).body.stages;
    const stages = [
      { name: 'issue', count: 3, median_seconds: 30 * hour },
      // 2, 4, 6 and 1 hours; 4, 10, 2 and 1 hours.
      { name: 'code', count: 4, median_seconds: 3 * hour },
      { name: 'review', count: 4, median_seconds: 3 * hour },
      { name: 'deploy', count: 2, median_seconds: 2 * hour },
      { name: 'cycle', count: 2, median_seconds: 12 * hour },
    ];
    expect(await shown(path, owner)).toEqual(stages);
    expect(await shown(`/groups/${group.id}/value_stream`, owner)).toEqual(stages);
    // Guests of a private project see issues, but no code.
    expect(await shown(path, guest)).toEqual([
      { name: 'issue', count: 2, median_seconds: 20 * hour },
      ...stages.slice(1).map(({ name }) => ({ name, count: 0, median_seconds: null })),
    ]);
    expect((await call('GET', path, stranger)).status).toBe(404);
    expect((await call('GET', `/groups/${group.id}/value_stream`, stranger)).status).toBe(404);
    const wrong = { from: query.to, to: query.from };
    expect((await call('GET', path, owner, undefined, wrong)).status).toBe(400);
    const now = await call<{ from: string; to: string }>('GET', path, owner);
    expect(Date.parse(now.body.to) - Date.parse(now.body.from)).toBe(30 * 86_400_000);
  });
});
