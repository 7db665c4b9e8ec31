/** Approval rules of projects and merge requests over HTTP: what they name, who may change them, and where they apply. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
let maintainer: BuiltToken;
let developer: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n' } });
  maintainer = await project.member(Level.maintainer);
  developer = await project.member(Level.developer);
});
afterAll(() => app.close());

const rules = '/approval_rules';
const create = (json: Json, who = maintainer, on = project) =>
  on.api<Json & { id: number }>('POST', rules, {
    token: who === maintainer && on !== project ? on.owner.secret : who.secret,
    json,
  });
const keys = (value: unknown) => Object.keys(value as Json).sort();
const idsOf = (list: unknown) => (list as Json[]).map(({ id }) => id);
const rule = (values: Json = {}) => ({ name: unique('rule'), approvals_required: 1, ...values });

async function open(on: RepositoryProject, target = 'main'): Promise<string> {
  const branch = unique('work');
  await on.commit(branch, { [branch]: '1' }, { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: target, title: branch };
  const made = await on.api('POST', '/merge_requests', { json });
  expect(made.status).toBe(201);
  return `/merge_requests/${made.body.iid}`;
}

describe('rules of a project', () => {
  it('[2/fields.approval-rule/1] [2/fields.approval-rule/2] [2/fields.approval-rule/3 rule_type, any_approver, regular, report_approver] [2/fields.approval-rule/4] [2/fields.approval-rule/5 approvals_required, any_approver] [2/fields.approval-rule/6] [2/fields.approval-rule/7 groups, id, name, path, description, visibility, lfs_enabled, avatar_url, web_url, request_access_enabled, full_name, full_path, parent_id, ldap_cn, ldap_access] [2/fields.approval-rule/8] [2/fields.approval-rule/9 protected_branches, id, name, push_access_levels, merge_access_levels, unprotect_access_levels, code_owner_approval_required, access_level, access_level_description] [2/fields.approval-rule/10] [2/api.approval-configuration-and-rules/4] [2/api.approval-configuration-and-rules/5 POST /projects/:id/approval_rules, approvals_required, name, applies_to_all_protected_branches, protected_branch_ids, group_ids, report_type, report_approver, license_scanning, code_coverage, rule_type, any_approver, regular, user_ids, usernames] name people, groups and protected branches', async () => {
    const own = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n' } });
    const group = await buildGroup(app, { visibility: 'public' });
    const [one, other, stranger] = [
      await own.member(Level.developer),
      await own.member(Level.developer),
      await buildToken(app),
    ];
    await buildMember(app, { user: other.user, of: group, level: Level.developer });
    await buildMember(app, { user: stranger.user, of: group, level: Level.developer });
    const [branch] = (await own.api<Json[]>('GET', '/protected_branches')).body;
    const any = await create(rule({ approvals_required: 0, rule_type: 'any_approver' }), maintainer, own);
    expect(any).toMatchObject({
      status: 201,
      body: { rule_type: 'any_approver', approvals_required: 0, eligible_approvers: [] },
    });
    const json = rule({
      user_ids: [one.user.id],
      usernames: [other.user.username],
      group_ids: [group.id],
      protected_branch_ids: [branch?.id],
    });
    const made = await create(json, maintainer, own);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      name: json.name,
      rule_type: 'regular',
      report_type: null,
      approvals_required: 1,
      applies_to_all_protected_branches: false,
      contains_hidden_groups: false,
      groups: [
        {
          id: group.id,
          name: group.name,
          path: group.path,
          visibility: 'public',
          lfs_enabled: true,
          avatar_url: null,
          web_url: `${app.url}/groups/${group.full_path}`,
          request_access_enabled: true,
          full_name: group.full_name,
          full_path: group.full_path,
          parent_id: null,
          ldap_cn: null,
          ldap_access: null,
        },
      ],
      protected_branches: [
        {
          id: branch?.id,
          name: 'main',
          push_access_levels: [{ access_level: 40, access_level_description: 'Maintainers' }],
          merge_access_levels: [{ access_level: 40, access_level_description: 'Maintainers' }],
          unprotect_access_levels: [],
          code_owner_approval_required: 'false',
        },
      ],
    });
    expect(idsOf(made.body.users)).toEqual([one.user.id, other.user.id]);
    // A member of the group without a role here may not approve.
    expect(idsOf(made.body.eligible_approvers)).toEqual([one.user.id, other.user.id]);
    expect((await own.api('GET', `${rules}/${made.body.id}`)).body).toEqual(made.body);
    for (const report_type of ['code_coverage', 'license_scanning'])
      expect(await create(rule({ rule_type: 'report_approver', report_type }), maintainer, own)).toMatchObject({
        status: 201,
        body: { rule_type: 'report_approver', report_type },
      });
    const all = await create(
      rule({ rule_type: 'regular', applies_to_all_protected_branches: true, protected_branch_ids: [0] }),
      maintainer,
      own,
    );
    expect(all.body).toMatchObject({ applies_to_all_protected_branches: true, protected_branches: [{ name: 'main' }] });
  });

  it('[2/api.approval-configuration-and-rules/3] are listed by pages to developers', async () => {
    const own = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n' } });
    const made: number[] = [];
    for (let count = 0; count < 3; count += 1) made.push((await create(rule(), maintainer, own)).body.id);
    const page = await own.api<Json[]>('GET', rules, { query: { per_page: '2' } });
    expect([idsOf(page.body), page.headers.get('x-total')]).toEqual([made.slice(0, 2), '3']);
    expect(page.body.map((each) => each.rule_type)).toEqual(['any_approver', 'regular']);
    const read = async (level: Level) =>
      (await own.api('GET', rules, { token: (await own.member(level)).secret })).status;
    expect([await read(Level.developer), await read(Level.reporter)]).toEqual([200, 403]);
    expect((await own.api('GET', rules, { token: null })).status).toBe(401);
  });

  it('[2/api.approval-configuration-and-rules/5 group_ids, protected_branch_ids, user_ids, usernames] takes lists as one text with commas, as forms send them', async () => {
    const group = await buildGroup(app, { visibility: 'public' });
    const [branch] = (await project.api<Json[]>('GET', '/protected_branches')).body;
    const values = {
      ...{ name: unique('commas'), approvals_required: '1' },
      user_ids: `${developer.user.id},${maintainer.user.id}`,
      usernames: developer.user.username,
      ...{ group_ids: String(group.id), protected_branch_ids: String(branch?.id) },
    };
    const made = await project.api<Json>('POST', '/approval_rules', {
      token: maintainer.secret,
      raw: new URLSearchParams(values).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { groups: [{ id: group.id }], protected_branches: [{ id: branch?.id }] },
    });
    const ids = (made.body.users as Json[]).map(({ id }) => Number(id)).sort();
    expect(ids).toEqual([developer.user.id, maintainer.user.id].sort());
    await project.api('DELETE', `/approval_rules/${String(made.body.id)}`, { token: maintainer.secret });
  });

  it('[2/api.approval-configuration-and-rules/6 PUT /projects/:id/approval_rules/:approval_rule_id, approvals_required, name, approval_rule_id, applies_to_all_protected_branches, group_ids, protected_branch_ids, user_ids, usernames, remove_hidden_groups] who is not named any more goes; hidden groups only where that is asked for', async () => {
    const [hidden, seen] = [await buildGroup(app), await buildGroup(app)];
    await buildMember(app, { user: maintainer.user, of: seen, level: Level.guest });
    const founder = await buildToken(app);
    for (const of of [hidden, seen]) await buildMember(app, { user: founder.user, of, level: Level.owner });
    await buildMember(app, { user: founder.user, of: await project.row(), level: Level.maintainer });
    const [branch] = (await project.api<Json[]>('GET', '/protected_branches')).body;
    const json = rule({
      user_ids: [developer.user.id],
      group_ids: [hidden.id, seen.id],
      protected_branch_ids: [branch?.id],
    });
    const made = await create(json, founder);
    expect(made.body).toMatchObject({ contains_hidden_groups: false, groups: [{ id: hidden.id }, { id: seen.id }] });
    const one = `${rules}/${made.body.id}`;
    const shown = await project.api('GET', one, { token: maintainer.secret });
    expect(shown.body).toMatchObject({ contains_hidden_groups: true, groups: [{ id: seen.id }] });
    expect(JSON.stringify(shown.body)).not.toContain(hidden.name);

    const change = (values: Json) =>
      project.api('PUT', one, {
        token: maintainer.secret,
        json: { name: json.name, approvals_required: 2, ...values },
      });
    expect(await change({ usernames: [maintainer.user.username] })).toMatchObject({
      status: 200,
      body: {
        approvals_required: 2,
        contains_hidden_groups: true,
        groups: [],
        users: [{ id: maintainer.user.id }],
        protected_branches: [{ id: branch?.id }],
      },
    });
    expect((await change({ group_ids: [seen.id], remove_hidden_groups: true })).body).toMatchObject({
      contains_hidden_groups: false,
      groups: [{ id: seen.id }],
      users: [],
    });
    expect((await change({ user_ids: [developer.user.id], protected_branch_ids: [] })).body).toMatchObject({
      users: [{ id: developer.user.id }],
      protected_branches: [],
    });
    expect((await change({ applies_to_all_protected_branches: true })).body).toMatchObject({
      applies_to_all_protected_branches: true,
      protected_branches: [{ id: branch?.id }],
    });
    for (const wrong of [{ name: 'x' }, { approvals_required: 1 }])
      expect((await project.api('PUT', one, { token: maintainer.secret, json: wrong })).status).toBe(400);
    expect((await project.api('DELETE', one, { token: developer.secret })).status).toBe(403);
    expect((await project.api('DELETE', one, { token: maintainer.secret })).status).toBe(204);
    expect((await project.api('DELETE', one, { token: maintainer.secret })).status).toBe(404);
    const events = await project.api<Json[]>('GET', '/audit_events');
    expect(events.body.map((event) => event.event_name)).toEqual(
      expect.arrayContaining(['created', 'updated', 'destroyed'].map((what) => `approval_rule_${what}`)),
    );
  });

  it('refuse what is missing, wrong or taken', async () => {
    await create(rule({ name: 'Taken', user_ids: [developer.user.id] }));
    await create(rule({ name: 'Everybody', rule_type: 'any_approver' }));
    const wrong: [Json, unknown][] = [
      [{ approvals_required: 1 }, { error: 'name is missing' }],
      [{ name: 'x' }, { error: 'approvals_required is missing' }],
      [rule({ rule_type: 'code_owner' }), { error: 'rule_type does not have a valid value' }],
      [rule({ name: ' ' }), { message: { name: ["can't be blank"] } }],
      [rule({ name: 'Taken', user_ids: [developer.user.id] }), { message: { name: ['has already been taken'] } }],
      [rule({ approvals_required: -1 }), { message: { approvals_required: ['must be greater than or equal to 0'] } }],
      [rule({ approvals_required: 101 }), { message: { approvals_required: ['must be less than or equal to 100'] } }],
      [rule({ rule_type: 'report_approver' }), { message: { report_type: ["can't be blank"] } }],
      [
        rule({ rule_type: 'any_approver' }),
        { message: { rule_type: ['any-approver for the project already exists'] } },
      ],
    ];
    for (const [json, body] of wrong) expect(await create(json)).toMatchObject({ status: 400, body });
    expect((await create(rule(), developer)).status).toBe(403);
    expect((await project.api('POST', rules, { token: null, json: rule() })).status).toBe(401);
    expect((await project.api('GET', `${rules}/999999999`)).status).toBe(404);
  });

  it('a rule without a type is for everybody, and regular as soon as it names somebody', async () => {
    const own = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n' } });
    const one = await own.member(Level.developer);
    const made = await create(rule(), maintainer, own);
    expect(made.body).toMatchObject({ rule_type: 'any_approver', users: [] });
    const json = { name: 'x', approvals_required: 1, user_ids: [one.user.id] };
    expect((await own.api('PUT', `${rules}/${made.body.id}`, { json })).body).toMatchObject({
      rule_type: 'regular',
      users: [{ id: one.user.id }],
    });
  });

  it('are for the target branches that they name', async () => {
    const own = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n' } });
    await own.api('POST', '/repository/branches', { query: { branch: 'stable-1', ref: 'main' } });
    await own.api('POST', '/repository/branches', { query: { branch: 'free', ref: 'main' } });
    const stable = await own.api('POST', '/protected_branches', { json: { name: 'stable-*' } });
    const approver = await own.member(Level.developer);
    const named = (values: Json) => create(rule({ user_ids: [approver.user.id], ...values }), maintainer, own);
    const first = await named({ protected_branch_ids: [stable.body.id] });
    const second = await named({ applies_to_all_protected_branches: true });
    const third = await named({});
    const rulesOf = async (target: string) => {
      const state = await own.api<{ rules: Json[] }>('GET', `${await open(own, target)}/approval_state`);
      return idsOf(state.body.rules);
    };
    expect(await rulesOf('stable-1')).toEqual([first.body.id, second.body.id, third.body.id]);
    expect(await rulesOf('main')).toEqual([second.body.id, third.body.id]);
    expect(await rulesOf('free')).toEqual([third.body.id]);
  });
});

describe('[2/api.approval-configuration-and-rules/7] rules of a merge request', () => {
  it('are added, changed and removed by developers, and take the place of those of the project', async () => {
    const own = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n' } });
    const one = await own.member(Level.developer);
    const general = await create(rule({ user_ids: [one.user.id] }), maintainer, own);
    const path = await open(own);
    const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', target: string, json?: Json, token = one.secret) =>
      own.api<Json>(method, `${path}${target}`, { token, ...(json ? { json } : {}) });
    expect((await call('GET', rules)).body).toEqual([]);
    expect((await call('GET', '/approval_state')).body).toMatchObject({
      approval_rules_overwritten: false,
      rules: [{ id: general.body.id, approved: false, approved_by: [], eligible_approvers: [{ id: one.user.id }] }],
    });
    const json = { name: 'Own', approvals_required: 1, usernames: [one.user.username] };
    const made = await call('POST', rules, json);
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'Own', rule_type: 'regular', source_rule: null, overridden: false, section: null },
    });
    expect(keys(made.body)).toEqual(
      [
        ...['id', 'name', 'rule_type', 'report_type', 'eligible_approvers', 'approvals_required', 'users', 'groups'],
        ...['contains_hidden_groups', 'section', 'source_rule', 'overridden'],
      ].sort(),
    );
    const target = `${rules}/${made.body.id}`;
    expect((await call('GET', target)).body).toEqual(made.body);
    expect((await call('GET', rules)).body).toEqual([made.body]);
    expect((await call('POST', '/approve')).status).toBe(201);
    expect((await call('GET', '/approval_state')).body).toMatchObject({
      approval_rules_overwritten: true,
      rules: [{ id: made.body.id, approved: true, approved_by: [{ id: one.user.id }] }],
    });
    expect((await call('PUT', target, { approvals_required: 2, user_ids: [one.user.id] })).body).toMatchObject({
      name: 'Own',
      approvals_required: 2,
    });
    const reporter = (await own.member(Level.reporter)).secret;
    expect((await call('POST', rules, { name: 'x', approvals_required: 1 }, reporter)).status).toBe(403);
    expect((await call('DELETE', target)).status).toBe(204);
    expect((await call('GET', target)).status).toBe(404);
    expect((await call('GET', '/approval_state')).body).toMatchObject({ approval_rules_overwritten: false });
  });
});
