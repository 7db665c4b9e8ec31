/** What the requests that clients make most often take of the database, so that it does not grow unnoticed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../test/app.ts';
import { type JobPayload, protocolRunner } from '../test/ci.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../test/repositories.ts';
import { tracedWork } from '../test/traced-work.ts';

let app: TestApp;
let project: RepositoryProject;
let token: string;
let me: number;
const onBoard = { board: 0, list: 0 };
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app);
  // What several people take part in, with everything that a row can show.
  const member = await project.member(40);
  token = member.secret;
  me = member.user.id;
  await project.api('POST', '/labels', { json: { name: 'pump', color: '#4488cc' } });
  for (const title of ['The valve', 'The gauge', 'The valve again'])
    await project.api('POST', '/issues', { json: { title, labels: 'pump', assignee_ids: [member.user.id] } });
  await project.commit('work', { 'x.txt': 'x\n' }, { start_branch: 'main' });
  const opened = { source_branch: 'work', target_branch: 'main', title: 'M', labels: 'pump' };
  await project.api('POST', '/merge_requests', { json: opened });
  const board = async (path: string, json: Json) =>
    (await project.api<{ id: number }>('POST', `/boards${path}`, { json })).body.id;
  onBoard.board = await board('', { name: 'Works' });
  const { body: label } = await project.api<{ id: number }>('GET', '/labels/pump');
  onBoard.list = await board(`/${onBoard.board}/lists`, { label_id: label.id });
  await app.delivery.drain();
});
afterAll(() => app.close());

/** At most so many statements, and so many times that some are sent: what does not depend on each other goes together. */
async function expectWork(
  request: () => Promise<{ readonly status: number }>,
  most: { readonly status: number; readonly statements: number; readonly trips: number },
): Promise<void> {
  const work = await tracedWork(request);
  expect(work.result.status).toBe(most.status);
  // Who a token is of is known for a second; when it was last used is written from time to time, for all at once. Jobs that
  // wait wake the process, which looks for runners.
  const beside =
    /"access_tokens"\."token_sha256"|^update "(?:access_tokens|users)" set "last_|sum\(jobs\.number\) as waiting/;
  const asked = work.statements.filter((text) => !beside.test(text));
  const lookups = work.statements.length - asked.length;
  const described = asked.map((text) => text.replaceAll(/\s+/g, ' ')).join('\n');
  expect(asked.length, described).toBeLessThanOrEqual(most.statements);
  expect(work.trips - lookups, described).toBeLessThanOrEqual(most.trips);
}

it.each<[path: string, statements: number, trips: number]>([
  ['', 4, 2],
  ['/issues?per_page=2', 8, 3],
  ['/issues?labels=pump&assignee_id=Any&per_page=2', 9, 4],
  ['/issues?search=valve&per_page=2', 8, 3],
  ['/issues/1', 5, 3],
  ['/issues/1/notes', 5, 4],
  ['/merge_requests/1', 7, 4],
  ['/merge_requests/1/diffs', 3, 2],
  ['/merge_requests', 9, 4],
  ['/members', 4, 4],
  ['/members/all', 3, 3],
  ['/repository/branches', 3, 2],
  ['/repository/tree', 2, 1],
  ['/repository/files/x.txt/raw?ref=work', 1, 1],
  ['/repository/commits', 2, 1],
])('GET /projects/:id%s takes %i statements, sent %i times', async (path, statements, trips) => {
  // Until nothing more is learned from asking: credentials and settings are kept, statements prepared.
  for (let times = 0; times < 2; times += 1) await project.api('GET', path, { token });
  await expectWork(() => project.api('GET', path, { token }), { status: 200, statements, trips });
});

it('GET /users takes one statement: nobody is behind a group that may be closed', async () => {
  for (let times = 0; times < 2; times += 1) await app.api('GET', '/users', { token });
  await expectWork(() => app.api('GET', '/users', { token }), { status: 200, statements: 1, trips: 1 });
});

it.each<[path: string, json: Json, statements: number, trips: number]>([
  ['/issues', { title: 'Plain', description: 'As it is' }, 5, 3],
  ['/issues', { title: 'Planned', labels: 'pump', assignee_ids: 'me' }, 9, 7],
  ['/issues/1/notes', { body: 'Hello' }, 8, 6],
])('POST /projects/:id%s %j takes %i statements, sent %i times', async (path, given, statements, trips) => {
  const json = given.assignee_ids ? { ...given, assignee_ids: [me] } : given;
  await project.api('POST', path, { json, token });
  await expectWork(() => project.api('POST', path, { json, token }), { status: 201, statements, trips });
});

it('a pipeline of thirty jobs is made with few statements, and canceled', async () => {
  const jobs = Array.from({ length: 30 }, (_none, at) => `job${at}: {script: [x], tags: [nobody]}\n`).join('');
  await project.commit('many', { '.gitlab-ci.yml': jobs }, { start_branch: 'main' });
  const make = () => project.api<{ id: number }>('POST', '/pipeline', { json: { ref: 'many' }, token });
  for (let times = 0; times < 3; times += 1) {
    const { body } = await make();
    await project.api('POST', `/pipelines/${body.id}/cancel`, { token });
  }
  await app.delivery.drain();
  let made = 0;
  const making = async () => {
    const answer = await make();
    made = answer.body.id;
    return answer;
  };
  await expectWork(making, { status: 201, statements: 20, trips: 17 });
  await app.delivery.drain();
  await expectWork(() => project.api('POST', `/pipelines/${made}/cancel`, { token }), {
    ...{ status: 200, statements: 18, trips: 16 },
  });
  await app.delivery.drain();
});

it('a job takes few statements of its runner: 5 to be given, 1 for a short log, 9 to end and to start the next', async () => {
  const names = ['s0', 's1', 's2', 's3', 's4', 's5'];
  const jobs = names.map((name) => `${name}: {stage: ${name}, script: [x]}\n`).join('');
  await project.commit('main', { '.gitlab-ci.yml': `stages: [${names.join(', ')}]\n${jobs}` });
  await app.delivery.drain();
  const made = await app.api<{ token: string }>('POST', '/user/runners', {
    token: project.owner.secret,
    json: { runner_type: 'project_type', project_id: project.id },
  });
  const runner = protocolRunner(app, made.body.token);
  for (let times = 0; times < 3; times += 1) await runner.run();
  let job: JobPayload | undefined;
  const take = async () => {
    const answer = await runner.request();
    job = JSON.parse(answer.text) as JobPayload;
    return answer;
  };
  await expectWork(take, { status: 201, statements: 5, trips: 4 });
  const given = job as unknown as JobPayload;
  await expectWork(() => runner.patch(given, 'all that it says\n'), { status: 202, statements: 1, trips: 1 });
  await expectWork(() => runner.update(given, 'success'), { status: 200, statements: 9, trips: 7 });
  // The log that comes with the end costs none, and nothing afterwards: it is where it stays.
  await app.delivery.drain();
  await take();
  const last = job as unknown as JobPayload;
  const whole = { last_piece: { start: 0, data: 'YQ==' }, output: { bytesize: 1 } };
  await expectWork(() => runner.update(last, 'success', whole), { status: 200, statements: 9, trips: 7 });
});

it('a board of three columns is read with one request, and an issue is moved on it, with few statements', async () => {
  const path = `/boards/${onBoard.board}`;
  const read = () => project.api('GET', `${path}/columns`, { token });
  for (let times = 0; times < 2; times += 1) await read();
  await expectWork(read, { status: 200, statements: 13, trips: 13 });
  const { body } = await project.api<{ id: number }[]>('GET', '/issues', { token });
  const [first, second, third] = body.map(({ id }) => id);
  const move = (from: string, to: string) => () =>
    project.api('PUT', `${path}/issues/${first}`, {
      ...{ token, json: { from_column: from, to_column: to, move_after_id: second, move_before_id: third } },
    });
  const list = String(onBoard.list);
  await move(list, 'backlog')();
  await move('backlog', list)();
  await expectWork(move(list, list), { status: 200, statements: 18, trips: 13 });
  await expectWork(move(list, 'backlog'), { status: 200, statements: 27, trips: 22 });
});
