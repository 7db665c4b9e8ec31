/** Each setting that acts, changed through the API: what is seen before, and what after. Slow, sampled: there are some two hundred. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountEffects } from '../../../../test/account-effects.ts';
import { approvalEffects } from '../../../../test/approval-effects.ts';
import {
  emptyZip,
  eventually,
  type JobView,
  type ProtocolRunner,
  startWorld,
  type World,
} from '../../../../test/ci.ts';
import { ciEffects } from '../../../../test/ci-effects.ts';
import { documentEffects } from '../../../../test/document-effects.ts';
import { buildGroup, buildProject, buildToken, unique } from '../../../../test/factories.ts';
import { instanceEffects } from '../../../../test/instance-effects.ts';
import { maintenanceEffects } from '../../../../test/maintenance-effects.ts';
import { outboundEffects } from '../../../../test/outbound-effects.ts';
import { placeEffects } from '../../../../test/place-effects.ts';
import { pushEffects } from '../../../../test/push-effects.ts';
import { sshEffects } from '../../../../test/ssh-effects.ts';
import { terminalEffects } from '../../../../test/terminal-effects.ts';
import { type SettingName, settingNames, settingRows } from '../../../kernel/settings/index.ts';

type Body = Record<string, unknown>;
let world: World;
let runner: ProtocolRunner;
/** An administrator's, with the scope that admin mode asks for. */
let adminToken: string;
/** A project whose files are templates. */
let templates: number;
/** A group whose projects are. */
let templateGroup: number;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  adminToken = (await buildToken(world.app, { user: world.admin.user, scopes: ['api', 'admin_mode'] })).secret;
  const kept = await world.project();
  await kept.commit(null, { files: { 'gitignore/House.gitignore': 'x\n' } });
  templates = kept.id;
  const group = await buildGroup(world.app, { owner: world.owner.user });
  await buildProject(world.app, { namespace: group, name: 'Pattern', path: 'pattern' });
  templateGroup = group.id;
});
afterAll(() => world.close());

const password = 'correct horse battery';
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: Body, token = adminToken) =>
  world.app.api<Body>(method, path, json === undefined ? { token } : { token, json });
const put = async (json: Body) =>
  expect(await call('PUT', '/application/settings', json)).toMatchObject({ status: 200 });

const newUser = (values: Body = {}) => {
  const username = unique('new');
  return call('POST', '/users', {
    username,
    name: username,
    email: `${username}@example.com`,
    password,
    skip_confirmation: true,
    ...values,
  });
};
const ofNewUser =
  (field: string, values: Body = {}) =>
  async () =>
    (await newUser(values)).body[field];
const passwordTaken = (text: string) => async () => (await newUser({ password: text })).status;

const newProject = (values: Body = {}) =>
  call('POST', '/projects', { name: unique('made'), ...values }, world.owner.token);
const notMade = (values: Body) => ({ look: async () => (await newProject(values)).status, before: 201, after: 400 });
const ofNewProject = (field: string) => async () => (await newProject()).body[field];
const newGroup = () => {
  const name = unique('made');
  return call('POST', '/groups', { name, path: name }, world.owner.token);
};
const ofNewGroup = (field: string) => async () => (await newGroup()).body[field];

/** A group that was there before the setting changed. */
const ofGroup = (field: string) => async () => (await call('GET', `/groups/${templateGroup}`)).body[field];

const written = (bytes: number) => async () => {
  const { id } = (await newProject()).body;
  const page = { title: 'Page', content: 'x'.repeat(bytes) };
  return (await call('POST', `/projects/${id}/wikis`, page, world.owner.token)).status;
};
const newSnippet = (content: string) =>
  call('POST', '/snippets', { title: 'Text', file_name: 'a.txt', content }, world.owner.token);
const uploaded = (bytes: number) => async () => {
  const { id } = await buildProject(world.app, { owner: world.owner.user });
  const form = new FormData();
  form.append('file', new Blob([Buffer.alloc(bytes)]), 'large.bin');
  return (await world.app.api('POST', `/projects/${id}/uploads`, { token: world.owner.token, form })).status;
};

const signIn = (login: string, secret = password, more: Body = {}) =>
  world.app.request('POST', '/-/session', { json: { login, password: secret, ...more } });
/** Signs in wrongly, and tells what the right password is worth then. */
const afterFailures = (count: number) => async () => {
  const { username, id } = (await newUser()).body;
  for (let attempt = 0; attempt < count; attempt += 1) await signIn(String(username), 'wrong');
  const row = await world.app.db
    .selectFrom('users')
    .select('locked_until')
    .where('id', '=', Number(id))
    .executeTakeFirstOrThrow();
  return { status: (await signIn(String(username))).status, until: row.locked_until };
};
/** Days that a new access token lives when its maker names no date; null for ever. */
async function tokenDays(): Promise<number | null> {
  const json = { name: 'x', scopes: ['api'] };
  const { body } = await call('POST', `/users/${world.owner.user.id}/personal_access_tokens`, json);
  const today = String(body.created_at).slice(0, 10);
  return body.expires_at === null ? null : (Date.parse(String(body.expires_at)) - Date.parse(today)) / 86_400_000;
}
const sessionRow = async (remember: boolean) => {
  const { username, id } = (await newUser()).body;
  await signIn(String(username), password, { remember });
  return await world.app.db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', Number(id))
    .executeTakeFirstOrThrow();
};
const minutesUntil = (date: Date | string | null) =>
  date === null ? 0 : Math.round((new Date(date).getTime() - Date.now()) / 60_000);

async function gitStatus(secret: string, username = world.owner.user.username): Promise<number> {
  const { path } = await world.project();
  const Authorization = `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;
  return (
    await world.app.request('GET', `/${path}.git/info/refs?service=git-upload-pack`, { headers: { Authorization } })
  ).status;
}

/** What the compiler says of a configuration with two included files. */
async function lint(): Promise<boolean> {
  const project = await world.project();
  await project.commit(null, { files: { 'a.yml': 'a: {script: [x]}\n', 'b.yml': 'b: {script: [x]}\n' } });
  const content = 'include: [{local: a.yml}, {local: b.yml}]\nc: {script: [x], variables: {A: {value: x}}}\n';
  return (await call('POST', `/projects/${project.id}/ci/lint`, { content }, world.owner.token)).body.valid as boolean;
}

async function runJob(artifacts?: number): Promise<{ project: number; job: JobView; upload: number }> {
  const project = await world.project();
  const pipeline = await project.push('build: {script: [x], artifacts: {paths: [d]}}');
  const job = await runner.next();
  const upload =
    artifacts === undefined
      ? 0
      : (
          await runner.upload(job, {
            data: emptyZip(artifacts),
            name: 'artifacts.zip',
            type: 'archive',
            format: 'zip',
          })
        ).status;
  await runner.update(job, 'failed', { failure_reason: 'script_failure' });
  return { project: project.id, job: await project.job(pipeline.id, 'build'), upload };
}

/** The answer to a dotenv report of a job. */
async function dotenv(text: string): Promise<number> {
  const project = await world.project();
  await project.push('build: {script: [x], artifacts: {reports: {dotenv: build.env}}}');
  const report = { data: gzipSync(text), name: '.env.gz', type: 'dotenv', format: 'gzip' };
  return (await runner.upload(await runner.next(), report)).status;
}

async function deletion(token?: string): Promise<number> {
  const project = await buildProject(world.app, { owner: world.owner.user });
  await call('DELETE', `/projects/${project.id}`, undefined, token ?? world.owner.token);
  const read = () => call('GET', `/projects/${project.id}`, undefined, world.owner.token);
  if ((await world.app.settings.read()).deletion_adjourned_period > 0) return (await read()).status;
  return await eventually('the removal', async () => (await read()).status === 404 && 404);
}

/** Whether a new account, or an administrator's, is asked for a second factor when it signs in; the hours that remain. */
const askedForFactor = (values: Body) => async () => {
  const { username } = (await newUser(values)).body;
  const session = await signIn(String(username));
  const until = (session.body as { two_factor_required_until: string | null }).two_factor_required_until;
  return until === null ? null : Math.round(minutesUntil(until) / 60);
};
const administers = async () => {
  const { username } = (await newUser({ admin: true })).body;
  return ((await signIn(String(username))).body as { admin: boolean }).admin;
};

/** A value to set, what is looked at, what is seen with the default and what with the value. */
interface Effect {
  readonly value: unknown;
  /** Other settings that the case needs. */
  readonly around?: Body;
  readonly look: () => Promise<unknown>;
  readonly before: unknown;
  readonly after: unknown;
}

const effects: Readonly<Record<string, Effect>> = {
  ...accountEffects(() => world),
  ...approvalEffects(() => world),
  ...ciEffects(() => ({ world, runner })),
  ...documentEffects(() => world),
  ...instanceEffects(() => world),
  ...maintenanceEffects(() => world),
  ...outboundEffects(() => world),
  ...placeEffects(() => world),
  ...pushEffects(() => world),
  ...sshEffects(() => world),
  ...terminalEffects(() => world),
  refuse_tokens_in_urls: {
    value: true,
    look: async () => (await world.app.api('GET', '/user', { query: { private_token: world.owner.token } })).status,
    before: 200,
    after: 401,
  },
  admin_mode: { value: true, look: administers, before: true, after: false },
  require_two_factor_authentication: { value: true, look: askedForFactor({}), before: null, after: 48 },
  require_admin_two_factor_authentication: {
    value: true,
    look: askedForFactor({ admin: true }),
    before: null,
    after: 48,
  },
  two_factor_grace_period: {
    value: 5,
    around: { require_two_factor_authentication: true },
    look: askedForFactor({}),
    before: 48,
    after: 5,
  },
  can_create_group: { value: false, look: ofNewUser('can_create_group'), before: true, after: false },
  default_projects_limit: { value: 3, look: ofNewUser('projects_limit'), before: 100_000, after: 3 },
  user_default_external: { value: true, look: ofNewUser('external'), before: false, after: true },
  user_default_internal_regex: {
    value: '@example\\.com$',
    around: { user_default_external: true },
    look: ofNewUser('external'),
    before: true,
    after: false,
  },
  user_defaults_to_private_profile: { value: true, look: ofNewUser('private_profile'), before: false, after: true },
  minimum_password_length: { value: 12, look: passwordTaken('horse 4tery'), before: 201, after: 400 },
  password_lowercase_required: { value: true, look: passwordTaken('CORRECT HORSE 1!'), before: 201, after: 400 },
  password_number_required: { value: true, look: passwordTaken('Correct horse!'), before: 201, after: 400 },
  password_symbol_required: { value: true, look: passwordTaken('Correct horse 1'), before: 201, after: 400 },
  password_uppercase_required: { value: true, look: passwordTaken('correct horse 1!'), before: 201, after: 400 },
  max_login_attempts: { value: 2, look: async () => (await afterFailures(3)()).status, before: 201, after: 401 },
  failed_login_attempts_unlock_period_in_minutes: {
    value: 90,
    around: { max_login_attempts: 2 },
    look: async () => minutesUntil((await afterFailures(3)()).until),
    before: 10,
    after: 90,
  },
  password_authentication_enabled_for_web: {
    value: false,
    look: async () => (await signIn(String((await newUser()).body.username))).status,
    before: 201,
    after: 403,
  },
  password_authentication_enabled_for_git: {
    value: false,
    // The account sees nothing of the project: it is told so, or asked again.
    look: async () => gitStatus(password, String((await newUser()).body.username)),
    before: 404,
    after: 401,
  },
  max_personal_access_token_lifetime: { value: 10, look: tokenDays, before: 365, after: 10 },
  require_personal_access_token_expiry: { value: false, look: tokenDays, before: 365, after: null },
  personal_access_token_prefix: {
    value: 'house-',
    look: async () => {
      const { body } = await call('POST', `/users/${world.owner.user.id}/personal_access_tokens`, {
        name: 'x',
        scopes: ['api'],
      });
      return String(body.token).slice(0, 6);
    },
    before: 'glpat-',
    after: 'house-',
  },
  remember_me_enabled: {
    value: false,
    look: async () => (await sessionRow(true)).remember,
    before: true,
    after: false,
  },
  session_expire_delay: {
    value: 30,
    look: async () => minutesUntil((await sessionRow(false)).expires_at),
    before: 10_080,
    after: 30,
  },
  default_branch_name: {
    value: 'trunk',
    look: async () => (await newProject({ initialize_with_readme: true })).body.default_branch,
    before: 'main',
    after: 'trunk',
  },
  default_branch_protection: { value: 1, look: ofGroup('default_branch_protection'), before: 2, after: 1 },
  default_branch_protection_defaults: {
    value: {
      allowed_to_push: [{ access_level: 30 }],
      allow_force_push: true,
      allowed_to_merge: [{ access_level: 40 }],
    },
    look: async () => (await ofGroup('default_branch_protection_defaults')()) as Body,
    before: expect.objectContaining({ allow_force_push: false }),
    after: expect.objectContaining({ allowed_to_push: [{ access_level: 30 }], allow_force_push: true }),
  },
  default_group_visibility: { value: 'internal', look: ofNewGroup('visibility'), before: 'private', after: 'internal' },
  default_project_creation: {
    value: 1,
    look: ofGroup('project_creation_level'),
    before: 'developer',
    after: 'maintainer',
  },
  default_project_visibility: {
    value: 'internal',
    look: ofNewProject('visibility'),
    before: 'private',
    after: 'internal',
  },
  restricted_visibility_levels: { value: ['public'], ...notMade({ visibility: 'public' }) },
  ci_delete_pipelines_in_seconds_limit_human_readable: {
    value: '2 days',
    ...notMade({ ci_delete_pipelines_in_seconds: 3 * 86_400 }),
  },
  default_project_deletion_protection: {
    value: true,
    look: async () => {
      const project = await buildProject(world.app, { owner: world.owner.user });
      const byOwner = await call('DELETE', `/projects/${project.id}`, undefined, world.owner.token);
      return [byOwner.status, (await call('DELETE', `/projects/${project.id}`)).status];
    },
    before: [202, expect.any(Number)],
    after: [403, 202],
  },
  group_owners_can_manage_default_branch_protection: {
    value: false,
    look: async () => {
      const { id } = (await newGroup()).body;
      const answers = [];
      for (const [level, token] of [
        [0, world.owner.token],
        [1, adminToken],
      ] as const) {
        await call('PUT', `/groups/${id}`, { default_branch_protection: level }, token);
        answers.push((await call('GET', `/groups/${id}`)).body.default_branch_protection);
      }
      return answers;
    },
    before: [0, 1],
    after: [2, 1],
  },
  deletion_adjourned_period: { value: 0, look: () => deletion(), before: 200, after: 404 },
  enabled_git_access_protocol: { value: 'ssh', look: () => gitStatus(world.owner.token), before: 200, after: 403 },
  allow_group_owners_to_manage_ldap: {
    value: false,
    look: async () => {
      const { id } = (await newGroup()).body;
      const json = { cn: 'engineers', group_access: 30, provider: 'ldapmain' };
      const statuses = [];
      for (const token of [world.owner.token, adminToken])
        statuses.push((await call('POST', `/groups/${id}/ldap_group_links`, { ...json, cn: token }, token)).status);
      return statuses;
    },
    before: [201, 201],
    after: [403, 201],
  },
  allow_runner_registration_token: {
    value: false,
    look: async () => {
      const { body } = await call('POST', '/runners/reset_registration_token');
      return (await world.app.api('POST', '/runners', { json: { token: body.token } })).status;
    },
    before: 201,
    after: 403,
  },
  archive_builds_in_human_readable: {
    value: '2 days',
    look: async () => {
      const { project, job } = await runJob();
      const old = new Date(Date.now() - 3 * 86_400_000);
      await world.app.db.updateTable('jobs').set({ created_at: old }).where('id', '=', job.id).execute();
      const { status } = await call('POST', `/projects/${project}/jobs/${job.id}/retry`, {}, world.owner.token);
      if (status === 201) await runner.run();
      return status;
    },
    before: 201,
    after: 403,
  },
  offset_pagination_limit: {
    value: 100,
    look: async () => (await call('GET', '/projects?page=2&per_page=60')).status,
    before: 200,
    after: 405,
  },
  ci_max_includes: { value: 1, look: lint, before: true, after: false },
  ci_max_total_yaml_size_bytes: { value: 90, look: lint, before: true, after: false },
  max_yaml_size_bytes: { value: 40, look: lint, before: true, after: false },
  max_yaml_depth: { value: 2, look: lint, before: true, after: false },
  default_artifacts_expire_in: {
    value: '2 days',
    look: async () => Math.round(minutesUntil((await runJob(10)).job.artifacts_expire_at as string) / 1_440),
    before: 30,
    after: 2,
  },
  max_artifacts_size: { value: 1, look: async () => (await runJob(1024 * 1024 + 1)).upload, before: 201, after: 413 },
  dotenv_size: { value: 8, look: () => dotenv('LONG=value\n'), before: 201, after: 400 },
  dotenv_variables: { value: 1, look: () => dotenv('A=1\nB=2\n'), before: 201, after: 400 },
  default_ci_config_path: {
    value: 'ci/main.yml',
    look: ofNewProject('ci_config_path'),
    before: null,
    after: 'ci/main.yml',
  },
  custom_project_templates_group_id: {
    get value() {
      return templateGroup;
    },
    look: async () => (await newProject({ use_custom_template: true, template_name: 'pattern' })).status,
    before: 400,
    after: 201,
  },
  file_template_project_id: {
    get value() {
      return templates;
    },
    look: async () => (await call('GET', '/templates/gitignores/House')).body.content,
    before: undefined,
    after: 'x\n',
  },
  wiki_page_max_content_bytes: { value: 1024, look: written(1025), before: 201, after: 400 },
  snippet_size_limit: { value: 3, look: async () => (await newSnippet('four')).status, before: 201, after: 400 },
  default_snippet_visibility: {
    value: 'internal',
    look: async () => (await newSnippet('four')).body.visibility,
    before: 'private',
    after: 'internal',
  },
  max_attachment_size: { value: 1, look: uploaded(1024 ** 2 + 1), before: 201, after: 413 },
  shared_runners_enabled: { value: false, look: ofNewProject('shared_runners_enabled'), before: true, after: false },
};

/** Seen by their mail: identity/registration/registration.test.ts, identity/mails/mails.test.ts and activity/notifications have the server for it. */
const mailed: readonly SettingName[] = [
  'notify_on_unknown_sign_in',
  'deactivation_email_additional_text',
  'email_additional_text',
  'email_author_in_body',
  'html_emails_enabled',
  'user_deactivation_emails_enabled',
];
/** Archives and imports: the tests of namespaces/transfers and portability/relation-exports have some. */
const archives = settingNames.filter((name) =>
  /^(import_sources|max_(decompressed_archive|export|import|import_remote_file)_size|bulk_import_(enabled|max_.*)|relation_.*|decompress_archive_file_timeout)$/.test(
    name,
  ),
);
/** Told to a server of somebody else: ci/pipelines/external-validation.test.ts has one. */
const validated = settingNames.filter((name) => name.startsWith('external_pipeline_validation_service_'));
/** Decided by a server of somebody else: namespaces/access/external-authorization.test.ts has one. */
const authorized = settingNames.filter((name) => /^external_auth|_with_external_authn$/.test(name));
/** What may be searched, by whom: activity/search/search.test.ts. */
const searched = settingNames.filter((name) =>
  /^(global_search_\w+_enabled|anonymous_searches_allowed|default_search_scope)$/.test(name),
);
/** In tests of their own: kernel/images, kernel/markdown, repository/maintenance, repository/setup with packages/git, identity/tokens, portability/push-mirrors and pull-mirrors, review/merge-requests, delivery/packages, security/vulnerabilities, namespaces/deletion, namespaces/downloads and namespaces/projects. */
const elsewhere = settingNames.filter((name) =>
  /^(asset_proxy_.*|gitaly_timeout_.*|repository_checks_enabled|(diagram|uml)renderer_.*|disable_personal_access_tokens|mirror_.*|git_push_pipeline_limit|generic_packages_.*|(delete_)?inactive_projects.*|resource_access_token_notify_inherited|unique_ips_.*|package_registry_allow_.*|max_number_of_(repository_downloads.*|vulnerabilities_.*)|git_rate_limit_users_.*|auto_ban_user_.*|repository_storages_weighted)$/.test(
    name,
  ),
);

it('covers every setting that acts', () => {
  const own = (name: SettingName) =>
    settingRows[name].owner !== 'limits' &&
    ![...mailed, ...archives, ...validated, ...authorized, ...searched, ...elsewhere].includes(name);
  const acting = settingNames.filter((name) => settingRows[name].acts && own(name));
  expect(Object.keys(effects).sort()).toEqual([...acting].sort());
});

it.each(Object.entries(effects))('%s acts at once', async (name, { value, around = {}, look, before, after }) => {
  const { fallback } = settingRows[name as SettingName];
  await put(around);
  expect(await look()).toEqual(before);
  try {
    await put({ [name]: value });
    expect(await look()).toEqual(after);
  } finally {
    const defaults = Object.keys(around).map((other) => [other, settingRows[other as SettingName].fallback]);
    await put({ ...Object.fromEntries(defaults), [name]: fallback });
  }
});
