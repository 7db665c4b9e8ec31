/** Keeping push rules over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE';

let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
let maintainer: BuiltToken;
let group: Namespace;
let below: Namespace;
let project: Project;

beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app), scopes: ['api', 'admin_mode'] });
  owner = await buildToken(app);
  maintainer = await buildToken(app);
  group = await buildGroup(app, { owner: owner.user });
  below = await buildGroup(app, { parent: group });
  project = await buildProject(app, { namespace: below });
  await buildMember(app, { user: maintainer.user, of: group, level: Level.maintainer });
});
afterAll(() => app.close());

const call = (method: Verb, target: string, token: BuiltToken | undefined, json?: Json) =>
  app.api<Json>(method, `${target}/push_rule`, { token: token?.secret, ...(json === undefined ? {} : { json }) });

const everything = {
  commit_message_regex: '^[A-Z]',
  commit_message_negative_regex: 'ssh\\:\\/\\/',
  branch_name_regex: '(feat|fix)\\/*',
  author_email_regex: '@example.com$',
  file_name_regex: '(jar|exe)$',
  max_file_size: 4,
  deny_delete_tag: true,
  member_check: true,
  prevent_secrets: true,
  commit_committer_check: true,
  commit_committer_name_check: true,
  reject_unsigned_commits: true,
  reject_non_dco_commits: true,
};
const nothing = {
  commit_message_regex: null,
  commit_message_negative_regex: null,
  branch_name_regex: null,
  author_email_regex: null,
  file_name_regex: null,
  max_file_size: 0,
  deny_delete_tag: false,
  member_check: false,
  prevent_secrets: false,
  commit_committer_check: false,
  commit_committer_name_check: false,
  reject_unsigned_commits: false,
  reject_non_dco_commits: false,
};

describe('one rule per place', () => {
  test.each([
    ['groups', (): string => `/groups/${group.id}`, (): BuiltToken => owner, 'Group'],
    ['projects', (): string => `/projects/${project.id}`, (): BuiltToken => maintainer, 'Project'],
    ['admin', (): string => '/admin', (): BuiltToken => admin, 'Instance'],
  ] as const)(
    '[3/fields.group-push-rule/1 id, created_at, commit_message_regex, commit_message_negative_regex, branch_name_regex, author_email_regex, file_name_regex, deny_delete_tag, member_check, prevent_secrets, max_file_size, commit_committer_check, reject_unsigned_commits] [3/api.groups/10 GET /groups/:id/push_rule, POST /groups/:id/push_rule, PUT /groups/:id/push_rule, DELETE /groups/:id/push_rule, deny_delete_tag, member_check, prevent_secrets, commit_committer_check, reject_unsigned_commits, commit_message_regex, commit_message_negative_regex, branch_name_regex, author_email_regex, file_name_regex, max_file_size] /%s: made, read, changed, removed',
    async (_kind, target, token, type) => {
      const at = target();
      // Clients of projects expect null where there is none.
      const none =
        type === 'Project'
          ? { status: 200, body: null }
          : { status: 404, body: { message: '404 Push Rule Not Found' } };
      expect(await call('GET', at, token())).toMatchObject(none);
      if (type !== 'Project')
        expect(
          await app.api('GET', `${at}/push_rule`, { token: token().secret, query: { allow_missing: true } }),
        ).toMatchObject({ status: 200, body: null });
      expect((await call('PUT', at, token(), {})).status).toBe(404);
      expect((await call('DELETE', at, token())).status).toBe(404);
      const made: { status: number; body: Json } = await call('POST', at, token(), {});
      expect(made).toMatchObject({ status: 201, body: nothing });
      expect(made.body.created_at).toMatch(/^\d{4}-.*\.\d{3}Z$/);
      expect('project_id' in made.body).toBe(type === 'Project');
      expect(made.body.group_id).toBe(type === 'Group' ? group.id : undefined);
      expect(await call('POST', at, token(), everything)).toMatchObject({
        status: 422,
        body: { message: `${type} push rule exists, try updating` },
      });
      const changed: { status: number; body: Json } = await call('PUT', at, token(), everything);
      expect(changed).toMatchObject({ status: 200, body: { ...everything, id: made.body.id } });
      expect(await call('GET', at, token())).toMatchObject({ status: 200, body: changed.body });
      const blank = await call('PUT', at, token(), { branch_name_regex: '', max_file_size: 0 });
      expect(blank.body).toMatchObject({ ...everything, branch_name_regex: null, max_file_size: 0 });
      expect(await call('DELETE', at, token())).toMatchObject({ status: 204, body: null });
      expect(await call('GET', at, token())).toMatchObject(none);
      const events = await app.db
        .selectFrom('audit_events')
        .select('event')
        .where('entity_type', '=', type)
        .orderBy('id')
        .execute();
      expect(events.map(({ event }) => event)).toEqual([
        'push_rule_created',
        'push_rule_updated',
        'push_rule_updated',
        'push_rule_removed',
      ]);
    },
  );

  test('[3/api.groups/10] what is no regular expression of RE2 is refused, and sizes below nothing', async () => {
    const at = `/groups/${group.id}`;
    for (const name of [
      'commit_message_regex',
      'commit_message_negative_regex',
      'branch_name_regex',
      'author_email_regex',
      'file_name_regex',
    ]) {
      for (const source of ['(', '(?=x)', '(a)\\1']) {
        const answer = await call('POST', at, owner, { [name]: source });
        expect(answer.status).toBe(400);
        expect(answer.body).toMatchObject({ message: { [name]: [expect.stringContaining('not valid RE2 syntax')] } });
      }
      const long = await call('POST', at, owner, { [name]: 'a'.repeat(512) });
      expect([name, long.status, JSON.stringify(long.body)]).toEqual([name, 400, expect.stringContaining('511')]);
    }
    expect((await call('POST', at, owner, { max_file_size: -1 })).status).toBe(400);
    expect((await call('POST', at, owner, { deny_delete_tag: 'perhaps' })).status).toBe(400);
    expect((await call('GET', at, owner)).status).toBe(404);
  });

  test('[3/api.groups/10] owners and administrators only, of a project maintainers', async () => {
    const developer = await buildToken(app);
    await buildMember(app, { user: developer.user, of: group, level: Level.developer });
    const verbs: readonly Verb[] = ['GET', 'POST', 'PUT', 'DELETE'];
    for (const verb of verbs) {
      expect((await call(verb, `/groups/${group.id}`, maintainer)).status).toBe(403);
      expect((await call(verb, `/groups/${group.id}`, undefined)).status).toBe(401);
      expect((await call(verb, `/projects/${project.id}`, developer)).status).toBe(403);
      expect((await call(verb, `/projects/${project.id}`, undefined)).status).toBe(401);
      expect((await call(verb, '/admin', owner)).status).toBe(403);
      expect((await call(verb, '/admin', undefined)).status).toBe(401);
    }
    expect((await call('POST', `/groups/${group.id}`, admin, {})).status).toBe(201);
    expect((await call('DELETE', `/groups/${group.id}`, admin)).status).toBe(204);
  });
});

test('[3/api.groups/10] the nearest rule is shown, and changing it gives the place one of its own', async () => {
  await call('POST', '/admin', admin, { max_file_size: 9 });
  expect((await call('GET', `/projects/${project.id}`, owner)).body).toMatchObject({ max_file_size: 9 });
  const top = await call('POST', `/groups/${group.id}`, owner, { max_file_size: 5, deny_delete_tag: true });
  const here = `/projects/${project.id}`;
  expect((await call('GET', `/groups/${below.id}`, owner)).body).toEqual(top.body);
  expect((await call('GET', here, owner)).body).toEqual(top.body);
  const own = await call('PUT', here, owner, { max_file_size: 7 });
  expect(own.body).toMatchObject({ project_id: project.id, max_file_size: 7, deny_delete_tag: true });
  expect(own.body.id).not.toBe(top.body.id);
  expect((await call('GET', `/groups/${below.id}`, owner)).body).toMatchObject({ max_file_size: 5 });
  const middle = await call('POST', `/groups/${below.id}`, owner, { max_file_size: 6 });
  expect((await call('DELETE', here, owner)).status).toBe(204);
  expect((await call('GET', here, owner)).body).toEqual(middle.body);
  expect((await call('DELETE', here, owner)).status).toBe(404);
});
