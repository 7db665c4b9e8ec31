/** What becomes of the pipelines and schedules of people who are blocked. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Account, type ProtocolRunner, startWorld, type TestProject, type World } from '../../../../test/ci.ts';

let world: World;
let runner: ProtocolRunner;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

const config = 'a: {script: [x]}\nb: {stage: deploy, script: [x]}\nhand: {script: [x], when: manual}\n';
const blocked = { status: 'failed', failure_reason: 'user_blocked' };
const as = (by: Account, method: 'GET' | 'POST', path: string, json?: object) =>
  world.app.api<{ id: number; active: boolean }>(method, path, { token: by.token, ...(json ? { json } : {}) });

async function withMember(): Promise<{ project: TestProject; member: Account }> {
  const [project, member] = await Promise.all([world.project(), world.account()]);
  await as(world.owner, 'POST', `/projects/${project.id}/members`, { user_id: member.user.id, access_level: 40 });
  return { project, member };
}

it('what they started fails, what others started goes on, and their schedules are off', async () => {
  const { project, member } = await withMember();
  const schedules = `/projects/${project.id}/pipeline_schedules`;
  const daily = { description: 'daily', ref: 'main', cron: '0 4 * * *' };
  const { id: schedule } = (await as(member, 'POST', schedules, daily)).body;
  const theirs = await project.push(config, { token: member.token, branch: 'theirs' });
  const running = await runner.next();
  const mine = await project.push(config, { branch: 'mine' });
  await as(world.admin, 'POST', `/users/${member.user.id}/block`);
  await project.reaches(theirs.id, 'failed');
  for (const name of ['a', 'b', 'hand']) expect(await project.job(theirs.id, name)).toMatchObject(blocked);
  expect((await runner.update(running, 'success')).status).toBe(403);
  expect((await as(world.owner, 'GET', `${schedules}/${schedule}`)).body.active).toBe(false);
  expect((await runner.run()).job_info).toMatchObject({ name: 'a', pipeline_id: mine.id });
  expect((await runner.run()).job_info.name).toBe('b');
  await project.reaches(mine.id, 'success');
});

it('a job that waits in the name of somebody who is blocked is not handed out', async () => {
  const { project, member } = await withMember();
  const { id } = await project.push('a: {script: [x]}\n', { token: member.token, branch: 'theirs' });
  await world.app.db.updateTable('users').set({ state: 'banned' }).where('id', '=', member.user.id).execute();
  expect((await runner.request()).status).toBe(204);
  expect(await project.job(id, 'a')).toMatchObject(blocked);
});
