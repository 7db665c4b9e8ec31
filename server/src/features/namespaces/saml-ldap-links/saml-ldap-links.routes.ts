/** Routes of links between groups and groups of SAML and LDAP directories. They are kept here; sign-ins act on them. */
import Type from 'typebox';
import { entityOfPlace, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { Count, Entity, Id, ListOf, Nullable, Sometimes, Text } from '../../../kernel/http/entity.ts';
import { badRequest, forbidden, plainError, unprocessable } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { exactlyOneOf } from '../../../kernel/http/params/groups.ts';
import { IdOrPath, Int, Optional, OrNull, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { checkTerms, refuseCustomRole, roleOf } from '../members/rules.ts';
import {
  countLinks,
  deleteLink,
  findLdapLink,
  findSamlLinks,
  insertLdapLink,
  insertSamlLink,
  type LdapGroupLink,
  type LdapLinkName,
  listLdapLinks,
  listSamlLinks,
  type SamlGroupLink,
} from './saml-ldap-links.queries.ts';

const SamlGroupLinkEntity = Entity('SamlGroupLink', {
  name: Text({ description: 'Name of the group in the directory' }),
  access_level: Count(),
  provider: Sometimes(Text({ description: 'Provider that the link is about; left out for any' })),
});
const LdapGroupLinkEntity = Entity('LdapGroupLink', {
  cn: Nullable(Text()),
  group_access: Count(),
  provider: Text(),
  filter: Nullable(Text()),
  member_role_id: Nullable(Id({ description: "Always null: there are no roles of one's own" })),
});

const samlJson = ({ name, access_level, provider }: SamlGroupLink) => ({
  name,
  access_level,
  ...(provider === null ? {} : { provider }),
});
const ldapJson = ({ cn, filter, access_level, provider }: LdapGroupLink) => ({
  cn,
  group_access: access_level,
  provider,
  filter,
  member_role_id: null,
});

const id = IdOrPath('Group');
const role = 'Role: 5 minimal access, 10 guest, 15 planner, 20 reporter, 30 developer, 40 maintainer, 50 owner';
const text = (description: string) => Str({ minLength: 1, maxLength: 255, description });
const memberRole = Optional(OrNull(Int({ description: "There are no roles of one's own: refused unless left out" })));
const never = 'A link is there or not: it never changes.';
const ldapNames = {
  cn: Optional(text('Common name of the LDAP group')),
  filter: Optional(Str({ minLength: 1, maxLength: 8192, description: 'LDAP filter instead of a common name' })),
};

interface Change {
  readonly subject: GroupSubject;
  readonly caller: Caller;
  readonly clientAddress: string;
}

export function samlLdapLinkRoutes({ db, settings }: Pick<NamespacesDependencies, 'db' | 'settings'>): Route[] {
  const record = (tx: Db, context: Change, event: string, name: string, details: Readonly<Record<string, unknown>>) =>
    recordAudit(tx, {
      ...originOf(context),
      entity: entityOfPlace(context.subject),
      event,
      details,
      target: { type: 'GroupLink', id: null, details: name },
    });

  /** The one link that the name and perhaps the provider stand for. */
  async function theSamlLink(groupId: number, name: string, provider: string | undefined): Promise<SamlGroupLink> {
    const found = await findSamlLinks(db, groupId, name, provider);
    const [first] = found;
    if (!first) throw plainError(404, '404 SAML Group Link Not Found');
    if (found.length > 1)
      throw unprocessable(`Multiple SAML group links have the name ${name}: provider is needed to tell them apart.`);
    return first;
  }

  /** An instance may keep links to LDAP groups to its administrators. */
  async function requireLdapManager(caller: Caller): Promise<void> {
    if (!caller.admin && !(await settings.read()).allow_group_owners_to_manage_ldap) throw forbidden();
  }

  async function removeLdap(context: Change, name: LdapLinkName): Promise<void> {
    await requireLdapManager(context.caller);
    await transaction(db, async (tx) => {
      const link = await findLdapLink(tx, context.subject.group.id, name);
      if (!link || !(await deleteLink(tx, 'ldap_group_links', link.id)))
        throw plainError(404, 'Linked LDAP group not found');
      await record(tx, context, 'ldap_group_link_removed', link.cn ?? link.filter ?? '', { provider: link.provider });
    });
  }

  const saml = {
    credentials: ['token', 'session'],
    tag: 'Groups',
    access: { on: 'group', ability: 'admin_saml_group_link' },
  } as const;
  const named = {
    id,
    saml_group_name: text('Name of the SAML group'),
    provider: Optional(text('Needed where several links have the name')),
  };
  const ldap = {
    credentials: ['token', 'session'],
    tag: 'Groups',
    access: { on: 'group', ability: 'admin_ldap_group_link' },
  } as const;

  return [
    route({
      ...saml,
      method: 'GET',
      path: '/groups/:id/saml_group_links',
      summary: 'List SAML group links of a group',
      params: Type.Object({ id }),
      pagination: 'offset',
      responses: { 200: ListOf(SamlGroupLinkEntity) },
      handler: async ({ subject, page }) => {
        const rows = await listSamlLinks(db, subject.group.id, page);
        return mapPage(offsetPage(page, rows, await countLinks(db, 'saml_group_links', subject.group.id)), samlJson);
      },
    }),
    route({
      ...saml,
      method: 'GET',
      path: '/groups/:id/saml_group_links/:saml_group_name',
      summary: 'Get a SAML group link of a group',
      params: Type.Object(named),
      responses: { 200: SamlGroupLinkEntity },
      errors: [422],
      handler: async ({ subject, params }) =>
        samlJson(await theSamlLink(subject.group.id, params.saml_group_name, params.provider)),
    }),
    route({
      ...saml,
      method: 'POST',
      path: '/groups/:id/saml_group_links',
      summary: 'Create a SAML group link',
      params: Type.Object({
        id,
        saml_group_name: text('Name of the SAML group'),
        access_level: Int({ description: role }),
        provider: Optional(OrNull(text('Only for sign-ins with this provider'))),
        member_role_id: memberRole,
      }),
      responses: { 201: SamlGroupLinkEntity },
      handler: async (context) => {
        const { params, subject } = context;
        refuseCustomRole(params.member_role_id);
        checkTerms(subject, params.access_level, null);
        return await transaction(db, async (tx) => {
          const link = await insertSamlLink(tx, {
            namespace_id: subject.group.id,
            name: params.saml_group_name,
            access_level: params.access_level,
            provider: params.provider ?? null,
          });
          if (!link) throw badRequest('SAML group name has already been taken');
          await record(tx, context, 'saml_group_link_created', link.name, {
            as: roleOf(link.access_level),
            provider: link.provider,
          });
          return samlJson(link);
        });
      },
    }),
    route({
      ...saml,
      method: 'DELETE',
      path: '/groups/:id/saml_group_links/:saml_group_name',
      summary: 'Delete a SAML group link',
      params: Type.Object(named),
      responses: { 204: Empty },
      conditional: never,
      errors: [422],
      handler: async (context) => {
        const { params, subject } = context;
        const link = await theSamlLink(subject.group.id, params.saml_group_name, params.provider);
        await transaction(db, async (tx) => {
          if (!(await deleteLink(tx, 'saml_group_links', link.id)))
            throw plainError(404, '404 SAML Group Link Not Found');
          await record(tx, context, 'saml_group_link_removed', link.name, { provider: link.provider });
        });
      },
    }),
    route({
      ...ldap,
      method: 'GET',
      path: '/groups/:id/ldap_group_links',
      summary: 'List LDAP group links of a group',
      params: Type.Object({ id }),
      pagination: 'offset',
      responses: { 200: ListOf(LdapGroupLinkEntity) },
      handler: async ({ subject, caller, page }) => {
        await requireLdapManager(caller);
        const total = await countLinks(db, 'ldap_group_links', subject.group.id);
        // What the ecosystem answers, and clients look for.
        if (total === 0) throw plainError(404, 'No linked LDAP groups found');
        return mapPage(offsetPage(page, await listLdapLinks(db, subject.group.id, page), total), ldapJson);
      },
    }),
    route({
      ...ldap,
      method: 'POST',
      path: '/groups/:id/ldap_group_links',
      summary: 'Create an LDAP group link',
      params: Type.Object(
        {
          id,
          ...ldapNames,
          group_access: Int({ description: role }),
          provider: text('Name of the LDAP server'),
          member_role_id: memberRole,
        },
        rules(exactlyOneOf('cn', 'filter')),
      ),
      responses: { 201: LdapGroupLinkEntity },
      errors: [409],
      handler: async (context) => {
        const { params, subject } = context;
        await requireLdapManager(context.caller);
        refuseCustomRole(params.member_role_id);
        checkTerms(subject, params.group_access, null, 'group_access');
        return await transaction(db, async (tx) => {
          const link = await insertLdapLink(tx, {
            namespace_id: subject.group.id,
            cn: params.cn ?? null,
            filter: params.filter ?? null,
            access_level: params.group_access,
            provider: params.provider,
          });
          if (!link) throw plainError(409, `${params.cn ? 'Cn' : 'Filter'} has already been taken`);
          await record(tx, context, 'ldap_group_link_created', link.cn ?? link.filter ?? '', {
            as: roleOf(link.access_level),
            provider: link.provider,
          });
          return ldapJson(link);
        });
      },
    }),
    route({
      ...ldap,
      method: 'DELETE',
      path: '/groups/:id/ldap_group_links',
      summary: 'Delete an LDAP group link',
      params: Type.Object(
        { id, ...ldapNames, provider: text('Name of the LDAP server') },
        rules(exactlyOneOf('cn', 'filter')),
      ),
      responses: { 204: Empty },
      conditional: never,
      handler: (context) => {
        const { cn, filter, provider } = context.params;
        return removeLdap(context, { cn, filter, provider });
      },
    }),
    route({
      ...ldap,
      method: 'DELETE',
      path: '/groups/:id/ldap_group_links/:cn',
      summary: 'Delete an LDAP group link, whichever server it is on',
      params: Type.Object({ id, cn: text('Common name of the LDAP group') }),
      responses: { 204: Empty },
      conditional: never,
      deprecated: true,
      handler: (context) => removeLdap(context, { cn: context.params.cn }),
    }),
    route({
      ...ldap,
      method: 'DELETE',
      path: '/groups/:id/ldap_group_links/:provider/:cn',
      summary: 'Delete an LDAP group link of a server',
      params: Type.Object({ id, provider: text('Name of the LDAP server'), cn: text('Common name of the LDAP group') }),
      responses: { 204: Empty },
      conditional: never,
      deprecated: true,
      handler: (context) => removeLdap(context, { cn: context.params.cn, provider: context.params.provider }),
    }),
  ];
}
