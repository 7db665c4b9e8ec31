/** What the settings of registration, keys and accounts do: looked at before and after each is changed. */
import { randomBytes } from 'node:crypto';
import type { World } from './ci.ts';
import { buildAdmin, buildGroup, buildProject, buildToken, buildUser, unique } from './factories.ts';
import { sshKeyText } from './keys.ts';
import { authorizationRequest, buildApplication, buildVisitor, password, tokenRequest } from './oauth.ts';
import { queuedFor } from './queue.queries.ts';
import { runTask } from './tasks.ts';

type Body = Record<string, unknown>;

export interface AccountEffect {
  readonly value: unknown;
  readonly around?: Body;
  readonly look: () => Promise<unknown>;
  readonly before: unknown;
  readonly after: unknown;
}

/** A positive number of so many bits. */
function number(bits: number): Buffer {
  const bytes = randomBytes(bits / 8);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  return Buffer.concat([Buffer.alloc(1), bytes]);
}
const point = () => Buffer.concat([Buffer.from([4]), randomBytes(64)]);

/** A new key of each kind. */
const keys = {
  rsa: () => sshKeyText('ssh-rsa', [Buffer.from([1, 0, 1]), number(2048)]),
  dsa: () => sshKeyText('ssh-dss', [number(1024), number(160), number(1024), number(1024)]),
  ecdsa: () => sshKeyText('ecdsa-sha2-nistp256', ['nistp256', point()]),
  ed25519: () => sshKeyText(),
  ecdsa_sk: () => sshKeyText('sk-ecdsa-sha2-nistp256@openssh.com', ['nistp256', point(), 'ssh:']),
  ed25519_sk: () => sshKeyText('sk-ssh-ed25519@openssh.com', [randomBytes(32), 'ssh:']),
};

/** `world` is asked when a case runs. */
export function accountEffects(world: () => World): Readonly<Record<string, AccountEffect>> {
  const signUp = async (more: Body = {}) => {
    const username = unique('signup');
    const json = { username, name: 'New', email: `${username}@example.com`, password: 'nine lives of a cat', ...more };
    return await world().app.request<Body>('POST', '/-/registration', { json });
  };
  const status = async () => (await signUp()).status;
  const told = (field: string) => async () => (await world().app.request<Body>('GET', '/-/registration')).body[field];
  const keyAdded = (kind: keyof typeof keys) => async () => {
    const { secret } = await buildToken(world().app);
    const json = { title: 'key', key: keys[kind]() };
    return (await world().app.api('POST', '/user/keys', { token: secret, json })).status;
  };
  /** Of somebody who was there last 200 days ago. */
  const deactivation = async () => {
    const { app, admin } = world();
    const { id } = await buildUser(app);
    const day = new Date(Date.now() - 200 * 86_400_000).toISOString().slice(0, 10);
    await app.db.updateTable('users').set({ last_activity_on: day }).where('id', '=', id).execute();
    return (await app.api('POST', `/users/${id}/deactivate`, { token: admin.token })).status;
  };
  const registered =
    (redirect_uri = 'https://client.example/') =>
    async () => {
      const { secret } = await buildToken(world().app);
      const json = { name: 'mine', redirect_uri, scopes: 'api' };
      return (await world().app.api('POST', '/user/applications', { token: secret, json })).status;
    };
  const tokenOfPassword = async () => {
    const { username } = await buildUser(world().app, { password });
    return (await tokenRequest(world().app, { grant_type: 'password', username, password })).status;
  };
  /** An administrator who is asked for everything. */
  const consent = async () => {
    const { app } = world();
    const { headers } = await buildVisitor(app, await buildAdmin(app, { password }));
    const json = authorizationRequest(await buildApplication(app));
    return (await app.request('POST', '/oauth/authorize', { headers, json })).status;
  };
  /** Somebody at their own page. */
  const signedIn = async () => {
    const { app } = world();
    const password = 'nine lives of a cat';
    const user = await buildUser(app, { password });
    const session = await app.request<Body>('POST', '/-/session', { json: { login: user.username, password } });
    const cookie = session.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const headers = { cookie, 'x-csrf-token': String(session.body.csrf_token) };
    const call = async (method: 'GET' | 'PUT' | 'DELETE', path: string, json: Body = {}) =>
      (await app.api(method, path, method === 'GET' ? { headers } : { headers, json })).status;
    return { user, password, call };
  };
  const own =
    (method: 'GET' | 'PUT' | 'DELETE', path: string, json: Body = {}) =>
    async () => {
      const { call, password } = await signedIn();
      return await call(method, path, method === 'DELETE' ? { current_password: password } : json);
    };
  const run = async (name: string) => {
    await runTask(world().app, name);
  };
  const ofNewcomer = (field: 'preferred_language' | 'color_scheme_id') => async () =>
    (await buildUser(world().app))[field];
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const dormant = async () => {
    const { app } = world();
    const { id } = await buildUser(app);
    const values = { last_activity_on: daysAgo(200).toISOString().slice(0, 10) };
    await app.db.updateTable('users').set(values).where('id', '=', id).execute();
    await run('users.deactivate_dormant');
    return (await app.db.selectFrom('users').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state;
  };
  /** Whether an account without a confirmed address goes. */
  const unconfirmedGoes = (days: number) => async () => {
    const { app } = world();
    const { id } = await buildUser(app, { confirmed: false });
    await app.db
      .updateTable('users')
      .set({ created_at: daysAgo(days) })
      .where('id', '=', id)
      .execute();
    await run('users.remove_unconfirmed');
    const row = await app.db
      .selectFrom('users')
      .select('deletion_requested_at')
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.deletion_requested_at !== null;
  };
  /** Of an account that its owner removed: whether its removal waits. */
  const removalWaits = async () => {
    const { user, password, call } = await signedIn();
    await call('DELETE', '/user', { current_password: password });
    const at = await queuedFor(world().app.db, `users.remove:${user.id}`);
    return at !== null && at.getTime() > Date.now() + 86_400_000;
  };
  /** Of a token of a project that was revoked five days ago: whether it is still listed. */
  const revokedIsKept = async () => {
    const { app, owner } = world();
    const project = await buildProject(app, { owner: owner.user });
    const path = `/projects/${project.id}/access_tokens`;
    const json = { name: 'x', scopes: ['api'] };
    const { id } = (await app.api<Body>('POST', path, { token: owner.token, json })).body;
    await app.api('DELETE', `${path}/${id}`, { token: owner.token });
    await app.db
      .updateTable('access_tokens')
      .set({ revoked_at: daysAgo(5) })
      .where('id', '=', Number(id))
      .execute();
    await run('tokens.sweep');
    return (await app.api<Body[]>('GET', path, { token: owner.token })).body.length === 1;
  };
  const privateHost = async () => {
    const { app, admin } = world();
    const json = {
      username: unique('host'),
      name: 'x',
      email: `${unique('host')}@example.com`,
      commit_email: '_private',
    };
    const made = await app.api<Body>('POST', '/users', {
      token: admin.token,
      json: { ...json, force_random_password: true },
    });
    return String(made.body.commit_email).endsWith('@private.example');
  };
  /** What the owner of a new group gets for making a service account. */
  const accountMade = async () => {
    const { app, owner } = world();
    const { id } = await buildGroup(app, { owner: owner.user });
    return (await app.api('POST', `/groups/${id}/service_accounts`, { token: owner.token, json: {} })).status;
  };
  const endOfProgramToken = async () => {
    const { app, admin } = world();
    const json = { name: 'x', scopes: ['api'] };
    const account = await app.api<Body>('POST', '/service_accounts', { token: admin.token, json: {} });
    const url = `/users/${account.body.id}/personal_access_tokens`;
    return (await app.api<Body>('POST', url, { token: admin.token, json })).body.expires_at === null;
  };
  const hard = { email_confirmation_setting: 'hard' };
  const forbidden = (kind: keyof typeof keys) =>
    ({ value: -1, look: keyAdded(kind), before: 201, after: 400 }) satisfies AccountEffect;
  const terms = { enforce_terms: true, terms: 'Be kind.' };

  return {
    after_sign_out_path: {
      value: '/bye',
      look: async () => (await world().app.request('DELETE', '/-/session')).headers.get('location'),
      before: null,
      after: '/bye',
    },
    home_page_url: {
      value: 'https://www.example.com/welcome',
      look: async () => (await world().app.request('GET', '/')).headers.get('location'),
      before: null,
      after: 'https://www.example.com/welcome',
    },
    signup_enabled: { value: false, look: status, before: 201, after: 403 },
    require_admin_approval_after_user_signup: {
      value: false,
      look: async () => (await signUp()).body.state,
      before: 'blocked_pending_approval',
      after: 'active',
    },
    // Without a mail server nobody could confirm anything.
    email_confirmation_setting: { value: 'hard', look: status, before: 201, after: 422 },
    domain_allowlist: { value: ['corp.example'], look: status, before: 201, after: 400 },
    domain_denylist: {
      value: ['example.com'],
      around: { domain_denylist: ['other.example'], domain_denylist_enabled: true },
      look: status,
      before: 201,
      after: 400,
    },
    domain_denylist_enabled: {
      value: true,
      around: { domain_denylist: ['example.com'] },
      look: status,
      before: 201,
      after: 400,
    },
    email_restrictions: {
      value: 'signup',
      around: { email_restrictions: 'nobody', email_restrictions_enabled: true },
      look: status,
      before: 201,
      after: 400,
    },
    email_restrictions_enabled: {
      value: true,
      around: { email_restrictions: 'signup' },
      look: status,
      before: 201,
      after: 400,
    },
    enforce_terms: { value: true, around: { terms: terms.terms }, look: status, before: 201, after: 400 },
    terms: {
      value: 'Be kinder.',
      around: terms,
      look: told('terms_html'),
      before: '<p>Be kind.</p>\n',
      after: '<p>Be kinder.</p>\n',
    },
    after_sign_up_text: {
      value: 'Welcome.',
      look: told('after_sign_up_html'),
      before: '',
      after: '<p>Welcome.</p>\n',
    },
    deactivate_dormant_users_period: { value: 400, look: deactivation, before: 201, after: 403 },
    user_oauth_applications: { value: false, look: registered(), before: 201, after: 403 },
    oauth_http_redirect_uris_enabled: {
      value: false,
      look: registered('http://client.example/'),
      before: 201,
      after: 400,
    },
    ropc_without_client_credentials: { value: false, look: tokenOfPassword, before: 200, after: 401 },
    disable_admin_oauth_scopes: { value: true, look: consent, before: 200, after: 403 },
    deactivate_dormant_users: { value: true, look: dormant, before: 'active', after: 'deactivated' },
    delete_unconfirmed_users: { value: true, around: hard, look: unconfirmedGoes(8), before: false, after: true },
    unconfirmed_users_delete_after_days: {
      value: 30,
      around: { ...hard, delete_unconfirmed_users: true },
      look: unconfirmedGoes(8),
      before: true,
      after: false,
    },
    new_user_signups_cap: {
      value: 1,
      around: { require_admin_approval_after_user_signup: false },
      look: async () => (await signUp()).body.state,
      before: 'active',
      after: 'blocked_pending_approval',
    },
    enforce_email_subaddress_restrictions: {
      value: true,
      look: async () => (await signUp({ email: `${unique('a')}+b@example.com` })).status,
      before: 201,
      after: 400,
    },
    allow_account_deletion: { value: false, look: own('DELETE', '/user'), before: 204, after: 403 },
    delay_user_account_self_deletion: { value: true, look: removalWaits, before: false, after: true },
    updating_name_disabled_for_users: {
      value: true,
      look: own('PUT', '/user', { name: 'Other' }),
      before: 200,
      after: 400,
    },
    make_profile_private: {
      value: false,
      look: own('PUT', '/user', { private_profile: true }),
      before: 200,
      after: 400,
    },
    disable_feed_token: { value: true, look: own('GET', '/user/feed_token'), before: 200, after: 403 },
    default_preferred_language: { value: 'de', look: ofNewcomer('preferred_language'), before: 'en', after: 'de' },
    default_syntax_highlighting_theme: { value: 3, look: ofNewcomer('color_scheme_id'), before: 1, after: 3 },
    inactive_resource_access_tokens_delete_after_days: { value: 2, look: revokedIsKept, before: true, after: false },
    allow_top_level_group_owners_to_create_service_accounts: {
      value: true,
      look: accountMade,
      before: 403,
      after: 201,
    },
    service_access_tokens_expiration_enforced: { value: false, look: endOfProgramToken, before: false, after: true },
    commit_email_hostname: { value: 'private.example', look: privateHost, before: false, after: true },
    max_ssh_key_lifetime: { value: 30, look: keyAdded('ed25519'), before: 201, after: 400 },
    rsa_key_restriction: { value: 3072, look: keyAdded('rsa'), before: 201, after: 400 },
    dsa_key_restriction: { value: 0, look: keyAdded('dsa'), before: 400, after: 201 },
    ecdsa_key_restriction: forbidden('ecdsa'),
    ed25519_key_restriction: forbidden('ed25519'),
    ecdsa_sk_key_restriction: forbidden('ecdsa_sk'),
    ed25519_sk_key_restriction: forbidden('ed25519_sk'),
  };
}
