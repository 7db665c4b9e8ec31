/** External status checks: kept by maintainers, told of merge requests, and asked before these are merged. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { type Received, type Receiver, startReceiver } from '../../../../test/receiver.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let receiver: Receiver;
let admin: string;
let project: RepositoryProject;
let maintainer: BuiltToken;
let developer: BuiltToken;
let reporter: BuiltToken;
let stranger: BuiltToken;
const url = (path: string) => `${receiver.url}${path}`;

beforeAll(async () => {
  app = await startTestApp({ background: true });
  receiver = await startReceiver();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
  await local(true);
  project = await buildRepositoryProject(app);
  maintainer = await project.member(Level.maintainer);
  developer = await project.member(Level.developer);
  reporter = await project.member(Level.reporter);
  stranger = await buildToken(app);
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});

const local = (allowed: boolean) =>
  app.api('PUT', '/application/settings', {
    token: admin,
    json: { allow_local_requests_from_web_hooks_and_services: allowed },
  });
const checks = '/external_status_checks';
const create = (json: Json, on = project, token = on === project ? maintainer.secret : on.owner.secret) =>
  on.api('POST', checks, { token, json });
async function open(on: RepositoryProject, branch: string): Promise<Json> {
  await on.commit(branch, { [`${branch}.txt`]: 'x' }, { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: 'main', title: `Title of ${branch}` };
  const made = await on.api('POST', '/merge_requests', { json });
  expect(made.status).toBe(201);
  return made.body;
}
const told = (path: string, count: number) =>
  eventually(`${count} calls of ${path}`, async () => {
    const calls = receiver.received.filter((each: Received) => each.path === path);
    return calls.length >= count ? calls : null;
  });

describe('/projects/:id/external_status_checks', () => {
  it('are added, changed and removed by maintainers, their secrets never told', async () => {
    const branch = await app.db
      .selectFrom('protected_branches')
      .selectAll()
      .where('project_id', '=', project.id)
      .executeTakeFirstOrThrow();
    const made = await create({
      name: 'Licences',
      external_url: url('/licences'),
      shared_secret: 'between us',
      protected_branch_ids: [branch.id],
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Licences',
        project_id: project.id,
        external_url: url('/licences'),
        hmac: true,
        protected_branches: [
          { id: branch.id, project_id: project.id, name: 'main', code_owner_approval_required: false },
        ],
      },
    });
    const one = `${checks}/${made.body.id}`;
    const changed = await project.api('PUT', one, {
      token: maintainer.secret,
      json: { name: 'Other', shared_secret: null, protected_branch_ids: [] },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Other', external_url: url('/licences'), hmac: false, protected_branches: [] },
    });
    const listed = await project.api<Json[]>('GET', checks, { token: developer.secret });
    expect(listed.body).toEqual([changed.body]);
    expect(JSON.stringify([made.body, listed.body])).not.toContain('between us');
    expect((await project.api('DELETE', one, { token: maintainer.secret })).status).toBe(204);
    expect((await project.api('DELETE', one, { token: maintainer.secret })).status).toBe(404);
    const events = await project.api<Json[]>('GET', '/audit_events', { token: project.owner.secret });
    expect(events.body.map((event) => event.event_name)).toEqual(
      expect.arrayContaining(['created', 'updated', 'destroyed'].map((what) => `external_status_check_${what}`)),
    );
    expect(JSON.stringify(events.body)).not.toContain('between us');
  });

  it('take the last of the branches that several set at the same moment', async () => {
    const branch = await app.db
      .selectFrom('protected_branches')
      .selectAll()
      .where('project_id', '=', project.id)
      .executeTakeFirstOrThrow();
    const made = await create({ name: 'At once', external_url: url('/at-once') });
    const json = { protected_branch_ids: [branch.id] };
    const one = `${checks}/${made.body.id}`;
    const put = () => project.api<Json>('PUT', one, { token: maintainer.secret, json });
    const answers = await Promise.all(Array.from({ length: 6 }, put));
    expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(200));
    expect((await project.api('DELETE', one, { token: maintainer.secret })).status).toBe(204);
  });

  it('refuse what is taken, empty, elsewhere or not allowed, and whoever may not', async () => {
    const made = await create({ name: 'Taken', external_url: url('/taken') });
    const foreign = await buildRepositoryProject(app);
    const protectedElsewhere = await app.db
      .selectFrom('protected_branches')
      .select('id')
      .where('project_id', '=', foreign.id)
      .executeTakeFirstOrThrow();
    const wrong = [
      [{ name: 'Taken', external_url: url('/free') }, { name: ['has already been taken'] }],
      [{ name: 'Free', external_url: url('/taken') }, { external_url: ['has already been taken'] }],
      [{ name: ' ', external_url: url('/free') }, { name: ["can't be blank"] }],
      [{ name: 'Free', external_url: 'ftp://example.com' }, { external_url: [expect.stringMatching(/^is blocked/)] }],
    ] as const;
    for (const [json, message] of wrong) expect(await create(json)).toMatchObject({ status: 400, body: { message } });
    const ids = { name: 'Free', external_url: url('/free'), protected_branch_ids: [protectedElsewhere.id] };
    expect((await create(ids)).status).toBe(404);
    expect((await create({ name: 'Free' })).status).toBe(400);
    expect((await create({ name: 'Free', external_url: url('/free') }, project, developer.secret)).status).toBe(403);
    for (const [token, status] of [
      [reporter.secret, 403],
      [stranger.secret, 404],
      [null, 401],
    ] as const)
      expect((await project.api('GET', checks, { token })).status).toBe(status);
    const swapped = `${checks}/${made.body.id}`;
    expect((await foreign.api('PUT', swapped, { json: { name: 'x' } })).status).toBe(404);
    expect((await project.api('DELETE', swapped)).status).toBe(204);
    await local(false);
    const inside = await create({ name: 'Inside', external_url: 'http://127.0.0.1:9/' });
    await local(true);
    expect(inside.status).toBe(400);
  });
});

describe('merge requests', () => {
  it('are not merged before every check passed their head; a new head is asked for again', async () => {
    const guarded = await buildRepositoryProject(app, {
      settings: { only_allow_merge_if_all_status_checks_passed: true },
    });
    const helper = await guarded.member(Level.developer);
    const check = await create({ name: 'Gate', external_url: url('/gate'), shared_secret: 'between us' }, guarded);
    const request = await open(guarded, 'work');
    const base = `/merge_requests/${request.iid}`;
    const status = async () => (await guarded.api('GET', base)).body.detailed_merge_status;
    const listed = async () => (await guarded.api<Json[]>('GET', `${base}/status_checks`)).body;
    const answer = (json: Json, token = helper.secret) =>
      guarded.api('POST', `${base}/status_check_responses`, {
        token,
        json: { external_status_check_id: check.body.id, sha: request.sha, ...json },
      });

    // The service is told, with what it can check the message by.
    const [first] = await told('/gate', 1);
    const text = first?.text ?? '';
    expect(first?.headers['x-gitlab-signature']).toBe(createHmac('sha256', 'between us').update(text).digest('hex'));
    expect(JSON.parse(text)).toMatchObject({
      object_kind: 'merge_request',
      user: { id: guarded.owner.user.id, email: '[REDACTED]' },
      project: { id: guarded.id, path_with_namespace: guarded.fullPath },
      object_attributes: { iid: request.iid, source_branch: 'work', last_commit: { id: request.sha } },
      external_approval_rule: { id: check.body.id, name: 'Gate', external_url: url('/gate') },
    });

    expect(await listed()).toEqual([
      { id: check.body.id, name: 'Gate', external_url: url('/gate'), status: 'pending' },
    ]);
    expect(await status()).toBe('status_checks_must_pass');
    expect((await guarded.api('PUT', `${base}/merge`)).status).toBe(405);

    expect((await answer({ sha: '0'.repeat(40) })).status).toBe(409);
    expect((await answer({ external_status_check_id: 999_999 })).status).toBe(404);
    expect((await answer({ status: 'perhaps' })).status).toBe(400);
    expect((await answer({}, (await guarded.member(Level.reporter)).secret)).status).toBe(403);
    expect((await answer({}, stranger.secret)).status).toBe(404);
    expect(await answer({ status: 'failed' })).toMatchObject({
      status: 201,
      body: {
        sha: request.sha,
        status: 'failed',
        merge_request: { iid: request.iid, detailed_merge_status: expect.not.stringMatching('can_be_merged') },
        external_status_check: { name: 'Gate' },
      },
    });
    expect([(await listed())[0]?.status, await status()]).toEqual(['failed', 'status_checks_must_pass']);

    const retry = `${base}/status_checks/${check.body.id}/retry`;
    expect(await guarded.api('POST', retry, { token: helper.secret })).toEqual(
      expect.objectContaining({ status: 202, body: { message: '202 Accepted' } }),
    );
    await told('/gate', 2);
    expect((await listed())[0]?.status).toBe('pending');
    expect(await guarded.api('POST', retry)).toMatchObject({
      status: 422,
      body: { message: 'External status check must be failed' },
    });

    expect((await answer({})).status).toBe(201);
    expect([(await listed())[0]?.status, await status()]).toEqual(['passed', 'mergeable']);
    // What passed was another commit: also before anything has followed the push.
    await guarded.commit('work', { 'more.txt': 'more' });
    expect((await guarded.api('PUT', `${base}/merge`)).status).toBe(405);
    await told('/gate', 3);
    expect([(await listed())[0]?.status, await status()]).toEqual(['pending', 'status_checks_must_pass']);
    const { sha } = (await guarded.api('GET', base)).body;
    expect((await answer({})).status).toBe(409);
    expect((await answer({ sha, status: 'passed' })).status).toBe(201);
    expect((await guarded.api('PUT', `${base}/merge`)).body).toMatchObject({ state: 'merged' });
    expect((await answer({ sha })).status).toBe(409);
  });

  it('pass where the project does not ask for it, and for branches that no check is for', async () => {
    const free = await buildRepositoryProject(app);
    const { body: check } = await create({ name: 'Advice', external_url: url('/advice') }, free);
    const request = await open(free, 'advised');
    const got = async () => (await free.api('GET', `/merge_requests/${request.iid}`)).body.detailed_merge_status;
    expect(await got()).toBe('mergeable');
    const unsigned = await told('/advice', 1);
    expect(unsigned[0]?.headers).not.toHaveProperty('x-gitlab-signature');
    const branch = await app.db
      .insertInto('protected_branches')
      .values({ project_id: free.id, name: 'release/*' })
      .returning('id')
      .executeTakeFirstOrThrow();
    await free.api('PUT', `${checks}/${check.id}`, { json: { protected_branch_ids: [branch.id] } });
    await free.api('PUT', '', { json: { only_allow_merge_if_all_status_checks_passed: true } });
    expect(await got()).toBe('mergeable');
    expect((await free.api('GET', `/merge_requests/${request.iid}/status_checks`)).body).toEqual([]);
    await free.api('PUT', `${checks}/${check.id}`, { json: { protected_branch_ids: [] } });
    expect(await got()).toBe('status_checks_must_pass');
  });
});
