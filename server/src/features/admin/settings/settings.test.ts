/** Application settings over HTTP: who may, every name in and out, companions, secrets, concurrent changes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { compose } from '../../../../test/compose.ts';
import { buildAdmin, buildToken, buildUser } from '../../../../test/factories.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { otherNames, replacedSettings, settingNames, settingRows } from '../../../kernel/settings/index.ts';

type Body = Record<string, unknown>;

let app: TestApp;
let admin: User;
let token: string;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildAdmin(app);
  token = (await buildToken(app, { user: admin })).secret;
});
afterAll(() => app.close());

const get = async () => (await app.api<Body>('GET', '/application/settings', { token })).body;
const put = (json: Body) => app.api<Body>('PUT', '/application/settings', { token, json });
const set = async (json: Body) => {
  const answer = await put(json);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};

describe('who may', () => {
  it('[3/api.application-settings/1] administrators only: nobody 401, others 403, a token that may not write 403', async () => {
    const person = (await buildToken(app)).secret;
    const reader = (await buildToken(app, { user: admin, scopes: ['read_api'] })).secret;
    const git = (await buildToken(app, { user: admin, scopes: ['read_repository'] })).secret;
    for (const method of ['GET', 'PUT'] as const) {
      expect((await app.api(method, '/application/settings')).status).toBe(401);
      expect((await app.api(method, '/application/settings', { token: person })).status).toBe(403);
      expect((await app.api(method, '/application/settings', { token: git })).status).toBe(403);
    }
    expect((await app.api('GET', '/application/settings', { token: reader })).status).toBe(200);
    expect((await app.api('PUT', '/application/settings', { token: reader, json: {} })).status).toBe(403);
  });
});

/** The fields of the row, as its sub-keys. */
const answered =
  '[3/api.application-settings/27 id, created_at, updated_at, default_projects_limit, signup_enabled, default_branch_protection, default_preferred_language, failed_login_attempts_unlock_period_in_minutes, restricted_visibility_levels, password_authentication_enabled_for_web, max_attachment_size, max_decompressed_archive_size, max_export_size, max_import_size, max_import_remote_file_size, max_login_attempts, user_oauth_applications, session_expire_delay, home_page_url, default_snippet_visibility, default_project_visibility, default_group_visibility, default_ci_config_path, outbound_local_requests_whitelist, domain_allowlist, domain_denylist_enabled, domain_denylist, avatarservice_enabled, container_expiration_policies_enable_historic_entries, container_registry_cleanup_tags_service_max_list_size, container_registry_delete_tags_service_timeout, container_registry_expiration_policies_caching, container_registry_expiration_policies_worker_capacity, container_registry_token_expire_delay, decompress_archive_file_timeout, package_registry_cleanup_policies_worker_capacity, repository_storages_weighted, umlrenderer_enabled, umlrenderer_url, diagramrenderer_enabled, diagramrenderer_url, diagramservice_enabled, diagramservice_url, terminal_max_session_time, polling_interval_multiplier, rsa_key_restriction, dsa_key_restriction, ecdsa_key_restriction, ed25519_key_restriction, ecdsa_sk_key_restriction, ed25519_sk_key_restriction, first_day_of_week, enforce_terms, terms, performance_bar_allowed_group_id, user_show_add_ssh_key_message, allow_account_deletion, updating_name_disabled_for_users, local_markdown_version, maven_package_requests_forwarding, npm_package_requests_forwarding, pypi_package_requests_forwarding, snippet_size_limit, issues_create_limit, raw_blob_request_limit, wiki_page_max_content_bytes, require_admin_approval_after_user_signup, personal_access_token_prefix, rate_limiting_response_text, keep_latest_artifact, floc_enabled, external_pipeline_validation_service_timeout, external_pipeline_validation_service_token, external_pipeline_validation_service_url, external_authorization_service_enabled, external_authorization_service_url, external_authorization_service_default_label, external_authorization_service_timeout, tracker_connect_application_key, tracker_connect_proxy_url, silent_mode_enabled, package_registry_allow_anyone_to_pull_option, bulk_import_max_download_file_size, project_jobs_api_rate_limit, projects_api_rate_limit_unauthenticated, can_create_group, user_defaults_to_private_profile, globally_allowed_ips, group_owners_can_manage_default_branch_protection, file_template_project_id, geo_node_allowed_ips, geo_status_timeout, default_project_deletion_protection, deletion_adjourned_period, disable_personal_access_tokens, security_policy_global_group_approvers_enabled, delete_unconfirmed_users, unconfirmed_users_delete_after_days]';

/** Each documented attribute, a value, and what it needs. */
const documented: [row: string, name: string, value: unknown, companions?: Body][] = [
  ['[3/api.application-settings/4]', 'admin_mode', true],
  ['[3/api.application-settings/5]', 'admin_notification_email', 'abuse@example.com'],
  ['[3/api.application-settings/6]', 'abuse_notification_email', 'abuse@example.com'],
  ['[3/api.application-settings/7]', 'notify_on_unknown_sign_in', false],
  ['[3/api.application-settings/8]', 'after_sign_out_path', '/bye'],
  ['[3/api.application-settings/9]', 'email_restrictions_enabled', true, { email_restrictions: '@spam\\.example$' }],
  ['[3/api.application-settings/10]', 'email_restrictions', '@spam\\.example$'],
  ['[3/api.application-settings/11]', 'after_sign_up_text', 'Welcome'],
  ['[3/api.application-settings/12]', 'spamfilter_enabled', true, { spamfilter_api_key: 'k1' }],
  ['[3/api.application-settings/13]', 'spamfilter_api_key', 'k1'],
  ['[3/api.application-settings/14]', 'allow_account_deletion', false],
  ['[3/api.application-settings/15]', 'allow_group_owners_to_manage_ldap', false],
  ['[3/api.application-settings/16]', 'allow_local_requests_from_hooks_and_services', true],
  ['[3/api.application-settings/17]', 'allow_local_requests_from_web_hooks_and_services', true],
  ['[3/api.application-settings/18]', 'allow_local_requests_from_system_hooks', false],
  ['[3/api.application-settings/19]', 'allow_runner_registration_token', false],
  ['[3/api.application-settings/20]', 'archive_builds_in_human_readable', '2 months'],
  ['[3/api.application-settings/21]', 'asset_proxy_enabled', true, { asset_proxy_url: 'https://assets.example' }],
  ['[3/api.application-settings/23]', 'asset_proxy_url', 'https://assets.example'],
  ['[3/api.application-settings/24]', 'asset_proxy_whitelist', ['example.com', '*.example.com']],
  ['[3/api.application-settings/25]', 'asset_proxy_allowlist', ['example.com', '*.example.com']],
  ['[3/api.application-settings/26]', 'authorized_keys_enabled', false],
];

describe('reading and writing', () => {
  it('[3/api.application-settings/2 GET /application/settings] answers every name with its default, and the record', async () => {
    const body = await get();
    expect(body).toMatchObject({ id: 1, created_at: expect.any(String), updated_at: expect.any(String) });
    for (const name of settingNames) {
      if (settingRows[name].secret === 'hidden') expect(body).not.toHaveProperty(name);
      else if (settingRows[name].asText) expect(body[name], name).toMatch(/^\d+\.\d+$/);
      else expect(body, name).toHaveProperty(name, settingRows[name].fallback);
    }
    for (const [other, name] of otherNames) expect(body[other], other).toEqual(body[name]);
  });

  it(`${answered} has every field that the specification lists`, async () => {
    const [, list = ''] = /^\[\S+ (.*)\]$/.exec(answered) ?? [];
    const body = await get();
    expect(list.split(', ').filter((name) => !(name in body))).toEqual([]);
  });

  it.each(documented)(
    '%s %s is changed and answered, alone or with what it needs',
    async (_row, name, value, companions = {}) => {
      const before = await get();
      expect(before[name]).not.toEqual(value);
      expect((await set({ ...companions, [name]: value }))[name]).toEqual(value);
      expect((await get())[name]).toEqual(value);
      const undone = [name, ...Object.keys(companions)].map((each) => [each, before[each]]);
      expect((await set(Object.fromEntries(undone)))[name]).toEqual(before[name]);
    },
  );

  it('[3/api.application-settings/22] asset_proxy_secret_key is kept and never answered; without it the old one stays', async () => {
    const key = (await app.settings.read()).asset_proxy_secret_key;
    expect(key).toBeNull();
    expect(await set({ asset_proxy_secret_key: 'shared' })).not.toHaveProperty('asset_proxy_secret_key');
    await set({ asset_proxy_url: 'https://assets.example' });
    expect(await get()).not.toHaveProperty('asset_proxy_secret_key');
    expect((await app.settings.read()).asset_proxy_secret_key).toBe('shared');
    await set({ asset_proxy_secret_key: null, asset_proxy_url: null });
  });

  it.each([
    ['[3/api.application-settings/24]', 'asset_proxy_whitelist'],
    ['[3/api.application-settings/25]', 'asset_proxy_allowlist'],
  ])('%s %s is a list or a text with commas', async (_row, name) => {
    const hosts = ['a.example', '*.b.example'];
    for (const sent of [hosts, hosts.join(', ')]) {
      expect((await set({ [name]: sent })).asset_proxy_allowlist).toEqual(hosts);
      await set({ [name]: [] });
    }
  });

  it('takes form, query and JSON, lists as arrays and as text with commas or line ends, and ignores unknown names', async () => {
    const send = (parts: object) => app.api<Body>('PUT', '/application/settings', { token, ...parts });
    const fromQuery = await send({
      query: { signup_enabled: false, default_project_visibility: 'internal', nothing: 1 },
    });
    expect(fromQuery.body).toMatchObject({ signup_enabled: false, default_project_visibility: 'internal' });
    const fromForm = await send({
      form: {
        signup_enabled: 'true',
        domain_allowlist: 'a.example, b.example\r\n*.c.example',
        max_login_attempts: '7',
      },
    });
    expect(fromForm.body).toMatchObject({
      signup_enabled: true,
      domain_allowlist: ['a.example', 'b.example', '*.c.example'],
      max_login_attempts: 7,
    });
    const fromArray = await send({ query: { import_sources: ['git', 'manifest'] } });
    expect(fromArray.body).toMatchObject({ import_sources: ['git', 'manifest'] });
    const weights = new FormData();
    weights.append('repository_storages_weighted[default]', '60');
    expect((await send({ form: weights })).body).toMatchObject({ repository_storages_weighted: { default: 60 } });
    expect(
      (await send({ json: { domain_allowlist: 'x.example y.example', git_rate_limit_users_alertlist: [3, 4] } })).body,
    ).toMatchObject({ domain_allowlist: ['x.example', 'y.example'], git_rate_limit_users_alertlist: [3, 4] });
    expect(
      (await send({ json: { domain_allowlist: null, import_sources: [], home_page_url: '' } })).body,
    ).toMatchObject({
      domain_allowlist: [],
      import_sources: [],
      home_page_url: null,
    });
    await set({
      default_project_visibility: 'private',
      max_login_attempts: 10,
      repository_storages_weighted: { default: 100 },
    });
  });

  it('takes the whole answer back unchanged, and with one value changed under any of its names', async () => {
    await set({ spamfilter_api_key: 'secret-a', asset_proxy_allowlist: ['a.example'], default_branch_protection: 1 });
    const { id, created_at, updated_at, ...all } = await get();
    expect(await set(all)).toEqual({ id, created_at, updated_at, ...all });
    const changed = await set({
      ...all,
      asset_proxy_whitelist: ['b.example'],
      gravatar_enabled: false,
      plantuml_url: 'https://uml.example',
    });
    expect(changed).toMatchObject({
      asset_proxy_allowlist: ['b.example'],
      asset_proxy_whitelist: ['b.example'],
      avatarservice_enabled: false,
      gravatar_enabled: false,
      umlrenderer_url: 'https://uml.example',
      spamfilter_api_key: 'secret-a',
    });
    expect((await app.settings.read()).spamfilter_api_key).toBe('secret-a');
    await set({ ...all, spamfilter_api_key: null });
    expect((await app.settings.read()).spamfilter_api_key).toBeNull();
  });

  it.each(Object.entries(replacedSettings))(
    '[3/api.application-settings/5] [3/api.application-settings/16] [3/api.application-settings/24] %s and %s move together',
    async (old, name) => {
      const row = settingRows[name];
      const other =
        row.kind === 'boolean'
          ? !row.fallback
          : row.kind === 'integer'
            ? 77
            : row.kind === 'texts'
              ? ['x.example']
              : 'x@example.com';
      expect(await set({ [old]: other })).toMatchObject({ [old]: other, [name]: other });
      expect(await set({ [name]: row.fallback })).toMatchObject({ [old]: row.fallback, [name]: row.fallback });
    },
  );

  it('the level and the rules of default branches move together', async () => {
    const rules = {
      allowed_to_push: [{ access_level: 30 }],
      allow_force_push: true,
      allowed_to_merge: [{ access_level: 30 }],
    };
    expect(await set({ default_branch_protection: 0 })).toMatchObject({ default_branch_protection_defaults: rules });
    expect(
      await set({
        default_branch_protection_defaults: {
          ...rules,
          allow_force_push: false,
          allowed_to_merge: [{ access_level: 40 }],
        },
      }),
    ).toMatchObject({ default_branch_protection: 1 });
    for (const wrong of [{ allowed_to_push: [{ access_level: 5 }] }, { allowed_to_push: [] }, { allow: true }])
      expect((await put({ default_branch_protection_defaults: wrong })).body).toEqual({
        message: { default_branch_protection_defaults: ['must be a valid json schema'] },
      });
    await set({ default_branch_protection: 2 });
  });

  it.each([
    [{ allowed_to_push: [{ access_level: 30 }], allow_force_push: true, allowed_to_merge: [{ access_level: 40 }] }, 1],
    [{ allowed_to_push: [{ access_level: 40 }], allow_force_push: true, allowed_to_merge: [{ access_level: 40 }] }, 2],
    [
      {
        allowed_to_push: [{ access_level: 0 }],
        allow_force_push: false,
        allowed_to_merge: [{ access_level: 30 }, { access_level: 60 }],
        developer_can_initial_push: true,
        code_owner_approval_required: true,
      },
      3,
    ],
  ])('stores %j, which stands for none of the levels, with the nearest level %i', async (rules, nearest) => {
    const stored = { default_branch_protection: nearest, default_branch_protection_defaults: rules };
    expect(await set({ default_branch_protection_defaults: rules })).toMatchObject(stored);
    expect((await get()).default_branch_protection_defaults).toEqual(rules);
    await set({ default_branch_protection: 2 });
  });

  it('has the types that typed clients decode: a factor as text, addresses as a list', async () => {
    expect(await get()).toMatchObject({
      polling_interval_multiplier: '1.0',
      elasticsearch_url: ['http://localhost:9200'],
    });
    expect(
      await set({
        polling_interval_multiplier: 2.5,
        elasticsearch_url: 'http://a.example:9200, http://b.example:9200',
      }),
    ).toMatchObject({
      polling_interval_multiplier: '2.5',
      elasticsearch_url: ['http://a.example:9200', 'http://b.example:9200'],
    });
    // A client that sends back what it read.
    expect(
      await set({ polling_interval_multiplier: '1.0', elasticsearch_url: ['http://localhost:9200'] }),
    ).toMatchObject({ polling_interval_multiplier: '1.0' });
  });
});

describe('what is refused', () => {
  it.each([
    [{ max_login_attempts: 0 }, { message: { max_login_attempts: ['must be greater than or equal to 1'] } }],
    [{ max_login_attempts: 'ten' }, { error: 'max_login_attempts is invalid' }],
    [{ signup_enabled: 'perhaps' }, { error: 'signup_enabled is invalid' }],
    [{ default_project_visibility: 'secret' }, { error: 'default_project_visibility does not have a valid value' }],
    [{ default_branch_protection: 9 }, { error: 'default_branch_protection does not have a valid value' }],
    [{ first_day_of_week: 3 }, { error: 'first_day_of_week does not have a valid value' }],
    [{ rsa_key_restriction: 1_000 }, { error: 'rsa_key_restriction does not have a valid value' }],
    [{ ed25519_key_restriction: 512 }, { error: 'ed25519_key_restriction does not have a valid value' }],
    [
      { repository_storages_weighted: { default: 100, elsewhere: 1 } },
      { message: { repository_storages_weighted: ["can't include: elsewhere"] } },
    ],
    [
      { home_page_url: 'javascript:alert(1)' },
      { message: { home_page_url: ['is blocked: Only allowed schemes are http, https'] } },
    ],
    [{ abuse_notification_email: 'nobody' }, { message: { abuse_notification_email: ['is invalid'] } }],
    [
      { globally_allowed_ips: '10.0.0.0/8, example' },
      { message: { globally_allowed_ips: ['must be a list of IP addresses and ranges'] } },
    ],
    [
      { default_ci_config_path: '/etc/passwd' },
      { message: { default_ci_config_path: ["can't include leading slash or directory traversal."] } },
    ],
    [{ default_branch_name: '' }, { message: { default_branch_name: ['is not a valid branch name'] } }],
    [
      { archive_builds_in_human_readable: '2 hours' },
      { message: { archive_builds_in_human_readable: ['must be at least 1 day.'] } },
    ],
    [
      { archive_builds_in_human_readable: 'soon' },
      { message: { archive_builds_in_human_readable: ['is not a correct duration'] } },
    ],
    [
      { repository_storages_weighted: { default: 101 } },
      { message: { repository_storages_weighted: ["value for 'default' must be between 0 and 100"] } },
    ],
    [
      { restricted_visibility_levels: ['secret'] },
      { message: { restricted_visibility_levels: ['does not have a valid value: private, internal, public'] } },
    ],
    [
      { restricted_visibility_levels: ['private'] },
      {
        message: {
          default_project_visibility: ['cannot be set to a restricted visibility level'],
          default_group_visibility: ['cannot be set to a restricted visibility level'],
        },
      },
    ],
    [
      { after_sign_out_path: 'x'.repeat(2_049) },
      { message: { after_sign_out_path: ['is too long (maximum is 2048 characters)'] } },
    ],
  ])('%j', async (json, body) => {
    expect(await put(json)).toMatchObject({ status: 400, body });
  });

  it('security 9: an expression that does not compile in linear time is refused', async () => {
    const { status, body } = await put({ email_restrictions: '(?=a)' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('is not a valid regular expression');
  });

  it.each([
    ['[3/api.application-settings/10]', 'email_restrictions_enabled', 'email_restrictions', '.'],
    ['[3/api.application-settings/12]', 'spamfilter_enabled', 'spamfilter_api_key', 'k'],
    ['[3/api.application-settings/13]', 'akismet_enabled', 'akismet_api_key', 'k'],
    ['[3/api.application-settings/21]', 'asset_proxy_enabled', 'asset_proxy_url', 'https://a.example'],
    ['', 'enforce_terms', 'terms', 'Be kind'],
    ['', 'domain_denylist_enabled', 'domain_denylist', ['x.example']],
    ['', 'kroki_enabled', 'kroki_url', 'https://k.example'],
    ['', 'umlrenderer_enabled', 'umlrenderer_url', 'https://u.example'],
  ])('%s %s needs %s', async (_row, name, companion, value) => {
    const own = otherNames.get(companion) ?? companion;
    const empty = Array.isArray(value) ? [] : '';
    expect(await put({ [name]: true })).toMatchObject({ status: 400, body: { error: `${own} is missing` } });
    expect((await put({ [name]: true, [companion]: empty })).status).toBe(400);
    expect((await get())[name]).toBe(false);
    await set({ [companion]: value });
    await set({ [name]: true });
    expect((await put({ [companion]: empty })).body).toEqual({ message: { [own]: ["can't be blank"] } });
    await set({ [name]: false, [companion]: empty });
  });

  it('[3/api.application-settings/2 PUT /application/settings] changes all of what is sent or nothing', async () => {
    expect((await put({ max_login_attempts: 3, session_expire_delay: 0, home_page_url: 'x' })).body).toEqual({
      message: {
        session_expire_delay: ['must be greater than or equal to 1'],
        home_page_url: ['must be a valid URL'],
      },
    });
    expect((await get()).max_login_attempts).toBe(10);
  });
});

describe('secrets', () => {
  it('[3/api.application-settings/22] security 21: sealed at rest, not in facts or logs; masked or never answered, but for keys of spam services', async () => {
    const canary = 'canary-7f31';
    const names = settingNames.filter((name) => settingRows[name].secret);
    expect(names).toContain('asset_proxy_secret_key');
    const body = await set(Object.fromEntries(names.map((name) => [name, `${canary}-${name}`])));
    for (const name of names) {
      if (settingRows[name].secret === 'hidden') expect(body).not.toHaveProperty(name);
      else expect(body[name]).toBe(settingRows[name].secret === 'shown' ? `${canary}-${name}` : '*****');
      expect((await app.settings.read())[name]).toBe(`${canary}-${name}`);
    }
    const stored = await app.db.selectFrom('application_settings').selectAll().execute();
    const facts = await app.db.selectFrom('facts').selectAll().execute();
    const shown = new Set(names.filter((name) => settingRows[name].secret === 'shown').map(String));
    expect(shown).toContain('spamfilter_api_key');
    const withoutShown = (answer: Body) =>
      Object.entries(answer).filter(([name]) => !shown.has(name) && name !== 'akismet_api_key');
    const answers = [withoutShown(body), withoutShown(await get()), stored, facts, app.logs];
    expect(JSON.stringify(answers)).not.toContain(canary);
    await set(Object.fromEntries(names.map((name) => [name, null])));
    expect((await app.settings.read())[names[0] as (typeof names)[number]]).toBeNull();
  });
});

describe('changes', () => {
  it('says who changed which names, once, and nothing for a change of nothing', async () => {
    const facts = async () =>
      await app.db
        .selectFrom('facts')
        .select(['actor_id', 'payload'])
        .where('kind', '=', 'settings.changed')
        .orderBy('id')
        .execute();
    const before = (await facts()).length;
    await set({ home_page_url: 'https://home.example', help_page_text: 'Ask' });
    await set({ home_page_url: 'https://home.example' });
    expect((await facts()).slice(before)).toEqual([
      { actor_id: admin.id, payload: { actor_id: admin.id, names: ['help_page_text', 'home_page_url'] } },
    ]);
    await set({ home_page_url: null, help_page_text: null });
  });

  it('changes at the same time lose nothing, and are checked one after the other', async () => {
    const numbers = Array.from({ length: 8 }, (_, index) => index);
    const names = [
      'search_rate_limit',
      'notes_create_limit',
      'project_api_limit',
      'groups_api_limit',
      'group_api_limit',
      'users_get_by_id_limit',
      'project_export_limit',
      'group_export_limit',
    ];
    await Promise.all(numbers.map((index) => set({ [names[index] ?? '']: 900 + index })));
    expect(await get()).toMatchObject(Object.fromEntries(numbers.map((index) => [names[index], 900 + index])));
    await set({ terms: 'Be kind', enforce_terms: false });
    const both = await Promise.all([put({ enforce_terms: true }), put({ terms: null })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    await set({ enforce_terms: false, terms: null });
  });

  it('[1/limits.other-limits/4] a change through one process has its effect in another, which is told', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'millrace-second-'));
    const second = await compose(app.database, directory, {});
    try {
      const url = await second.listen();
      const user = await buildUser(app, { password: 'correct horse battery' });
      const signIn = async () =>
        (
          await fetch(`${url}/-/session`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ login: user.username, password: 'correct horse battery' }),
          })
        ).status;
      const allowed = await signIn();
      expect(allowed).toBeLessThan(300);
      const told = async () => (await second.settings.read()).password_authentication_enabled_for_web;
      await set({ password_authentication_enabled_for_web: false });
      // Long before it would look by itself. Not by signing in: that may be tried so many times in a minute.
      await expect.poll(told).toBe(false);
      expect(await signIn()).toBe(403);
      await set({ password_authentication_enabled_for_web: true });
      await expect.poll(told).toBe(true);
      expect(await signIn()).toBe(allowed);
    } finally {
      await second.close();
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('limits of the one plan are settings: read and changed by administrators, checked like those', async () => {
    const ask = (method: 'GET' | 'PUT', json?: Body, by = token) =>
      app.api<Body>(method, '/application/plan_limits', { token: by, ...(json ? { json } : {}) });
    const { ci_jobs_trace_size_limit, generic_packages_max_file_size } = await get();
    const limits = {
      ci_jobs_trace_size_limit,
      generic_packages_max_file_size,
      dotenv_size: 5120,
      dotenv_variables: 20,
    };
    expect(await ask('GET')).toMatchObject({ status: 200, body: limits });
    const smaller = { generic_packages_max_file_size: 1024, dotenv_variables: 150 };
    const changed = await ask('PUT', { plan_name: 'default', ...smaller });
    expect(changed).toMatchObject({ status: 200, body: { ...limits, ...smaller } });
    expect(await get()).toMatchObject(smaller);
    const wrong = { plan_name: 'default', generic_packages_max_file_size: -1 };
    for (const refused of [smaller, wrong]) expect(await ask('PUT', refused)).toMatchObject({ status: 400 });
    expect(await ask('GET', undefined, (await buildToken(app)).secret)).toMatchObject({ status: 403 });
    expect(await ask('PUT', { plan_name: 'default', ...limits })).toMatchObject({ status: 200, body: limits });
  });

  it('requests wait for fast work with repositories no longer than for medium, and for that no longer than for all other', async () => {
    const timeouts = (fast: number, medium: number, other: number) =>
      put({ gitaly_timeout_fast: fast, gitaly_timeout_medium: medium, gitaly_timeout_default: other });
    const wrong = async (...values: [number, number, number]) => (await timeouts(...values)).body.message;
    expect(await wrong(20, 10, 55)).toEqual({ gitaly_timeout_medium: ['must be greater than or equal to 20'] });
    expect(await wrong(10, 60, 55)).toEqual({ gitaly_timeout_medium: ['must be less than or equal to 55'] });
    expect(await wrong(60, 60, 0)).toBeUndefined();
    expect((await timeouts(10, 30, 55)).status).toBe(200);
  });
});
