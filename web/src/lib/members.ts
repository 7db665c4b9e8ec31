/** Members of a project or group, and who waits to be one: the same questions of both. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiError, client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';
import type { MemberFilter } from './member-filter.ts';

export type Member = Schemas['Member'];

interface MemberPage {
  readonly items: Member[];
  readonly nextPage: number | null;
  readonly total: number | null;
}

export interface MemberSource {
  readonly noun: 'project' | 'group';
  readonly key: readonly string[];
  list(filter: MemberFilter, page: number): Promise<MemberPage>;
  add(body: { username: string; access_level: number; expires_at: string | null }): Promise<unknown>;
  invite(body: { email: string; access_level: number; expires_at: string | null }): Promise<Schemas['InvitationsSent']>;
  change(user: number, body: { access_level: number; expires_at?: string | null }): Promise<unknown>;
  remove(user: number): Promise<unknown>;
  requests(): Promise<Schemas['AccessRequester'][]>;
  approve(user: number): Promise<unknown>;
  deny(user: number): Promise<unknown>;
  invitations(): Promise<Schemas['Invitation'][]>;
  takeBack(email: string): Promise<unknown>;
  changeInvitation(email: string, body: { access_level?: number; expires_at?: string | null }): Promise<unknown>;
  share(body: { group_id: number; group_access: number; expires_at: string | null }): Promise<unknown>;
  unshare(group: number): Promise<unknown>;
}

const query = { per_page: 100 };
const listed = ({ search, level, source, expires, two_factor, sort }: MemberFilter, page: number) => ({
  page,
  per_page: 50,
  with_source: true,
  sort: sort ?? ('name_asc' as const),
  ...(search ? { query: search } : {}),
  ...(level === undefined ? {} : { access_level: level }),
  ...(source === undefined ? {} : { source }),
  ...(expires === undefined ? {} : { expires }),
  ...(two_factor === undefined ? {} : { two_factor }),
});

export const projectMembers = (id: string): MemberSource => {
  const path = { id };
  const person = (user_id: number) => ({ params: { path: { id, user_id } } });
  return {
    noun: 'project',
    key: ['project', id, 'members'],
    list: (filter, page) =>
      unwrapPage(client.GET('/projects/{id}/members/all', { params: { path, query: listed(filter, page) } })),
    add: (body) => unwrap(client.POST('/projects/{id}/members', { params: { path }, body })),
    invite: (body) =>
      unwrap(client.POST('/projects/{id}/invitations', { params: { path }, body: { ...body, email: [body.email] } })),
    change: (user, body) => unwrap(client.PUT('/projects/{id}/members/{user_id}', { ...person(user), body })),
    remove: (user) => unwrap(client.DELETE('/projects/{id}/members/{user_id}', person(user))),
    requests: () => unwrapAll(client.GET('/projects/{id}/access_requests', { params: { path, query } })),
    approve: (user) =>
      unwrap(client.PUT('/projects/{id}/access_requests/{user_id}/approve', { ...person(user), body: {} })),
    deny: (user) => unwrap(client.DELETE('/projects/{id}/access_requests/{user_id}', person(user))),
    invitations: () => unwrapAll(client.GET('/projects/{id}/invitations', { params: { path, query } })),
    takeBack: (email) =>
      unwrap(client.DELETE('/projects/{id}/invitations/{email}', { params: { path: { id, email } } })),
    changeInvitation: (email, body) =>
      unwrap(client.PUT('/projects/{id}/invitations/{email}', { params: { path: { id, email } }, body })),
    share: (body) => unwrap(client.POST('/projects/{id}/share', { params: { path }, body })),
    unshare: (group_id) =>
      unwrap(client.DELETE('/projects/{id}/share/{group_id}', { params: { path: { id, group_id } } })),
  };
};

/** Members of a group, those of the groups above included, whose names are like a text. */
export const groupMembersCalled = (id: string, text: string) =>
  queryOptions({
    queryKey: ['group', id, 'members-called', text],
    queryFn: () =>
      unwrap(
        client.GET('/groups/{id}/members/all', {
          params: { path: { id }, query: { per_page: 100, ...(text ? { query: text } : {}) } },
        }),
      ),
  });

export const groupMembers = (id: string): MemberSource => {
  const path = { id };
  const person = (user_id: number) => ({ params: { path: { id, user_id } } });
  return {
    noun: 'group',
    key: ['group', id, 'members'],
    list: (filter, page) =>
      unwrapPage(client.GET('/groups/{id}/members/all', { params: { path, query: listed(filter, page) } })),
    add: (body) => unwrap(client.POST('/groups/{id}/members', { params: { path }, body })),
    invite: (body) =>
      unwrap(client.POST('/groups/{id}/invitations', { params: { path }, body: { ...body, email: [body.email] } })),
    change: (user, body) => unwrap(client.PUT('/groups/{id}/members/{user_id}', { ...person(user), body })),
    remove: (user) => unwrap(client.DELETE('/groups/{id}/members/{user_id}', person(user))),
    requests: () => unwrapAll(client.GET('/groups/{id}/access_requests', { params: { path, query } })),
    approve: (user) =>
      unwrap(client.PUT('/groups/{id}/access_requests/{user_id}/approve', { ...person(user), body: {} })),
    deny: (user) => unwrap(client.DELETE('/groups/{id}/access_requests/{user_id}', person(user))),
    invitations: () => unwrapAll(client.GET('/groups/{id}/invitations', { params: { path, query } })),
    takeBack: (email) => unwrap(client.DELETE('/groups/{id}/invitations/{email}', { params: { path: { id, email } } })),
    changeInvitation: (email, body) =>
      unwrap(client.PUT('/groups/{id}/invitations/{email}', { params: { path: { id, email } }, body })),
    share: (body) => unwrap(client.POST('/groups/{id}/share', { params: { path }, body })),
    unshare: (group_id) =>
      unwrap(client.DELETE('/groups/{id}/share/{group_id}', { params: { path: { id, group_id } } })),
  };
};

/** Everybody with a role, page by page. */
export const membersOf = (source: MemberSource, filter: MemberFilter) =>
  infiniteQueryOptions({
    queryKey: [...source.key, 'all', filter],
    queryFn: ({ pageParam }) => source.list(filter, pageParam),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

/** People whose name begins or goes on like a text. */
export const peopleCalled = (search: string) => ({
  queryKey: ['users', 'called', search],
  queryFn: () => unwrap(client.GET('/users', { params: { query: { search, active: true, per_page: 8 } } })),
  enabled: search.length > 0,
});

/** Adds whom the text names: a user by name, an address by mail. Throws the reason in the API's words. */
export async function addOrInvite(
  source: MemberSource,
  who: string,
  terms: { access_level: number; expires_at: string | null },
): Promise<void> {
  if (!who.includes('@')) return void (await source.add({ username: who, ...terms }));
  const { status, message } = await source.invite({ email: who, ...terms });
  if (status !== 'success')
    throw new ApiError(
      400,
      Object.values(message ?? {})
        .map(String)
        .join('; '),
    );
}
