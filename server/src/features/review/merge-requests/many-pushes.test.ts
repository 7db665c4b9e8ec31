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

interface Note {
  readonly body: string;
  readonly system: boolean;
  readonly author: { readonly username: string };
}

it('a request says which commits came: its own one by one, those of the target in one line', async () => {
  const project = await buildRepositoryProject(app, { files: { a: '1' } });
  const source = unique('source');
  const first = await project.commit(source, { b: '1' }, { start_branch: 'main' });
  const json = { source_branch: source, target_branch: 'main', title: source };
  const { iid } = (await project.api<{ iid: number }>('POST', '/merge_requests', { json })).body;
  await app.delivery.drain();
  const notes = async () =>
    (await project.api<Note[]>('GET', `/merge_requests/${iid}/notes`, { query: { sort: 'asc' } })).body;
  expect(await notes()).toEqual([]);

  const second = await project.commit(source, { c: '2' }, { commit_message: 'Say <b>more</b> & less' });
  await app.delivery.drain();
  const [added] = await notes();
  expect(added).toMatchObject({ system: true, author: { username: project.owner.user.username } });
  const page = (from: string, to: string) => `/${project.fullPath}/-/compare/${from}...${to}`;
  expect(added?.body).toBe(
    `added 1 commit\n\n<ul><li>${second.slice(0, 8)} - Say &lt;b&gt;more&lt;/b&gt; &amp; less</li></ul>\n\n[Compare with previous version](${page(first, second)})`,
  );

  // A rebase brings the target's commits and makes the own ones anew.
  await project.commit('main', { d: '1' }, { commit_message: 'One' });
  const target = await project.commit('main', { e: '1' }, { commit_message: 'Two' });
  await app.delivery.drain();
  await project.commit(source, { b: '1' }, { start_sha: target, force: true });
  const rebased = await project.commit(source, { c: '2' }, { commit_message: 'Say <b>more</b> & less' });
  await app.delivery.drain();
  const body = (await notes()).at(-1)?.body ?? '';
  expect(body).toContain('added 4 commits\n\n');
  expect(body).toContain(
    `<li>${second.slice(0, 8)}...${target.slice(0, 8)} - 2 commits from branch <code>main</code></li>`,
  );
  expect(body).toMatch(/<li>[0-9a-f]{8} - .+<\/li><li>[0-9a-f]{8} - Say &lt;b&gt;more/);
  expect(body).toContain(page(second, rebased));
});
