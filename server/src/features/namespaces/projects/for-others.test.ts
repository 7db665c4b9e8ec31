/** What administrators do with projects for others: making one for somebody, moving one to a group. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildProject,
  buildToken,
  unique,
} from '../../../../test/factories.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let admin: BuiltToken;
let person: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  person = await buildToken(app);
});
afterAll(() => app.close());
const post = (target: string, token: BuiltToken | undefined, json: Json = {}) =>
  app.api<Json>('POST', target, { token: token?.secret, json });

it('a project made for somebody is theirs, with every attribute', async () => {
  const target = `/projects/user/${person.user.id}`;
  const name = unique('given');
  const made = await post(target, admin, {
    name,
    visibility: 'internal',
    build_timeout: 900,
    initialize_with_readme: true,
  });
  expect(made).toMatchObject({
    status: 201,
    body: {
      name,
      path_with_namespace: `${person.user.username}/${name}`,
      visibility: 'internal',
      build_timeout: 900,
      creator_id: person.user.id,
      owner: { id: person.user.id },
      empty_repo: false,
    },
  });
  const commits = await app.api<Json[]>('GET', `/projects/${made.body.id}/repository/commits`, {
    token: person.secret,
  });
  expect(commits.body[0]).toMatchObject({ author_name: person.user.name });
  const events = await app.api<Json[]>('GET', `/projects/${made.body.id}/audit_events`, { token: admin.secret });
  expect(events.body[0]).toMatchObject({
    event_name: 'project_created',
    details: { impersonated_by: { id: admin.user.id } },
  });
  expect((await post(target, admin, { name })).status).toBe(400);
  expect((await post(target, admin)).status).toBe(400);
  expect((await post('/projects/user/999999', admin, { name: 'x' })).status).toBe(404);
  expect((await post(target, person, { name: 'x' })).status).toBe(403);
  expect((await post(target, undefined, { name: 'x' })).status).toBe(401);
});

it('a project is moved to a group by administrators', async () => {
  const group = await buildGroup(app, { owner: person.user });
  const project = await buildProject(app, { owner: person.user });
  const target = `/groups/${group.id}/projects/${project.id}`;
  expect((await post(target, person)).status).toBe(403);
  expect((await post(target, undefined)).status).toBe(401);
  const moved = await post(target, admin);
  expect(moved).toMatchObject({ status: 201, body: { id: group.id, projects: [{ id: project.id }] } });
  expect((await app.api<Json>('GET', `/projects/${project.id}`, { token: person.secret })).body).toMatchObject({
    path_with_namespace: `${group.full_path}/${project.path}`,
  });
  expect(await post(target, admin)).toMatchObject({
    status: 400,
    body: { message: 'Failed to transfer project Project is already in this namespace.' },
  });
  expect((await post(`/groups/999999/projects/${project.id}`, admin)).status).toBe(404);
  expect((await post(`/groups/${group.id}/projects/999999`, admin)).status).toBe(404);
});
