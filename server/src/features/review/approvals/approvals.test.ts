/** Approvals of merge requests over HTTP: configuration and its switches, rules, who may approve, and what blocks a merge. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildToken,
  buildUser,
  unique,
} from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let admin: string;
beforeAll(async () => {
  // Nothing is delivered unless a test does it: every push stays unprocessed.
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
});
afterAll(() => app.close());

const build = (files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' }) =>
  buildRepositoryProject(app, { files });
const configure = async (project: RepositoryProject, json: Json) => {
  const answer = await project.api('POST', '/approvals', { json });
  expect([answer.status, answer.body]).toEqual([201, answer.body]);
  return answer.body;
};
const addRule = async (project: RepositoryProject, json: Json) => {
  const answer = await project.api<Json & { id: number }>('POST', '/approval_rules', { json });
  expect([answer.status, answer.body]).toEqual([201, answer.body]);
  return answer.body;
};
/** A merge request of a developer, from a branch of its own. */
async function open(project: RepositoryProject, author: BuiltToken, files: Record<string, string> = {}) {
  const branch = unique('work');
  const actions = Object.entries({ [branch]: '1', ...files }).map(([file_path, content]) => ({
    action: files[file_path] === undefined || file_path === branch ? 'create' : 'update',
    file_path,
    content,
  }));
  const commit = (json: Json) =>
    project.api<Json>('POST', '/repository/commits', {
      token: author.secret,
      json: { commit_message: 'Work', ...json },
    });
  expect((await commit({ branch, start_branch: 'main', actions })).status).toBe(201);
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const made = await project.api<Json>('POST', '/merge_requests', { token: author.secret, json });
  expect(made.status).toBe(201);
  const path = `/merge_requests/${made.body.iid}`;
  const as = (who: BuiltToken, method: 'GET' | 'POST' | 'PUT' | 'DELETE', target: string, body?: Json) =>
    project.api<Json>(method, `${path}${target}`, { token: who.secret, ...(body ? { json: body } : {}) });
  return {
    path,
    branch,
    sha: String(made.body.sha),
    as,
    approve: async (who: BuiltToken, body: Json = {}) => (await as(who, 'POST', '/approve', body)).status,
    unapprove: async (who: BuiltToken) => (await as(who, 'POST', '/unapprove')).status,
    status: async () => (await as(project.owner, 'GET', '')).body.detailed_merge_status,
    merge: async () => (await as(project.owner, 'PUT', '/merge', {})).status,
    state: async (who = project.owner) => (await as(who, 'GET', '/approvals')).body,
    push: async (who: BuiltToken, changes: Record<string, string>) => {
      const json = {
        branch,
        commit_message: 'More',
        actions: Object.entries(changes).map(([file_path, content]) => ({ action: 'create', file_path, content })),
      };
      expect((await project.api('POST', '/repository/commits', { token: who.secret, json })).status).toBe(201);
    },
  };
}
const idsOf = (people: unknown) => (people as Json[]).map(({ id }) => id);

const defaults = {
  approvers: [],
  approver_groups: [],
  approvals_before_merge: 0,
  reset_approvals_on_push: true,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_password_to_approve: false,
};

describe('the configuration of a project', () => {
  it('[2/fields.approval-configuration/1 approvers, approver_groups, approvals_before_merge, reset_approvals_on_push, selective_code_owner_removals, disable_overriding_approvers_per_merge_request, merge_requests_author_approval, merge_requests_disable_committers_approval, require_password_to_approve] [2/api.approval-configuration-and-rules/1] [2/api.approval-configuration-and-rules/2 POST /projects/:id/approvals, disable_overriding_approvers_per_merge_request, merge_requests_author_approval, merge_requests_disable_committers_approval, require_password_to_approve, reset_approvals_on_push, selective_code_owner_removals, approvals_before_merge] is read by developers and changed by maintainers, with an audit event', async () => {
    const project = await build();
    const [developer, maintainer] = [await project.member(Level.developer), await project.member(Level.maintainer)];
    const read = (token: string | null) => project.api('GET', '/approvals', { token });
    expect(await read(developer.secret)).toMatchObject({ status: 200, body: defaults });
    expect(Object.keys((await read(developer.secret)).body).sort()).toEqual(Object.keys(defaults).sort());
    expect((await read(null)).status).toBe(401);
    expect((await read((await project.member(Level.reporter)).secret)).status).toBe(403);
    const change = (json: Json, token = maintainer.secret) => project.api('POST', '/approvals', { token, json });
    expect((await change({ require_password_to_approve: true }, developer.secret)).status).toBe(403);
    const switched = {
      reset_approvals_on_push: false,
      selective_code_owner_removals: true,
      disable_overriding_approvers_per_merge_request: true,
      merge_requests_author_approval: true,
      merge_requests_disable_committers_approval: true,
      require_password_to_approve: true,
      approvals_before_merge: 2,
    };
    expect(await change(switched)).toMatchObject({ status: 201, body: { ...defaults, ...switched } });
    expect((await read(developer.secret)).body).toEqual({ ...defaults, ...switched });
    expect((await project.api('GET', '')).body).toMatchObject({ approvals_before_merge: 2 });
    // What is not named stays.
    expect((await change({ approvals_before_merge: 1 })).body).toMatchObject({
      ...switched,
      approvals_before_merge: 1,
    });
    // Removing approvals selectively is for those that are not all removed.
    expect((await change({ reset_approvals_on_push: true })).body).toMatchObject({
      reset_approvals_on_push: true,
      selective_code_owner_removals: false,
    });
    expect(await change({ selective_code_owner_removals: true })).toMatchObject({
      status: 400,
      body: {
        message: {
          selective_code_owner_removals: ['can only be enabled when reset_approvals_on_push is disabled'],
        },
      },
    });
    for (const json of [
      { approvals_before_merge: -1 },
      { approvals_before_merge: 'many' },
      { require_password_to_approve: 'x' },
    ])
      expect((await change(json)).status).toBe(400);
    const events = await project.api<Json[]>('GET', '/audit_events');
    expect(events.body.map(({ event_name }) => event_name)).toContain('merge_request_approval_settings_updated');
  });

  it('what the instance requires of all projects counts over what a project says', async () => {
    const project = await build();
    const author = await project.member(Level.developer);
    const instance = (json: Json) => app.api('PUT', '/application/settings', { token: admin, json });
    const names = {
      disable_overriding_approvers_per_merge_request: true,
      prevent_merge_requests_author_approval: true,
      prevent_merge_requests_committers_approval: true,
    };
    await configure(project, { merge_requests_author_approval: true });
    const request = await open(project, author);
    expect((await instance(names)).status).toBe(200);
    try {
      expect((await project.api('GET', '/approvals')).body).toMatchObject({
        disable_overriding_approvers_per_merge_request: true,
        merge_requests_author_approval: false,
        merge_requests_disable_committers_approval: true,
      });
      expect(await request.approve(author)).toBe(401);
    } finally {
      await instance(Object.fromEntries(Object.keys(names).map((name) => [name, false])));
    }
    expect(await request.approve(author)).toBe(201);
  });
});

describe('the switches act', () => {
  it('approvals_before_merge: so many people have to approve', async () => {
    const project = await build();
    const [author, one, other] = await Promise.all([1, 2, 3].map(() => project.member(Level.developer)));
    if (!author || !one || !other) throw new Error('no people');
    await configure(project, { approvals_before_merge: 2 });
    const request = await open(project, author);
    expect([await request.status(), await request.merge()]).toEqual(['not_approved', 405]);
    expect(await request.approve(one)).toBe(201);
    expect(await request.state()).toMatchObject({ approved: false, approvals_required: 2, approvals_left: 1 });
    expect([await request.status(), await request.merge()]).toEqual(['not_approved', 405]);
    expect(await request.approve(other)).toBe(201);
    expect([await request.status(), await request.merge()]).toEqual(['mergeable', 200]);
  });

  it('merge_requests_author_approval and merge_requests_disable_committers_approval: security: by user id, whatever names commits have', async () => {
    const project = await build();
    const [author, committer, free] = await Promise.all([1, 2, 3].map(() => project.member(Level.developer)));
    if (!author || !committer || !free) throw new Error('no people');
    await addRule(project, { name: 'All', approvals_required: 1, rule_type: 'any_approver' });
    const request = await open(project, author);
    expect((await request.state(author)).user_can_approve).toBe(false);
    expect(await request.approve(author)).toBe(401);
    await configure(project, { merge_requests_author_approval: true });
    expect(await request.approve(author)).toBe(201);
    expect(await request.status()).toBe('mergeable');
    // The approval counts for nothing as soon as authors may not give it.
    await configure(project, { merge_requests_author_approval: false });
    expect(await request.status()).toBe('not_approved');

    // Who pushed is barred although the commit names somebody else, who is not.
    const json = {
      branch: request.branch,
      commit_message: 'x',
      author_name: free.user.name,
      author_email: 'nobody@example.org',
      actions: [{ action: 'create', file_path: 'other', content: 'x' }],
    };
    expect((await project.api('POST', '/repository/commits', { token: committer.secret, json })).status).toBe(201);
    expect(await request.approve(committer)).toBe(201);
    expect(await request.status()).toBe('mergeable');
    await configure(project, { merge_requests_disable_committers_approval: true });
    expect(await request.status()).toBe('not_approved');
    expect(await request.unapprove(committer)).toBe(201);
    expect(await request.approve(committer)).toBe(401);
    await app.delivery.drain();
    expect(await request.approve(committer)).toBe(401);
    expect(await request.approve(free)).toBe(201);
    expect(await request.status()).toBe('mergeable');
  });

  it('require_password_to_approve', async () => {
    const project = await build();
    const user = await buildUser(app, { password: 'correct horse battery' });
    await buildMember(app, { user, of: await project.row(), level: Level.developer });
    const approver = await buildToken(app, { user });
    const request = await open(project, await project.member(Level.developer));
    await configure(project, { require_password_to_approve: true });
    expect((await request.state()).require_password_to_approve).toBe(true);
    expect(await request.approve(approver)).toBe(401);
    expect(await request.approve(approver, { approval_password: 'wrong' })).toBe(401);
    expect(await request.approve(approver, { approval_password: 'correct horse battery' })).toBe(201);
  });

  it('disable_overriding_approvers_per_merge_request: rules of merge requests count only without it', async () => {
    const project = await build();
    const [author, one] = [await project.member(Level.developer), await project.member(Level.developer)];
    const rule = await addRule(project, {
      name: 'Two',
      approvals_required: 2,
      user_ids: [one.user.id, author.user.id],
    });
    const request = await open(project, author);
    const own = await request.as(author, 'POST', '/approval_rules', {
      name: 'ignored',
      approvals_required: 0,
      approval_project_rule_id: rule.id,
    });
    expect(own).toMatchObject({
      status: 201,
      body: { name: 'Two', approvals_required: 0, source_rule: { approvals_required: 2 }, overridden: true },
    });
    expect((await request.as(one, 'GET', '/approval_state')).body).toMatchObject({
      approval_rules_overwritten: true,
      rules: [{ id: own.body.id, approvals_required: 0, approved: true }],
    });
    expect(await request.status()).toBe('mergeable');
    await configure(project, { disable_overriding_approvers_per_merge_request: true });
    expect(await request.status()).toBe('not_approved');
    expect((await request.as(one, 'GET', '/approval_state')).body).toMatchObject({
      approval_rules_overwritten: false,
      rules: [{ id: rule.id, approvals_required: 2, approved: false }],
    });
    const refused = [
      await request.as(author, 'POST', '/approval_rules', { name: 'x', approvals_required: 0 }),
      await request.as(author, 'PUT', `/approval_rules/${own.body.id}`, { approvals_required: 0 }),
      await request.as(author, 'DELETE', `/approval_rules/${own.body.id}`),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('reset_approvals_on_push: a push takes approvals back, the same changes on another base do not', async () => {
    const project = await build({ 'a.txt': 'one\n' });
    const [author, one] = [await project.member(Level.developer), await project.member(Level.developer)];
    await addRule(project, { name: 'All', approvals_required: 1 });
    const request = await open(project, author);
    expect(await request.approve(one)).toBe(201);
    expect(await request.status()).toBe('mergeable');
    // security: also while nobody has processed the push.
    await request.push(author, { more: '2' });
    expect([await request.status(), await request.merge()]).toEqual(['not_approved', 405]);
    expect(await request.state()).toMatchObject({ approvals_left: 1, approved_by: [] });
    expect(await request.approve(one)).toBe(201);
    await app.delivery.drain();
    // Rebased: other commits, the same changes.
    await project.commit('main', { newer: 'n' });
    await app.delivery.drain();
    await project.api('PUT', `${request.path}/rebase`, { token: author.secret });
    await app.delivery.drain();
    expect((await request.state()).approvals_left).toBe(0);
    await configure(project, { reset_approvals_on_push: false });
    await request.push(author, { evenmore: '3' });
    await app.delivery.drain();
    expect(await request.state()).toMatchObject({ approvals_left: 0, approved: true });
  });

  it('selective_code_owner_removals: only owners of what a push changes have to approve again', async () => {
    const project = await build({ 'a.txt': 'one\n' });
    const [author, docs, code] = await Promise.all([1, 2, 3].map(() => project.member(Level.developer)));
    if (!author || !docs || !code) throw new Error('no people');
    await project.commit('main', {
      CODEOWNERS: `docs/ @${docs.user.username}\nsrc/ @${code.user.username}\n`,
    });
    await configure(project, { reset_approvals_on_push: false, selective_code_owner_removals: true });
    const request = await open(project, author);
    for (const who of [docs, code]) expect(await request.approve(who)).toBe(201);
    await request.push(author, { 'docs/new.md': 'x' });
    await app.delivery.drain();
    const state = await request.state();
    expect((state.approved_by as Json[]).map(({ user }) => (user as Json).id)).toEqual([code.user.id]);
  });
});

describe('approving', () => {
  it('answers the approvals, once for each, with the commit that was seen', async () => {
    const project = await build();
    const [author, one, reporter] = [
      await project.member(Level.developer),
      await project.member(Level.developer),
      await project.member(Level.reporter),
    ];
    await addRule(project, { name: 'All', approvals_required: 1 });
    const request = await open(project, author);
    expect(await request.approve(one, { sha: 'f'.repeat(40) })).toBe(409);
    expect(await request.approve(reporter)).toBe(401);
    expect((await project.api('POST', `${request.path}/approve`, { token: null })).status).toBe(401);
    const approved = await request.as(one, 'POST', '/approve', { sha: request.sha });
    expect(approved).toMatchObject({
      status: 201,
      body: {
        approved: true,
        approvals_required: 1,
        approvals_left: 0,
        approved_by: [{ user: { id: one.user.id, username: one.user.username } }],
        user_has_approved: true,
        user_can_approve: false,
        approval_rules_left: [],
        has_approval_rules: true,
      },
    });
    expect(await request.approve(one)).toBe(401);
    expect(await request.unapprove(author)).toBe(404);
    expect(await request.unapprove(one)).toBe(201);
    expect(await request.state()).toMatchObject({
      approved: false,
      approvals_left: 1,
      approval_rules_left: [{ name: 'All', rule_type: 'any_approver' }],
    });
    expect(await request.approve(one)).toBe(201);
    expect(await request.merge()).toBe(200);
    expect(await request.approve(author)).toBe(401);
    await app.delivery.drain();
    const events = await app.api<Json[]>('GET', '/events', { token: one.secret, query: { action: 'approved' } });
    expect(events.body).toMatchObject([{ action_name: 'approved' }, { action_name: 'approved' }]);
  });

  it('security 18: whoever lost their role, or is blocked, has approved nothing and approves nothing', async () => {
    const project = await build();
    const [author, gone, blocked] = await Promise.all([1, 2, 3].map(() => project.member(Level.developer)));
    if (!author || !gone || !blocked) throw new Error('no people');
    const rule = { name: 'Two', approvals_required: 2, user_ids: [gone.user.id, blocked.user.id] };
    await addRule(project, rule);
    const request = await open(project, author);
    for (const who of [gone, blocked]) expect(await request.approve(who)).toBe(201);
    expect(await request.status()).toBe('mergeable');
    expect((await project.api('DELETE', `/members/${gone.user.id}`)).status).toBe(204);
    expect(await request.state()).toMatchObject({ approvals_left: 1 });
    expect((await app.api('POST', `/users/${blocked.user.id}/block`, { token: admin })).status).toBe(201);
    expect(await request.state()).toMatchObject({ approvals_left: 2 });
    expect([await request.status(), await request.merge()]).toEqual(['not_approved', 405]);
    expect(await request.approve(gone)).toBe(404);
    expect(await request.approve(blocked)).toBe(401);
  });

  it('security 17: rules and requests of another project are not found', async () => {
    const [project, other] = [await build(), await build()];
    const rule = await addRule(other, { name: 'Other', approvals_required: 1 });
    for (const [method, json] of [
      ['GET', undefined],
      ['PUT', { name: 'x', approvals_required: 0 }],
      ['DELETE', undefined],
    ] as const)
      expect((await project.api(method, `/approval_rules/${rule.id}`, json ? { json } : {})).status).toBe(404);
    const author = await project.member(Level.developer);
    const [one, two] = [await open(project, author), await open(project, author)];
    const made = await one.as(author, 'POST', '/approval_rules', { name: 'Mine', approvals_required: 1 });
    expect((await two.as(author, 'GET', `/approval_rules/${made.body.id}`)).status).toBe(404);
    const foreign = { name: 'x', approvals_required: 1, approval_project_rule_id: rule.id };
    expect((await one.as(author, 'POST', '/approval_rules', foreign)).status).toBe(404);
  });

  it('security 19: catching up with a push is the work of whoever pushed, not of who approves', async () => {
    const project = await build({
      '.gitlab-ci.yml': 'a: {script: [x], tags: [nobody], rules: [{if: $CI_MERGE_REQUEST_IID}]}\n',
    });
    const [author, one] = [await project.member(Level.developer), await project.member(Level.developer)];
    const request = await open(project, author);
    await app.delivery.drain();
    await request.push(author, { more: '2' });
    expect(await request.approve(one)).toBe(201);
    await app.delivery.drain();
    const pipelines = await project.api<Json[]>('GET', `${request.path}/pipelines`);
    expect(pipelines.body.length).toBe(2);
    const detail = await project.api<Json>('GET', `/pipelines/${pipelines.body[0]?.id}`);
    expect((detail.body.user as Json).id).toBe(author.user.id);
  });

  it('reset_approvals: for bots of projects alone', async () => {
    const project = await build();
    const [author, one] = [await project.member(Level.developer), await project.member(Level.developer)];
    const request = await open(project, author);
    expect(await request.approve(one)).toBe(201);
    const json = { name: 'bot', scopes: ['api'], access_level: 30 };
    const token = (await project.api<{ token: string }>('POST', '/access_tokens', { json })).body.token;
    expect((await project.api('PUT', `${request.path}/reset_approvals`, {})).status).toBe(401);
    // Clients decode what comes with 202.
    const reset = await project.api('PUT', `${request.path}/reset_approvals`, { token });
    expect([reset.status, reset.body]).toEqual([202, 202]);
    expect((await request.state()).approved_by).toEqual([]);
    // Who approved what is merged stays known.
    expect(await request.approve(one)).toBe(201);
    expect((await project.api('PUT', `${request.path}/merge`)).status).toBe(200);
    expect((await project.api('PUT', `${request.path}/reset_approvals`, { token })).status).toBe(401);
    expect((await request.state()).approved_by).toHaveLength(1);
  });
});

describe('code owners', () => {
  it('block protected branches that ask for them, section by section', async () => {
    const project = await build();
    const [author, docs, dba1, dba2] = await Promise.all([1, 2, 3, 4].map(() => project.member(Level.developer)));
    if (!author || !docs || !dba1 || !dba2) throw new Error('no people');
    await project.commit('main', {
      'docs/CODEOWNERS': [
        '* @nobody-at-all',
        '[Documentation]',
        `docs/ @${docs.user.username}`,
        '!docs/free.md',
        `[Data][2] @${dba1.user.username} @${dba2.user.username}`,
        '*.sql',
        `^[Style] @${docs.user.username}`,
        '*.css',
      ].join('\n'),
    });
    const request = await open(project, author);
    await request.push(author, { 'docs/a.md': 'x', 'docs/free.md': 'x', 'x.sql': 'x', 'x.css': 'x' });
    await app.delivery.drain();
    const rules = async () =>
      ((await request.as(author, 'GET', '/approval_state')).body.rules as Json[]).map((rule) => [
        ...[rule.section, rule.name, rule.approvals_required, rule.approved, rule.code_owner, rule.rule_type],
      ]);
    expect(await rules()).toEqual([
      ['Data', '*.sql', 0, true, true, 'code_owner'],
      ['Documentation', 'docs/', 0, true, true, 'code_owner'],
      ['Style', '*.css', 0, true, true, 'code_owner'],
      ['codeowners', '*', 0, true, true, 'code_owner'],
    ]);
    expect(await request.status()).toBe('mergeable');
    const json = { code_owner_approval_required: true };
    expect((await project.api('PATCH', '/protected_branches/main', { json })).status).toBe(200);
    expect(await rules()).toEqual([
      ['Data', '*.sql', 2, false, true, 'code_owner'],
      ['Documentation', 'docs/', 1, false, true, 'code_owner'],
      ['Style', '*.css', 0, true, true, 'code_owner'],
      ['codeowners', '*', 0, true, true, 'code_owner'],
    ]);
    expect([await request.status(), await request.merge()]).toEqual(['not_approved', 405]);
    for (const who of [docs, dba1]) expect(await request.approve(who)).toBe(201);
    expect(await request.status()).toBe('not_approved');
    expect(await request.approve(dba2)).toBe(201);
    expect([await request.status(), await request.merge()]).toEqual(['mergeable', 200]);
  });

  it('by groups, roles and addresses; a merge request does not choose its own owners', async () => {
    const group = await buildGroup(app);
    const project = await build();
    const [author, member, maintainer] = [
      await project.member(Level.developer),
      await project.member(Level.developer),
      await project.member(Level.maintainer),
    ];
    await buildMember(app, { user: member.user, of: group, level: Level.guest });
    await project.commit('main', {
      CODEOWNERS: `/group @${group.full_path}\n/role @@maintainer\n/mail ${author.user.email} ${member.user.email}\n`,
    });
    const request = await open(project, author);
    await request.push(author, { group: 'x', role: 'x', mail: 'x', 'docs/CODEOWNERS': '* @nobody\n' });
    await app.delivery.drain();
    const { body } = await request.as(author, 'GET', '/approval_state');
    const eligible = Object.fromEntries(
      (body.rules as Json[]).map((rule) => [rule.name, idsOf(rule.eligible_approvers)]),
    );
    expect(eligible).toEqual({ '/group': [member.user.id], '/role': [maintainer.user.id], '/mail': [member.user.id] });
  });
});
