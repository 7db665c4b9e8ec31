/** Changes of who belongs where and of one's own account: members, requests, invitations, shares, links to directories. */
import { Level } from '../src/kernel/authz/levels.ts';
import type { Namespace, Project } from '../src/kernel/db/rows.ts';
import { tokenHash } from '../src/kernel/secrets/index.ts';
import type { TestApp } from './app.ts';
import type { Change } from './audited.ts';
import { buildGroup, buildMember, buildProject, buildToken, buildUser, unique } from './factories.ts';

type Changes = Record<string, () => Promise<Change>>;
type Noun = 'project' | 'group';
/** Asks for something as an administrator. */
type Make = (method: 'POST' | 'PUT', url: string, json: object) => Promise<unknown>;

/** The same below projects and groups. */
function changesBelow(app: TestApp, noun: Noun, make: Make): Changes {
  const path = `/${noun}s/:id`;
  const place = (): Promise<Project | Namespace> =>
    noun === 'project' ? buildProject(app, { visibility: 'public' }) : buildGroup(app, { visibility: 'public' });
  const base = async () => `/${noun}s/${(await place()).id}`;
  const member = async () => {
    const of = await place();
    return `/${noun}s/${of.id}/members/${(await buildMember(app, { of, level: Level.developer })).user.id}`;
  };
  /** A request for access that somebody made. */
  const requested = async () => {
    const [url, { user, secret }] = [`${await base()}/access_requests`, await buildToken(app)];
    const { status } = await app.api('POST', url, { token: secret });
    if (status !== 201) throw new Error(`POST ${url}: ${status}`);
    return `${url}/${user.id}`;
  };
  const invitation = () => ({ email: `${unique('invited')}@example.com`, access_level: Level.developer });
  const invited = async () => {
    const [url, json] = [`${await base()}/invitations`, invitation()];
    await make('POST', url, json);
    return `${url}/${encodeURIComponent(json.email)}`;
  };
  const share = async () => ({ group_id: (await buildGroup(app)).id, group_access: Level.reporter });
  return {
    [`POST ${path}/members`]: async () => ({
      url: `${await base()}/members`,
      json: { user_id: (await buildUser(app)).id, access_level: Level.developer },
      leaves: 'member_created',
    }),
    [`PUT ${path}/members/:user_id`]: async () => ({
      url: await member(),
      json: { access_level: Level.maintainer },
      leaves: 'member_updated',
    }),
    [`DELETE ${path}/members/:user_id`]: async () => ({ url: await member(), leaves: 'member_destroyed' }),
    [`POST ${path}/access_requests`]: async () => ({
      url: `${await base()}/access_requests`,
      token: (await buildToken(app)).secret,
      leaves: 'access_requested',
    }),
    [`PUT ${path}/access_requests/:user_id/approve`]: async () => ({
      url: `${await requested()}/approve`,
      leaves: 'member_created',
    }),
    [`DELETE ${path}/access_requests/:user_id`]: async () => ({
      url: await requested(),
      leaves: 'access_request_denied',
    }),
    [`POST ${path}/invitations`]: async () => ({
      url: `${await base()}/invitations`,
      json: invitation(),
      leaves: 'member_invited',
    }),
    [`PUT ${path}/invitations/:email`]: async () => ({
      url: await invited(),
      json: { access_level: Level.reporter },
      leaves: 'member_invitation_updated',
    }),
    [`DELETE ${path}/invitations/:email`]: async () => ({ url: await invited(), leaves: 'member_invitation_removed' }),
    [`POST ${path}/share`]: async () => ({
      url: `${await base()}/share`,
      json: await share(),
      leaves: `${noun}_share_created`,
    }),
    [`DELETE ${path}/share/:group_id`]: async () => {
      const [url, json] = [`${await base()}/share`, await share()];
      await make('POST', url, json);
      return { url: `${url}/${json.group_id}`, leaves: `${noun}_share_removed` };
    },
  };
}

/** Who takes part in a top-level group, and who waits. */
function changesOfSeats(app: TestApp): Changes {
  const member = async (state: 'active' | 'awaiting') => {
    const of = await buildGroup(app);
    const { user, grant } = await buildMember(app, { of, level: Level.developer });
    await app.db.updateTable('grants').set({ state }).where('id', '=', grant.id).execute();
    return { base: `/groups/${of.id}`, user, grant };
  };
  return {
    'PUT /groups/:id/members/:member_id/approve': async () => {
      const { base, grant } = await member('awaiting');
      return { url: `${base}/members/${grant.id}/approve`, leaves: 'member_updated' };
    },
    'POST /groups/:id/members/approve_all': async () => ({
      url: `${(await member('awaiting')).base}/members/approve_all`,
      leaves: 'member_updated',
    }),
    'PUT /groups/:id/members/:user_id/state': async () => {
      const { base, user } = await member('active');
      return { url: `${base}/members/${user.id}/state`, json: { state: 'awaiting' }, leaves: 'member_updated' };
    },
    'DELETE /groups/:id/billable_members/:user_id': async () => {
      const { base, user } = await member('active');
      return { url: `${base}/billable_members/${user.id}`, leaves: 'member_destroyed' };
    },
  };
}

/** What those do who got an invitation by mail. */
function changesByLink(app: TestApp): Changes {
  const link = async () => {
    const invitation_token = unique('link-in-a-mail');
    const values = { email: `${unique('invited')}@example.com`, level: Level.developer };
    await app.db
      .insertInto('member_invitations')
      .values({ ...values, namespace_id: (await buildGroup(app)).id, token_sha256: tokenHash(invitation_token) })
      .execute();
    return { json: { invitation_token }, token: (await buildToken(app)).secret };
  };
  return {
    'POST /invitations/accept': async () => ({
      ...(await link()),
      url: '/invitations/accept',
      leaves: 'member_invitation_accepted',
    }),
    'POST /invitations/decline': async () => ({
      ...(await link()),
      url: '/invitations/decline',
      leaves: 'member_invitation_declined',
    }),
  };
}

/** Links of groups to those of directories. */
function changesOfDirectoryLinks(app: TestApp, make: Make): Changes {
  const saml = { saml_group_name: 'team', access_level: Level.developer };
  const ldap = { cn: 'team', provider: 'ldapmain', group_access: Level.developer };
  const base = async (what: 'saml' | 'ldap') => `/groups/${(await buildGroup(app)).id}/${what}_group_links`;
  const linked = async (what: 'saml' | 'ldap') => {
    const url = await base(what);
    await make('POST', url, what === 'saml' ? saml : ldap);
    return url;
  };
  return {
    'POST /groups/:id/saml_group_links': async () => ({
      url: await base('saml'),
      json: saml,
      leaves: 'saml_group_link_created',
    }),
    'DELETE /groups/:id/saml_group_links/:saml_group_name': async () => ({
      url: `${await linked('saml')}/team`,
      leaves: 'saml_group_link_removed',
    }),
    'POST /groups/:id/ldap_group_links': async () => ({
      url: await base('ldap'),
      json: ldap,
      leaves: 'ldap_group_link_created',
    }),
    'DELETE /groups/:id/ldap_group_links': async () => ({
      url: await linked('ldap'),
      json: { cn: ldap.cn, provider: ldap.provider },
      leaves: 'ldap_group_link_removed',
    }),
    'DELETE /groups/:id/ldap_group_links/:cn': async () => ({
      url: `${await linked('ldap')}/team`,
      leaves: 'ldap_group_link_removed',
    }),
    'DELETE /groups/:id/ldap_group_links/:provider/:cn': async () => ({
      url: `${await linked('ldap')}/ldapmain/team`,
      leaves: 'ldap_group_link_removed',
    }),
  };
}

/** One's own account, as somebody at a page who signed in with `password`. */
function changesOfOneself(visitor: () => Promise<Pick<Change, 'headers'>>, password: string): Changes {
  const headers = async () => ({ headers: (await visitor()).headers ?? {} });
  return {
    'PUT /user': async () => ({
      ...(await headers()),
      url: '/user',
      json: { username: unique('renamed'), current_password: password },
      leaves: 'user_updated',
    }),
    'DELETE /user': async () => ({
      ...(await headers()),
      url: '/user',
      json: { current_password: password },
      leaves: 'user_destroyed',
    }),
    'POST /user/feed_token': async () => ({
      ...(await headers()),
      url: '/user/feed_token',
      leaves: 'user_feed_token_reset',
    }),
  };
}

export const changesOfMembers = (
  app: TestApp,
  make: Make,
  visitor: () => Promise<Pick<Change, 'headers'>>,
  password: string,
): Changes => ({
  ...changesBelow(app, 'project', make),
  'POST /projects/:id/import_project_members/:project_id': async () => {
    const [source, target] = [await buildProject(app), await buildProject(app)];
    await buildMember(app, { of: source, level: Level.developer });
    return { url: `/projects/${target.id}/import_project_members/${source.id}`, leaves: 'member_created' };
  },
  ...changesBelow(app, 'group', make),
  ...changesOfSeats(app),
  ...changesByLink(app),
  ...changesOfDirectoryLinks(app, make),
  ...changesOfOneself(visitor, password),
});
