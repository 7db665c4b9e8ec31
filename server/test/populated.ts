/** An instance with a few rows in every list of the API, built once; and the address of each list in it. */
import { randomBytes } from 'node:crypto';
import type { Project } from '../src/kernel/db/rows.ts';
import type { Route } from '../src/kernel/http/route.ts';
import { type RequestParts, startTestApp, type TestApp, type TestResponse } from './app.ts';
import { eventually } from './ci.ts';
import { failPipelines } from './factories.queries.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
  unique,
} from './factories.ts';
import { gpgKeyTexts, sshKeyText } from './keys.ts';
import { discuss, snip } from './populated-discussions.ts';
import { iterate, plan } from './populated-plans.ts';
import {
  archive,
  failedTests,
  forked,
  imported,
  keptPackage,
  quieted,
  recordCalls,
  released,
  transferred,
  usedRunners,
} from './populated-work.ts';
import { keepNewestJobs, postponeJobs } from './queue.queries.ts';
import { buildRepositoryProject, type RepositoryProject } from './repositories.ts';
import { vulnerabilityOfIssues } from './vulnerabilities.ts';

type Row = Readonly<Record<string, unknown>>;

export interface Populated {
  readonly app: TestApp;
  /** An administrator, who owns everything here. */
  readonly admin: BuiltToken;
  /** The same person's session, for what tokens may not see. */
  readonly cookie: string;
  readonly repository: RepositoryProject;
  readonly project: Project;
  /** The path of a list with every parent in it filled in; fails for a parent that is not here. */
  pathOf(route: Pick<Route, 'path'>): string;
  close(): Promise<void>;
}

const config = ['build', 'test', 'ship'].map((name) => `${name}:\n  script: [echo ${name}]\n`).join('');
const three = [1, 2, 3] as const;

/** Somebody who asks for access to a place, and an address that is invited to it. */
async function waitingFor(app: TestApp, place: { namespace_id: number } | { project_id: number }): Promise<void> {
  const { id } = await buildUser(app);
  await app.db
    .insertInto('access_requests')
    .values({ user_id: id, ...place })
    .execute();
  const email = `${unique('invited')}@example.com`;
  const token_sha256 = randomBytes(32);
  await app.db
    .insertInto('member_invitations')
    .values({ email, level: 20, token_sha256, ...place })
    .execute();
}

/** A service account with three tokens, of the instance unless told. Without events: a page of them is walked whole. */
async function serviceAccount(
  app: TestApp,
  place?: { namespace_id: number } | { project_id: number },
): Promise<number> {
  const username = unique('service');
  const { id } = await app.db
    .insertInto('users')
    .values({ username, name: username, email: `${username}@example.com`, user_type: 'service_account' })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (place)
    await app.db
      .insertInto('service_account_places')
      .values({ user_id: id, ...place })
      .execute();
  for (const number of three)
    await app.db
      .insertInto('access_tokens')
      .values({ kind: 'personal', user_id: id, name: `t${number}`, scopes: ['api'], token_sha256: randomBytes(32) })
      .execute();
  return id;
}

export async function startPopulated(): Promise<Populated> {
  const app = await startTestApp({ background: true });
  const password = 'correct horse battery';
  const admin = await buildToken(app, { user: await buildAdmin(app, { password }) });
  let cookie = '';
  for (const _ of three) {
    const session = await app.request('POST', '/-/session', { json: { login: admin.user.username, password } });
    cookie = (session.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  }
  const call = async (method: 'POST' | 'PUT', target: string, json: Row): Promise<Row> => {
    const answer: TestResponse<Row> = await app.api(method, target, {
      token: admin.secret,
      json,
    } satisfies RequestParts);
    if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  const upload = async (base: string): Promise<void> => {
    const form = new FormData();
    form.append('file', new Blob(['x']), 'a.txt');
    const answer = await app.api('POST', `${base}/uploads`, { token: admin.secret, form });
    if (answer.status !== 201) throw new Error(`${base}/uploads: ${answer.status}`);
  };

  /** Those of the last round have been called. */
  const hooks = { project: 0, group: 0, system: 0 };
  const quiet = { url: 'https://x.example', events: [] };
  /** Written as it is kept: of each an audit event more would be more than a page of them. */
  const hook = async (place: { project_id?: number; namespace_id?: number }): Promise<number> => {
    const values = { ...quiet, ...place };
    return (await app.db.insertInto('web_hooks').values(values).returning('id').executeTakeFirstOrThrow()).id;
  };
  const milestone = async (place: { project_id?: number; namespace_id?: number }, iid: number): Promise<number> => {
    const values = { ...place, iid, title: `milestone ${iid}` };
    return (await app.db.insertInto('milestones').values(values).returning('id').executeTakeFirstOrThrow()).id;
  };
  const group = await buildGroup(app, { owner: admin.user, visibility: 'public' });
  const epics: Row[] = [];
  for (const number of three) {
    await buildToken(app, { user: admin.user, name: `token ${number}` });
    await buildGroup(app, { parent: group, owner: admin.user, visibility: 'public' });
    await buildProject(app, { namespace: group, owner: admin.user, visibility: 'public' });
    await buildProject(app, { owner: admin.user });
    await buildGroup(app, { owner: admin.user });
    await buildMember(app, { of: group });
    const cadence = await app.db
      .insertInto('iteration_cadences')
      .values({ namespace_id: group.id, title: `Cadence ${number}`, automatic: false })
      .returning(['id as cadence_id', 'namespace_id'])
      .executeTakeFirstOrThrow();
    const week = { start_date: `2030-01-0${number}`, due_date: `2030-01-1${number}` };
    await app.db
      .insertInto('iterations')
      .values({ ...cadence, ...week, iid: number, sequence: 1, title: `Iteration ${number}` })
      .execute();
    epics.push(await call('POST', `/groups/${group.id}/epics`, { title: `Epic ${number}` }));
    const { id } = await buildUser(app);
    const follows = [
      { follower_id: admin.user.id, followee_id: id },
      { follower_id: id, followee_id: admin.user.id },
    ];
    await app.db.insertInto('user_follows').values(follows).execute();
    const day = new Date().toISOString().slice(0, 10);
    await app.db.updateTable('users').set({ last_activity_on: day }).where('id', '=', id).execute();
    await call('POST', '/user/keys', { title: `key ${number}`, key: sshKeyText() });
    await call('POST', '/user/gpg_keys', { key: (await gpgKeyTexts(`gpg-${number}@example.com`)).publicKey });
    await call('POST', '/user/emails', { email: `more-${number}@example.com` });
    await call('POST', '/broadcast_messages', { message: `Message ${number}` });
    await call('POST', '/topics', { name: `topic ${number}`, title: `Topic ${number}` });
    await call('POST', '/admin/ci/variables', { key: `INSTANCE_${number}`, value: 'x' });
    await call('PUT', `/groups/${group.id}/custom_attributes/key${number}`, { value: 'x' });
    await call('POST', `/groups/${group.id}/protected_environments`, {
      name: ['production', 'staging', 'testing'][number - 1],
      deploy_access_levels: [{ access_level: 40 }],
    });
    await call('POST', `/groups/${group.id}/badges`, { link_url: 'https://x.example', image_url: 'https://x.example' });
    await call('POST', `/groups/${group.id}/labels`, { name: `label ${number}`, color: 'red' });
    await milestone({ namespace_id: group.id }, number);
    await upload(`/groups/${group.id}`);
    hooks.group = await hook({ namespace_id: group.id });
    hooks.system = await hook({});
    await call('POST', `/groups/${group.id}/wikis`, { title: `page ${number}`, content: 'x' });
    if (number > 1) await call('PUT', `/groups/${group.id}/wikis/page-1`, { content: `version ${number}` });
    await call('POST', `/groups/${group.id}/hooks`, { url: 'https://x.example' });
    const invited = await buildGroup(app, { visibility: 'public' });
    const inviting = await buildGroup(app, { visibility: 'public' });
    const lent = await buildProject(app, { visibility: 'public' });
    const shares = [
      { group_id: invited.id, namespace_id: group.id, level: 20 },
      { group_id: group.id, namespace_id: inviting.id, level: 20 },
      { group_id: group.id, project_id: lent.id, level: 20 },
    ];
    for (const share of shares) await app.db.insertInto('grants').values(share).execute();
    await call('POST', `/groups/${group.id}/variables`, { key: `GROUP_${number}`, value: 'x' });
    await call('POST', '/user/runners', { runner_type: 'group_type', group_id: group.id });
    // Kept without their audit events: the list of these stays below a page.
    const link = { namespace_id: group.id, access_level: 20 };
    await app.db
      .insertInto('saml_group_links')
      .values({ ...link, name: `saml ${number}` })
      .execute();
    await app.db
      .insertInto('ldap_group_links')
      .values({ ...link, cn: `ldap ${number}`, provider: 'l' })
      .execute();
    await waitingFor(app, { namespace_id: group.id });
    const guests = await buildGroup(app, { owner: admin.user });
    const share = { group_id: guests.id, namespace_id: group.id, level: 20 };
    await app.db.insertInto('grants').values(share).execute();
    await call('POST', `/groups/${group.id}/access_tokens`, { name: `token ${number}`, scopes: ['api'] });
    const application = { name: `application ${number}`, redirect_uri: 'https://client.example/', scopes: 'api' };
    const registered = await call('POST', '/applications', application);
    await call('POST', '/user/applications', application);
    await call('POST', `/groups/${group.id}/applications`, application);
    const proof = { client_id: registered.application_id, client_secret: registered.secret };
    await app.request('POST', '/oauth/token', {
      json: { grant_type: 'password', username: admin.user.username, password, ...proof },
    });
    await call('POST', `/groups/${group.id}/deploy_tokens`, { name: `deploy ${number}`, scopes: ['read_repository'] });
    await call('POST', `/users/${admin.user.id}/impersonation_tokens`, { name: `other ${number}`, scopes: ['api'] });
    await serviceAccount(app);
  }

  let nested = group;
  for (const _ of [1, 2]) nested = await buildGroup(app, { parent: nested, owner: admin.user, visibility: 'public' });
  const settings = { namespace_id: nested.id, visibility: 'public' };
  const files = {
    '.gitlab-ci.yml': config,
    'README.md': '# Hello\n',
    'src/a.txt': 'a',
    'src/b.txt': 'a',
    'docs/c.md': 'c',
  };
  const repository = await buildRepositoryProject(app, { owner: admin, settings, files });
  const project = await repository.row();
  // What merge requests bring that go into a branch from before.
  await repository.api('POST', '/repository/branches', { json: { branch: 'before', ref: 'main' } });
  const brought = await repository.commit('main', { 'one.txt': '1', 'two.txt': '2', 'three.txt': '3' });
  for (const number of three) {
    const author = { author_name: `Author ${number}`, author_email: `author-${number}@example.com` };
    await repository.commit('main', { [`more-${number}.txt`]: 'more' }, author);
  }
  const base = `/projects/${project.id}`;
  for (const number of three) {
    const fork = await forked(app, project, admin.user, number);
    const invited = await buildGroup(app, { visibility: 'public' });
    await app.db.insertInto('grants').values({ group_id: invited.id, project_id: project.id, level: 30 }).execute();
    const check = { project_id: project.id, name: `check ${number}`, external_url: `https://x.example/${number}` };
    await app.db.insertInto('external_status_checks').values(check).execute();
    await call('POST', `${base}/badges`, { link_url: 'https://x.example', image_url: 'https://x.example' });
    await call('POST', `${base}/labels`, { name: `own label ${number}`, color: 'red' });
    await milestone({ project_id: project.id }, number);
    await upload(base);
    hooks.project = await hook({ project_id: project.id });
    await call('POST', `${base}/wikis`, { title: `page ${number}`, content: 'x' });
    if (number > 1) await call('PUT', `${base}/wikis/page-1`, { content: `version ${number}` });
    await call('POST', `${base}/hooks`, { url: 'https://x.example' });
    await call('POST', `${base}/variables`, { key: `KEY_${number}`, value: 'x' });
    await waitingFor(app, { project_id: project.id });
    await call('POST', `${base}/access_tokens`, { name: `token ${number}`, scopes: ['api'] });
    const name = `kept-${number}/*`;
    await app.db.insertInto('protected_tags').values({ project_id: project.id, name }).execute();
    for (const place of [{ project_id: project.id }, { namespace_id: group.id }])
      await app.db
        .insertInto('protected_branches')
        .values({ ...place, name })
        .execute();
    await call('POST', `${base}/deploy_tokens`, { name: `deploy ${number}`, scopes: ['read_repository'] });
    await call('POST', `${base}/deploy_keys`, { title: `key ${number}`, key: sshKeyText() });
    const scope = `${base}/job_token_scope`;
    await call('POST', `${scope}/allowlist`, { target_project_id: (await buildProject(app)).id });
    await call('POST', `${scope}/groups_allowlist`, { target_group_id: (await buildGroup(app)).id });
    await call('POST', `${base}/repository/commits/${brought}/comments`, { note: `comment ${number}` });
    await call('POST', `${base}/feature_flags`, { name: `flag-${number}` });
    await call('POST', `${base}/feature_flags_user_lists`, { name: `list ${number}`, user_xids: 'a,b' });
    await call('PUT', `${base}/packages/generic/tool/${number}.0/a.txt`, {});
    await call('PUT', `${base}/packages/generic/kit/1.0/${number}.txt`, {});
    await call('PUT', `${base}/mirror/pull`, { url: `https://example.com/source-${number}.git` });
    await call('POST', `${base}/remote_mirrors`, { url: `https://example.com/mirror-${number}.git` });
    await call('POST', `${base}/repository/tags`, { tag_name: `v${number}.0`, ref: 'main', message: 'tagged' });
    await released(app.db, { project: project.id, fork }, number);
    const locked = { project_id: project.id, user_id: admin.user.id, path: `art/${number}.psd`, lfs: number % 2 === 0 };
    await app.db.insertInto('path_locks').values(locked).execute();
    await call('POST', `${base}/repository/branches`, { branch: unique('branch'), ref: 'main' });
    await call('POST', `${base}/pipeline`, { ref: 'main' });
  }
  const planned = await plan(app, admin, group, [`/groups/${group.id}`, base]);
  const snippets = await snip(app, admin, base);
  const runner = await call('POST', '/user/runners', { runner_type: 'project_type', project_id: project.id });
  await app.db
    .updateTable('jobs')
    .set({ runner_id: Number(runner.id) })
    .where('project_id', '=', project.id)
    .execute();
  await usedRunners(app.db, project.id);
  await imported(app, admin.user);

  const accounts: Readonly<Record<string, readonly number[]>> = {
    groups: await Promise.all(three.map(() => serviceAccount(app, { namespace_id: group.id }))),
    projects: await Promise.all(three.map(() => serviceAccount(app, { project_id: project.id }))),
  };

  // A merge request of three commits, three versions and three pipelines.
  const source = 'change';
  for (const number of three) {
    const start = number === 1 ? { start_branch: 'main' } : {};
    const changed = { [`new-${number}-a.txt`]: 'a', [`new-${number}-b.txt`]: 'b', [`new-${number}-c.txt`]: 'c' };
    await repository.commit(source, changed, start);
    if (number === 1)
      await call('POST', `${base}/merge_requests`, { source_branch: source, target_branch: 'main', title: 'Change' });
    await eventually('the version of the merge request', async () => {
      const versions = await repository.api<unknown[]>('GET', '/merge_requests/1/versions');
      return versions.body.length >= number;
    });
    await call('POST', `${base}/pipeline`, { ref: source });
  }
  let stacked = source;
  for (const number of three) {
    const branch = unique('other');
    await repository.commit(branch, { [`${branch}.txt`]: 'x' }, { start_branch: 'main' });
    const title = `Other ${number}`;
    await call('POST', `${base}/merge_requests`, { source_branch: branch, target_branch: 'before', title });
    await call('POST', `/groups/${group.id}/approval_rules`, { name: title, approvals_required: 1 });
  }
  for (const number of three) {
    const branch = unique('stacked');
    await repository.commit(branch, { [`${branch}.txt`]: 'x' }, { start_branch: stacked });
    const title = `Stacked ${number}`;
    await call('POST', `${base}/merge_requests`, { source_branch: branch, target_branch: stacked, title });
    stacked = branch;
  }
  const pipelines = await eventually('pipelines of all pushes', async () => {
    const list = await repository.api<Row[]>('GET', '/pipelines', { query: { per_page: 100 } });
    return list.body.length >= 12 && list.body;
  });
  for (const number of three) await call('POST', `${base}/triggers`, { description: `Trigger ${number}` });
  for (const number of three)
    await app.db
      .insertInto('resource_groups')
      .values({ project_id: project.id, key: `group-${number}` })
      .execute();
  let deployment = 0;
  for (const number of three) {
    const values = { environment: `live-${number}`, sha: brought, ref: 'main', tag: false, status: 'failed' };
    deployment = Number((await call('POST', `${base}/deployments`, values)).id);
    await call('POST', `${base}/deployments`, { ...values, environment: `review-${number}`, ref: source });
    const allowed = { deploy_access_levels: [{ access_level: 40 }] };
    await call('POST', `${base}/protected_environments`, { name: `kept-${number}`, ...allowed });
    await call('POST', `${base}/freeze_periods`, { freeze_start: '0 0 1 1 *', freeze_end: `${number} 0 1 1 *` });
  }
  // The last one has a pipeline for each number.
  let schedule = 0;
  for (const number of three) {
    const values = { description: `Schedule ${number}`, ref: 'main', cron: '0 1 * * *' };
    schedule = Number((await call('POST', `${base}/pipeline_schedules`, values)).id);
  }
  for (const _ of three) await call('POST', `${base}/pipeline_schedules/${schedule}/play`, {});

  await quieted(app.db);

  await failPipelines(app.db, project.id, 'other%');
  await failedTests(app.db, project.id, three);
  // Of a group's milestone are those of its own projects, not of the groups below.
  const direct = await buildProject(app, { namespace: group, owner: admin.user, visibility: 'public' });
  const ofGroup = await milestone({ namespace_id: group.id }, 4);
  const ofProject = await milestone({ project_id: project.id }, 4);
  await app.db
    .updateTable('merge_requests')
    .set({ milestone_id: ofProject })
    .where('project_id', '=', project.id)
    .execute();
  for (const iid of three) {
    for (const place of [
      { project_id: direct.id, milestone_id: ofGroup },
      { project_id: project.id, milestone_id: ofProject },
    ])
      await app.db
        .insertInto('issues')
        .values({ iid, title: `Issue ${iid}`, author_id: admin.user.id, ...place })
        .execute();
    const branches = { source_branch: `side-${iid}`, target_branch: 'main' };
    const places = { project_id: direct.id, source_project_id: direct.id, milestone_id: ofGroup };
    await app.db
      .insertInto('merge_requests')
      .values({ iid, title: 'Change', author_id: admin.user.id, ...branches, ...places })
      .execute();
  }

  await app.db.insertInto('project_counters').values({ project_id: project.id, kind: 'issue', value: 3 }).execute();
  const assigned: number[] = [];
  for (const _ of three) {
    const { user } = await buildMember(app, { of: project });
    const other = await call('POST', `${base}/issues`, { title: 'Other', assignee_ids: [user.id] });
    const to = { target_project_id: String(project.id), target_issue_iid: other.iid };
    await call('POST', `${base}/issues/1/links`, to);
    await call('POST', `${base}/issues/1/notes`, { body: 'A comment' });
    assigned.push(user.id);
  }
  await call('PUT', `${base}/issues/1`, { assignee_ids: assigned });
  await call('PUT', `${base}/merge_requests/1`, { reviewer_ids: assigned });
  for (const iid of [2, 3, 4]) {
    const { id } = await app.db
      .selectFrom('merge_requests')
      .select('id')
      .where('project_id', '=', project.id)
      .where('iid', '=', iid)
      .executeTakeFirstOrThrow();
    await call('POST', `${base}/merge_requests/1/blocks`, { blocking_merge_request_id: id });
  }
  const said = await discuss(app, admin, base, ofProject);
  const cadence = await iterate(app, admin, group.id, project.id);
  // A page of a hundred has them all, the oldest and the newest.
  const events = await app.db.selectFrom('audit_events').select('id').orderBy('id', 'desc').execute();
  const between = events.slice(60, Math.max(60, events.length - 20)).map(({ id }) => id);
  if (between.length > 0) await app.db.deleteFrom('audit_events').where('id', 'in', between).execute();

  const trains = { merge_pipelines_enabled: true, merge_trains_enabled: true };
  await app.db.updateTable('projects').set(trains).where('id', '=', project.id).execute();
  const requests = await app.db
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', project.id)
    .orderBy('id')
    .limit(3)
    .execute();
  for (const request of requests)
    await app.db
      .insertInto('merge_train_entries')
      .values({
        ...{ project_id: project.id, merge_request_id: request.id, user_id: admin.user.id, target_branch: 'main' },
        ...{ status: 'merged', source_sha: brought, merged_at: new Date() },
      })
      .execute();

  await recordCalls(app, Object.values(hooks), quiet.url);
  const job_id = await archive(app, String(runner.token));
  // What is still told makes more of them.
  await quieted(app.db);
  await keepNewestJobs(app.db, 40);
  await postponeJobs(app.db);

  let vulnerability = 0;
  for (const _ of three) vulnerability = await vulnerabilityOfIssues(app, project.id);
  const ids: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
    projects: {
      id: project.id,
      pipeline_id: Number(pipelines.at(-1)?.id),
      merge_request_iid: 1,
      issue_iid: 1,
      type: 'gitignores',
      sha: brought,
      commit_id: brought,
      hook_id: hooks.project,
      slug: 'page-1',
      tag_name: 'v1.0',
      version: '1.0.0',
      milestone_id: ofProject,
      snippet_id: snippets.id,
      pipeline_schedule_id: schedule,
      key: 'group-1',
      target_branch: 'main',
      board_id: planned.boards[base] ?? 0,
      deployment_id: deployment,
      package_id: await keptPackage(app.db, project.id),
      job_id,
    },
    groups: {
      ...{ id: group.id, user_id: admin.user.id, hook_id: hooks.group, slug: 'page-1' },
      ...{ milestone_id: ofGroup, cadence_id: cadence, epic_id: Number(epics[0]?.id), epic_iid: 1 },
      board_id: planned.boards[`/groups/${group.id}`] ?? 0,
    },
    hooks: { id: hooks.system },
    users: { id: admin.user.id, user_id: admin.user.id },
    runners: { id: Number(runner.id) },
    bulk_imports: await transferred(app.db, admin.user.id),
    vulnerabilities: { id: vulnerability },
  };
  return {
    app,
    admin,
    cookie,
    repository,
    project,
    pathOf({ path }) {
      const [, first = '', , third] = path.split('/');
      const [account] = accounts[first] ?? [];
      const own: Record<string, number> =
        third === 'service_accounts' && account !== undefined
          ? { user_id: account }
          : third === 'issues' || third === 'merge_requests'
            ? { note_id: said[third] }
            : third === 'epics'
              ? { note_id: planned.epics }
              : third === 'snippets'
                ? { note_id: snippets.note }
                : {};
      const known: Readonly<Record<string, string | number>> = { ...ids[first], ...own };
      return path.replaceAll(/:([a-z_]+)/g, (_, name: string) => {
        const value = known[name];
        if (value === undefined) throw new Error(`${path}: test/populated.ts has no ${name}`);
        return String(value);
      });
    },
    close: () => app.close(),
  };
}
