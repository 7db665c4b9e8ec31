/** Links of a group to groups of SAML and LDAP directories, told alike. */
import { ApiError, client, type Schemas, unwrap, unwrapAll } from './api.ts';

export interface SamlLdapLink {
  readonly key: string;
  readonly name: string;
  readonly level: number;
  /** Provider or server; null for any. */
  readonly provider: string | null;
  /** Whether the name is a filter. */
  readonly filter: boolean;
}

export interface DirectorySource {
  readonly key: readonly string[];
  list(): Promise<SamlLdapLink[]>;
  add(link: Omit<SamlLdapLink, 'key'>): Promise<unknown>;
  remove(link: SamlLdapLink): Promise<unknown>;
}

const query = { per_page: 100 };

export function samlLinks(id: string): DirectorySource {
  const link = ({ name, access_level, provider }: Schemas['SamlGroupLink']): SamlLdapLink => ({
    key: `${provider ?? ''} ${name}`,
    name,
    level: access_level,
    provider: provider ?? null,
    filter: false,
  });
  return {
    key: ['group', id, 'saml-links'],
    list: async () =>
      (await unwrapAll(client.GET('/groups/{id}/saml_group_links', { params: { path: { id }, query } }))).map(link),
    add: ({ name, level, provider }) =>
      unwrap(
        client.POST('/groups/{id}/saml_group_links', {
          params: { path: { id } },
          body: { saml_group_name: name, access_level: level, ...(provider ? { provider } : {}) },
        }),
      ),
    remove: ({ name, provider }) =>
      unwrap(
        client.DELETE('/groups/{id}/saml_group_links/{saml_group_name}', {
          params: { path: { id, saml_group_name: name }, ...(provider ? { query: { provider } } : {}) },
        }),
      ),
  };
}

export function ldapLinks(id: string): DirectorySource {
  const link = ({ cn, filter, group_access, provider }: Schemas['LdapGroupLink']): SamlLdapLink => ({
    key: `${provider} ${cn ?? ''} ${filter ?? ''}`,
    name: cn ?? filter ?? '',
    level: group_access,
    provider,
    filter: cn === null,
  });
  const named = (name: string, filter: boolean) => (filter ? { filter: name } : { cn: name });
  return {
    key: ['group', id, 'ldap-links'],
    list: async () => {
      try {
        return (await unwrapAll(client.GET('/groups/{id}/ldap_group_links', { params: { path: { id }, query } }))).map(
          link,
        );
      } catch (failure) {
        // None is no fault here; that the group is there is known from its page.
        if (failure instanceof ApiError && failure.status === 404) return [];
        throw failure;
      }
    },
    add: ({ name, level, provider, filter }) =>
      unwrap(
        client.POST('/groups/{id}/ldap_group_links', {
          params: { path: { id } },
          body: { ...named(name, filter), group_access: level, provider: provider ?? '' },
        }),
      ),
    remove: ({ name, provider, filter }) =>
      unwrap(
        client.DELETE('/groups/{id}/ldap_group_links', {
          params: { path: { id }, query: { ...named(name, filter), provider: provider ?? '' } },
        }),
      ),
  };
}
