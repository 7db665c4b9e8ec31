/** Protected branches and tags of a project, and who may be named in them. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll } from './api.ts';
import { deployKeysOf } from './deploy-keys.ts';

export type ProtectedBranch = Schemas['ProtectedBranch'];
export type ProtectedTag = Schemas['ProtectedTag'];
export type Access = Schemas['ProtectedRefAccess'];

const all = { per_page: 100 };

type NewRule = Schemas['PostGroupsByIdProtectedBranchesBody'];
type ChangedRule = Schemas['PatchGroupsByIdProtectedBranchesByNameBody'];

/** A project or top-level group that protects branches: the same questions of both. */
export interface ProtectionPlace {
  readonly noun: 'project' | 'group';
  readonly key: readonly string[];
  /** The project whose people, groups and deploy keys may be named; null where rules name roles only. */
  readonly project: string | null;
  list(): Promise<ProtectedBranch[]>;
  create(rule: NewRule): Promise<unknown>;
  change(name: string, rule: ChangedRule): Promise<unknown>;
  remove(name: string): Promise<unknown>;
}

export const projectBranches = (id: string): ProtectionPlace => {
  const path = { id };
  return {
    noun: 'project',
    key: ['project', id, 'protected-branches'],
    project: id,
    list: () => unwrapAll(client.GET('/projects/{id}/protected_branches', { params: { path, query: all } })),
    create: (body) => unwrap(client.POST('/projects/{id}/protected_branches', { params: { path }, body })),
    change: (name, body) =>
      unwrap(client.PATCH('/projects/{id}/protected_branches/{name}', { params: { path: { id, name } }, body })),
    remove: (name) =>
      unwrap(client.DELETE('/projects/{id}/protected_branches/{name}', { params: { path: { id, name } } })),
  };
};

export const groupBranches = (id: string): ProtectionPlace => {
  const path = { id };
  return {
    noun: 'group',
    key: ['group', id, 'protected-branches'],
    project: null,
    list: () => unwrapAll(client.GET('/groups/{id}/protected_branches', { params: { path, query: all } })),
    create: (body) => unwrap(client.POST('/groups/{id}/protected_branches', { params: { path }, body })),
    change: (name, body) =>
      unwrap(client.PATCH('/groups/{id}/protected_branches/{name}', { params: { path: { id, name } }, body })),
    remove: (name) =>
      unwrap(client.DELETE('/groups/{id}/protected_branches/{name}', { params: { path: { id, name } } })),
  };
};

export const protectedBranches = (place: ProtectionPlace) =>
  queryOptions({ queryKey: place.key, queryFn: () => place.list() });

export const protectedTags = (path: string) =>
  queryOptions({
    queryKey: ['project', path, 'protected-tags'],
    queryFn: () =>
      unwrapAll(client.GET('/projects/{id}/protected_tags', { params: { path: { id: path }, query: all } })),
  });

/** Members of a project or group whose name or username has the text. */
export const membersCalled = (path: string, text: string, kind: 'project' | 'group' = 'project') =>
  queryOptions({
    queryKey: [kind, path, 'members-called', text],
    queryFn: () =>
      unwrap(
        client.GET(kind === 'project' ? '/projects/{id}/members/all' : '/groups/{id}/members/all', {
          params: { path: { id: path }, query: { per_page: 20, ...(text ? { query: text } : {}) } },
        }),
      ),
  });

/** Groups above the project and those invited to it. */
export const groupsWithAccess = (path: string) =>
  queryOptions({
    queryKey: ['project', path, 'groups-with-access'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/groups', { params: { path: { id: path }, query: { ...all, with_shared: true } } }),
      ),
  });

export const writeKeys = (path: string) => ({
  ...deployKeysOf(path),
  select: (keys: Schemas['DeployKeyOfProject'][]) => keys.filter((key) => key.can_push),
});
