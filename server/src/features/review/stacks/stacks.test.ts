/** Stacks of merge requests, and what becomes of those whose target branch was merged or deleted. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
let developer: BuiltToken;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  project = await buildRepositoryProject(app, { files: { 'README.md': 'hello\n' } });
  developer = await project.member(Level.maintainer);
});
afterAll(() => app.close());

/** A branch with a file of its own on another one, and a request from the one into the other. */
async function request(branch: string, target: string, from = target): Promise<number> {
  await project.commit(branch, { [`${branch}.txt`]: `${branch}\n` }, { start_branch: from });
  const json = { source_branch: branch, target_branch: target, title: branch };
  const made = await project.api<Json>('POST', '/merge_requests', { token: developer.secret, json });
  expect([made.status, made.body]).toEqual([201, made.body]);
  return Number(made.body.iid);
}
const get = async (iid: number) => (await project.api(`GET`, `/merge_requests/${iid}`)).body;
const targetBecomes = (iid: number, target: string) =>
  vi.waitFor(async () => expect((await get(iid)).target_branch).toBe(target), { interval: 10, timeout: 60_000 });
const notes = async (iid: number) =>
  (await project.api<Json[]>('GET', `/merge_requests/${iid}/notes`)).body.map(({ body }) => body);
const changed = async (iid: number) =>
  (await project.api<Json[]>('GET', `/merge_requests/${iid}/diffs`)).body.map(({ new_path }) => new_path);

describe('stacks', () => {
  it('are listed from the lowest to the highest, and each shows its own changes alone', async () => {
    const [one, two, three, side] = ['one', 'two', 'three', 'side'].map((name) => unique(name));
    const first = await request(String(one), 'main');
    const second = await request(String(two), String(one));
    const third = await request(String(three), String(two));
    const beside = await request(String(side), String(one));
    const stack = async (iid: number, token?: string) => {
      const { status, body } = await project.api<Json[]>('GET', `/merge_requests/${iid}/stack`, token ? { token } : {});
      return status === 200 ? body.map((each) => each.iid) : status;
    };
    expect(await stack(third)).toEqual([first, second, third]);
    expect(await stack(first)).toEqual([first, second, beside, third]);
    expect(await stack(beside)).toEqual([first, beside]);
    expect(await stack(first, (await (await buildRepositoryProject(app)).member(Level.developer)).secret)).toBe(404);
    expect(await stack(999)).toBe(404);
    const stacked = async (iid: number) =>
      (await project.api<Json>('GET', `/merge_requests/${iid}`, { query: { with_counts: true } })).body.counts;
    expect([await stacked(first), await stacked(second), await stacked(beside)]).toMatchObject([
      { stacked: 2, versions: 1, status_checks: 0, label_events: 0, milestone_events: 0, state_events: 0, reports: [] },
      { stacked: 2 },
      { stacked: 1 },
    ]);
    expect(await changed(third)).toEqual([`${three}.txt`]);
    await project.api('PUT', `/merge_requests/${first}`, { json: { state_event: 'close', labels: 'base' } });
    expect(await stacked(first)).toMatchObject({ label_events: 1, milestone_events: 0, state_events: 1 });
    expect(await stack(second)).toEqual([second, third]);
  });

  it('are retargeted when the base is merged, with its branch and without', async () => {
    const [one, two, three] = ['one', 'two', 'three'].map((name) => unique(name));
    const first = await request(String(one), 'main');
    const second = await request(String(two), String(one));
    const third = await request(String(three), String(two));
    const merge = (iid: number, json: Json) => project.api('PUT', `/merge_requests/${iid}/merge`, { json });
    expect((await merge(first, { should_remove_source_branch: true })).status).toBe(200);
    await targetBecomes(second, 'main');
    expect(await changed(second)).toEqual([`${two}.txt`]);
    expect((await notes(second)).join()).toMatch(/branch/);
    expect((await get(third)).target_branch).toBe(two);
    expect((await merge(second, { should_remove_source_branch: false })).status).toBe(200);
    await targetBecomes(third, 'main');
    expect((await get(third)).state).toBe('opened');
  });

  it('show and bring only their own changes after the base was squashed, also where both changed the same lines', async () => {
    const [one, two] = ['one', 'two'].map((name) => unique(name));
    const write = (branch: string, content: string) =>
      project.commit(branch, [{ action: 'update', file_path: `${one}.txt`, content }]);
    const first = await request(String(one), 'main');
    await write(String(one), 'first\n');
    const second = await request(String(two), String(one));
    await write(String(two), 'second\n');
    const json = { squash: true, should_remove_source_branch: true };
    const merged = await project.api('PUT', `/merge_requests/${first}/merge`, { json });
    expect([merged.status, merged.body]).toMatchObject([200, { squash_commit_sha: expect.any(String) }]);
    await targetBecomes(second, 'main');
    const own = await project.api<Json[]>('GET', `/merge_requests/${second}/diffs`);
    expect(own.body).toMatchObject([
      { new_path: `${one}.txt`, diff: '@@ -1 +1 @@\n-first\n+second\n' },
      { new_path: `${two}.txt`, new_file: true },
    ]);
    expect(await get(second)).toMatchObject({ detailed_merge_status: 'mergeable', has_conflicts: false });
    // A push keeps what it stands on; the target branch in it does not.
    await project.commit(String(two), { [`${two}-more.txt`]: 'x\n' });
    await vi.waitFor(async () => expect(await changed(second)).toHaveLength(3), { interval: 10, timeout: 60_000 });
    const last = await project.api('PUT', `/merge_requests/${second}/merge`, { json });
    expect([last.status, last.body]).toMatchObject([200, { state: 'merged', squash_commit_sha: expect.any(String) }]);
    const file = await project.api('GET', `/repository/files/${one}.txt`, { query: { ref: 'main' } });
    expect(Buffer.from(String(file.body.content), 'base64').toString()).toBe('second\n');
    const squashed = await project.api('GET', `/repository/commits/${last.body.squash_commit_sha}`);
    expect(squashed.body.message).not.toContain(one);
  });

  it('have the merged result and the conflicts of their own changes after the base was squashed', async () => {
    const [one, two] = ['one', 'two'].map((name) => unique(name));
    const write = (branch: string, content: string) =>
      project.commit(branch, [{ action: 'update', file_path: `${one}.txt`, content }]);
    const read = async (ref: string, name = `${one}.txt`) => {
      const file = await project.api('GET', `/repository/files/${name}`, { query: { ref } });
      return Buffer.from(String(file.body.content), 'base64').toString();
    };
    const first = await request(String(one), 'main');
    await write(String(one), 'first\n');
    const second = await request(String(two), String(one));
    await write(String(two), 'second\n');
    const json = { squash: true, should_remove_source_branch: true };
    expect((await project.api('PUT', `/merge_requests/${first}/merge`, { json })).status).toBe(200);
    await targetBecomes(second, 'main');
    const merged = await project.api('GET', `/merge_requests/${second}/merge_ref`);
    expect([merged.status, merged.body]).toMatchObject([200, { commit_id: expect.any(String) }]);
    expect(await read(String(merged.body.commit_id))).toBe('second\n');
    const other = `${two}.txt`;
    await project.commit('main', { [other]: 'of others\n' });
    const shown = await project.api<Json>('GET', `/merge_requests/${second}/conflicts`);
    expect(shown.status).toBe(200);
    const files = shown.body.files as Json[];
    expect(files).toMatchObject([{ path: other, kind: 'add/add' }]);
    expect(files[0]?.content).toContain(`<<<<<<< ${shown.body.source_sha}`);
    expect(files[0]?.content).toContain(`>>>>>>> ${shown.body.target_sha}`);
    expect((await get(second)).conflicts).toMatchObject([{ paths: [other] }]);
    const solved = await project.api('POST', `/merge_requests/${second}/resolve_conflicts`, {
      json: {
        source_sha: shown.body.source_sha,
        target_sha: shown.body.target_sha,
        files: [{ path: other, content: 'both\n' }],
      },
    });
    expect([solved.status, solved.body]).toMatchObject([201, { has_conflicts: false }]);
    expect([await read(String(two)), await read(String(two), other)]).toEqual(['second\n', 'both\n']);
  });

  it('are rebased without the commits of a squashed base', async () => {
    const [one, two] = ['one', 'two'].map((name) => unique(name));
    const first = await request(String(one), 'main');
    await project.commit(String(one), [{ action: 'update', file_path: `${one}.txt`, content: 'first\n' }]);
    const second = await request(String(two), String(one));
    await project.api('PUT', `/merge_requests/${first}/merge`, {
      json: { squash: true, should_remove_source_branch: true },
    });
    await targetBecomes(second, 'main');
    const before = await get(second);
    expect((await project.api('PUT', `/merge_requests/${second}/rebase`)).status).toBe(202);
    await vi.waitFor(async () => expect((await get(second)).sha).not.toBe(before.sha), {
      interval: 10,
      timeout: 60_000,
    });
    const commits = await project.api<Json[]>('GET', `/merge_requests/${second}/commits`);
    expect(commits.body).toHaveLength(1);
    expect(await changed(second)).toEqual([`${two}.txt`]);
  });

  it('are retargeted when a merged branch is deleted later; a branch that was never merged leaves them', async () => {
    const [develop, work, lost, alone] = ['develop', 'work', 'lost', 'alone'].map((name) => unique(name));
    const base = await request(String(develop), 'main');
    await project.api('POST', '/protected_branches', { json: { name: develop } });
    const top = await request(String(work), String(develop));
    expect((await project.api('PUT', `/merge_requests/${base}/merge`, {})).status).toBe(200);
    const later = await request(unique('later'), String(develop));
    await project.api('DELETE', `/protected_branches/${develop}`);
    expect((await get(top)).target_branch).toBe(develop);
    await project.api('DELETE', `/repository/branches/${develop}`);
    await Promise.all([top, later].map((iid) => targetBecomes(iid, 'main')));
    expect(await notes(top)).toContain(
      `deleted the \`${develop}\` branch. This merge request now targets the \`main\` branch`,
    );
    await project.commit(String(lost), { 'lost.txt': 'x' }, { start_branch: 'main' });
    const left = await request(String(alone), String(lost));
    await project.api('DELETE', `/repository/branches/${lost}`);
    const waiting = () => app.db.selectFrom('facts').select('id').where('delivered_at', 'is', null).execute();
    await vi.waitFor(async () => expect(await waiting()).toEqual([]), { interval: 10, timeout: 60_000 });
    expect((await get(left)).target_branch).toBe(lost);
  });
});
