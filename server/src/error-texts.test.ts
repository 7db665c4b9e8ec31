/** Texts of refusals that programs of the ecosystem search for: each has to contain what they look for, with its status. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Method, startTestApp, type TestApp } from '../test/app.ts';
import { type BuiltToken, unique } from '../test/factories.ts';
import { buildRefusals } from '../test/refusals.ts';

let app: TestApp;
let world: Awaited<ReturnType<typeof buildRefusals>>;

beforeAll(async () => {
  app = await startTestApp();
  world = await buildRefusals(app);
});
afterAll(() => app.close());

interface Refusal {
  readonly what: string;
  readonly send: () => readonly [method: Method, path: string, json?: object, by?: BuiltToken];
  readonly status: number;
  /** What the body has, as text. */
  readonly says: string;
}
const inProject = (path: string) => `/projects/${world.project.id}${path}`;
const row = (what: string, send: Refusal['send'], status: number, says: string): Refusal => ({
  what,
  send,
  status,
  says,
});

const refusals: readonly Refusal[] = [
  // Members and invitations.
  row(
    'a member again',
    () => ['POST', inProject('/members'), { user_id: world.member.user.id, access_level: 30 }],
    409,
    '{"message":"Member already exists"}',
  ),
  row('a member who is none', () => ['GET', inProject('/members/999999')], 404, '"404 Not found"'),
  row('a member to remove who is none', () => ['DELETE', inProject('/members/999999')], 404, '"404 Not found"'),
  row(
    'a level that does not exist',
    () => ['POST', inProject('/members'), { user_id: 1, access_level: 17 }],
    400,
    'access_level does not have a valid value',
  ),
  row(
    'a member by a guest',
    () => ['POST', inProject('/members'), { user_id: 1, access_level: 30 }, world.guest],
    403,
    '403 Forbidden',
  ),
  row(
    'an access request by a member',
    () => ['POST', inProject('/access_requests'), {}, world.member],
    403,
    '403 Forbidden',
  ),
  row(
    'an invitation to nobody',
    () => ['POST', inProject('/invitations'), { access_level: 30 }],
    400,
    'at least one parameter must be provided',
  ),
  // Shares.
  row(
    'a group again',
    () => ['POST', inProject('/share'), { group_id: world.group.id, group_access: 30 }],
    409,
    'already shared with this group',
  ),
  row(
    'a group that does not exist',
    () => ['POST', inProject('/share'), { group_id: 999_999, group_access: 30 }],
    404,
    '404 Group Not Found',
  ),
  row('a share that does not exist', () => ['DELETE', inProject('/share/999999')], 404, '404 Group Link Not Found'),
  row(
    'a group where the project’s group forbids it',
    () => ['POST', `/projects/${world.closed.id}/share`, { group_id: world.group.id, group_access: 30 }],
    400,
    '{"message":"The project sharing with group is disabled"}',
  ),
  // Protections.
  row(
    'a protected branch again',
    () => ['POST', inProject('/protected_branches'), { name: 'stable' }],
    409,
    "Protected branch 'stable' already exists",
  ),
  row(
    'a protected branch that does not exist',
    () => ['GET', inProject('/protected_branches/none')],
    404,
    '"404 Not found"',
  ),
  row(
    'a protected tag again',
    () => ['POST', inProject('/protected_tags'), { name: 'v*' }],
    422,
    'Name has already been taken',
  ),
  // Branches and tags.
  row(
    'a branch again',
    () => ['POST', inProject('/repository/branches'), { branch: 'topic', ref: 'main' }],
    400,
    'Branch already exists',
  ),
  row(
    'a branch of nothing',
    () => ['POST', inProject('/repository/branches'), { branch: 'new', ref: 'none' }],
    400,
    "Failed to create branch 'new': invalid reference name 'none'",
  ),
  row(
    'a branch of no name',
    () => ['POST', inProject('/repository/branches'), { branch: 'a..b', ref: 'main' }],
    400,
    'Branch name is invalid',
  ),
  row(
    'a branch that does not exist',
    () => ['GET', inProject('/repository/branches/none')],
    404,
    '404 Branch Not Found',
  ),
  row(
    'the default branch',
    () => ['DELETE', inProject('/repository/branches/main')],
    403,
    'The default branch of a project cannot be deleted.',
  ),
  row(
    'a tag again',
    () => ['POST', inProject('/repository/tags'), { tag_name: 'v1', ref: 'main' }],
    400,
    'Tag v1 already exists',
  ),
  row(
    'a tag of nothing',
    () => ['POST', inProject('/repository/tags'), { tag_name: 'w1', ref: 'none' }],
    400,
    'Target none is invalid',
  ),
  row(
    'a tag of no name',
    () => ['POST', inProject('/repository/tags'), { tag_name: 'a..b', ref: 'main' }],
    400,
    'Tag name invalid',
  ),
  row('a tag that does not exist', () => ['GET', inProject('/repository/tags/none')], 404, '404 Tag Not Found'),
  row(
    'a commit that does not exist',
    () => ['GET', inProject('/repository/commits/none')],
    404,
    '404 Commit Not Found',
  ),
  row(
    'a file that does not exist',
    () => ['GET', inProject('/repository/files/none?ref=main')],
    404,
    '404 File Not Found',
  ),
  row(
    'a folder that does not exist',
    () => ['GET', inProject('/repository/tree?path=none')],
    404,
    '404 invalid revision or path Not Found',
  ),
  row(
    'a file again',
    () => ['POST', inProject('/repository/files/README.md'), { branch: 'main', content: 'x', commit_message: 'x' }],
    400,
    'A file with this name already exists',
  ),
  row('an archive of nothing', () => ['GET', inProject('/repository/archive?sha=none')], 404, '404 File Not Found'),
  row(
    'a comparison with nothing',
    () => ['GET', inProject('/repository/compare?from=none&to=main')],
    404,
    '404 Ref Not Found',
  ),
  row(
    'a change of a file that does not exist',
    () => ['PUT', inProject('/repository/files/none'), { branch: 'main', content: 'x', commit_message: 'x' }],
    400,
    "A file with this name doesn't exist",
  ),
  row(
    'a commit to a branch that does not exist',
    () => [
      'POST',
      inProject('/repository/commits'),
      { branch: 'none', commit_message: 'x', actions: [{ action: 'create', file_path: 'x', content: 'x' }] },
    ],
    400,
    'You can only create or edit files when you are on a branch',
  ),
  row(
    'a cherry-pick of nothing',
    () => ['POST', inProject('/repository/commits/deadbeef/cherry_pick'), { branch: 'main' }],
    404,
    '404 Commit Not Found',
  ),
  row(
    'a cherry-pick to a branch that does not exist',
    () => ['POST', inProject('/repository/commits/topic/cherry_pick'), { branch: 'none' }],
    404,
    '404 Branch Not Found',
  ),
  row(
    'a status that is none',
    () => ['POST', inProject('/statuses/main'), { state: 'x' }],
    400,
    'state does not have a valid value',
  ),
  row(
    'a status that is running already',
    () => ['POST', inProject('/statuses/topic'), { state: 'running', name: 'ci' }],
    400,
    'Cannot transition status via :run from :running (Reason(s): Status cannot transition via',
  ),
  // Releases, labels, milestones.
  row('a release again', () => ['POST', inProject('/releases'), { tag_name: 'v1' }], 409, 'Release already exists'),
  row('a release of nothing', () => ['POST', inProject('/releases'), { tag_name: 'w2' }], 422, 'Ref is not specified'),
  row('a release that does not exist', () => ['GET', inProject('/releases/none')], 404, '404 Not Found'),
  row(
    'a label again',
    () => ['POST', inProject('/labels'), { name: 'bug', color: '#ff0000' }],
    409,
    'Label already exists',
  ),
  row('a label that does not exist', () => ['GET', inProject('/labels/none')], 404, '404 Label Not Found'),
  row('a label without a color', () => ['POST', inProject('/labels'), { name: 'x' }], 400, 'color is missing'),
  row(
    'a milestone again',
    () => ['POST', inProject('/milestones'), { title: 'one' }],
    400,
    'Failed to create milestone {:title=>[\\"already being used for another group or project milestone.\\"]}',
  ),
  row('a milestone that does not exist', () => ['GET', inProject('/milestones/999999')], 404, '"404 Not found"'),
  // Hooks, variables, runners.
  row('a hook that does not exist', () => ['GET', inProject('/hooks/999999')], 404, '"404 Not found"'),
  row(
    'a hook of no address',
    () => ['POST', inProject('/hooks'), { url: 'ftp://x' }],
    422,
    '{"error":"Invalid url given"}',
  ),
  row(
    'a variable again',
    () => ['POST', inProject('/variables'), { key: 'KEY', value: 'y' }],
    400,
    '(KEY) has already been taken',
  ),
  row('a variable that does not exist', () => ['GET', inProject('/variables/NONE')], 404, '404 Variable Not Found'),
  row('a runner that does not exist', () => ['GET', '/runners/999999'], 404, '404 Runner Not Found'),
  row('a pipeline that does not exist', () => ['GET', inProject('/pipelines/999999')], 404, '"404 Not found"'),
  row(
    'a pipeline without configuration',
    () => ['POST', inProject('/pipeline'), { ref: 'main' }],
    400,
    'Missing CI config file',
  ),
  row('a job that does not exist', () => ['GET', inProject('/jobs/999999')], 404, '404 Not Found'),
  row(
    'an environment again',
    () => ['POST', inProject('/environments'), { name: 'staging' }],
    400,
    'has already been taken',
  ),
  row(
    'a protected environment again',
    () => [
      'POST',
      inProject('/protected_environments'),
      { name: 'staging', deploy_access_levels: [{ access_level: 40 }] },
    ],
    409,
    "Protected environment 'staging' already exists",
  ),
  row(
    'a schedule that does not exist',
    () => ['GET', inProject('/pipeline_schedules/999999')],
    404,
    '404 Pipeline Schedule Not Found',
  ),
  row('a trigger that does not exist', () => ['GET', inProject('/triggers/999999')], 404, '404 Trigger Not Found'),
  row(
    'a variable of a bad name',
    () => ['POST', inProject('/variables'), { key: 'a b', value: 'x' }],
    400,
    "can contain only letters, digits and '_'",
  ),
  row('a pipeline of nothing', () => ['POST', inProject('/pipeline'), { ref: 'none' }], 400, 'Reference not found'),
  row('a wiki page that does not exist', () => ['GET', inProject('/wikis/none')], 404, '404 Wiki Page Not Found'),
  row(
    'an access token of a level that does not exist',
    () => [
      'POST',
      inProject('/access_tokens'),
      { name: 'x', scopes: ['api'], access_level: 17, expires_at: '2999-01-01' },
    ],
    400,
    'access_level does not have a valid value',
  ),
  row(
    'a link between issues again',
    () => [
      'POST',
      inProject(`/issues/${world.issue}/links`),
      { target_project_id: world.project.id, target_issue_iid: world.linked },
    ],
    409,
    '{"message":"Issue(s) already assigned"}',
  ),
  // Merge requests.
  row(
    'a merge request again',
    () => ['POST', inProject('/merge_requests'), { source_branch: 'topic', target_branch: 'main', title: 'x' }],
    409,
    'Another open merge request already exists for this source branch: !1',
  ),
  row(
    'a merge request of nothing',
    () => ['POST', inProject('/merge_requests'), { source_branch: 'none', target_branch: 'main', title: 'x' }],
    400,
    'does not exist',
  ),
  row(
    'a merge request into itself',
    () => ['POST', inProject('/merge_requests'), { source_branch: 'main', target_branch: 'main', title: 'x' }],
    422,
    "You can't use same project/branch for source and target",
  ),
  row('a merge request that does not exist', () => ['GET', inProject('/merge_requests/99')], 404, '"404 Not found"'),
  row(
    'a merge of another commit',
    () => ['PUT', inProject(`/merge_requests/${world.request}/merge`), { sha: 'a'.repeat(40) }],
    409,
    'SHA does not match HEAD of source branch',
  ),
  row(
    'a merge by a reporter',
    () => ['PUT', inProject(`/merge_requests/${world.request}/merge`), {}, world.reporter],
    401,
    '401 Unauthorized',
  ),
  row(
    'an approval of another commit',
    () => ['POST', inProject(`/merge_requests/${world.request}/approve`), { sha: 'a'.repeat(40) }, world.member],
    409,
    'SHA does not match HEAD of source branch',
  ),
  // Issues and reactions.
  row('an issue that does not exist', () => ['GET', inProject('/issues/99')], 404, '"404 Not found"'),
  row('an issue without a title', () => ['POST', inProject('/issues'), {}], 400, 'title is missing'),
  row(
    'a change of nothing',
    () => ['PUT', inProject(`/issues/${world.issue}`), {}],
    400,
    'at least one parameter must be provided',
  ),
  row(
    'a reaction again',
    () => ['POST', inProject(`/issues/${world.issue}/award_emoji`), { name: 'tada' }],
    404,
    'Award Emoji Name has already been taken',
  ),
  row(
    'a reaction that does not exist',
    () => ['GET', inProject(`/issues/${world.issue}/award_emoji/999999`)],
    404,
    '"404 Not found"',
  ),
  // Keys.
  row(
    'an access token that does not exist',
    () => ['GET', inProject('/access_tokens/999999')],
    404,
    '"404 Could not find project access token with token_id: 999999 Not Found"',
  ),
  row(
    'a deploy key that is somebody’s',
    () => ['POST', inProject('/deploy_keys'), { title: 'x', key: world.key }],
    400,
    '"deploy_key.fingerprint_sha256":["has already been taken"]',
  ),
  row('a deploy key that does not exist', () => ['GET', inProject('/deploy_keys/999999')], 404, '"404 Not found"'),
  row(
    'a deploy key that is none',
    () => ['POST', inProject('/deploy_keys'), { title: 'x', key: 'ssh-rsa x' }],
    400,
    'is invalid',
  ),
  row(
    'a key again',
    () => ['POST', '/user/keys', { title: 'k', key: world.key }],
    400,
    '"fingerprint_sha256":["has already been taken"]',
  ),
  row('a key that does not exist', () => ['GET', '/user/keys/999999'], 404, '404 Key Not Found'),
  // People, groups, projects.
  row('a user who does not exist', () => ['GET', '/users/999999'], 404, '404 User Not Found'),
  row(
    'an address again',
    () => [
      'POST',
      '/users',
      { email: world.member.user.email, username: unique('u'), name: 'x', force_random_password: true },
      world.admin,
    ],
    409,
    'Email has already been taken',
  ),
  row(
    'a username again',
    () => [
      'POST',
      '/users',
      {
        email: `${unique('u')}@x.example`,
        username: world.member.user.username,
        name: 'x',
        force_random_password: true,
      },
      world.admin,
    ],
    409,
    'Username has already been taken',
  ),
  row(
    'a user without a password',
    () => ['POST', '/users', { email: `${unique('u')}@x.example`, username: unique('u'), name: 'x' }, world.admin],
    400,
    'password, reset_password, force_random_password',
  ),
  row(
    'a user by a member',
    () => ['POST', '/users', { email: 'x@x.example', username: 'x', name: 'x' }, world.member],
    403,
    '403 Forbidden',
  ),
  row(
    'a group again',
    () => ['POST', '/groups', { name: 'x', path: world.group.full_path }],
    400,
    '{"message":"Failed to save group {:path=>[\\"has already been taken\\"]}"}',
  ),
  row('a group that does not exist', () => ['GET', '/groups/none'], 404, '404 Group Not Found'),
  row(
    'a project again',
    () => ['POST', '/projects', { path: world.project.fullPath.split('/')[1], name: unique('p') }],
    400,
    'has already been taken',
  ),
  row(
    'a project too many',
    () => ['POST', '/projects', { name: 'x' }, world.limited],
    403,
    '{"error":"Your project limit is 1 projects! Please contact your administrator to increase it"}',
  ),
  row('a project that does not exist', () => ['GET', '/projects/none'], 404, '404 Project Not Found'),
  row('a namespace that does not exist', () => ['GET', '/namespaces/none'], 404, '404 Namespace Not Found'),
];

describe('refusals', () => {
  it.each(refusals)('$what: $status', async ({ send, status, says }) => {
    const [method, path, json, by = world.project.owner] = send();
    const answer = await app.api(method, path, {
      token: by.secret,
      ...(json ? { json } : {}),
    });
    expect(answer).toMatchObject({ status });
    expect(JSON.stringify(answer.body)).toContain(says);
  });

  it('what is subscribed to already is not changed', async () => {
    const answer = await app.api('POST', inProject(`/issues/${world.issue}/subscribe`), { token: world.guest.secret });
    expect([answer.status, answer.body]).toEqual([304, null]);
  });
});
