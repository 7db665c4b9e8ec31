/** One successful request for each route that changes identity, places or settings, with the event that it leaves. */
import { Secret, TOTP } from 'otpauth';
import type { Method, TestApp } from './app.ts';
import { changesOfAdministration } from './audited-admin.ts';
import { changesOfVulnerabilities, changesOfWhatJobsUse } from './audited-ci.ts';
import { changesOfMembers } from './audited-members.ts';
import {
  changesForOthers,
  changesOfApplications,
  changesOfForks,
  changesOfPlace,
  changesOfProjectParts,
  changesOfServiceAccounts,
  changesOfSystemHooks,
  changesOfTopics,
  applicationToRegister as registered,
} from './audited-places.ts';
import { changesOfRepositories } from './audited-repositories.ts';
import { createAuthenticator } from './authenticator.ts';
import { buildGroup, buildProject, buildToken, buildUser, unique } from './factories.ts';
import { gpgKeyTexts, sshKeyText } from './keys.ts';

export interface Change {
  readonly url: string;
  readonly json?: object;
  readonly form?: FormData;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of the event. */
  readonly leaves: string;
}
const password = 'correct horse battery';
const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
const accessToken = { name: 'x', scopes: ['api'] };
const deployToken = { name: 'x', scopes: ['read_repository'] };

/** Builders by `METHOD /path`: each makes what its request needs, as the administrator. `site` is where security keys belong. */
export async function auditedChanges(
  app: TestApp,
  admin: string,
  site: string,
): Promise<Readonly<Record<string, () => Promise<Change>>>> {
  async function made<T = { id: number }>(url: string, json: object, headers?: Record<string, string>): Promise<T> {
    const answer = await app.api<T>('POST', url, headers ? { headers, json } : { token: admin, json });
    if (answer.status !== 201) throw new Error(`POST ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  const make = async (method: 'POST' | 'PUT', url: string, json: object): Promise<{ id: number }> => {
    const answer = await app.api<{ id: number }>(method, url, { token: admin, json });
    if (answer.status > 299) throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  /** Somebody at a page. */
  async function visitor(admins = false) {
    const user = await buildUser(app, { password, admin: admins });
    const got = await app.request<{ csrf_token: string }>('POST', '/-/session', {
      json: { login: user.username, password },
    });
    const cookie = got.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    return { user, headers: { Cookie: cookie, 'X-CSRF-Token': got.body.csrf_token } };
  }
  async function withTotp() {
    const { user, headers } = await visitor();
    const { secret } = await made<{ secret: string }>('/user/two_factor/totp', { current_password: password }, headers);
    await made('/user/two_factor/totp/confirm', { code: codeOf(secret) }, headers);
    return { user, headers, json: { current_password: password } };
  }
  async function withKey() {
    const { headers } = await visitor();
    const started = await made<{ challenge: string; options: { challenge: string } }>(
      '/user/two_factor/security_keys/challenge',
      { current_password: password },
      headers,
    );
    const credential = createAuthenticator(site).register(started.options);
    return { headers, json: { challenge: started.challenge, name: 'key', credential } };
  }
  const user = () => buildUser(app);
  const project = async () => `/projects/${(await buildProject(app)).id}`;
  const group = async () => `/groups/${(await buildGroup(app)).id}`;
  const below = async (base: string, what: string, json: object) =>
    `${base}/${what}/${(await made(`${base}/${what}`, json)).id}`;
  const address = () => ({ email: `${unique('audited')}@example.com` });
  const sshKey = () => ({ title: 'x', key: sshKeyText() });
  const gpgKey = async () => ({ key: (await gpgKeyTexts(address().email)).publicKey });
  const userInState = async (...actions: string[]) => {
    const { id } = await user();
    for (const action of actions) await made(`/users/${id}/${action}`, {});
    return `/users/${id}`;
  };
  const waiting = async () => `/users/${(await buildUser(app, { state: 'blocked_pending_approval' })).id}`;
  const marked = async (base: string) => {
    const answer = await app.api('DELETE', base, { token: admin });
    if (answer.status !== 202) throw new Error(`DELETE ${base}: ${answer.status}`);
    return base;
  };
  const botToken = async (base: string) =>
    (await made<{ token: string }>(`${base}/access_tokens`, { ...accessToken, scopes: ['api', 'self_rotate'] })).token;

  /** The same below projects and groups. */
  const ofPlaces = (noun: 'project' | 'group', base: () => Promise<string>) => ({
    [`POST /${noun}s/:id/access_tokens`]: async () => ({
      url: `${await base()}/access_tokens`,
      json: accessToken,
      leaves: `${noun}_access_token_created`,
    }),
    [`DELETE /${noun}s/:id/access_tokens/:token_id`]: async () => ({
      url: await below(await base(), 'access_tokens', accessToken),
      leaves: `${noun}_access_token_revoked`,
    }),
    [`POST /${noun}s/:id/access_tokens/:token_id/rotate`]: async () => ({
      url: `${await below(await base(), 'access_tokens', accessToken)}/rotate`,
      leaves: `${noun}_access_token_rotated`,
    }),
    [`POST /${noun}s/:id/access_tokens/self/rotate`]: async () => {
      const place = await base();
      const token = await botToken(place);
      return { url: `${place}/access_tokens/self/rotate`, token, leaves: `${noun}_access_token_rotated` };
    },
    [`POST /${noun}s/:id/deploy_tokens`]: async () => ({
      url: `${await base()}/deploy_tokens`,
      json: deployToken,
      leaves: `${noun === 'group' ? 'group_' : ''}deploy_token_created`,
    }),
    [`DELETE /${noun}s/:id/deploy_tokens/:token_id`]: async () => ({
      url: await below(await base(), 'deploy_tokens', deployToken),
      leaves: `${noun === 'group' ? 'group_' : ''}deploy_token_destroyed`,
    }),
    [`PUT /${noun}s/:id`]: async () => ({
      url: await base(),
      json: { visibility: 'public' },
      leaves: `${noun}_visibility_updated`,
    }),
    [`DELETE /${noun}s/:id`]: async () => ({ url: await base(), leaves: `${noun}_marked_for_deletion` }),
    [`POST /${noun}s/:id/restore`]: async () => ({
      url: `${await marked(await base())}/restore`,
      leaves: `${noun}_restored`,
    }),
  });
  /** The same for oneself and, by administrators, for others. */
  const ofPeople = (base: () => Promise<string>, id: string) => ({
    [`POST ${id}/keys`]: async () => ({ url: `${await base()}/keys`, json: sshKey(), leaves: 'ssh_key_created' }),
    [`POST ${id}/gpg_keys`]: async () => ({
      url: `${await base()}/gpg_keys`,
      json: await gpgKey(),
      leaves: 'gpg_key_created',
    }),
    [`DELETE ${id}/gpg_keys/:key_id`]: async () => ({
      url: await below(await base(), 'gpg_keys', await gpgKey()),
      leaves: 'gpg_key_destroyed',
    }),
    [`POST ${id}/gpg_keys/:key_id/revoke`]: async () => ({
      url: `${await below(await base(), 'gpg_keys', await gpgKey())}/revoke`,
      leaves: 'gpg_key_revoked',
    }),
    [`POST ${id}/emails`]: async () => ({ url: `${await base()}/emails`, json: address(), leaves: 'email_created' }),
    [`DELETE ${id}/emails/:email_id`]: async () => ({
      url: await below(await base(), 'emails', address()),
      leaves: 'email_destroyed',
    }),
  });
  const { ofRules, ofProtections, ofReleases } = changesOfRepositories(app, admin);
  const someone = async () => `/users/${(await user()).id}`;
  const oneself = async () => '/user';
  const others = ofPeople(someone, '/users/:id');
  const moderated = (action: string, ...before: string[]) => ({
    [`POST /users/:id/${action}`]: async () => ({
      url: `${await userInState(...before)}/${action}`,
      leaves: `user_${action}`,
    }),
  });

  return {
    ...ofPlaces('project', project),
    ...ofPlaces('group', group),
    ...changesOfApplications('/applications', 'id', async () => '/applications', make),
    ...changesOfApplications('/user/applications', 'id', async () => '/user/applications', make),
    ...changesOfApplications(
      '/groups/:id/applications',
      'application_id',
      async () => `${await group()}/applications`,
      make,
    ),
    'DELETE /user/authorized_applications/:id': async () => {
      const { user: who, headers } = await visitor();
      const { id } = await made('/applications', registered);
      const grant = { grant_type: 'authorization_code' as const, scopes: ['read_user'] };
      const authorization = { ...grant, user_id: who.id, application_id: id };
      await app.db.insertInto('oauth_authorizations').values(authorization).execute();
      return { url: `/user/authorized_applications/${id}`, headers, leaves: 'oauth_authorization_revoked' };
    },
    'POST /deploy_keys': async () => ({ url: '/deploy_keys', json: sshKey(), leaves: 'deploy_key_created' }),
    'POST /projects/:id/deploy_keys': async () => ({
      url: `${await project()}/deploy_keys`,
      json: sshKey(),
      leaves: 'deploy_key_created',
    }),
    'PUT /projects/:id/deploy_keys/:key_id': async () => ({
      url: await below(await project(), 'deploy_keys', sshKey()),
      json: { title: 'other' },
      leaves: 'deploy_key_updated',
    }),
    'DELETE /projects/:id/deploy_keys/:key_id': async () => ({
      url: await below(await project(), 'deploy_keys', sshKey()),
      leaves: 'deploy_key_removed',
    }),
    'POST /projects/:id/deploy_keys/:key_id/enable': async () => {
      const { id } = await made('/deploy_keys', sshKey());
      return { url: `${await project()}/deploy_keys/${id}/enable`, leaves: 'deploy_key_enabled' };
    },
    'PUT /projects/:id/transfer': async () => ({
      url: `${await project()}/transfer`,
      json: { namespace: (await buildGroup(app)).id },
      leaves: 'project_transferred',
    }),
    'POST /projects/:id/housekeeping': async () => ({
      url: `/projects/${(await made('/projects', { name: unique('kept') })).id}/housekeeping`,
      leaves: 'project_housekeeping_started',
    }),
    'POST /projects/:id/fork': async () => {
      const name = unique('fork');
      const source = await made('/projects', { name: unique('source') });
      return { url: `/projects/${source.id}/fork`, json: { name, path: name }, leaves: 'project_created' };
    },
    ...changesOfForks(project, async () => (await buildProject(app)).id, make),
    ...changesOfPlace('project', project, make),
    ...changesOfPlace('group', group, make),
    ...changesOfServiceAccounts('project', project, make),
    ...changesOfProjectParts(project, make),
    ...changesOfWhatJobsUse(app, admin, project),
    ...changesOfVulnerabilities(app, admin, project),
    ...changesForOthers(
      async () => (await buildProject(app)).id,
      group,
      async () => (await user()).id,
    ),
    ...changesOfServiceAccounts('group', group, make),
    'POST /service_accounts': async () => ({ url: '/service_accounts', leaves: 'service_account_created' }),
    'PATCH /service_accounts/:id': async () => ({
      url: `/service_accounts/${(await make('POST', '/service_accounts', {})).id}`,
      json: { name: 'Other' },
      leaves: 'user_updated',
    }),
    ...changesOfMembers(app, make, visitor, password),
    'PUT /projects/:id/labels/:label_id/promote': async () => {
      const of = await buildProject(app, { namespace: await buildGroup(app) });
      const label = await make('POST', `/projects/${of.id}/labels`, { name: unique('label'), color: '#112233' });
      return { url: `/projects/${of.id}/labels/${label.id}/promote`, leaves: 'project_label_promoted' };
    },
    'POST /projects/:id/milestones/:milestone_id/promote': async () => {
      const of = await buildProject(app, { namespace: await buildGroup(app) });
      const milestone = await make('POST', `/projects/${of.id}/milestones`, { title: unique('milestone') });
      return { url: `/projects/${of.id}/milestones/${milestone.id}/promote`, leaves: 'project_milestone_promoted' };
    },
    'POST /groups/:id/archive': async () => ({ url: `${await group()}/archive`, leaves: 'group_archived' }),
    'POST /groups/:id/unarchive': async () => {
      const url = await group();
      await make('POST', `${url}/archive`, {});
      return { url: `${url}/unarchive`, leaves: 'group_unarchived' };
    },
    'POST /groups/:id/transfer': async () => ({
      url: `${await group()}/transfer`,
      json: { group_id: (await buildGroup(app)).id },
      leaves: 'group_transferred',
    }),
    ...ofReleases(),
    ...ofProtections('/projects/:id', project),
    ...ofProtections('/groups/:id', group),
    ...ofRules('/projects/:id', project),
    'PUT /projects/:id/security_settings': async () => ({
      url: `${await project()}/security_settings`,
      json: { secret_push_protection_enabled: true },
      leaves: 'project_security_setting_updated',
    }),
    ...ofRules('/groups/:id', group),
    ...ofRules('/admin', async () => '/admin'),
    'POST /projects': async () => ({ url: '/projects', json: { name: unique('audited') }, leaves: 'project_created' }),
    'POST /groups': async () => {
      const path = unique('audited');
      return { url: '/groups', json: { name: path, path }, leaves: 'group_created' };
    },
    'POST /projects/:id/archive': async () => ({
      url: `${await project()}/archive`,
      leaves: 'project_archived_updated',
    }),
    'POST /projects/:id/unarchive': async () => ({
      url: `/projects/${(await buildProject(app, { archived: true })).id}/unarchive`,
      leaves: 'project_archived_updated',
    }),
    'PATCH /projects/:id/job_token_scope': async () => ({
      url: `${await project()}/job_token_scope`,
      json: { enabled: false },
      leaves: 'job_token_scope_changed',
    }),
    'POST /projects/:id/job_token_scope/allowlist': async () => ({
      url: `${await project()}/job_token_scope/allowlist`,
      json: { target_project_id: (await buildProject(app)).id },
      leaves: 'job_token_scope_project_added',
    }),
    'DELETE /projects/:id/job_token_scope/allowlist/:target_project_id': async () => {
      const [base, target] = [`${await project()}/job_token_scope/allowlist`, (await buildProject(app)).id];
      await made(base, { target_project_id: target });
      return { url: `${base}/${target}`, leaves: 'job_token_scope_project_removed' };
    },
    'POST /projects/:id/job_token_scope/groups_allowlist': async () => ({
      url: `${await project()}/job_token_scope/groups_allowlist`,
      json: { target_group_id: (await buildGroup(app)).id },
      leaves: 'job_token_scope_group_added',
    }),
    'DELETE /projects/:id/job_token_scope/groups_allowlist/:target_group_id': async () => {
      const [base, target] = [`${await project()}/job_token_scope/groups_allowlist`, (await buildGroup(app)).id];
      await made(base, { target_group_id: target });
      return { url: `${base}/${target}`, leaves: 'job_token_scope_group_removed' };
    },

    ...ofPeople(oneself, '/user'),
    ...others,
    'POST /users/:user_id/keys': others['POST /users/:id/keys'] as () => Promise<Change>,
    'DELETE /user/keys/:key_id': async () => ({
      url: await below('/user', 'keys', sshKey()),
      leaves: 'ssh_key_destroyed',
    }),
    'DELETE /users/:user_id/keys/:key_id': async () => ({
      url: await below(await someone(), 'keys', sshKey()),
      leaves: 'ssh_key_destroyed',
    }),
    ...changesOfTopics((json) => made('/topics', json)),
    'POST /users': async () => {
      const username = unique('audited');
      const json = { username, name: username, email: `${username}@example.com`, password: 'nanosecond-wire-1952' };
      return { url: '/users', json, leaves: 'user_created' };
    },
    ...changesOfSystemHooks(make),
    ...changesOfAdministration(app, admin),
    'PUT /users/:id': async () => ({ url: await someone(), json: { admin: true }, leaves: 'user_updated' }),
    'DELETE /users/:id': async () => ({ url: await someone(), leaves: 'user_destroyed' }),
    'DELETE /users/:id/identities/:provider': async () => {
      const of = await someone();
      const identity = { provider: 'saml', extern_uid: unique('subject') };
      const answer = await app.api('PUT', of, { token: admin, json: identity });
      if (answer.status !== 200) throw new Error(`PUT ${of}: ${answer.status}`);
      return { url: `${of}/identities/saml`, leaves: 'user_identity_removed' };
    },
    'PUT /users/:id/custom_attributes/:key': async () => ({
      url: `${await someone()}/custom_attributes/place`,
      json: { value: 'here' },
      leaves: 'user_custom_attribute_updated',
    }),
    'DELETE /users/:id/custom_attributes/:key': async () => {
      const url = `${await someone()}/custom_attributes/place`;
      await app.api('PUT', url, { token: admin, json: { value: 'here' } });
      return { url, leaves: 'user_custom_attribute_destroyed' };
    },
    ...moderated('block'),
    ...moderated('unblock', 'block'),
    ...moderated('ban'),
    ...moderated('unban', 'ban'),
    ...moderated('deactivate'),
    ...moderated('activate', 'deactivate'),
    'POST /users/:id/approve': async () => ({ url: `${await waiting()}/approve`, leaves: 'user_approve' }),
    'POST /users/:id/reject': async () => ({ url: `${await waiting()}/reject`, leaves: 'user_destroyed' }),
    'PUT /user/avatar': async () => ({ url: '/user/avatar', json: { avatar: '' }, leaves: 'user_updated' }),
    'PUT /user/password': async () => ({
      url: '/user/password',
      headers: (await visitor()).headers,
      json: { current_password: password, password: 'nanosecond-wire-1952' },
      leaves: 'user_password_updated',
    }),
    'POST /user/personal_access_tokens': async () => ({
      url: '/user/personal_access_tokens',
      json: { name: 'x', scopes: ['k8s_proxy'] },
      leaves: 'personal_access_token_created',
    }),
    'POST /users/:user_id/personal_access_tokens': async () => ({
      url: `${await someone()}/personal_access_tokens`,
      json: accessToken,
      leaves: 'personal_access_token_created',
    }),
    'DELETE /personal_access_tokens/self': async () => ({
      url: '/personal_access_tokens/self',
      token: (await buildToken(app)).secret,
      leaves: 'personal_access_token_revoked',
    }),
    'POST /personal_access_tokens/self/rotate': async () => ({
      url: '/personal_access_tokens/self/rotate',
      token: (await buildToken(app)).secret,
      leaves: 'personal_access_token_rotated',
    }),
    'DELETE /personal_access_tokens/:id': async () => ({
      url: `/personal_access_tokens/${(await buildToken(app)).row.id}`,
      leaves: 'personal_access_token_revoked',
    }),
    'POST /personal_access_tokens/:id/rotate': async () => ({
      url: `/personal_access_tokens/${(await buildToken(app)).row.id}/rotate`,
      leaves: 'personal_access_token_rotated',
    }),
    'POST /users/:user_id/impersonation_tokens': async () => ({
      url: `${await someone()}/impersonation_tokens`,
      json: accessToken,
      leaves: 'impersonation_token_created',
    }),
    'DELETE /users/:user_id/impersonation_tokens/:impersonation_token_id': async () => ({
      url: await below(await someone(), 'impersonation_tokens', accessToken),
      leaves: 'impersonation_token_revoked',
    }),

    'DELETE /user/sessions': async () => {
      const { user: who, headers } = await visitor();
      await app.request('POST', '/-/session', { json: { login: who.username, password } });
      return { url: '/user/sessions', headers, leaves: 'user_signed_out_elsewhere' };
    },
    'DELETE /user/sessions/:session_id': async () => {
      const { headers } = await visitor();
      const { body } = await app.api<{ id: number }[]>('GET', '/user/sessions', { headers });
      return { url: `/user/sessions/${body[0]?.id}`, headers, leaves: 'user_session_ended' };
    },
    'POST /user/two_factor/totp/confirm': async () => {
      const { headers } = await visitor();
      const started = await made<{ secret: string }>('/user/two_factor/totp', { current_password: password }, headers);
      return {
        url: '/user/two_factor/totp/confirm',
        headers,
        json: { code: codeOf(started.secret) },
        leaves: 'user_totp_added',
      };
    },
    'DELETE /user/two_factor/totp': async () => ({
      ...(await withTotp()),
      url: '/user/two_factor/totp',
      leaves: 'user_totp_removed',
    }),
    'DELETE /user/two_factor': async () => ({
      ...(await withTotp()),
      url: '/user/two_factor',
      leaves: 'user_two_factor_disabled',
    }),
    'POST /user/two_factor/recovery_codes': async () => ({
      ...(await withTotp()),
      url: '/user/two_factor/recovery_codes',
      leaves: 'user_recovery_codes_created',
    }),
    'POST /user/two_factor/security_keys': async () => ({
      ...(await withKey()),
      url: '/user/two_factor/security_keys',
      leaves: 'user_security_key_added',
    }),
    'DELETE /user/two_factor/security_keys/:key_id': async () => {
      const { headers, json } = await withKey();
      const key = await made('/user/two_factor/security_keys', json, headers);
      return {
        url: `/user/two_factor/security_keys/${key.id}`,
        headers,
        json: { current_password: password },
        leaves: 'user_security_key_removed',
      };
    },
    'POST /users/:id/unlock': async () => {
      const { id } = await buildUser(app);
      const until = new Date(Date.now() + 60_000);
      await app.db.updateTable('users').set({ locked_until: until }).where('id', '=', id).execute();
      return { url: `/users/${id}/unlock`, headers: (await visitor(true)).headers, leaves: 'user_unlocked' };
    },
    'POST /users/:id/password_reset': async () => ({
      url: `${await someone()}/password_reset`,
      headers: (await visitor(true)).headers,
      leaves: 'user_password_reset_requested',
    }),
    'PATCH /users/:id/disable_two_factor': async () => ({
      url: `/users/${(await withTotp()).user.id}/disable_two_factor`,
      leaves: 'user_two_factor_disabled',
    }),

    'PUT /application/settings': async () => ({
      url: '/application/settings',
      json: { after_sign_up_text: unique('welcome') },
      leaves: 'application_setting_updated',
    }),
    'PUT /application/plan_limits': async () => ({
      ...{ url: '/application/plan_limits', json: { plan_name: 'default', ci_jobs_trace_size_limit: 99 } },
      leaves: 'application_setting_updated',
    }),
    'POST /features/:name': async () => ({
      url: '/features/api_redirect_moved_projects',
      json: { value: 'true' },
      leaves: 'feature_flag_updated',
    }),
    'DELETE /features/:name': async () => {
      await made('/features/api_redirect_moved_projects', { value: 'true' });
      return { url: '/features/api_redirect_moved_projects', leaves: 'feature_flag_reset' };
    },
  } satisfies Readonly<Record<string, () => Promise<Change>>>;
}

/** Sends a change and answers its status. The administrator's token unless it carries another credential. */
export async function sendChange(app: TestApp, admin: string, method: Method, change: Change): Promise<number> {
  const credential = change.headers ? { headers: change.headers } : { token: change.token ?? admin };
  const { json, form } = change;
  return (await app.api(method, change.url, { ...credential, json, ...(form ? { form } : {}) })).status;
}
