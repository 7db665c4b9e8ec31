/** Reviews over HTTP: drafts published with a summary and an outcome, and requested changes that block the merge. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
let author: BuiltToken;
let reviewer: BuiltToken;
let reporter: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n' } });
  author = await project.member(Level.developer);
  reviewer = await project.member(Level.developer);
  reporter = await project.member(Level.reporter);
});
afterAll(() => app.close());

async function open() {
  const branch = unique('work');
  await project.commit(branch, { [`${branch}.txt`]: 'x\n' }, { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const made = await project.api<{ iid: number }>('POST', '/merge_requests', { json, token: author.secret });
  expect(made.status).toBe(201);
  const path = `/merge_requests/${made.body.iid}`;
  const call = <T = Json>(method: 'GET' | 'POST' | 'PUT', target: string, json?: Json, who: BuiltToken = reviewer) =>
    project.api<T>(method, `${path}${target}`, { token: who.secret, ...(json ? { json } : {}) });
  return {
    branch,
    call,
    status: async () => (await call('GET', '')).body.detailed_merge_status,
    submit: (json: Json, who = reviewer) => call('POST', '/draft_notes/bulk_publish', json, who),
    merge: () => call('PUT', '/merge', {}, project.owner),
    comments: async () => (await call<Json[]>('GET', '/notes?sort=asc')).body.map(({ body, system }) => [body, system]),
    reviewers: async () =>
      (await call<Array<{ user: Json; state: string }>>('GET', '/reviewers')).body.map(({ user, state }) => [
        user.id,
        state,
      ]),
  };
}

describe('reviews', () => {
  it('requested changes block the merge until the same person approves', async () => {
    const request = await open();
    expect(await request.status()).toBe('mergeable');
    await request.call('POST', '/draft_notes', { note: 'Rename this' });
    expect((await request.submit({ note: 'Nearly there', reviewer_state: 'requested_changes' })).status).toBe(204);
    expect(await request.comments()).toEqual([
      ['Rename this', false],
      ['Nearly there', false],
      ['requested changes', true],
    ]);
    // Who was not asked to review is a reviewer now.
    expect(await request.reviewers()).toEqual([[reviewer.user.id, 'requested_changes']]);
    expect([await request.status(), (await request.merge()).status]).toEqual(['requested_changes', 405]);
    // Neither a push, nor comments, nor their removal as a reviewer, nor the approval of somebody else help.
    await project.commit(request.branch, { more: '2' });
    await request.submit({ note: 'Thanks', reviewer_state: 'reviewed' });
    expect(await request.reviewers()).toEqual([[reviewer.user.id, 'requested_changes']]);
    await request.call('PUT', '', { reviewer_ids: [] }, author);
    expect((await request.call('POST', '/approve', {}, project.owner)).status).toBe(201);
    expect([await request.status(), (await request.merge()).status]).toEqual(['requested_changes', 405]);
    expect((await request.submit({ reviewer_state: 'approved' })).status).toBe(204);
    expect([await request.status(), (await request.merge()).status]).toEqual(['mergeable', 200]);
  });

  it('an approval publishes the drafts of whoever approves, or nothing where they may not', async () => {
    const request = await open();
    await request.call('POST', '/draft_notes', { note: 'Well done' });
    await request.call('POST', '/draft_notes', { note: 'Mine' }, author);
    const refused = await request.call('POST', '/approve', { publish_review: true, sha: 'a'.repeat(40) });
    expect([refused.status, await request.comments()]).toEqual([409, []]);
    const approved = await request.call('POST', '/approve', { publish_review: true });
    expect(approved).toMatchObject({ status: 201, body: { approved_by: [{ user: { id: reviewer.user.id } }] } });
    expect((await request.comments()).filter(([, system]) => !system)).toEqual([['Well done', false]]);
    expect((await request.call<Json[]>('GET', '/draft_notes', undefined, author)).body).toHaveLength(1);
  });

  it('are bypassed by those who may merge, and a later request for changes blocks again', async () => {
    const request = await open();
    await request.submit({ reviewer_state: 'requested_changes' });
    const bypass = (who: BuiltToken, override_requested_changes = true) =>
      request.call('PUT', '', { override_requested_changes }, who);
    // The author may change the request, but not merge it.
    expect((await bypass(author)).status).toBe(403);
    expect((await bypass(reporter)).status).toBe(403);
    expect(await request.status()).toBe('requested_changes');
    expect((await bypass(project.owner)).body).toMatchObject({ detailed_merge_status: 'mergeable' });
    expect((await bypass(project.owner, false)).body).toMatchObject({ detailed_merge_status: 'requested_changes' });
    await bypass(project.owner);
    await request.submit({ reviewer_state: 'requested_changes' });
    expect(await request.status()).toBe('requested_changes');
    await bypass(project.owner);
    expect((await request.merge()).status).toBe(200);
    expect((await request.comments()).map(([body]) => body)).toEqual([
      'requested changes',
      'bypassed the requested changes',
      'removed the bypass of the requested changes',
      'bypassed the requested changes',
      'requested changes',
      'bypassed the requested changes',
    ]);
    expect((await request.submit({ reviewer_state: 'requested_changes' })).status).toBe(403);
  });

  it('security: the author and those who may only comment block nothing, and nothing is published then', async () => {
    const request = await open();
    for (const who of [author, reporter]) {
      await request.call('POST', '/draft_notes', { note: 'Wait' }, who);
      expect((await request.submit({ reviewer_state: 'requested_changes', note: 'x' }, who)).status).toBe(403);
      expect((await request.call<Json[]>('GET', '/draft_notes', undefined, who)).body).toHaveLength(1);
    }
    expect((await request.submit({ reviewer_state: 'approved', note: 'x' }, author)).status).toBe(401);
    const another = { reviewer_state: 'approved', note: 'x', sha: 'f'.repeat(40) };
    expect((await request.submit(another)).status).toBe(409);
    // An approval does not stand without its comments.
    expect((await request.submit({ reviewer_state: 'approved', note: ' ' })).status).toBe(400);
    expect((await request.call('GET', '/approvals')).body).toMatchObject({ approved_by: [] });
    expect(await request.comments()).toEqual([]);
    expect(await request.status()).toBe('mergeable');
    expect((await request.submit({ reviewer_state: 'whatever' })).status).toBe(400);
    expect((await request.submit({ note: ' ' })).status).toBe(400);
    // Comments alone are theirs to publish.
    expect((await request.submit({ note: 'Fine' }, reporter)).status).toBe(204);
    expect(await request.comments()).toEqual([
      ['Wait', false],
      ['Fine', false],
    ]);
  });

  it('take back an earlier approval of the same person', async () => {
    const request = await open();
    await request.call('POST', '/approve', {});
    await request.submit({ reviewer_state: 'requested_changes' });
    expect((await request.call('GET', '/approvals')).body).toMatchObject({ approved_by: [], user_can_approve: true });
  });

  it('are given by quick actions', async () => {
    const request = await open();
    await request.call('POST', '/draft_notes', { note: 'Draft' });
    const said = (body: string, who = reviewer) => request.call('POST', '/notes', { body }, who);
    const changes = (reviewer_state: string) => ({ status: 202, body: { commands_changes: { reviewer_state } } });
    expect(await said('/submit_review requested_changes')).toMatchObject(changes('requested_changes'));
    expect(await request.comments()).toEqual([
      ['Draft', false],
      ['requested changes', true],
    ]);
    expect(await request.status()).toBe('requested_changes');
    expect(await said('/submit_review approve')).toMatchObject(changes('approved'));
    expect(await request.status()).toBe('mergeable');
    expect(await said('/request_changes')).toMatchObject(changes('requested_changes'));
    expect(await request.status()).toBe('requested_changes');
    const before = await request.comments();
    const nothing = { status: 202, body: { commands_changes: {} } };
    for (const who of [author, reporter]) expect(await said('/request_changes', who)).toMatchObject(nothing);
    expect(await said('/submit_review nonsense')).toMatchObject(nothing);
    expect(await request.comments()).toEqual(before);
  });
});
