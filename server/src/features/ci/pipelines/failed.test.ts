/** Failed pipelines of a person: whose they are, until when they wait, and that they are counted with everything else that waits. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld, type World } from '../../../../test/ci.ts';

interface Failed {
  readonly id: number;
  readonly ref: string;
  readonly project: { readonly path_with_namespace: string };
}
interface Counts {
  readonly todos: number;
  readonly failed_pipelines: number;
  readonly waiting: number;
}

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const list = async (token: string) =>
  (await world.app.api<Failed[]>('GET', '/user/failed_pipelines', { token })).body.map(({ id }) => id);
const counts = async (token: string) => (await world.app.api<Counts>('GET', '/user_counts', { token })).body;
const broken = 'a: {script: 7, stage: nowhere}';

it('lists what failed until a newer pipeline of the ref replaces it, for whoever started it', async () => {
  const project = await world.project();
  const other = await world.account();
  const { token } = world.owner;
  expect((await world.app.api('GET', '/user/failed_pipelines')).status).toBe(401);
  const first = await project.push(broken);
  const branch = await project.push(broken, { branch: 'feature' });
  expect([first.status, branch.status]).toEqual(['failed', 'failed']);
  expect(await list(token)).toEqual([branch.id, first.id]);
  const { body } = await world.app.api<Failed[]>('GET', '/user/failed_pipelines', { token, query: { per_page: 1 } });
  expect(body).toMatchObject([{ ref: 'feature', project: { path_with_namespace: project.path } }]);
  expect(await list(other.token)).toEqual([]);
  expect(await counts(token)).toMatchObject({ failed_pipelines: 2, waiting: 2 });
  await project.push('a: {script: [x]}', { branch: 'feature' });
  expect(await list(token)).toEqual([first.id]);
  expect(await counts(token)).toMatchObject({ failed_pipelines: 1, waiting: 1 });
});

it('forgets those of projects that the person left, and those that are old', async () => {
  const project = await world.project();
  const member = await world.account();
  const members = `/projects/${project.id}/members`;
  const json = { user_id: member.user.id, access_level: 40 };
  expect((await world.app.api('POST', members, { token: world.owner.token, json })).status).toBe(201);
  const { id } = await project.push(broken, { branch: 'mine', token: member.token });
  expect(await list(member.token)).toEqual([id]);
  await world.app.api('DELETE', `${members}/${member.user.id}`, { token: world.owner.token });
  expect(await list(member.token)).toEqual([]);
  expect((await world.app.api('POST', members, { token: world.owner.token, json })).status).toBe(201);
  expect(await list(member.token)).toEqual([id]);
  const old = new Date(Date.now() - 31 * 86_400_000);
  await world.app.db.updateTable('pipelines').set({ created_at: old }).where('id', '=', id).execute();
  expect(await list(member.token)).toEqual([]);
});

it('counts a merge request with two roles and a to-do once, and to-dos about other things beside it', async () => {
  const project = await world.project();
  const { token, user } = await world.account();
  const members = `/projects/${project.id}/members`;
  const owner = world.owner.token;
  await world.app.api('POST', members, { token: owner, json: { user_id: user.id, access_level: 40 } });
  await project.commit(null, { branch: 'change', files: { 'a.txt': 'a' } });
  const request = await world.app.api('POST', `/projects/${project.id}/merge_requests`, {
    token: owner,
    json: {
      ...{ source_branch: 'change', target_branch: 'main', title: 'Change' },
      ...{ reviewer_ids: [user.id], assignee_id: user.id },
    },
  });
  expect(request.status).toBe(201);
  const issue = { title: 'Look', assignee_ids: [user.id] };
  expect((await world.app.api('POST', `/projects/${project.id}/issues`, { token: owner, json: issue })).status).toBe(
    201,
  );
  expect(await counts(token)).toEqual({
    ...{ merge_requests: 1, assigned_merge_requests: 1, review_requested_merge_requests: 1 },
    ...{ todos: 2, failed_pipelines: 0, waiting: 2 },
  });
});
