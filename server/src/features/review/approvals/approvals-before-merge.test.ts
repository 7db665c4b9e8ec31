/** The number of approvals that one merge request asks for itself. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function open(project: RepositoryProject, token: string) {
  const branch = unique('work');
  await project.commit(branch, { [branch]: '1' }, { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const made = await project.api<Json>('POST', '/merge_requests', { token, json });
  expect(made.status).toBe(201);
  const api = (method: 'GET' | 'POST' | 'PUT', path: string, token = project.owner.secret, json?: Json) =>
    project.api<Json>(method, `/merge_requests/${made.body.iid}${path}`, { token, ...(json ? { json } : {}) });
  return { api };
}

it('approvals_before_merge of one merge request: more than the project asks for, as long as it may override', async () => {
  const project = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n' } });
  const [author, one, other] = await Promise.all([1, 2, 3].map(() => project.member(Level.developer)));
  if (!author || !one || !other) throw new Error('no people');
  await project.api('POST', '/approvals', { json: { approvals_before_merge: 1 } });
  const request = await open(project, author.secret);
  const put = (count: unknown) => request.api('PUT', '', author.secret, { approvals_before_merge: count });
  expect((await request.api('GET', '')).body.approvals_before_merge).toBeNull();
  expect(await put(0)).toMatchObject({
    status: 400,
    body: { message: { approvals_before_merge: ['must be at least 1, as the project requires'] } },
  });
  for (const wrong of [-1, 'many', 101]) expect((await put(wrong)).status).toBe(400);
  expect(await put(2)).toMatchObject({ status: 200, body: { approvals_before_merge: 2 } });
  expect((await request.api('POST', '/approve', one.secret)).status).toBe(201);
  expect((await request.api('GET', '/approvals')).body).toMatchObject({
    approved: false,
    approvals_required: 2,
    approvals_left: 1,
  });
  await project.api('POST', '/approvals', { json: { disable_overriding_approvers_per_merge_request: true } });
  expect((await request.api('GET', '/approvals')).body).toMatchObject({ approved: true, approvals_required: 1 });
  await project.api('POST', '/approvals', { json: { disable_overriding_approvers_per_merge_request: false } });
  // A rule of any approver is raised, not added to.
  await project.api('POST', '/approval_rules', {
    json: { name: 'All', approvals_required: 1, rule_type: 'any_approver' },
  });
  expect((await request.api('GET', '/approvals')).body).toMatchObject({
    approved: false,
    approvals_required: 2,
    approvals_left: 1,
  });
  expect((await request.api('PUT', '/merge')).status).toBe(405);
  expect((await request.api('POST', '/approve', other.secret)).status).toBe(201);
  expect([
    (await request.api('GET', '')).body.detailed_merge_status,
    (await request.api('PUT', '/merge')).status,
  ]).toEqual(['mergeable', 200]);
  const branch = unique('more');
  await project.commit(branch, { [branch]: '1' }, { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const create = (count: number) =>
    project.api('POST', '/merge_requests', { json: { ...json, approvals_before_merge: count } });
  expect((await create(0)).status).toBe(400);
  expect(await create(3)).toMatchObject({ status: 201, body: { approvals_before_merge: 3 } });
});
