/** Every DELETE route with the client's date: generated from the declarations, so that a new route must join. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../test/ci.ts';
import { accessToken, application, deployToken, packageRule, reviewTargets } from '../test/conditional-bodies.ts';
import { buildGroup, buildMember, buildProject, buildToken, buildUser, unique } from '../test/factories.ts';
import { gpgKeyTexts, sshKeyText } from '../test/keys.ts';
import { buildRepositoryProject, type RepositoryProject } from '../test/repositories.ts';
import { linkedVulnerability } from '../test/vulnerabilities.ts';

let world: World;
let admin: string;
let repository: RepositoryProject;
beforeAll(async () => {
  world = await startWorld();
  admin = world.admin.token;
  repository = await buildRepositoryProject(world.app);
  await world.app.api('PUT', `/projects/${repository.id}/catalog`, { token: admin });
}, 600_000);
afterAll(() => world.close());

/** Where a fresh resource is deleted, and who does it. */
interface Target {
  readonly url: string;
  readonly token?: string;
  readonly body?: Readonly<Record<string, string>>;
}

async function created<T = { id: number }>(url: string, json: object, token = admin, status = 201): Promise<T> {
  const answer = await world.app.api<T>('POST', url, { token, json });
  if (answer.status !== status) throw new Error(`POST ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const variable = async (base: string): Promise<Target> => {
  const key = unique('KEY_').replaceAll('-', '_');
  await created(base, { key, value: 'x' });
  return { url: `${base}/${key}` };
};
const runner = (more: object = { runner_type: 'instance_type' }) =>
  created<{ id: number; token: string }>('/user/runners', more);
async function finishedJob() {
  const project = await world.project();
  const pipeline = await project.push('job:\n  script: [x]\n  when: manual\n');
  return { project, pipeline, job: await project.job(pipeline.id, 'job') };
}

const at = (noun: string) => `/projects/${repository.id}/${noun}`;
const inside = async (base: string, json: object, key: 'id' | 'iid' | 'name' | 'tag_name' = 'id'): Promise<Target> => {
  const made = await created<Partial<Record<typeof key, string | number>>>(base, json);
  return { url: `${base}/${made[key]}` };
};
async function protectedEnvironment(base: string, name: string): Promise<Target> {
  const list = `${base}/protected_environments`;
  await created(list, { name, deploy_access_levels: [{ access_level: 40 }] });
  return { url: `${list}/${name}` };
}
/** The address of a fresh release. */
const released = async () => (await inside(at('releases'), { tag_name: unique('v'), ref: 'main' }, 'tag_name')).url;
/** The address of a group's invitation to a place. */
async function shared(kind: 'projects' | 'groups', id: number): Promise<Target> {
  const group = await buildGroup(world.app);
  const place = kind === 'projects' ? { project_id: id } : { namespace_id: id };
  await world.app.db
    .insertInto('grants')
    .values({ group_id: group.id, level: 20, ...place })
    .execute();
  return { url: `/${kind}/${id}/share/${group.id}` };
}
async function invited(base: string, place: { project_id: number } | { namespace_id: number }): Promise<Target> {
  const email = address();
  const row = { email, level: 20, token_sha256: randomBytes(32), ...place };
  await world.app.db.insertInto('member_invitations').values(row).execute();
  return { url: `${base}/invitations/${email}` };
}
const pushRule = async (base: string): Promise<Target> => {
  await created(`${base}/push_rule`, {});
  return { url: `${base}/push_rule` };
};
const protectedRef = async (base: string): Promise<Target> => {
  await created(base, { name: 'v*' });
  return { url: `${base}/v*` };
};
/** Something below one's own account, or a new one. */
async function ofUser(owner: string, what: string, json: object): Promise<Target> {
  const path = `${owner.replace(/:\w+/, String((await buildUser(world.app)).id))}/${what}`;
  return { url: `${path}/${(await created<{ id: number }>(path, json)).id}` };
}
const address = () => `${unique('conditional')}@example.com`;
const sshKey = (owner: string) => ofUser(owner, 'keys', { title: 'x', key: sshKeyText() });
const gpgKey = async (owner: string) => ofUser(owner, 'gpg_keys', { key: (await gpgKeyTexts(address())).publicKey });
const email = (owner: string) => ofUser(owner, 'emails', { email: address() });
/** A fresh package with one file. */
async function packaged(urlOf: (file: { id: number; package_id: number }) => string): Promise<Target> {
  const target = `${at('packages/generic')}/${unique('tool')}/1.0/a.txt?select=package_file`;
  const made = await world.app.api<{ id: number; package_id: number }>('PUT', target, { token: admin, json: {} });
  return { url: `${at('packages')}/${urlOf(made.body)}` };
}
/** A fresh branch with its commit, and where branches are. */
const branches = () => `/projects/${repository.id}/repository/branches`;
const branched = () =>
  created<{ name: string; commit: { id: string } }>(branches(), { branch: unique('branch'), ref: 'main' });
/** The address of a fresh merge request. */
async function mergeRequest(): Promise<string> {
  const json = { source_branch: (await branched()).name, target_branch: 'main', title: 'x' };
  return (await inside(`/projects/${repository.id}/merge_requests`, json, 'iid')).url;
}
/** A fresh snippet: its address below a project, or its id. */
async function snippet(place = ''): Promise<string> {
  const json = { title: 'x', visibility: 'private', file_name: 'a.txt', content: 'x' };
  const { id } = await created<{ id: number }>(`${place}/snippets`, json);
  return place === '' ? String(id) : `${place}/snippets/${id}`;
}
/** The two addresses of a fresh epic. */
async function epic() {
  const group = await buildGroup(world.app, { owner: world.admin.user });
  const { id, iid } = await created<{ id: number; iid: number }>(`/groups/${group.id}/epics`, { title: 'x' });
  return { group, byNumber: `/groups/${group.id}/epics/${iid}`, byId: `/groups/${group.id}/epics/${id}` };
}
/** The comment of a fresh thread. */
async function inThread(base: string): Promise<Target> {
  const { id, notes } = await created<{ id: string; notes: { id: number }[] }>(`${base}/discussions`, { body: 'x' });
  return { url: `${base}/discussions/${id}/notes/${notes[0]?.id}` };
}
const emoji = { name: 'thumbsup' };
/** What people leave under a thing. */
const discussed = (path: string, thing: () => Promise<string>): Readonly<Record<string, () => Promise<Target>>> => ({
  [`/projects/:id/${path}/notes/:note_id`]: async () => inside(`${await thing()}/notes`, { body: 'x' }),
  [`/projects/:id/${path}/discussions/:discussion_id/notes/:note_id`]: async () => inThread(await thing()),
  [`/projects/:id/${path}/award_emoji/:award_id`]: async () => inside(`${await thing()}/award_emoji`, emoji),
  [`/projects/:id/${path}/notes/:note_id/award_emoji/:award_id`]: async () =>
    inside(`${(await inside(`${await thing()}/notes`, { body: 'x' })).url}/award_emoji`, emoji),
});
const boards = (places: 'projects' | 'groups', kind = 'boards'): Readonly<Record<string, () => Promise<Target>>> => {
  const board = async () => {
    const build = places === 'projects' ? buildProject : buildGroup;
    const base = `/${places}/${(await build(world.app, { owner: world.admin.user })).id}`;
    return { base, url: `${base}/${kind}/${(await created(`${base}/${kind}`, { name: 'x' })).id}` };
  };
  return {
    [`/${places}/:id/${kind}/:board_id`]: board,
    [`/${places}/:id/${kind}/:board_id/lists/:list_id`]: async () => {
      const { base, url } = await board();
      const { id } = await created(`${base}/labels`, { name: 'x', color: '#112233' });
      return await inside(`${url}/lists`, { label_id: id });
    },
  };
};

/** One builder for each conditional DELETE route. */
const targets: Readonly<Record<string, () => Promise<Target>>> = {
  '/personal_access_tokens/self': async () => ({
    url: '/personal_access_tokens/self',
    token: (await buildToken(world.app)).secret,
  }),
  '/personal_access_tokens/:id': async () => {
    const { id } = await created(`/users/${(await buildUser(world.app)).id}/personal_access_tokens`, accessToken);
    return { url: `/personal_access_tokens/${id}` };
  },
  '/users/:user_id/impersonation_tokens/:impersonation_token_id': async () =>
    inside(`/users/${(await buildUser(world.app)).id}/impersonation_tokens`, accessToken),
  '/projects/:id/access_tokens/:token_id': () => inside(at('access_tokens'), accessToken),
  '/groups/:id/access_tokens/:token_id': async () =>
    inside(`/groups/${(await buildGroup(world.app)).id}/access_tokens`, accessToken),
  ...Object.fromEntries(
    (['projects', 'groups'] as const).flatMap((noun) => {
      const base = async () =>
        `/${noun}/${(noun === 'projects' ? await buildProject(world.app) : await buildGroup(world.app)).id}/service_accounts`;
      const tokens = async () => `${(await inside(await base(), {})).url}/personal_access_tokens`;
      return [
        [`/${noun}/:id/service_accounts/:user_id`, async () => inside(await base(), {})],
        [
          `/${noun}/:id/service_accounts/:user_id/personal_access_tokens/:token_id`,
          async () => inside(await tokens(), accessToken),
        ],
      ];
    }),
  ),
  '/projects/:id/deploy_keys/:key_id': () => inside(at('deploy_keys'), { title: 'x', key: sshKeyText() }),
  '/projects/:id/deploy_tokens/:token_id': () => inside(at('deploy_tokens'), deployToken),
  '/groups/:id/deploy_tokens/:token_id': async () =>
    inside(`/groups/${(await buildGroup(world.app)).id}/deploy_tokens`, deployToken),
  '/applications/:id': () => inside('/applications', application),
  '/user/applications/:id': () => inside('/user/applications', application),
  '/groups/:id/applications/:application_id': async () =>
    inside(`/groups/${(await buildGroup(world.app)).id}/applications`, application),
  '/users/:id': async () => ({ url: `/users/${(await buildUser(world.app)).id}` }),
  '/users/:user_id/keys/:key_id': () => sshKey('/users/:user_id'),
  '/user/keys/:key_id': () => sshKey('/user'),
  '/users/:id/gpg_keys/:key_id': () => gpgKey('/users/:id'),
  '/user/gpg_keys/:key_id': () => gpgKey('/user'),
  '/users/:id/emails/:email_id': () => email('/users/:id'),
  '/user/emails/:email_id': () => email('/user'),
  '/broadcast_messages/:id': async () => inside('/broadcast_messages', { message: 'Soon' }),
  '/topics/:id': async () => inside('/topics', { name: unique('topic'), title: 'x' }),
  '/hooks/:id': async () => inside('/hooks', { url: 'https://x.example' }),
  '/projects/:id': async () => ({ url: `/projects/${(await buildProject(world.app)).id}` }),
  '/groups/:id': async () => ({ url: `/groups/${(await buildGroup(world.app)).id}` }),
  ...Object.fromEntries(
    (['projects', 'groups'] as const).flatMap((kind) => {
      const place = async () =>
        `/${kind}/${(kind === 'groups' ? await buildGroup(world.app) : await buildProject(world.app)).id}`;
      const badge = { link_url: 'https://x.example', image_url: 'https://x.example' };
      const upload = async (url: (made: { id: number; url: string }) => string) => {
        const [at, form] = [`${await place()}/uploads`, new FormData()];
        form.append('file', new Blob(['x']), 'a.txt');
        const made = await world.app.api<{ id: number; url: string }>('POST', at, { token: admin, form });
        return { url: at + url(made.body) };
      };
      return [
        [
          `/${kind}/:id/wikis/:slug`,
          async () => {
            const at = kind === 'projects' ? `/projects/${repository.id}` : await place();
            const page = unique('page');
            await created(`${at}/wikis`, { title: page, content: 'x' });
            return { url: `${at}/wikis/${page}` };
          },
        ],
        [`/${kind}/:id/uploads/:upload_id`, () => upload(({ id }) => `/${id}`)],
        [`/${kind}/:id/uploads/:secret/:filename`, () => upload(({ url }) => url.replace('/uploads', ''))],
        [`/${kind}/:id/badges/:badge_id`, async () => inside(`${await place()}/badges`, badge)],
        [`/${kind}/:id/labels/:label_id`, async () => inside(`${await place()}/labels`, { name: 'x', color: 'red' })],
        [`/${kind}/:id/milestones/:milestone_id`, async () => inside(`${await place()}/milestones`, { title: 'x' })],
        [
          `/${kind}/:id/labels`,
          async () => {
            const labels = `${await place()}/labels`;
            return {
              url: `${labels}?label_id=${(await inside(labels, { name: 'y', color: 'red' })).url.split('/').at(-1)}`,
            };
          },
        ],
        [`/${kind}/:id/hooks/:hook_id`, async () => inside(`${await place()}/hooks`, { url: 'https://x.example' })],
      ];
    }),
  ),
  '/projects/:id/members/:user_id': async () => {
    const of = await buildProject(world.app);
    return { url: `/projects/${of.id}/members/${(await buildMember(world.app, { of, level: 30 })).user.id}` };
  },
  '/groups/:id/members/:user_id': async () => {
    const of = await buildGroup(world.app);
    return { url: `/groups/${of.id}/members/${(await buildMember(world.app, { of, level: 30 })).user.id}` };
  },
  '/projects/:id/share/:group_id': async () => shared('projects', (await buildProject(world.app)).id),
  '/groups/:id/share/:group_id': async () => shared('groups', (await buildGroup(world.app)).id),
  '/projects/:id/invitations/:email': async () => {
    const { id } = await buildProject(world.app);
    return invited(`/projects/${id}`, { project_id: id });
  },
  '/groups/:id/invitations/:email': async () => {
    const { id } = await buildGroup(world.app);
    return invited(`/groups/${id}`, { namespace_id: id });
  },
  '/projects/:id/protected_branches/:name': async () =>
    protectedRef(`/projects/${(await buildProject(world.app)).id}/protected_branches`),
  '/groups/:id/protected_branches/:name': async () =>
    protectedRef(`/groups/${(await buildGroup(world.app)).id}/protected_branches`),
  '/projects/:id/protected_tags/:name': async () =>
    protectedRef(`/projects/${(await buildProject(world.app)).id}/protected_tags`),
  '/projects/:id/push_rule': async () => pushRule(`/projects/${(await buildProject(world.app)).id}`),
  '/groups/:id/push_rule': async () => pushRule(`/groups/${(await buildGroup(world.app)).id}`),
  '/admin/push_rule': async () => {
    await world.app.db.deleteFrom('push_rules').where('project_id', 'is', null).execute();
    return pushRule('/admin');
  },
  '/projects/:id/repository/commits/:commit_id/discussions/:discussion_id/notes/:note_id': async () => {
    const base = `/projects/${repository.id}/repository/commits/main/discussions`;
    const { id, notes } = await created<{ id: string; notes: { id: number }[] }>(base, { body: 'x' });
    return { url: `${base}/${id}/notes/${notes[0]?.id}` };
  },
  '/projects/:id/repository/branches/:branch': async () => ({ url: `${branches()}/${(await branched()).name}` }),
  '/projects/:id/environments/:environment_id': async () => {
    const { url } = await inside(at('environments'), { name: unique('demo') });
    await created(`${url}/stop`, {}, admin, 200);
    return { url };
  },
  '/projects/:id/protected_environments/:name': () => protectedEnvironment(`/projects/${repository.id}`, 'production'),
  '/groups/:id/protected_environments/:name': async () =>
    protectedEnvironment(`/groups/${(await buildGroup(world.app, { owner: world.admin.user })).id}`, 'staging'),
  '/projects/:id/freeze_periods/:freeze_period_id': async () =>
    inside(`/projects/${repository.id}/freeze_periods`, { freeze_start: '0 0 1 1 *', freeze_end: '1 0 1 1 *' }),
  '/projects/:id/deployments/:deployment_id': async () => {
    const { name, commit } = await branched();
    const deployment = { environment: name, sha: commit.id, ref: name, tag: false, status: 'failed' };
    return inside(`/projects/${repository.id}/deployments`, deployment);
  },
  '/projects/:id/feature_flags/:feature_flag_name': () => inside(at('feature_flags'), { name: unique('flag') }, 'name'),
  '/projects/:id/feature_flags_user_lists/:iid': async () =>
    inside(`/projects/${repository.id}/feature_flags_user_lists`, { name: unique('list'), user_xids: 'a' }, 'iid'),
  '/projects/:id/packages/protection/rules/:package_protection_rule_id': () =>
    inside(at('packages/protection/rules'), packageRule()),
  '/projects/:id/packages/:package_id': () => packaged((file) => String(file.package_id)),
  '/projects/:id/packages/:package_id/package_files/:package_file_id': () =>
    packaged((file) => `${file.package_id}/package_files/${file.id}`),
  '/projects/:id/remote_mirrors/:mirror_id': () => inside(at('remote_mirrors'), { url: 'https://example.com/a.git' }),
  '/projects/:id/catalog': async () => ({ url: `/projects/${repository.id}/catalog` }),
  '/projects/:id/releases/:tag_name': async () => ({ url: await released() }),
  '/projects/:id/releases/:tag_name/assets/links/:link_id': async () =>
    inside(`${await released()}/assets/links`, { name: 'tool', url: 'https://files.example/tool' }),
  '/projects/:id/repository/tags/:tag_name': async () => {
    const name = unique('tag');
    await created(`/projects/${repository.id}/repository/tags`, { tag_name: name, ref: 'main' });
    return { url: `/projects/${repository.id}/repository/tags/${name}` };
  },
  '/projects/:id/variables/:key': async () => variable(`/projects/${(await buildProject(world.app)).id}/variables`),
  '/groups/:id/variables/:key': async () => variable(`/groups/${(await buildGroup(world.app)).id}/variables`),
  '/admin/ci/variables/:key': async () => variable('/admin/ci/variables'),
  '/runners/:id': async () => ({ url: `/runners/${(await runner()).id}` }),
  '/runners': async () => ({ url: '/runners', body: { token: (await runner()).token } }),
  '/runners/managers': async () => {
    const { token } = await runner();
    await world.app.api('POST', '/runners/verify', { json: { token, system_id: 's_1' } });
    return { url: '/runners/managers', body: { token, system_id: 's_1' } };
  },
  '/projects/:id/runners/:runner_id': async () => {
    const [home, other] = [await buildProject(world.app), await buildProject(world.app)];
    const { id } = await runner({ runner_type: 'project_type', project_id: home.id });
    await created(`/projects/${other.id}/runners`, { runner_id: id });
    return { url: `/projects/${other.id}/runners/${id}` };
  },
  '/projects/:id/pipelines/:pipeline_id': async () => {
    const { project, pipeline } = await finishedJob();
    return { url: `/projects/${project.id}/pipelines/${pipeline.id}` };
  },
  '/projects/:id/jobs/:job_id/artifacts': async () => {
    const { project, job } = await finishedJob();
    await world.app.db
      .insertInto('job_artifacts')
      .values({
        job_id: job.id,
        project_id: project.id,
        file_type: 'archive',
        file_format: 'zip',
        filename: 'artifacts.zip',
        size: 1,
        sha256: Buffer.alloc(32),
        object_key: unique('object'),
      })
      .execute();
    return { url: `/projects/${project.id}/jobs/${job.id}/artifacts` };
  },
  ...reviewTargets({ inside, mergeRequest, at, world: () => world }),
  '/projects/:id/issues/:issue_iid': async () => {
    const { iid } = await created<{ iid: number }>(`/projects/${repository.id}/issues`, { title: 'x' });
    return { url: `/projects/${repository.id}/issues/${iid}` };
  },
  ...discussed('issues/:issue_iid', async () => {
    const { iid } = await created<{ iid: number }>(`/projects/${repository.id}/issues`, { title: 'x' });
    return `/projects/${repository.id}/issues/${iid}`;
  }),
  ...discussed('merge_requests/:merge_request_iid', mergeRequest),
  ...boards('projects'),
  ...boards('groups'),
  ...boards('groups', 'epic_boards'),
  '/snippets/:id': async () => ({ url: `/snippets/${await snippet()}` }),
  '/projects/:id/snippets/:snippet_id': async () => ({ url: await snippet(`/projects/${repository.id}`) }),
  ...discussed('snippets/:snippet_id', () => snippet(`/projects/${repository.id}`)),
  '/groups/:id/epics/:epic_iid': async () => ({ url: (await epic()).byNumber }),
  '/groups/:id/epics/:epic_iid/epics/:child_epic_id': async () =>
    inside(`${(await epic()).byNumber}/epics`, { title: 'x' }),
  '/groups/:id/epics/:epic_iid/issues/:epic_issue_id': async () => {
    const { group, byNumber } = await epic();
    const project = await buildProject(world.app, { namespace: group });
    const issue = await created<{ id: number }>(`/projects/${project.id}/issues`, { title: 'x' });
    const { id } = await created<{ id: number }>(`${byNumber}/issues/${issue.id}`, {});
    return { url: `${byNumber}/issues/${id}` };
  },
  '/groups/:id/epics/:epic_iid/related_epics/:related_epic_link_id': async () => {
    const { group, byNumber } = await epic();
    const { iid } = await created<{ iid: number }>(`/groups/${group.id}/epics`, { title: 'y' });
    return await inside(`${byNumber}/related_epics`, { target_group_id: String(group.id), target_epic_iid: iid });
  },
  '/groups/:id/epics/:epic_iid/award_emoji/:award_id': async () =>
    inside(`${(await epic()).byNumber}/award_emoji`, emoji),
  '/groups/:id/epics/:epic_iid/notes/:note_id/award_emoji/:award_id': async () => {
    const { byId, byNumber } = await epic();
    const { id } = await created(`${byId}/notes`, { body: 'x' });
    return await inside(`${byNumber}/notes/${id}/award_emoji`, emoji);
  },
  '/groups/:id/epics/:epic_id/notes/:note_id': async () => inside(`${(await epic()).byId}/notes`, { body: 'x' }),
  '/groups/:id/epics/:epic_id/discussions/:discussion_id/notes/:note_id': async () => inThread((await epic()).byId),
  '/groups/:id/iteration_cadences/:cadence_id': async () => {
    const { id } = await buildGroup(world.app, { owner: world.admin.user });
    return await inside(`/groups/${id}/iteration_cadences`, { title: 'x', automatic: 'false' });
  },
  '/projects/:id/pipeline_schedules/:pipeline_schedule_id': () =>
    inside(`/projects/${repository.id}/pipeline_schedules`, { description: 'x', ref: 'main', cron: '0 1 * * *' }),
  '/projects/:id/triggers/:trigger_id': () => inside(`/projects/${repository.id}/triggers`, { description: 'x' }),
  '/projects/:id/secure_files/:secure_file_id': async () => {
    const form = new FormData();
    form.append('name', unique('file'));
    form.append('file', new Blob(['x']), 'a.txt');
    const url = `/projects/${repository.id}/secure_files`;
    const made = await world.app.api<{ id: number }>('POST', url, { token: admin, form });
    return { url: `${url}/${made.body.id}` };
  },
  '/projects/:id/ci/caches/:cache_id': async () => {
    const file = { object_key: unique('x'), size: 1 };
    const values = { project_id: repository.id, key: unique('deps'), protected: false, ...file };
    const row = await world.app.db.insertInto('job_caches').values(values).returning('id').executeTakeFirstOrThrow();
    return { url: `/projects/${repository.id}/ci/caches/${row.id}` };
  },
  '/projects/:id/issues/:issue_iid/links/:issue_link_id': async () => {
    const issues = `/projects/${repository.id}/issues`;
    const [from, to] = [
      await created<{ iid: number }>(issues, { title: 'x' }),
      await created<{ iid: number }>(issues, { title: 'y' }),
    ];
    const target = { target_project_id: String(repository.id), target_issue_iid: to.iid };
    const { id } = await created<{ id: number }>(`${issues}/${from.iid}/links`, target);
    return { url: `${issues}/${from.iid}/links/${id}` };
  },
  '/vulnerabilities/:id/issue_links/:issue_link_id': () => linkedVulnerability(world.app, admin, repository.id),
  '/projects/:id/issues/:issue_iid/metric_images/:metric_image_id': async () => {
    const issues = `/projects/${repository.id}/issues`;
    const { id, iid } = await created<{ id: number; iid: number }>(issues, { title: 'x', issue_type: 'incident' });
    const row = { issue_id: id, file_name: 'x.png', object_key: unique('x'), size: 1 };
    const image = await world.app.db.insertInto('issue_metric_images').values(row).returning('id').executeTakeFirst();
    return { url: `${issues}/${iid}/metric_images/${image?.id}` };
  },
  '/groups/:id/iterations/:iteration_id': async () => {
    const { id } = await buildGroup(world.app, { owner: world.admin.user });
    return await inside(`/groups/${id}/iterations`, { start_date: '2030-01-01', due_date: '2030-01-10' });
  },
};

const remove = (target: Target, since: string) =>
  world.app.api('DELETE', target.url, {
    ...(target.body ? { json: target.body } : { token: target.token ?? admin }),
    headers: { 'If-Unmodified-Since': since },
  });

describe('[1/errors/13] If-Unmodified-Since', () => {
  test('every DELETE route says whether it heeds the date, or why it has none', () => {
    const routes = world.app.routes.filter(({ method }) => method === 'DELETE');
    const conditional = routes.filter((route) => route.conditional === true).map(({ path }) => path);
    expect(conditional.sort()).toEqual(Object.keys(targets).sort());
    for (const { conditional: why } of routes) if (why !== true) expect(why).toMatch(/^[A-Z].{20,}\.$/);
  });

  test.each(Object.keys(targets))('DELETE %s', async (path) => {
    const target = await (targets[path] as () => Promise<Target>)();
    const refused = await remove(target, 'Sat, 01 Jan 2000 00:00:00 GMT');
    expect([refused.status, refused.body]).toEqual([412, { message: '412 Precondition Failed' }]);
    // The refusal had no effect: what is there can still be deleted by who knows it.
    const done = await remove(target, new Date(Date.now() + 60_000).toUTCString());
    const later = path === '/projects/:id' || path === '/groups/:id';
    if (later) expect([done.status, done.body]).toEqual([202, { message: '202 Accepted' }]);
    // What is gone is told once more.
    else if (
      /\/releases\/|links\/:issue_link_id|\/pipeline_schedules\/|epic_link_id|(child_epic|epic_issue)_id/.test(path)
    )
      expect([done.status, done.body]).toEqual([200, expect.any(Object)]);
    else expect([done.status, done.body]).toEqual([204, null]);
  });

  test('dates have seconds, other spellings count, what is no date is ignored', async () => {
    const at = async (since: string) =>
      (await remove({ url: `/projects/${(await buildProject(world.app)).id}` }, since)).status;
    const { updated_at: changed } = await buildProject(world.app);
    const second = Math.floor(changed.getTime() / 1000) * 1000;
    const url = async () => {
      const project = await buildProject(world.app);
      await world.app.db
        .updateTable('projects')
        .set({ updated_at: new Date(second + 999) })
        .where('id', '=', project.id)
        .execute();
      return { url: `/projects/${project.id}` };
    };
    expect((await remove(await url(), new Date(second).toUTCString())).status).toBe(202);
    expect((await remove(await url(), new Date(second - 1000).toUTCString())).status).toBe(412);
    expect((await remove(await url(), new Date(second - 1000).toISOString())).status).toBe(412);
    for (const nonsense of ['yesterday', '0', '', 'Sat, 99 Foo 2000'])
      expect([nonsense, await at(nonsense)]).toEqual([nonsense, 202]);
  });

  test('a change moves the date of members and variables', async () => {
    const of = await buildProject(world.app);
    const { user } = await buildMember(world.app, { of, level: 30 });
    await created(`/projects/${of.id}/variables`, { key: 'KEY', value: 'x' });
    const early = new Date('2020-01-01');
    await world.app.db.updateTable('grants').set({ updated_at: early }).where('project_id', '=', of.id).execute();
    await world.app.db.updateTable('ci_variables').set({ updated_at: early }).where('project_id', '=', of.id).execute();
    const member = { url: `/projects/${of.id}/members/${user.id}` };
    const entry = { url: `/projects/${of.id}/variables/KEY` };
    await world.app.api('PUT', member.url, { token: admin, json: { access_level: 20 } });
    await world.app.api('PUT', entry.url, { token: admin, json: { value: 'y' } });
    for (const target of [member, entry])
      expect((await remove(target, 'Wed, 01 Jan 2020 00:00:01 GMT')).status).toBe(412);
  });

  test('the date is told to nobody who may not delete', async () => {
    const project = await buildProject(world.app, { visibility: 'public' });
    const stranger = (await buildToken(world.app, { user: await buildUser(world.app) })).secret;
    const answer = await remove({ url: `/projects/${project.id}`, token: stranger }, 'Sat, 01 Jan 2000 00:00:00 GMT');
    expect(answer.status).toBe(403);
  });
});
