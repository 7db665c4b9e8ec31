/** Approval rules and settings of groups, and what they do to merge requests of the projects below. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let owner: BuiltToken;
let group: number;
let inner: number;
let project: RepositoryProject;
let developer: BuiltToken;
let author: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  const make = async (json: Json) =>
    Number((await app.api<Json>('POST', '/groups', { token: owner.secret, json })).body.id);
  group = await make({ name: unique('group'), path: unique('group') });
  inner = await make({ name: unique('inner'), path: unique('inner'), parent_id: group });
  project = await buildRepositoryProject(app, {
    owner,
    files: { 'README.md': 'hello\n' },
    settings: { namespace_id: inner },
  });
  developer = await project.member(Level.developer);
  author = await project.member(Level.developer);
});
afterAll(() => app.close());

async function open(target = 'main') {
  const branch = unique('work');
  await project.commit(branch, { [`${branch}.txt`]: 'x\n' }, { start_branch: target });
  const json = { source_branch: branch, target_branch: target, title: branch };
  const made = await project.api<Json>('POST', '/merge_requests', { token: author.secret, json });
  expect([made.status, made.body]).toEqual([201, made.body]);
  const path = `/merge_requests/${made.body.iid}`;
  return {
    path,
    branch,
    state: async () => (await project.api<{ rules: Json[] }>('GET', `${path}/approval_state`)).body.rules,
    status: async () => (await project.api('GET', path)).body.detailed_merge_status,
    approve: async (who: BuiltToken) => (await project.api('POST', `${path}/approve`, { token: who.secret })).status,
  };
}
const ofGroup = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  parts: { json?: Json; token?: string } = {},
) => app.api<Json>(method, `/groups/${group}${path}`, { token: owner.secret, ...parts });

describe('approval rules of groups', () => {
  it('are for protected branches of all projects below, and merge requests do not override them', async () => {
    const outsider = await buildToken(app);
    const rule = { name: 'security', approvals_required: 1, user_ids: [developer.user.id] };
    expect((await ofGroup('POST', '/approval_rules', { json: rule, token: outsider.secret })).status).toBe(404);
    expect((await ofGroup('POST', '/approval_rules', { json: { ...rule, approvals_required: -1 } })).status).toBe(400);
    const made = await ofGroup('POST', '/approval_rules', { json: rule });
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...{ name: 'security', rule_type: 'regular', approvals_required: 1, applies_to_all_protected_branches: true },
        ...{ users: [{ id: developer.user.id }], eligible_approvers: [{ id: developer.user.id }], groups: [] },
      },
    });
    expect((await ofGroup('POST', '/approval_rules', { json: rule })).status).toBe(400);
    const { id } = made.body;
    expect((await ofGroup('GET', '/approval_rules')).body).toMatchObject([{ id }]);
    expect((await ofGroup('GET', `/approval_rules/${id}`)).body).toMatchObject({ id });
    expect((await app.api('GET', `/groups/${inner}/approval_rules/${id}`, { token: owner.secret })).status).toBe(404);

    const request = await open();
    expect(await request.state()).toMatchObject([{ id, name: 'security', approved: false }]);
    expect(await request.status()).toBe('not_approved');
    const own = { name: 'own', approvals_required: 0, user_ids: [author.user.id] };
    expect((await project.api('POST', `${request.path}/approval_rules`, { json: own })).status).toBe(201);
    expect((await request.state()).map(({ name }) => name)).toEqual(['own', 'security']);
    expect(await request.approve(developer)).toBe(201);
    expect(await request.status()).toBe('mergeable');

    await project.commit('free', { 'free.txt': 'x' }, { start_branch: 'main' });
    expect(await (await open('free')).state()).toEqual([]);

    // What is left out of a name and a number stays as it is.
    for (const json of [{ approvals_required: 2 }, { user_ids: [developer.user.id, owner.user.id] }])
      expect((await ofGroup('PUT', `/approval_rules/${id}`, { json })).status).toBe(200);
    expect((await ofGroup('PUT', `/approval_rules/${id}`, { json: { approvals_required: -1 } })).status).toBe(400);
    expect((await ofGroup('GET', `/approval_rules/${id}`)).body).toMatchObject({
      ...{ name: 'security', approvals_required: 2, users: [{}, {}] },
    });
    expect(await request.status()).toBe('not_approved');
    expect((await ofGroup('DELETE', `/approval_rules/${id}`)).status).toBe(204);
    expect((await ofGroup('DELETE', `/approval_rules/${id}`)).status).toBe(404);
    expect(await request.status()).toBe('mergeable');
  });
});

describe('approval settings', () => {
  const free = { locked: false, inherited_from: null };
  it('of groups lock those of the projects below, and act on their merge requests', async () => {
    expect((await ofGroup('GET', '/merge_request_approval_setting')).body).toMatchObject({
      allow_author_approval: { value: true, ...free },
      allow_committer_approval: { value: true, ...free },
      allow_overrides_to_approver_list_per_merge_request: { value: true, ...free },
      retain_approvals_on_push: { value: true, ...free },
      selective_code_owner_removals: { value: false, ...free },
      require_password_to_approve: { value: false, ...free },
      require_reauthentication_to_approve: { value: false, ...free },
    });
    const outsider = await buildToken(app);
    expect((await ofGroup('GET', '/merge_request_approval_setting', { token: outsider.secret })).status).toBe(404);
    expect((await project.api('GET', '/merge_request_approval_setting', { token: author.secret })).status).toBe(403);
    const all = {
      allow_author_approval: true,
      allow_committer_approval: true,
      allow_overrides_to_approver_list_per_merge_request: true,
      retain_approvals_on_push: true,
      selective_code_owner_removals: true,
      require_reauthentication_to_approve: false,
    };
    const changed = await project.api('PUT', '/merge_request_approval_setting', { json: all });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      Object.fromEntries(Object.entries(all).map(([name, value]) => [name, { value, ...free }])),
    ]);
    const request = await open();
    expect(await request.approve(author)).toBe(201);

    const strict = {
      allow_author_approval: false,
      allow_committer_approval: false,
      allow_overrides_to_approver_list_per_merge_request: false,
      retain_approvals_on_push: false,
      require_reauthentication_to_approve: true,
    };
    expect((await ofGroup('PUT', '/merge_request_approval_setting', { json: strict })).status).toBe(200);
    const locked = Object.fromEntries(
      Object.entries(strict).map(([name, value]) => [name, { value, locked: true, inherited_from: 'group' }]),
    );
    expect((await project.api('GET', '/merge_request_approval_setting')).body).toMatchObject(locked);
    const below = await app.api('GET', `/groups/${inner}/merge_request_approval_setting`, { token: owner.secret });
    expect(below.body).toMatchObject(locked);
    expect((await ofGroup('GET', '/merge_request_approval_setting')).body).toMatchObject({
      allow_author_approval: { value: false, ...free },
    });
    expect((await project.api('GET', '/approvals')).body).toMatchObject({
      ...{ merge_requests_author_approval: false, merge_requests_disable_committers_approval: true },
      ...{ disable_overriding_approvers_per_merge_request: true, reset_approvals_on_push: true },
      ...{ require_password_to_approve: true, selective_code_owner_removals: false },
    });
    const own = { name: 'own', approvals_required: 0, user_ids: [author.user.id] };
    expect((await project.api('POST', `${request.path}/approval_rules`, { json: own })).status).toBe(403);
    expect(await (await open()).approve(author)).toBe(401);
    // Approving asks for the password.
    expect(await (await open()).approve(developer)).toBe(401);
    const withoutPassword = { ...strict, require_reauthentication_to_approve: false };
    await ofGroup('PUT', '/merge_request_approval_setting', { json: withoutPassword });
    const pushed = await open();
    expect(await pushed.approve(developer)).toBe(201);
    await project.commit(pushed.branch, { 'more.txt': 'x' });
    await app.delivery.drain();
    const { body } = await project.api<Json>('GET', `${pushed.path}/approvals`);
    expect(body.approved_by).toEqual([]);
  });

  it('of the instance lock those of groups', async () => {
    const admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
    const set = (prevent_merge_requests_author_approval: boolean) =>
      app.api('PUT', '/application/settings', { token: admin, json: { prevent_merge_requests_author_approval } });
    await set(true);
    try {
      expect((await ofGroup('GET', '/merge_request_approval_setting')).body).toMatchObject({
        allow_author_approval: { value: false, locked: true, inherited_from: 'instance' },
      });
    } finally {
      await set(false);
    }
  });
});
