/** Integrations of a project, a group and the instance: the same questions of all three. */
import { queryOptions } from '@tanstack/react-query';
import { ApiError, client, type Schemas, unwrap } from './api.ts';

export type IntegrationKind = Schemas['IntegrationDefinition'];
export type Integration = Schemas['Integration'];
export type IntegrationBody = Record<string, string | number | boolean | string[] | null>;

export interface IntegrationPlace {
  readonly noun: 'project' | 'group' | 'instance';
  readonly key: readonly string[];
  list(): Promise<readonly Schemas['IntegrationBasic'][]>;
  read(slug: string): Promise<Integration>;
  save(slug: string, body: IntegrationBody): Promise<unknown>;
  disable(slug: string): Promise<unknown>;
  /** Sends an example; only in projects. */
  test?(slug: string): Promise<{ message: string }>;
}

export const projectIntegrations = (id: string): IntegrationPlace => {
  const path = (slug: string) => ({ params: { path: { id, slug } } });
  return {
    noun: 'project',
    key: ['project', id, 'integrations'],
    list: () => unwrap(client.GET('/projects/{id}/integrations', { params: { path: { id } } })),
    read: (slug) => unwrap(client.GET('/projects/{id}/integrations/{slug}', path(slug))),
    save: (slug, body) =>
      unwrap(client.PUT('/projects/{id}/integrations/{slug}', { ...path(slug), body: body as object })),
    disable: (slug) => unwrap(client.DELETE('/projects/{id}/integrations/{slug}', path(slug))),
    test: (slug) => unwrap(client.POST('/projects/{id}/integrations/{slug}/test', path(slug))),
  };
};

export const groupIntegrations = (id: string): IntegrationPlace => {
  const path = (slug: string) => ({ params: { path: { id, slug } } });
  return {
    noun: 'group',
    key: ['group', id, 'integrations'],
    list: () => unwrap(client.GET('/groups/{id}/integrations', { params: { path: { id } } })),
    read: (slug) => unwrap(client.GET('/groups/{id}/integrations/{slug}', path(slug))),
    save: (slug, body) =>
      unwrap(client.PUT('/groups/{id}/integrations/{slug}', { ...path(slug), body: body as object })),
    disable: (slug) => unwrap(client.DELETE('/groups/{id}/integrations/{slug}', path(slug))),
  };
};

export const instanceIntegrations: IntegrationPlace = {
  noun: 'instance',
  key: ['integrations'],
  list: () => unwrap(client.GET('/admin/integrations')),
  read: (slug) => unwrap(client.GET('/admin/integrations/{slug}', { params: { path: { slug } } })),
  save: (slug, body) =>
    unwrap(client.PUT('/admin/integrations/{slug}', { params: { path: { slug } }, body: body as object })),
  disable: (slug) => unwrap(client.DELETE('/admin/integrations/{slug}', { params: { path: { slug } } })),
};

export const integrationKinds = () =>
  queryOptions({
    queryKey: ['integration-kinds'],
    queryFn: () => unwrap(client.GET('/integrations')),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const integrationsOf = (place: IntegrationPlace) =>
  queryOptions({ queryKey: [...place.key, 'list'], queryFn: () => place.list() });

/** Null where neither the place nor anything above it has settings. */
export const integrationOf = (place: IntegrationPlace, slug: string) =>
  queryOptions({
    queryKey: [...place.key, slug],
    queryFn: async () => {
      try {
        return await place.read(slug);
      } catch (failure) {
        if (failure instanceof ApiError && failure.status === 404) return null;
        throw failure;
      }
    },
  });
