/** Comments on what somebody removes at the same time. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildToken, unique } from '../../../../test/factories.ts';
import { whileRemoved } from '../../../../test/removals.ts';
import { buildRepositoryProject, type Json } from '../../../../test/repositories.ts';

let app: TestApp;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
});
afterAll(() => app.close());

const post = async (path: string, json: Json) => {
  const answer = await app.api<Json & { id: number; iid: number }>('POST', path, { json, token: owner.secret });
  return answer;
};

it('an issue that is removed while it is commented on is not found', async () => {
  const project = await buildRepositoryProject(app, { owner });
  const base = `/projects/${project.id}/issues`;
  const { id, iid } = (await post(base, { title: unique('issue') })).body;
  const answer = await whileRemoved(app, 'issues', id, () => post(`${base}/${iid}/notes`, { body: 'Late' }));
  expect([answer.status, answer.body]).toEqual([404, { message: '404 Not found' }]);
});

it('an epic that is removed while it is commented on is not found', async () => {
  const group = await buildGroup(app, { owner: owner.user });
  const base = `/groups/${group.id}/epics`;
  const { id } = (await post(base, { title: unique('epic') })).body;
  const answer = await whileRemoved(app, 'epics', id, () => post(`${base}/${id}/notes`, { body: 'Late' }));
  expect([answer.status, answer.body]).toEqual([404, { message: '404 Epic Not Found' }]);
});
