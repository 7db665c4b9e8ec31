/** Names of pipelines: from the configuration, and given later. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProtocolRunner, startWorld, type TestProject, type World } from '../../../../test/ci.ts';

type Named = { readonly id: number; readonly name: string | null; readonly message?: unknown };

let world: World;
let runner: ProtocolRunner;
let project: TestProject;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  project = await world.project();
});
afterAll(() => world.close());

const path = (id: number) => `/projects/${project.id}/pipelines/${id}/metadata`;
const put = (id: number, json: object, token = world.owner.token) =>
  world.app.api<Named>('PUT', path(id), { token, json });
const list = async (name: string) =>
  (
    await world.app.api<Named[]>('GET', `/projects/${project.id}/pipelines`, {
      token: world.owner.token,
      query: { name },
    })
  ).body.map(({ id }) => id);

it('takes a name of up to 255 characters without the spaces around it', async () => {
  const pipeline = await project.push('workflow: {name: Build of $CI_COMMIT_REF_NAME}\na: {script: [x]}');
  expect(pipeline).toMatchObject({ name: 'Build of main' });
  expect(await list('Build of main')).toEqual([pipeline.id]);
  const name = 'ü'.repeat(255);
  const renamed = await put(pipeline.id, { name: `  ${name} ` });
  expect([renamed.status, renamed.body.id, renamed.body.name]).toEqual([200, pipeline.id, name]);
  expect(await project.pipeline(pipeline.id)).toMatchObject({ name });
  expect([await list('Build of main'), await list(name)]).toEqual([[], [pipeline.id]]);
  await runner.run();
});

it('refuses names that are empty or too long, and says why', async () => {
  const pipeline = await project.push('a: {script: [y]}');
  const message = 'Failed to update pipeline';
  for (const [name, reason] of [
    [' \n', 'Name is too short (minimum is 1 character)'],
    ['x'.repeat(256), 'Name is too long (maximum is 255 characters)'],
  ]) {
    const refused = await put(pipeline.id, { name });
    expect([refused.status, refused.body]).toEqual([400, { message: `${message} - ${reason}` }]);
  }
  expect((await put(pipeline.id, {})).body).toEqual({ error: 'name is missing' });
  expect(await project.pipeline(pipeline.id)).toMatchObject({ name: null });
  await runner.run();
});

it('names only pipelines of its project, also with the token of a job there', async () => {
  const pipeline = await project.push('a: {script: [z]}');
  const { token } = await runner.next();
  const address = `/projects/${project.id}/pipelines/${pipeline.id}/metadata`;
  const headers = { 'job-token': token };
  const named = await world.app.api<Named>('PUT', address, { headers, json: { name: 'By its job' } });
  expect([named.status, named.body.name]).toEqual([200, 'By its job']);
  const other = await world.project();
  const wrong = `/projects/${other.id}/pipelines/${pipeline.id}/metadata`;
  const refused = await world.app.api('PUT', wrong, { token: world.owner.token, json: { name: 'x' } });
  expect([refused.status, refused.body]).toEqual([404, { message: '404 Not found' }]);
  const stranger = await world.account();
  expect((await put(pipeline.id, { name: 'x' }, stranger.token)).status).toBe(404);
});
