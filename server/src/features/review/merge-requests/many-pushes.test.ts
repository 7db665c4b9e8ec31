/** Pushes of many branches that wait together: requests follow theirs, and the others cost next to nothing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { unique } from '../../../../test/factories.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import { tracedWork } from '../../../../test/traced-work.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

it('a request follows its branch among branches without one, its source and its target', async () => {
  const project = await buildRepositoryProject(app, { files: { a: '1' } });
  const source = unique('source');
  await project.commit(source, { b: '1' }, { start_branch: 'main' });
  const json = { source_branch: source, target_branch: 'main', title: source };
  const { iid } = (await project.api<{ iid: number }>('POST', '/merge_requests', { json })).body;
  await app.delivery.drain();

  const others = Array.from({ length: 12 }, () => unique('other'));
  for (const branch of others) await project.api('POST', '/repository/branches', { json: { branch, ref: 'main' } });
  const first = await project.commit(source, { c: '2' });
  const head = await project.commit(source, { d: '3' });
  expect(head).not.toBe(first);
  const { statements } = await tracedWork(() => app.delivery.drain());
  const request = await project.api('GET', `/merge_requests/${iid}`);
  expect(request.body).toMatchObject({ sha: head, detailed_merge_status: 'mergeable' });
  expect(statements.filter((text) => /from "merge_requests" where "source_project_id"/.test(text)).length).toBeLessThan(
    6,
  );

  const last = await project.api('POST', '/repository/branches', { json: { branch: unique('last'), ref: 'main' } });
  expect(last.status).toBe(201);
  await project.api('DELETE', `/repository/branches/${source}`);
  await app.delivery.drain();
  expect((await project.api('GET', `/merge_requests/${iid}`)).body.state).toBe('closed');
});
