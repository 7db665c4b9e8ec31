/** Texts of refusals that programs of the ecosystem search for: each has to contain what they look for, with its status. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Method, startTestApp, type TestApp } from '../test/app.ts';
import { type BuiltToken, buildAdmin, buildGroup, buildMember, buildToken, unique } from '../test/factories.ts';
import { sshKeyText } from '../test/keys.ts';
import { buildRepositoryProject, type RepositoryProject } from '../test/repositories.ts';
import { Level } from './kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
let admin: BuiltToken;
let member: BuiltToken;
let guest: BuiltToken;
let reporter: BuiltToken;
let group: Awaited<ReturnType<typeof buildGroup>>;
let issue: number;
let linked: number;
let request: number;
const key = sshKeyText();
const deployKey = sshKeyText();

beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  project = await buildRepositoryProject(app);
  [member, guest] = [await project.member(Level.developer), await project.member(Level.guest)];
  reporter = await project.member(Level.reporter);
  group = await buildGroup(app, { owner: project.owner.user });
  await buildMember(app, { of: group, user: member.user, level: Level.developer });
  await project.commit('topic', { 'a.txt': 'a' }, { start_branch: 'main' });
  const made = async <T = { iid: number }>(path: string, json: object, by: BuiltToken = project.owner) => {
    const answer = await app.api<T>('POST', path, { token: by.secret, json });
    expect([path, answer.status, answer.body]).toEqual([path, 201, expect.anything()]);
    return answer.body;
  };
  const base = `/projects/${project.id}`;
  await made(`${base}/share`, { group_id: group.id, group_access: 30 });
  await made(`${base}/protected_branches`, { name: 'stable' });
  await made(`${base}/protected_tags`, { name: 'v*' });
  await made(`${base}/repository/tags`, { tag_name: 'v1', ref: 'main' });
  await made(`${base}/releases`, { tag_name: 'v1' });
  await made(`${base}/labels`, { name: 'bug', color: '#ff0000' });
  await made(`${base}/milestones`, { title: 'one' });
  await made(`${base}/variables`, { key: 'KEY', value: 'x' });
  await made(`${base}/deploy_keys`, { title: 'k', key: deployKey });
  await made('/user/keys', { title: 'k', key });
  issue = (await made(`${base}/issues`, { title: 'x' })).iid;
  await made(`${base}/issues/${issue}/award_emoji`, { name: 'tada' });
  await made(`${base}/issues/${issue}/subscribe`, {}, guest);
  linked = (await made(`${base}/issues`, { title: 'y' })).iid;
  await made(`${base}/issues/${issue}/links`, { target_project_id: project.id, target_issue_iid: linked });
  await made(`${base}/environments`, { name: 'staging' });
  const protect = { name: 'staging', deploy_access_levels: [{ access_level: 40 }] };
  await made(`${base}/protected_environments`, protect);
  await made(`${base}/statuses/topic`, { state: 'running', name: 'ci' });
  const change = { source_branch: 'topic', target_branch: 'main', title: 'x' };
  request = (await made(`${base}/merge_requests`, change)).iid;
});
afterAll(() => app.close());

interface Refusal {
  readonly what: string;
  readonly send: () => readonly [method: Method, path: string, json?: object, by?: BuiltToken];
  readonly status: number;
  /** What the body has, as text. */
  readonly says: string;
}
const inProject = (path: string) => `/projects/${project.id}${path}`;
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
    () => ['POST', inProject('/members'), { user_id: member.user.id, access_level: 30 }],
    409,
    'Member already exists',
  ),
  row('a member who is none', () => ['GET', inProject('/members/999999')], 404, 'Not found'),
  row('a member to remove who is none', () => ['DELETE', inProject('/members/999999')], 404, 'Not found'),
  row(
    'a level that does not exist',
    () => ['POST', inProject('/members'), { user_id: 1, access_level: 17 }],
    400,
    'access_level does not have a valid value',
  ),
  row(
    'a member by a guest',
    () => ['POST', inProject('/members'), { user_id: 1, access_level: 30 }, guest],
    403,
    '403 Forbidden',
  ),
  row('an access request by a member', () => ['POST', inProject('/access_requests'), {}, member], 403, '403 Forbidden'),
  row(
    'an invitation to nobody',
    () => ['POST', inProject('/invitations'), { access_level: 30 }],
    400,
    'at least one parameter must be provided',
  ),
  // Shares.
  row(
    'a group again',
    () => ['POST', inProject('/share'), { group_id: group.id, group_access: 30 }],
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
  // Protections.
  row(
    'a protected branch again',
    () => ['POST', inProject('/protected_branches'), { name: 'stable' }],
    409,
    "Protected branch 'stable' already exists",
  ),
  row('a protected branch that does not exist', () => ['GET', inProject('/protected_branches/none')], 404, 'Not found'),
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
    'Invalid reference name: none',
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
    'already being used for another group or project milestone.',
  ),
  row(
    'a milestone that does not exist',
    () => ['GET', inProject('/milestones/999999')],
    404,
    '404 Milestone Not Found',
  ),
  // Hooks, variables, runners.
  row('a hook that does not exist', () => ['GET', inProject('/hooks/999999')], 404, 'Not found'),
  row('a hook of no address', () => ['POST', inProject('/hooks'), { url: 'ftp://x' }], 422, 'Invalid url given'),
  row(
    'a variable again',
    () => ['POST', inProject('/variables'), { key: 'KEY', value: 'y' }],
    400,
    '(KEY) has already been taken',
  ),
  row('a variable that does not exist', () => ['GET', inProject('/variables/NONE')], 404, '404 Variable Not Found'),
  row('a runner that does not exist', () => ['GET', '/runners/999999'], 404, '404 Runner Not Found'),
  row('a pipeline that does not exist', () => ['GET', inProject('/pipelines/999999')], 404, 'Not found'),
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
    () => ['POST', inProject(`/issues/${issue}/links`), { target_project_id: project.id, target_issue_iid: linked }],
    409,
    'Issue(s) already assigned',
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
  row('a merge request that does not exist', () => ['GET', inProject('/merge_requests/99')], 404, 'Not found'),
  row(
    'a merge of another commit',
    () => ['PUT', inProject(`/merge_requests/${request}/merge`), { sha: 'a'.repeat(40) }],
    409,
    'SHA does not match HEAD of source branch',
  ),
  row(
    'a merge by a reporter',
    () => ['PUT', inProject(`/merge_requests/${request}/merge`), {}, reporter],
    401,
    '401 Unauthorized',
  ),
  row(
    'an approval of another commit',
    () => ['POST', inProject(`/merge_requests/${request}/approve`), { sha: 'a'.repeat(40) }, member],
    409,
    'SHA does not match HEAD of source branch',
  ),
  // Issues and reactions.
  row('an issue that does not exist', () => ['GET', inProject('/issues/99')], 404, 'Not found'),
  row('an issue without a title', () => ['POST', inProject('/issues'), {}], 400, 'title is missing'),
  row(
    'a change of nothing',
    () => ['PUT', inProject(`/issues/${issue}`), {}],
    400,
    'at least one parameter must be provided',
  ),
  row(
    'a reaction again',
    () => ['POST', inProject(`/issues/${issue}/award_emoji`), { name: 'tada' }],
    404,
    'Award Emoji Name has already been taken',
  ),
  row(
    'a reaction that does not exist',
    () => ['GET', inProject(`/issues/${issue}/award_emoji/999999`)],
    404,
    'Not found',
  ),
  // Keys.
  row('a deploy key that does not exist', () => ['GET', inProject('/deploy_keys/999999')], 404, 'Not found'),
  row(
    'a deploy key that is none',
    () => ['POST', inProject('/deploy_keys'), { title: 'x', key: 'ssh-rsa x' }],
    400,
    'is invalid',
  ),
  row('a key again', () => ['POST', '/user/keys', { title: 'k', key }], 400, 'has already been taken'),
  row('a key that does not exist', () => ['GET', '/user/keys/999999'], 404, '404 Key Not Found'),
  // People, groups, projects.
  row('a user who does not exist', () => ['GET', '/users/999999'], 404, '404 User Not Found'),
  row(
    'an address again',
    () => [
      'POST',
      '/users',
      { email: member.user.email, username: unique('u'), name: 'x', force_random_password: true },
      admin,
    ],
    409,
    'Email has already been taken',
  ),
  row(
    'a username again',
    () => [
      'POST',
      '/users',
      { email: `${unique('u')}@x.example`, username: member.user.username, name: 'x', force_random_password: true },
      admin,
    ],
    409,
    'Username has already been taken',
  ),
  row(
    'a user without a password',
    () => ['POST', '/users', { email: `${unique('u')}@x.example`, username: unique('u'), name: 'x' }, admin],
    400,
    'password, reset_password, force_random_password',
  ),
  row(
    'a user by a member',
    () => ['POST', '/users', { email: 'x@x.example', username: 'x', name: 'x' }, member],
    403,
    '403 Forbidden',
  ),
  row('a group again', () => ['POST', '/groups', { name: 'x', path: group.full_path }], 400, 'has already been taken'),
  row('a group that does not exist', () => ['GET', '/groups/none'], 404, '404 Group Not Found'),
  row(
    'a project again',
    () => ['POST', '/projects', { path: project.fullPath.split('/')[1], name: unique('p') }],
    400,
    'has already been taken',
  ),
  row('a project that does not exist', () => ['GET', '/projects/none'], 404, '404 Project Not Found'),
  row('a namespace that does not exist', () => ['GET', '/namespaces/none'], 404, '404 Namespace Not Found'),
];

describe('refusals', () => {
  it.each(refusals)('$what: $status', async ({ send, status, says }) => {
    const [method, path, json, by = project.owner] = send();
    const answer = await app.api(method, path, {
      token: by.secret,
      ...(json ? { json } : {}),
    });
    expect(answer).toMatchObject({ status });
    expect(JSON.stringify(answer.body).toLowerCase()).toContain(says.toLowerCase());
  });

  it('what is subscribed to already is not changed', async () => {
    const answer = await app.api('POST', inProject(`/issues/${issue}/subscribe`), { token: guest.secret });
    expect([answer.status, answer.body]).toEqual([304, null]);
  });
});
