/** A populated instance for random requests: callers of every kind, and values that mean something in it. */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { Route } from '../../src/kernel/http/route.ts';
import { namedLimits } from '../../src/kernel/rate-limits/limits.ts';
import { startWorld, type World } from '../ci.ts';
import { buildGroup, buildProject, buildToken, buildUser, unique } from '../factories.ts';
import { sshKeyText } from '../keys.ts';
import { offered } from '../populated-work.ts';
import { buildVulnerability } from '../vulnerabilities.ts';
import { buildBelongings } from './belongings.ts';
import type { Known } from './generate.ts';
import { type Asker, password, people } from './people.ts';
import { buildPlans } from './plans.ts';

const config = `stages: [build, test]
build:
  stage: build
  script: [make]
  artifacts: {paths: [out]}
  parallel: 4
wait:
  stage: test
  script: [make]
  when: manual
  resource_group: oven
change:
  stage: test
  script: [make]
  rules: [{if: $CI_PIPELINE_SOURCE == "merge_request_event"}]
`;

/** A day on which tokens may end, whenever this runs. */
const later = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10);

export interface PopulatedWorld {
  readonly world: World;
  readonly askers: readonly Asker[];
  readonly known: Known;
  /** Makes of an answer what later requests can name. */
  learn(route: Route, body: string): void;
}

/** Where what the path names is changed for good: those get places that nobody else needs. */
const isHard = ({ method, path }: Route) =>
  /^\/(projects|groups)\/:id(\/(archive|unarchive|restore))?$/.test(path) && method !== 'GET';

export async function startPopulatedWorld(): Promise<PopulatedWorld> {
  const world = await startWorld();
  const { app, owner } = world;
  // As many as there are in a second are not what anybody is asked to do.
  await app.settings.write(Object.fromEntries(Object.values(namedLimits).map(({ setting }) => [setting, 0])));
  const group = await buildGroup(app, { owner: owner.user });
  const inner = await buildGroup(app, { parent: group, visibility: 'private' });
  const askers = await people(world, group);
  const runner = await world.runner();
  const project = await world.project({ namespace_id: group.id });
  const open = await world.project({ visibility: 'public' });
  const post = async (path: string, json: Record<string, unknown>) => {
    const made = await app.api<{ id: number }>('POST', path, { token: owner.token, json });
    if (made.status !== 201) throw new Error(`${path}: ${made.status} ${JSON.stringify(made.body)}`);
    return made.body;
  };
  const pipeline = await project.push(config, { files: { 'dir/a file.txt': 'text\n', 'ünï.md': '# x\n' } });
  const archive = new ZipFile();
  archive.addBuffer(Buffer.from('text\n'), 'README.md');
  archive.end();
  const data = await buffer(archive.outputStream);
  const artifacts = { data, name: 'a.zip', type: 'archive', format: 'zip' };
  const finish = async () => {
    const job = await runner.next();
    await runner.upload(job, artifacts);
    await runner.patch(job, 'built\n');
    await runner.update(job, 'success');
    return job;
  };
  const done = await finish();
  const lost = await finish();
  const running = await runner.next();
  // Ended, cancelled and erased by whoever wants to.
  const loose = await runner.next();
  askers.push({ name: 'job', weight: 4, headers: { 'job-token': running.token } });
  /** The bot of a project or a group, whose token only the bot itself rotates by this name. */
  const bot = async (name: string, place: string): Promise<Asker> => {
    const json = { name: 'bot', scopes: ['api', 'self_rotate'], access_level: 40, expires_at: later };
    const token = async () => {
      // The token that the world began with may have been revoked by now.
      const { secret } = await buildToken(app, { user: world.admin.user });
      const made = await app.api<{ token?: string }>('POST', `${place}/access_tokens`, { token: secret, json });
      return { 'private-token': made.body.token ?? 'none' };
    };
    const made: Asker = {
      name,
      weight: 3,
      headers: await token(),
      renew: async () => {
        made.headers = await token();
      },
    };
    return made;
  };
  askers.push(await bot('project bot', `/projects/${project.id}`), await bot('group bot', `/groups/${group.id}`));
  const manual = await project.job(pipeline.id, 'wait');
  const branches = ['main', 'feature', 'with/slash', 'third'];
  for (const branch of branches.slice(1)) await project.commit(null, { branch, files: { [`${branch}.txt`]: 'x\n' } });
  await post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1.0', ref: 'main', message: 'First' });
  const link = { name: 'tool', url: 'https://files.example/tool', direct_asset_path: '/bin/tool' };
  for (const tag_name of ['v1.0', 'v1.1', 'v2'])
    await post(`/projects/${project.id}/releases`, { tag_name, ref: 'main', assets: { links: [link] } });
  for (const [at, branch] of ['feature', 'with/slash'].entries())
    await post(`/projects/${project.id}/merge_requests`, {
      source_branch: branch,
      target_branch: 'main',
      title: `Change ${at}`,
    });
  await post(`/projects/${project.id}/variables`, { key: 'GREETING', value: 'hello' });
  await post(`/groups/${group.id}/variables`, { key: 'GREETING', value: 'hello' });
  await post(`/groups/${group.id}/saml_group_links`, { saml_group_name: 'people', access_level: 20 });
  await post(`/groups/${group.id}/ldap_group_links`, { cn: 'people', provider: 'main', group_access: 20 });
  const asking = (await buildUser(app)).id;
  for (const place of [{ project_id: project.id }, { namespace_id: group.id }])
    await app.db
      .insertInto('access_requests')
      .values({ user_id: asking, ...place })
      .execute();
  const upload = async (place: string) => {
    const form = new FormData();
    form.append('file', new Blob(['text']), 'a.txt');
    const made = await app.api<{ id: number; url: string }>('POST', `${place}/uploads`, { token: owner.token, form });
    return { id: made.body.id, secret: made.body.url.split('/')[2] ?? '' };
  };
  for (const place of [`/projects/${project.id}`, `/groups/${group.id}`])
    await post(`${place}/wikis`, { title: 'folder/page', content: '# Page' });
  const uploads = [await upload(`/projects/${project.id}`), await upload(`/groups/${group.id}`)];
  const kept = ['release/*', 'shape-*', 'with/*'];
  for (const [place, rules] of [
    [`/projects/${project.id}`, 'protected_branches'],
    [`/projects/${project.id}`, 'protected_tags'],
    [`/groups/${group.id}`, 'protected_branches'],
  ] as const)
    await post(`${place}/${rules}`, { name: kept[0] });
  await post(`/projects/${project.id}/push_rule`, { max_file_size: 50 });
  await post(`/groups/${group.id}/push_rule`, { deny_delete_tag: true });
  const trigger = await app.api<{ token: string }>('POST', `/projects/${project.id}/triggers`, {
    token: owner.token,
    json: { description: 'From elsewhere' },
  });
  const hooks = {
    project: (await post(`/projects/${project.id}/hooks`, { url: 'https://hooks.example/events' })).id,
    group: (await post(`/groups/${group.id}/hooks`, { url: 'https://hooks.example/events' })).id,
    system: 0,
  };
  const instance = { token: world.admin.token, json: { url: 'https://hooks.example/events' } };
  hooks.system = (await app.api<{ id: number }>('POST', '/hooks', instance)).body.id;
  const check = await post(`/projects/${project.id}/external_status_checks`, {
    name: 'scanner',
    external_url: 'https://checks.example/scan',
  });
  const head = (
    await app.api<{ sha: string }>('GET', `/projects/${project.id}/merge_requests/1`, { token: owner.token })
  ).body.sha;
  const service = await app.api<{ id: number }>('POST', `/groups/${group.id}/service_accounts`, {
    token: world.admin.token,
    json: {},
  });
  const calls: number[] = [];
  for (const hook_id of Object.values(hooks)) {
    const told = { hook_id, trigger: 'push_hooks', event: 'Push Hook', payload: '{}', state: 'done' } as const;
    const [event_uuid, uuid, idempotency_key] = [randomUUID(), randomUUID(), randomUUID()];
    const row = {
      ...told,
      event_uuid,
      uuid,
      idempotency_key,
      url: 'https://hooks.example/events',
      request_headers: '{}',
    };
    const made = await app.db.insertInto('web_hook_calls').values(row).returning('id').executeTakeFirstOrThrow();
    calls.push(made.id);
  }
  const talk = `/projects/${project.id}/repository/commits/main/discussions`;
  const begin = async () =>
    (
      await app.api<{ id: string; notes: { id: number }[] }>('POST', talk, {
        token: owner.token,
        json: { body: 'What is said' },
      })
    ).body;
  const [thread, other] = [await begin(), await begin()];
  const readme = await app.api<{ blob_id: string }>(
    'GET',
    `/projects/${project.id}/repository/files/${encodeURIComponent('feature.txt')}?ref=feature`,
    { token: owner.token },
  );
  const blob = readme.body.blob_id;
  const topics = ['shape', 'other'];
  await app.api('PUT', `/projects/${open.id}`, { token: owner.token, json: { topics } });
  await app.api('POST', `/projects/${open.id}/star`, { token: owner.token });
  const named = await app.db.selectFrom('topics').select('id').where('name', 'in', topics).execute();
  const topicIds = named.map(({ id }) => id);
  const fork = await post(`/projects/${project.id}/fork`, { name: unique('fork'), path: unique('fork') });
  const deployKey = await post(`/projects/${project.id}/deploy_keys`, { title: 'machine', key: sshKeyText() });
  await app.api('POST', '/admin/ci/variables', { token: world.admin.token, json: { key: 'GREETING', value: 'x' } });

  const spare = {
    projects: [] as unknown[],
    groups: [] as unknown[],
    tokens: [] as unknown[],
    runners: [] as unknown[],
  };
  const secrets: string[] = [];
  for (let at = 0; at < 40; at += 1) {
    spare.projects.push((await buildProject(app, { owner: owner.user })).id);
    spare.groups.push((await buildGroup(app, { owner: owner.user })).id);
    spare.tokens.push((await buildToken(app, { user: owner.user })).row.id);
    if (at % 4 > 0) continue;
    const made = await world.runner();
    spare.runners.push(made.id);
    secrets.push(made.token);
  }
  const vulnerability = await buildVulnerability(app, project.id);
  const planned = await buildPlans(post, project.id, group.id, pipeline.sha);
  const users = [owner.user.id, world.admin.user.id, (await buildUser(app)).id];
  const own = await buildBelongings(world, users);
  const projects = [project.id, project.id, project.id, project.path, open.id, open.path, fork.id];
  const groups = [group.id, group.id, group.full_path, inner.id, inner.full_path];
  const pipelines: unknown[] = [];
  const merges: unknown[] = [3];
  const jobs: unknown[] = [done.id, done.id, running.id, manual.id];
  const refs = [...branches, 'v1.0', pipeline.sha, `${pipeline.sha.slice(0, 10)}`, 'HEAD'];
  const files = ['README.md', 'dir/a file.txt', 'ünï.md', 'dir', '.gitlab-ci.yml', 'new/file.txt'];

  const links = await app.db.selectFrom('release_links').select('id').orderBy('id').execute();
  for (const number of [1, 2, 3, 4]) {
    const lock = { project_id: project.id, user_id: service.body.id, path: `art/${number}.psd`, lfs: number % 2 === 0 };
    await app.db.insertInto('path_locks').values(lock).execute();
  }
  const locks = await app.db.selectFrom('path_locks').select('id').orderBy('id').execute();
  const [released] = await app.db.selectFrom('releases').select('id').orderBy('id').limit(1).execute();
  if (released) await offered(app.db, project.id, released.id, 1);
  const evidences = await app.db.selectFrom('release_evidences').select('id').orderBy('id').execute();
  const words: Readonly<Record<string, readonly unknown[]>> = {
    pipeline_id: [pipeline.id],
    job_id: jobs,
    runner_id: spare.runners,
    merge_request_iid: [1, 2],
    iids: [1, 2],
    user_id: [...users, service.body.id],
    user_ids: users,
    assignee_id: users,
    author_id: users,
    namespace_id: [group.id, inner.id],
    project_id: [project.id, open.id],
    target_project_id: [open.id],
    forked_from_id: [open.id],
    topic: topics,
    link_url: ['https://ci.example/%{project_path}'],
    image_url: ['https://ci.example/%{default_branch}/badge.svg'],
    url: ['https://hooks.example/events'],
    color: ['#ff0000', 'red'],
    upload_id: uploads.map(({ id }) => id),
    secret: uploads.map(({ secret }) => secret),
    filename: ['a.txt'],
    hook_event_id: calls,
    trigger: ['push_events', 'pipeline_events', 'member_events', 'unknown'],
    slug: ['folder/page', 'page', 'new'],
    topic_id: topicIds,
    source_topic_id: topicIds,
    target_topic_id: topicIds,
    target_group_id: [inner.id],
    group_id: [group.id],
    parent_id: [group.id, inner.id],
    username: [owner.user.username],
    branch: [...branches, 'new'],
    source_branch: branches,
    target_branch: branches,
    start_branch: branches,
    ref: refs,
    ref_name: refs,
    refs: [
      ['main', 'feature'],
      ['v1.0', 'third', 'main'],
    ],
    state: ['pending', 'running', 'success', 'failed'],
    sha: [...refs, head, head],
    commit_id: ['main', 'main', 'feature'],
    discussion_id: [thread.id, thread.id, other.id],
    note_id: [...thread.notes, ...other.notes].map(({ id }) => id),
    body: ['What is *said*', ''],
    check_id: [check.id],
    external_status_check_id: [check.id],
    external_url: ['https://checks.example/other', 'https://checks.example/third'],
    from: refs,
    to: refs,
    tag_name: ['v1.0', 'v1.1', 'v2'],
    file_path: files,
    path: files,
    previous_path: files,
    order_by: ['released_at', 'created_at'],
    version: ['1.0.0', '2.0.0-rc1', 'v3.1.0'],
    submodule: ['dir', 'README.md'],
    commit_sha: [pipeline.sha],
    link_id: links.map(({ id }) => id),
    lock_id: locks.map(({ id }) => id),
    evidence_id: evidences.map(({ id }) => id),
    external_wiki_url: ['https://wiki.example/'],
    webhook: ['https://hooks.example/slack'],
    direct_asset_path: ['/bin/tool', '/other'],
    link_type: ['other', 'package'],
    assets: [{ links: [{ ...link, name: 'more' }] }],
    released_at: ['2026-01-31T08:00:00Z', '2035-01-01'],
    key: ['GREETING', 'OTHER'],
    content: ['text\n', config, 'a: [', 'aGVsbG8='],
    access_level: [10, 20, 30, 40, 50, 5, 60],
    min_access_level: [10, 30, 50],
    scopes: [['api'], ['read_api', 'read_repository'], 'api,read_api', ['unknown']],
    expires_at: [later, '2020-01-01', '2026-02-30'],
    job: ['build 1/4', 'build 2/4', 'absent'],
    scope: ['success', ['failed', 'pending'], 'running'],
    deploy_key_id: [deployKey.id],
    regex: ['^ma', '(a+)+$', '[', 'feat.*'],
    search: ['ma', 'x', 'shape'],
    password: [password],
    current_password: [password],
    email: [`${unique('second')}@example.com`],
    fingerprint: [own.sshKey.fingerprint],
    key_id: [own.sshKey.id, deployKey.id],
    namespace: [group.path],
    provider: ['directory'],
    extern_uid: ['person-1', 'person-2'],
    runner_type: ['instance_type'],
    system_id: ['s_shape'],
    session_id: [],
    artifact_type: ['archive', 'junit'],
    redirect_uri: ['https://client.example/', 'http://127.0.0.1/a\nhttps://client.example/b', 'app:/x', 'javascript:x'],
  };
  /** What is removed or ended: not what the other requests look at. */
  const ending: Readonly<Record<string, readonly unknown[]>> = {
    pipeline_id: pipelines,
    job_id: [lost.id, loose.id, manual.id],
    merge_request_iid: merges,
    user_id: users.slice(2),
    branch: ['new', 'x', 'main'],
    tag_name: ['v1.1', 'v2'],
    key: ['OTHER'],
  };
  /** What a creation adds to, by the end of its path. */
  const learnt: Readonly<Record<string, unknown[]>> = {
    '/projects': spare.projects,
    '/groups': spare.groups,
    '/personal_access_tokens': spare.tokens,
    '/pipeline': pipelines,
    '/merge_requests': merges,
  };
  /** Ids of everything else that requests have made, by the path of its collection. */
  const made = new Map<string, unknown[]>();
  const byRoute: Readonly<Record<string, readonly unknown[]>> = {
    '/keys/:id': [own.sshKey.id],
    '/users/:id/unblock': own.people.blocked,
    '/users/:id/unban': own.people.banned,
    '/users/:id/activate': own.people.deactivated,
    '/users/:id/approve': own.people.blocked_pending_approval,
    '/users/:id/reject': own.people.blocked_pending_approval,
    '/users/:id/disable_two_factor': own.people.secured,
    '/personal_access_tokens/:id': spare.tokens,
    '/namespaces/:id': groups,
  };
  const names = ['name', 'path', 'email', 'title'];

  const known: Known = (route, name) => {
    const plans = planned(route, name);
    if (plans !== null) return plans;
    if (name === 'id') {
      if (isHard(route)) return route.path.startsWith('/groups') ? spare.groups : spare.projects;
      if (route.path.startsWith('/vulnerabilities/')) return [vulnerability];
      if (byRoute[route.path]) return byRoute[route.path] ?? [];
      // Whoever asks here must go on asking.
      if (route.path.startsWith('/users/:id')) return route.method === 'GET' ? users : own.people.active;
      if (route.path === '/projects/:id/artifacts') return [open.id];
      if (/^\/(user\/)?applications\//.test(route.path)) return made.get(route.path.replace(/\/:id.*/, '')) ?? [];
      if (route.path.startsWith('/user/authorized_applications')) return [0, 1];
      if (route.path.startsWith('/hooks/'))
        return route.method === 'DELETE' ? (made.get('/hooks') ?? []) : [hooks.system];
      if (route.path === '/topics/:id') return route.method === 'DELETE' ? (made.get('/topics') ?? []) : topicIds;
      if (route.path.startsWith('/jobs/')) return [route.method === 'PUT' ? loose.id : running.id];
      if (route.path.startsWith('/runners/')) return route.method === 'GET' ? [runner.id] : spare.runners;
      return route.path.startsWith('/groups') ? groups : projects;
    }
    if (name === 'hook_id' && route.method !== 'DELETE')
      return [route.path.startsWith('/groups') ? hooks.group : hooks.project];
    if (name === 'user_id' && route.path.startsWith('/users/:user_id')) return users;
    if (name === 'key' && route.path.includes('gpg_keys')) return own.gpgKeys;
    if (name === 'key' && /\/(deploy_)?keys$/.test(route.path)) return [sshKeyText()];
    if (name === 'key_id' && route.path.includes('/deploy_keys/')) return made.get('/projects/:id/deploy_keys') ?? [];
    if (name === 'title' && /\/milestones(\/:milestone_id)?$/.test(route.path)) return [unique('milestone')];
    if (/name$/.test(name) && /\/labels(\/:label_id)?$/.test(route.path)) return [unique('label')];
    if (name === 'name' && route.path.includes('/protected_')) return kept;
    if (name === 'key' && route.path.includes('/resource_groups/')) return ['oven'];
    if (name === 'slug' && /\/(integrations|services)\//.test(route.path))
      return ['external-wiki', 'external_wiki', 'slack'];
    if (name === 'path' && route.path.includes('/artifacts/')) return ['README.md', 'README.md', 'absent'];
    if (name === 'path' && route.path.endsWith('/downloads/*')) return ['bin/tool', 'other'];
    if (name === 'path' && route.path.includes('/permalink/')) return ['downloads/bin/tool', 'assets/links'];
    if (name === 'sha' && route.path.includes('/blobs/')) return [blob, pipeline.sha];
    if (name === 'email' && route.path.endsWith('/emails')) return [`${unique('shape')}@example.com`];
    const creates = route.method === 'POST' && /^\/(projects|groups|users)$/.test(route.path);
    if (creates && (names.includes(name) || name === 'username')) {
      const text = unique('shape');
      return [name === 'email' ? `${text}@example.com` : text];
    }
    if (name === 'token') {
      if (route.path.includes('/trigger/pipeline')) return [trigger.body.token];
      if (route.path.startsWith('/jobs/:id')) return [route.method === 'PUT' ? loose.token : running.token];
      return route.path === '/jobs/request' || route.path === '/runners/verify' ? [runner.token] : secrets;
    }
    if (route.path === '/features/:name') return name === 'name' ? ['api_redirect_moved_projects'] : ['false', false];
    if (name === 'scopes' && route.path.endsWith('/deploy_tokens')) return [['read_repository']];
    if (name === 'scopes' && route.path.includes('/applications')) return ['api', 'read_user api', 'unknown'];
    if (name === 'scopes' && route.path === '/user/personal_access_tokens')
      return [['self_rotate'], 'k8s_proxy', ['api']];
    const ends = route.method === 'DELETE' || /\/(cancel|erase|retry|merge|members)(\/:user_id)?$/.test(route.path);
    if (ends && route.method !== 'GET' && ending[name]) return ending[name] ?? [];
    if (name === 'path' && !route.path.includes('/repository/') && !route.path.endsWith('*')) return [];
    return words[name] ?? made.get(route.path.slice(0, route.path.indexOf(`/:${name}`))) ?? [];
  };

  return {
    world,
    askers,
    known,
    learn(route, body) {
      const answer: unknown = route.method === 'POST' ? JSON.parse(body) : null;
      if (typeof answer !== 'object' || answer === null || !('id' in answer)) return;
      const named = Object.entries(learnt).find(([end]) => route.path.endsWith(end))?.[1];
      const pool = named ?? made.get(route.path) ?? [];
      if (!named) made.set(route.path, pool);
      if (pool.length < 200) pool.push(pool === merges && 'iid' in answer ? answer.iid : answer.id);
    },
  };
}
