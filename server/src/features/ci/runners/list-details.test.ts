/** What lists of runners add on request. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { protocolRunner, startWorld, type World } from '../../../../test/ci.ts';

type Json = Record<string, unknown>;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

it('with_details adds tags, version, last contact and the owner', async () => {
  const token = world.owner.token;
  const [project, other] = [await world.project(), await world.project()];
  const json = { runner_type: 'project_type', project_id: project.id, tag_list: ['night'], run_untagged: false };
  const made = await world.app.api<{ id: number; token: string }>('POST', '/user/runners', { token, json });
  await world.app.api('POST', `/projects/${other.id}/runners`, { token, json: { runner_id: made.body.id } });
  const listed = async (path: string) => {
    const query = { type: 'project_type', with_details: true };
    const { body } = await world.app.api<Json[]>('GET', path, { token, query });
    return body.map(({ id, details }) => ({ id, details }));
  };
  const details = {
    tag_list: ['night'],
    run_untagged: false,
    locked: false,
    access_level: 'not_protected',
    version: null as string | null,
    contacted_at: null as unknown,
    owner_project_id: project.id,
    built_in: false,
  };
  for (const path of ['/runners', `/projects/${project.id}/runners`, `/projects/${other.id}/runners`])
    expect(await listed(path)).toEqual([{ id: made.body.id, details }]);
  await protocolRunner(world.app, made.body.token).request();
  expect(await listed('/runners')).toEqual([
    { id: made.body.id, details: { ...details, version: '17.2.0', contacted_at: expect.stringMatching(/Z$/) } },
  ]);
  // Without it lists stay as clients know them.
  const { body } = await world.app.api<Json[]>('GET', '/runners', { token });
  expect(body[0]).not.toHaveProperty('details');
});
