/** Rules are asked of the commit that would be merged, also while nobody has processed the push that brought it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let owner: BuiltToken;
beforeAll(async () => {
  // Nothing is delivered unless a test does it: every push stays unprocessed.
  app = await startTestApp();
  owner = await buildToken(app);
});
afterAll(() => app.close());

const build = (settings: Json) => buildRepositoryProject(app, { owner, settings, files: { 'a.txt': 'one\n' } });
const passes = async (project: RepositoryProject, sha: unknown, ref: string, state = 'success') => {
  const answer = await project.api('POST', `/statuses/${sha}`, { json: { state, ref } });
  expect(answer.status).toBe(201);
};

async function open(project: RepositoryProject): Promise<{ branch: string; iid: number; sha: string }> {
  const branch = unique('work');
  const sha = await project.commit(branch, { [branch]: '1' }, { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const made = await project.api<{ iid: number }>('POST', '/merge_requests', { json });
  expect(made.status).toBe(201);
  return { branch, iid: made.body.iid, sha };
}
const look = async (project: RepositoryProject, iid: number) =>
  (await project.api('GET', `/merge_requests/${iid}`)).body.detailed_merge_status;
const merge = (project: RepositoryProject, iid: number, json: Json = {}) =>
  project.api('PUT', `/merge_requests/${iid}/merge`, { json });

describe('the pipeline of the commit before', () => {
  it('security: does not let a commit be merged that was pushed since, whatever the client sends', async () => {
    const project = await build({ only_allow_merge_if_pipeline_succeeds: true });
    const { branch, iid, sha } = await open(project);
    expect(await look(project, iid)).toBe('ci_must_pass');
    await passes(project, sha, branch);
    expect(await look(project, iid)).toBe('mergeable');

    const pushed = await project.commit(branch, { more: '2' });
    expect(await look(project, iid)).toBe('ci_must_pass');
    const refused = await merge(project, iid);
    expect([refused.status, refused.body]).toEqual([405, { message: '405 Method Not Allowed' }]);
    expect((await merge(project, iid, { sha: pushed })).status).toBe(405);
    expect((await merge(project, iid, { sha })).status).toBe(409);

    await passes(project, pushed, branch, 'failed');
    expect([await look(project, iid), (await merge(project, iid)).status]).toEqual(['ci_must_pass', 405]);
    const fixed = await project.commit(branch, { fixed: '3' });
    await passes(project, fixed, branch, 'running');
    expect([await look(project, iid), (await merge(project, iid)).status]).toEqual(['ci_still_running', 405]);
    await passes(project, fixed, branch);
    const merged = await merge(project, iid);
    // What is recorded is what was merged.
    expect(merged).toMatchObject({ status: 200, body: { state: 'merged', sha: fixed } });
    const versions = await project.api<Json[]>('GET', `/merge_requests/${iid}/versions`);
    expect(versions.body.map((version) => version.head_commit_sha)).toContain(fixed);
  });
});

it('whoever looks before a push is processed has tried its merge: processing it does not forget that', async () => {
  const project = await build({});
  const { branch, iid } = await open(project);
  const stored = async () => {
    await app.delivery.drain();
    const [row] = (await project.api<Json[]>('GET', `/merge_requests?source_branch=${branch}`)).body;
    return { iid: row?.iid, sha: row?.sha, merge_status: row?.merge_status };
  };
  expect(await look(project, iid)).toBe('mergeable');
  const seen = await project.commit(branch, { seen: '2' });
  expect(await look(project, iid)).toBe('mergeable');
  expect(await stored()).toEqual({ iid, sha: seen, merge_status: 'can_be_merged' });
  const unseen = await project.commit(branch, { unseen: '3' });
  expect(await stored()).toEqual({ iid, sha: unseen, merge_status: 'unchecked' });

  const rechecked = async (token: string) =>
    (
      await project.api<Json[]>('GET', '/merge_requests', {
        token,
        query: { source_branch: branch, with_merge_status_recheck: true },
      })
    ).body;
  expect(await rechecked((await project.member(20)).secret)).toMatchObject([{ merge_status: 'unchecked' }]);
  expect(await rechecked((await project.member(30)).secret)).toMatchObject([{ merge_status: 'can_be_merged' }]);
  expect(await stored()).toEqual({ iid, sha: unseen, merge_status: 'can_be_merged' });
});

it('a rule of the project that is set while a merge waits for the repository counts', async () => {
  const project = await build({});
  const { iid } = await open(project);
  await project.api('PUT', '', {
    json: { merge_request_title_regex: '^PRJ-\\d+', merge_request_title_regex_description: 'x' },
  });
  expect([await look(project, iid), (await merge(project, iid)).status]).toEqual(['title_regex', 405]);
  await project.api('PUT', `/merge_requests/${iid}`, { json: { title: 'PRJ-1 work' } });
  expect((await merge(project, iid)).status).toBe(200);
});
