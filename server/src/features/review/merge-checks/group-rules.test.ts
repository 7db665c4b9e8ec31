/** What groups ask of the pipelines of merge requests in all projects below them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildGroup, buildMember, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

let app: TestApp;
let owner: BuiltToken;
let top: Namespace;
let sub: Namespace;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
  top = await buildGroup(app, { owner: owner.user });
  sub = await buildGroup(app, { parent: top });
});
afterAll(() => app.close());

const change = async (target: string, json: Json, token = owner) => {
  const answer = await app.api<Json>('PUT', target, { token: token.secret, json });
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return answer.body;
};
const below = (settings: Json = {}) =>
  buildRepositoryProject(app, { owner, settings: { namespace_id: sub.id, ...settings }, files: { 'a.txt': 'one\n' } });

/** A merge request whose head has a skipped pipeline, or none. */
async function open(project: RepositoryProject, branch: string, pipeline: 'skipped' | 'none'): Promise<Json> {
  const files =
    pipeline === 'none' ? { [branch]: '1' } : { [branch]: '1', '.gitlab-ci.yml': 'one: {script: [make]}\n' };
  await project.commit(branch, files, { start_branch: 'main', commit_message: `Work\n\n[skip ci]` });
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const made = await project.api('POST', '/merge_requests', { json });
  expect(made.status).toBe(201);
  if (pipeline === 'none') return made.body;
  return eventually('the skipped pipeline', async () => {
    const { body } = await project.api('GET', `/merge_requests/${made.body.iid}`);
    return (body.head_pipeline as Json | null)?.status === 'skipped' ? body : null;
  });
}
const statusOf = async (project: RepositoryProject, request: Json) =>
  (await project.api('GET', `/merge_requests/${request.iid}`)).body.detailed_merge_status;
const merge = async (project: RepositoryProject, request: Json) =>
  (await project.api('PUT', `/merge_requests/${request.iid}/merge`, { json: {} })).status;

test('a group requires a passed pipeline of the projects of groups below it, and only of them', async () => {
  const project = await below();
  const elsewhere = await buildRepositoryProject(app, { owner, files: { 'a.txt': 'one\n' } });
  const request = await open(project, 'work', 'none');
  expect(await statusOf(project, request)).toBe('mergeable');
  await change(`/groups/${top.id}`, { only_allow_merge_if_pipeline_succeeds: true });
  expect(await statusOf(project, request)).toBe('ci_must_pass');
  expect(await merge(project, request)).toBe(405);
  expect(await merge(elsewhere, await open(elsewhere, 'work', 'none'))).toBe(200);
  // What the project says loosens nothing: it is kept, and answered as it was said.
  const said = await change(`/projects/${project.id}`, {
    only_allow_merge_if_pipeline_succeeds: false,
    allow_merge_on_skipped_pipeline: true,
  });
  expect(said).toMatchObject({ only_allow_merge_if_pipeline_succeeds: false, allow_merge_on_skipped_pipeline: true });
  expect(await merge(project, request)).toBe(405);
  // Nor does what a group between them says, which may want more than the one above.
  await change(`/groups/${sub.id}`, { only_allow_merge_if_pipeline_succeeds: false });
  expect(await merge(project, request)).toBe(405);
  await change(`/groups/${top.id}`, { only_allow_merge_if_pipeline_succeeds: false });
  await change(`/groups/${sub.id}`, { only_allow_merge_if_pipeline_succeeds: true });
  expect(await merge(project, request)).toBe(405);
  await change(`/groups/${sub.id}`, { only_allow_merge_if_pipeline_succeeds: false });
  expect(await statusOf(project, request)).toBe('mergeable');
  expect(await merge(project, request)).toBe(200);
});

test('a skipped pipeline will do when it does for everybody who requires one', async () => {
  const project = await below();
  const request = await open(project, 'skipped', 'skipped');
  const told = async (ofTop: Json, ofSub: Json, ofProject: Json) => {
    await change(`/groups/${top.id}`, ofTop);
    await change(`/groups/${sub.id}`, ofSub);
    await change(`/projects/${project.id}`, ofProject);
    return statusOf(project, request);
  };
  const rule = (only_allow_merge_if_pipeline_succeeds: boolean, allow_merge_on_skipped_pipeline: boolean | null) => ({
    only_allow_merge_if_pipeline_succeeds,
    allow_merge_on_skipped_pipeline,
  });
  const free = rule(false, false);
  expect(await told(rule(true, false), free, free)).toBe('ci_must_pass');
  expect(await told(rule(true, false), rule(false, true), rule(false, true))).toBe('ci_must_pass');
  expect(await told(rule(true, true), rule(true, false), free)).toBe('ci_must_pass');
  expect(await told(rule(true, true), free, rule(true, false))).toBe('ci_must_pass');
  expect(await told(rule(true, true), rule(true, true), free)).toBe('mergeable');
  // A project that requires one and says nothing of skipped ones takes what the groups say.
  expect(await told(free, free, rule(true, null))).toBe('ci_must_pass');
  expect(await told(rule(false, true), free, rule(true, null))).toBe('mergeable');
  expect(await merge(project, request)).toBe(200);
});

test('who is not an owner of the group does not lift what it requires', async () => {
  const maintainer = await buildToken(app);
  await buildMember(app, { user: maintainer.user, of: top, level: Level.maintainer });
  const json = { only_allow_merge_if_pipeline_succeeds: false };
  const answer = await app.api('PUT', `/groups/${top.id}`, { token: maintainer.secret, json });
  expect(answer.status).toBe(403);
});
