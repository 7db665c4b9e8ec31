/** Cherry-pick and revert: what they make, what they refuse, and trying them without a trace. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { files: { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n' } });
});
afterAll(() => app.close());

const apply = (how: 'cherry_pick' | 'revert', sha: string, json: Json, token?: string | null) =>
  project.api<Json>('POST', `/repository/commits/${encodeURIComponent(sha)}/${how}`, {
    json,
    ...(token === undefined ? {} : { token }),
  });
const tip = async (branch: string) =>
  (await project.api<{ commit: { id: string } }>('GET', `/repository/branches/${branch}`)).body.commit.id;
const raw = async (branch: string, file: string) =>
  (await project.api<string>('GET', `/repository/files/${encodeURIComponent(file)}/raw`, { query: { ref: branch } }))
    .body;
let count = 0;
const update = (content: string) => [{ action: 'update', file_path: 'a.txt', content }] as const;
/** A branch from main, and a commit on another branch from there. */
async function scene(files: Parameters<RepositoryProject['commit']>[1] = { [`new-${count}`]: 'new\n' }) {
  count += 1;
  const target = `target-${count}`;
  await project.api('POST', '/repository/branches', { json: { branch: target, ref: 'main' } });
  const commit = await project.commit(`source-${count}`, files, { start_branch: 'main' });
  return { target, commit, source: `source-${count}` };
}

it('[1/errors/20 message, error_code, empty] [2/api.commits/12 branch] [2/api.commits/12 empty] puts the change of a commit on a branch, told where it is from', async () => {
  const { target, commit, source } = await scene();
  const before = await tip(target);
  const answer = await apply('cherry_pick', commit, { branch: target });
  expect(answer.status).toBe(201);
  const original = (await project.api<Json>('GET', `/repository/commits/${commit}`)).body;
  expect(answer.body).toMatchObject({
    parent_ids: [before],
    author_name: original.author_name,
    authored_date: original.authored_date,
    committer_name: project.owner.user.name,
    message: `${String(original.message).trimEnd()}\n\n(cherry picked from commit ${commit})\n`,
    stats: { additions: 1, deletions: 0, total: 1 },
    project_id: project.id,
  });
  expect(await tip(target)).toBe(answer.body.id);
  // Branches name their commits, too; a second time there is nothing to do.
  const again = await apply('cherry_pick', source, { branch: target });
  expect([again.status, again.body]).toEqual([
    400,
    { message: expect.stringContaining('cherry-pick this commit automatically'), error_code: 'empty' },
  ]);
  expect(await tip(target)).toBe(answer.body.id);
});

it('[2/api.commits/12 message] takes a message of one’s own', async () => {
  const { target, commit } = await scene();
  const answer = await apply('cherry_pick', commit, { branch: target, message: 'Another\n\nwith a body' });
  expect(answer.body).toMatchObject({
    title: 'Another',
    message: expect.stringMatching(/^Another\n\nwith a body\n?$/),
  });
});

it('[1/errors/20 message, error_code, conflict] [2/api.commits/12 error_code] [2/api.commits/12 conflict] refuses conflicts with a code, and changes nothing', async () => {
  const { target, commit } = await scene(update('one\n2\n3\n4\n5\n6\n7\n8\n9\n'));
  const other = await project.commit(target, update('eins\n2\n3\n4\n5\n6\n7\n8\n9\n'));
  for (const dry_run of [false, true]) {
    const answer = await apply('cherry_pick', commit, { branch: target, dry_run });
    expect([answer.status, answer.body]).toEqual([400, { message: expect.any(String), error_code: 'conflict' }]);
  }
  expect(await tip(target)).toBe(other);
});

it('[2/states.cherry-pick-and-revert-dry-run/1 dry_run=true] [2/states.cherry-pick-and-revert-dry-run/1 dry_run] [2/states.cherry-pick-and-revert-dry-run/1 200] [2/api.commits/12 dry_run] [2/api.commits/13 dry_run] tries without a trace', async () => {
  const { target, commit, source } = await scene();
  const before = await tip(target);
  const picked = await apply('cherry_pick', commit, { branch: target, dry_run: true });
  expect([picked.status, picked.body]).toEqual([200, { dry_run: 'success' }]);
  expect(await tip(target)).toBe(before);
  const done = await apply('cherry_pick', commit, { branch: target });
  const form = await project.api<Json>('POST', `/repository/commits/${commit}/revert`, {
    form: { branch: source, dry_run: 'true' },
  });
  expect([form.status, form.body]).toEqual([200, { dry_run: 'success' }]);
  expect(await tip(source)).toBe(commit);
  const reverted = await apply('revert', String(done.body.id), { branch: target, dry_run: true });
  expect([reverted.status, reverted.body]).toEqual([200, { dry_run: 'success' }]);
  expect(await tip(target)).toBe(done.body.id);
  const empty = await apply('revert', commit, { branch: 'main', dry_run: true });
  expect([empty.status, empty.body.error_code]).toEqual([400, 'empty']);
});

it('[2/api.commits/13] [2/api.commits/13 branch] takes the change of a commit back', async () => {
  const { target, commit } = await scene(update('1\n2\n3\n4\n5\n6\n7\n8\nnine\n'));
  const done = await apply('cherry_pick', commit, { branch: target });
  await project.commit(target, { later: 'x' });
  const answer = await apply('revert', String(done.body.id), { branch: target });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    title: `Revert "${done.body.title}"`,
    message: `Revert "${done.body.title}"\n\nThis reverts commit ${done.body.id}`,
    author_name: project.owner.user.name,
  });
  expect(await raw(target, 'a.txt')).toBe('1\n2\n3\n4\n5\n6\n7\n8\n9\n');
  expect(await raw(target, 'later')).toBe('x');
  const twice = await apply('revert', String(done.body.id), { branch: target });
  expect([twice.status, twice.body.error_code]).toEqual([400, 'empty']);
});

it('[2/api.commits/13] refuses a revert with a conflict, also of the first commit', async () => {
  const { target, commit } = await scene(update('ONE\n2\n3\n4\n5\n6\n7\n8\n9\n'));
  const done = await apply('cherry_pick', commit, { branch: target });
  await project.commit(target, update('uno\n2\n3\n4\n5\n6\n7\n8\n9\n'));
  const answer = await apply('revert', String(done.body.id), { branch: target });
  expect([answer.status, answer.body.error_code]).toEqual([400, 'conflict']);
  const all = (await project.api<{ id: string; parent_ids: string[] }[]>('GET', '/repository/commits')).body;
  const root = all.find((each) => each.parent_ids.length === 0);
  const first = await apply('revert', root?.id ?? '', { branch: target });
  expect([first.status, first.body.error_code]).toEqual([400, 'conflict']);
});

it('[2/api.commits/13] takes back what the first commit brought', async () => {
  const fresh = await buildRepositoryProject(app);
  await fresh.commit('main', { later: 'x' });
  const all = (await fresh.api<{ id: string; parent_ids: string[] }[]>('GET', '/repository/commits')).body;
  const first = all.find((each) => each.parent_ids.length === 0)?.id;
  const paths = async () => {
    const tree = await fresh.api<{ path: string }[]>('GET', '/repository/tree');
    return tree.body.map(({ path }) => path);
  };
  expect(await paths()).toEqual(['README.md', 'later']);
  const answer = await fresh.api('POST', `/repository/commits/${first}/revert`, { json: { branch: 'main' } });
  expect(answer.status).toBe(201);
  expect(await paths()).toEqual(['later']);
});

it('refuses who may not, and what is not there', async () => {
  const { target, commit } = await scene();
  for (const how of ['cherry_pick', 'revert'] as const) {
    expect((await apply(how, 'f'.repeat(40), { branch: target })).body).toEqual({ message: '404 Commit Not Found' });
    expect((await apply(how, commit, { branch: 'nothing' })).body).toEqual({ message: '404 Branch Not Found' });
    expect((await apply(how, commit, {})).body).toEqual({ error: 'branch is missing' });
    expect((await apply(how, commit, { branch: '--upload-pack=x' })).status).toBe(404);
    expect((await apply(how, commit, { branch: target }, null)).status).toBe(401);
  }
  const [reads, writes] = [await project.member(Level.reporter), await project.member(Level.developer)];
  expect((await apply('cherry_pick', commit, { branch: target }, reads.secret)).status).toBe(403);
  // The default branch is protected.
  for (const dry_run of [false, true])
    expect((await apply('cherry_pick', commit, { branch: 'main', dry_run }, writes.secret)).status).toBe(403);
  expect((await apply('cherry_pick', commit, { branch: target }, writes.secret)).status).toBe(201);
});
