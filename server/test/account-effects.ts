/** What the settings of registration, keys and accounts do: looked at before and after each is changed. */
import { randomBytes } from 'node:crypto';
import type { World } from './ci.ts';
import { buildAdmin, buildToken, buildUser, unique } from './factories.ts';
import { sshKeyText } from './keys.ts';
import { authorizationRequest, buildApplication, buildVisitor, password, tokenRequest } from './oauth.ts';

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
  const registered = async () => {
    const { secret } = await buildToken(world().app);
    const json = { name: 'mine', redirect_uri: 'https://client.example/', scopes: 'api' };
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
  const forbidden = (kind: keyof typeof keys) =>
    ({ value: -1, look: keyAdded(kind), before: 201, after: 400 }) satisfies AccountEffect;
  const terms = { enforce_terms: true, terms: 'Be kind.' };

  return {
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
    terms: { value: 'Be kinder.', around: terms, look: told('terms'), before: 'Be kind.', after: 'Be kinder.' },
    after_sign_up_text: { value: 'Welcome.', look: told('after_sign_up_text'), before: null, after: 'Welcome.' },
    deactivate_dormant_users_period: { value: 400, look: deactivation, before: 201, after: 403 },
    user_oauth_applications: { value: false, look: registered, before: 201, after: 403 },
    ropc_without_client_credentials: { value: false, look: tokenOfPassword, before: 200, after: 401 },
    disable_admin_oauth_scopes: { value: true, look: consent, before: 200, after: 403 },
    rsa_key_restriction: { value: 3072, look: keyAdded('rsa'), before: 201, after: 400 },
    dsa_key_restriction: { value: 0, look: keyAdded('dsa'), before: 400, after: 201 },
    ecdsa_key_restriction: forbidden('ecdsa'),
    ed25519_key_restriction: forbidden('ed25519'),
    ecdsa_sk_key_restriction: forbidden('ecdsa_sk'),
    ed25519_sk_key_restriction: forbidden('ed25519_sk'),
  };
}
