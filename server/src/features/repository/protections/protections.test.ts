/** The API of protected branches and tags: every form of who may, its checks, and who may change it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildToken,
  unique,
} from '../../../../test/factories.ts';
import { sshKeyText } from '../../../../test/keys.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

let app: TestApp;
let owner: BuiltToken;
let top: Namespace;
let group: Namespace;
let project: RepositoryProject;
let maintainer: BuiltToken;
let developer: BuiltToken;
/** A write key of the project. */
let key: number;
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  top = await buildGroup(app, { owner: owner.user });
  group = await buildGroup(app, { parent: top });
  project = await buildRepositoryProject(app, { owner, settings: { namespace_id: group.id } });
  maintainer = await project.member(40);
  developer = await project.member(30);
  const json = { title: 'Release robot', key: sshKeyText(), can_push: true };
  key = Number((await project.api('POST', '/deploy_keys', { json })).body.id);
});
afterAll(() => app.close());

const branches = '/protected_branches';
const tags = '/protected_tags';
const at = (base: string, name: string) => `${base}/${encodeURIComponent(name)}`;
const protect = (json: Json, token?: string) =>
  project.api('POST', branches, { json, ...(token === undefined ? {} : { token }) });
const change = (name: string, json: Json, token?: string) =>
  project.api('PATCH', at(branches, name), { json, ...(token === undefined ? {} : { token }) });
type Access = Json & { id: number };
const levels = (body: Json, kind: string) => body[`${kind}_access_levels`] as Access[];
const brief = (body: Json, kind: string) =>
  levels(body, kind).map(({ access_level, user_id, group_id, deploy_key_id }) => [
    access_level,
    user_id,
    group_id,
    ...(deploy_key_id === undefined ? [] : [deploy_key_id]),
  ]);
const audited = async (event: string) =>
  app.db.selectFrom('audit_events').selectAll().where('event', '=', event).orderBy('id', 'desc').executeTakeFirst();

describe('protected branches of a project', () => {
  it('maintainers push, merge and unprotect unless something else is said', async () => {
    const name = 'release/*';
    const made = await protect({ name }, maintainer.secret);
    expect(made.status).toBe(201);
    const level = (description: string, access_level: number) => ({
      id: expect.any(Number),
      access_level,
      access_level_description: description,
      user_id: null,
      group_id: null,
    });
    expect(made.body).toEqual({
      id: expect.any(Number),
      name,
      push_access_levels: [level('Maintainers', 40)],
      merge_access_levels: [level('Maintainers', 40)],
      unprotect_access_levels: [level('Maintainers', 40)],
      allow_force_push: false,
      code_owner_approval_required: false,
      inherited: false,
    });
    expect((await project.api('GET', at(branches, name))).body).toEqual(made.body);
    expect(await audited('protected_branch_created')).toMatchObject({
      author_id: maintainer.user.id,
      entity_id: project.id,
      target_details: name,
      details: { name, allowed_to_push: ['Maintainers'] },
    });
    const again = await protect({ name });
    expect([again.status, again.body]).toEqual([409, { message: "Protected branch 'release/*' already exists" }]);
  });

  it('roles in one number, from no one to administrators', async () => {
    const made = await protect({
      ...{ name: 'levels', push_access_level: 0, merge_access_level: 30, unprotect_access_level: 60 },
      ...{ allow_force_push: true, code_owner_approval_required: 'true' },
    });
    expect([made.status, made.body]).toMatchObject([
      201,
      { allow_force_push: true, code_owner_approval_required: true },
    ]);
    expect(['push', 'merge', 'unprotect'].map((kind) => levels(made.body, kind)[0]?.access_level_description)).toEqual([
      'No one',
      'Developers + Maintainers',
      'Instance admins',
    ]);
    for (const [json, error] of [
      [{ push_access_level: 20 }, 'push_access_level does not have a valid value'],
      [{ merge_access_level: 50 }, 'merge_access_level does not have a valid value'],
      [{ unprotect_access_level: 0 }, 'unprotect_access_level does not have a valid value'],
      [
        { allowed_to_unprotect: [{ access_level: 0 }] },
        'allowed_to_unprotect[access_level] does not have a valid value',
      ],
      [{ allowed_to_push: [{ access_level: 10 }] }, 'allowed_to_push[access_level] does not have a valid value'],
      [
        { allowed_to_merge: [{}] },
        'allowed_to_merge[access_level], allowed_to_merge[user_id], allowed_to_merge[group_id], allowed_to_merge[deploy_key_id] are missing, exactly one parameter must be provided',
      ],
      [{ name: ' ' }, 'name is invalid'],
      [{ name: '' }, 'name is empty'],
      [{ name: ['main'] }, 'name is invalid'],
      [{ allowed_to_push: { access_level: 30 } }, 'allowed_to_push is invalid'],
    ] as const)
      expect((await protect({ name: 'wrong', ...json })).body).toEqual({ error });
  });

  it('users, groups and deploy keys that can use it, by JSON and by form', async () => {
    const invited = await buildGroup(app);
    await app.db.insertInto('grants').values({ group_id: invited.id, project_id: project.id, level: 30 }).execute();
    const made = await protect({
      name: 'named',
      push_access_level: 30,
      allowed_to_push: [{ user_id: developer.user.id }, { deploy_key_id: key }, { access_level: 30 }],
      allowed_to_merge: [{ group_id: invited.id }, { group_id: top.id }],
      allowed_to_unprotect: [{ user_id: owner.user.id }],
    });
    expect(made.status).toBe(201);
    expect(brief(made.body, 'push')).toEqual([
      [30, null, null],
      [null, developer.user.id, null],
      [40, null, null, key],
    ]);
    expect(brief(made.body, 'merge')).toEqual([
      [null, null, invited.id],
      [null, null, top.id],
    ]);
    expect(levels(made.body, 'push').map((level) => level.access_level_description)).toEqual([
      'Developers + Maintainers',
      developer.user.name,
      'Release robot',
    ]);
    const query = `name=form-*&allowed_to_push[][user_id]=${developer.user.id}&allowed_to_push[][group_id]=${group.id}`;
    const form = await project.api('POST', `${branches}?${query}`);
    expect([form.status, brief(form.body, 'push')]).toEqual([
      201,
      [
        [null, developer.user.id, null],
        [null, null, group.id],
      ],
    ]);
  });

  it('security 17: strangers, groups without access and keys of others are no one to name', async () => {
    const stranger = await buildToken(app);
    const alien = await buildGroup(app);
    const other = await buildRepositoryProject(app, { owner });
    const json = { title: 'x', key: sshKeyText(), can_push: true };
    const foreign = Number((await other.api('POST', '/deploy_keys', { json })).body.id);
    const reading = Number(
      (await project.api('POST', '/deploy_keys', { json: { title: 'r', key: sshKeyText() } })).body.id,
    );
    for (const [kind, grant, reason] of [
      ['push', { user_id: stranger.user.id }, 'Push access levels user is not a member of the project'],
      ['merge', { user_id: 2 ** 40 }, 'Merge access levels user is not a member of the project'],
      ['unprotect', { group_id: alien.id }, 'Unprotect access levels group does not have access to the project'],
      ['push', { group_id: 2 ** 40 }, 'Push access levels group does not have access to the project'],
      [
        'push',
        { deploy_key_id: foreign },
        'Push access levels deploy key is not enabled with write access for this project',
      ],
      [
        'push',
        { deploy_key_id: reading },
        'Push access levels deploy key is not enabled with write access for this project',
      ],
    ] as const) {
      const answer = await protect({ name: 'named-wrongly', [`allowed_to_${kind}`]: [grant] });
      expect([answer.status, answer.body]).toEqual([422, { message: [reason] }]);
    }
    const twice = await protect({ name: 'twice', allowed_to_push: [{ access_level: 30 }, { access_level: 30 }] });
    expect([twice.status, twice.body]).toEqual([422, { message: ['Access levels have already been taken'] }]);
    expect((await project.api('GET', at(branches, 'twice'))).status).toBe(404);
    // Only pushing knows keys.
    const merging = await protect({ name: 'keyed', allowed_to_merge: [{ deploy_key_id: key }] });
    expect(merging.status).toBe(400);
  });

  it('changed entry by entry, the rest stays', async () => {
    const made = await protect({ name: 'changed', allowed_to_merge: [{ access_level: 30 }, { access_level: 40 }] });
    const [first, second] = levels(made.body, 'merge') as [Access, Access];
    const push = levels(made.body, 'push')[0] as Access;
    const changed = await change('changed', {
      allow_force_push: true,
      allowed_to_push: [{ id: push.id, access_level: 0 }, { user_id: developer.user.id }],
      allowed_to_merge: [{ id: first.id, _destroy: true }, { id: second.id }],
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ allow_force_push: true, code_owner_approval_required: false });
    expect(levels(changed.body, 'push')).toMatchObject([
      { id: push.id, access_level: 0, access_level_description: 'No one' },
      { access_level: null, user_id: developer.user.id },
    ]);
    expect(brief(changed.body, 'merge')).toEqual([[40, null, null]]);
    const event = await audited('protected_branch_updated');
    expect(event?.details).toMatchObject({
      from: { allowed_to_push: ['Maintainers'], allow_force_push: false },
      to: { allowed_to_push: ['No one', developer.user.name], allow_force_push: true },
    });
    const both = await change('changed', { allowed_to_push: [{ id: push.id, user_id: 1, access_level: 30 }] });
    expect([both.status, both.body]).toEqual([
      400,
      { error: 'allowed_to_push[access_level], allowed_to_push[user_id] are mutually exclusive' },
    ]);
    const emptied = await change('changed', {
      allowed_to_push: levels(changed.body, 'push').map(({ id }) => ({ id, _destroy: true })),
    });
    expect(emptied.body).toMatchObject({ push_access_levels: [], allow_force_push: true });
  });

  it('security 17: an entry of another rule, kind or project is not found, and nothing changes', async () => {
    const made = await protect({ name: 'mine' });
    const elsewhere = await protect({ name: 'elsewhere' });
    const foreign = levels(elsewhere.body, 'push')[0]?.id;
    const merge = levels(made.body, 'merge')[0]?.id;
    for (const id of [foreign, merge, 2 ** 40]) {
      for (const step of [
        { id, _destroy: true },
        { id, access_level: 0 },
      ]) {
        const answer = await change('mine', { allow_force_push: true, allowed_to_push: [step] });
        expect([answer.status, answer.body]).toEqual([404, { message: '404 Access Level Not Found' }]);
      }
    }
    expect((await project.api('GET', at(branches, 'mine'))).body).toEqual(made.body);
    expect((await project.api('GET', at(branches, 'elsewhere'))).body).toEqual(elsewhere.body);
  });

  it('listed in order, searched; lifted, and gone', async () => {
    const other = await buildRepositoryProject(app);
    for (const name of ['a/b', 'stable-*', '100%']) await other.api('POST', branches, { json: { name } });
    const names = async (query: Json = {}) =>
      (await other.api<Json[]>('GET', branches, { query })).body.map(({ name }) => name);
    expect(await names()).toEqual(['main', 'a/b', 'stable-*', '100%']);
    expect(await names({ search: 'STABLE' })).toEqual(['stable-*']);
    expect(await names({ search: '%' })).toEqual(['100%']);
    expect((await other.api('DELETE', at(branches, 'a/b'))).status).toBe(204);
    const gone = await other.api('DELETE', at(branches, 'a/b'));
    expect([gone.status, gone.body]).toEqual([404, { message: '404 Not found' }]);
    expect((await audited('protected_branch_removed'))?.details).toMatchObject({ name: 'a/b' });
  });

  it('levels of unprotect say who may change and lift it', async () => {
    const name = 'kept';
    await protect({ name, allowed_to_unprotect: [{ user_id: owner.user.id }, { access_level: 60 }] });
    for (const answer of [
      await change(name, { allow_force_push: true }, maintainer.secret),
      await project.api('DELETE', at(branches, name), { token: maintainer.secret }),
    ])
      expect([answer.status, answer.body]).toEqual([403, { message: '403 Forbidden' }]);
    expect((await change(name, { allow_force_push: true })).status).toBe(200);
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    expect((await project.api('DELETE', at(branches, name), { token: admin.secret })).status).toBe(204);
  });

  it('[1/errors/9] developers and others have no business here', async () => {
    const stranger = await buildToken(app);
    for (const [token, status] of [
      [developer.secret, 403],
      [stranger.secret, 404],
      [null, 401],
    ] as const)
      for (const [method, path] of [
        ['GET', branches],
        ['POST', branches],
        ['GET', at(branches, 'main')],
        ['PATCH', at(branches, 'main')],
        ['DELETE', at(branches, 'main')],
        ['GET', tags],
        ['POST', tags],
        ['DELETE', at(tags, 'v*')],
      ] as const) {
        const parts = method === 'GET' || method === 'DELETE' ? {} : { json: { name: 'x' } };
        expect([method, path, (await project.api(method, path, { token, ...parts })).status]).toEqual([
          method,
          path,
          status,
        ]);
      }
  });

  it('what is named goes with the membership of users and with keys that leave the project', async () => {
    const leaving = await buildRepositoryProject(app, { owner });
    const made = await leaving.api('POST', '/deploy_keys', {
      json: { title: 'gone', key: sshKeyText(), can_push: true },
    });
    const allowed_to_push = [{ deploy_key_id: made.body.id }];
    const rule = await leaving.api('POST', branches, { json: { name: 'x', allowed_to_push } });
    expect(brief(rule.body, 'push')).toHaveLength(1);
    await leaving.api('DELETE', `/deploy_keys/${made.body.id}`);
    expect((await leaving.api('GET', at(branches, 'x'))).body.push_access_levels).toEqual([]);
  });
});

describe('protected branches of a group', () => {
  const of = (id: number) => `/groups/${id}/protected_branches`;
  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, json?: Json, token = owner.secret) =>
    app.api<Json>(method, path, { token, ...(json ? { json } : {}) });

  it('are kept by owners of top-level groups, roles only, and shown by every project below', async () => {
    const path = of(top.id);
    const made = await ask('POST', path, { name: 'prod', push_access_level: 0, merge_access_level: 40 });
    expect(made.status).toBe(201);
    expect(made.body).not.toHaveProperty('inherited');
    expect((await ask('POST', path, { name: 'prod' })).status).toBe(409);
    expect((await ask('GET', path)).body).toMatchObject([{ name: 'prod' }]);
    expect((await ask('GET', at(path, 'prod'))).body).toEqual(made.body);
    const listed = await project.api<Json[]>('GET', branches, { query: { search: 'prod' } });
    expect(listed.body).toEqual([{ ...made.body, inherited: true }]);
    // It is not the project's to change.
    for (const method of ['GET', 'PATCH', 'DELETE'] as const)
      expect((await project.api(method, at(branches, 'prod'), method === 'PATCH' ? { json: {} } : {})).status).toBe(
        404,
      );
    const push = levels(made.body, 'push')[0]?.id;
    const changed = await ask('PATCH', at(path, 'prod'), { allowed_to_push: [{ id: push, access_level: 30 }] });
    expect(brief(changed.body, 'push')).toEqual([[30, null, null]]);
    expect(await audited('protected_branch_updated')).toMatchObject({ entity_type: 'Group', entity_id: top.id });
    expect((await ask('DELETE', at(path, 'prod'))).status).toBe(204);
    expect((await ask('GET', at(path, 'prod'))).status).toBe(404);
  });

  it('refuse users and groups, subgroups, and whoever is no owner', async () => {
    const named = await ask('POST', of(top.id), { name: 'x', allowed_to_push: [{ user_id: owner.user.id }] });
    expect([named.status, named.body]).toEqual([422, { message: ['Push access levels of a group are roles only'] }]);
    const below = await ask('POST', of(group.id), { name: 'x' });
    expect([below.status, below.body]).toEqual([
      400,
      { message: 'Branches are protected by top-level groups and by projects only' },
    ]);
    const helper = await buildToken(app, { user: (await buildMember(app, { of: top, level: 40 })).user });
    expect((await ask('POST', of(top.id), { name: 'x' }, helper.secret)).status).toBe(403);
    expect((await ask('GET', of(top.id), undefined, helper.secret)).status).toBe(403);
    expect((await ask('GET', of(top.id), undefined, (await buildToken(app)).secret)).status).toBe(404);
    const kept = await ask('POST', of(top.id), { name: 'kept', unprotect_access_level: 60 });
    expect(kept.status).toBe(201);
    expect((await ask('DELETE', at(of(top.id), 'kept'))).status).toBe(403);
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    expect((await ask('DELETE', at(of(top.id), 'kept'), undefined, admin.secret)).status).toBe(204);
  });
});

describe('protected tags', () => {
  it('made, read, listed and lifted, with every form of who may create', async () => {
    const name = unique('v*');
    const made = await project.api('POST', tags, { json: { name }, token: maintainer.secret });
    expect([made.status, made.body]).toEqual([
      201,
      {
        name,
        create_access_levels: [
          {
            ...{ id: expect.any(Number), access_level: 40, access_level_description: 'Maintainers' },
            ...{ user_id: null, group_id: null },
          },
        ],
      },
    ]);
    const again = await project.api('POST', tags, { json: { name } });
    expect([again.status, again.body]).toEqual([422, { message: ['Name has already been taken'] }]);
    const allowed_to_create = [{ user_id: developer.user.id }, { group_id: top.id }, { deploy_key_id: key }];
    const named = await project.api('POST', tags, {
      json: { name: 'named/1', create_access_level: 0, allowed_to_create },
    });
    expect(brief(named.body, 'create')).toEqual([
      [0, null, null],
      [null, developer.user.id, null],
      [null, null, top.id],
      [40, null, null, key],
    ]);
    expect((await project.api('GET', at(tags, 'named/1'))).body).toEqual(named.body);
    const listed = await project.api<Json[]>('GET', tags, { query: { search: 'NAMED' } });
    expect(listed.body).toEqual([named.body]);
    const stranger = { user_id: (await buildToken(app)).user.id };
    const refused = await project.api('POST', tags, { json: { name: 'x', allowed_to_create: [stranger] } });
    expect([refused.status, refused.body]).toEqual([
      422,
      { message: ['Create access levels user is not a member of the project'] },
    ]);
    expect((await project.api('POST', tags, { json: { name: 'x', create_access_level: 20 } })).body).toEqual({
      error: 'create_access_level does not have a valid value',
    });
    expect((await project.api('DELETE', at(tags, 'named/1'), { token: maintainer.secret })).status).toBe(204);
    expect((await project.api('DELETE', at(tags, 'named/1'))).body).toEqual({ message: '404 Not found' });
    expect((await audited('protected_tag_removed'))?.details).toMatchObject({ name: 'named/1' });
  });
});
