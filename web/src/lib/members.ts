/** Members of a project or group, who waits to be one, and push rules: the same questions of both. */
import { ApiError, client, type Schemas, unwrap } from './api.ts';

export type Member = Schemas['Member'];

export interface MemberSource {
  readonly noun: 'project' | 'group';
  readonly key: readonly string[];
  list(search: string): Promise<Member[]>;
  add(body: { username: string; access_level: number; expires_at: string | null }): Promise<unknown>;
  invite(body: { email: string; access_level: number; expires_at: string | null }): Promise<Schemas['InvitationsSent']>;
  change(user: number, body: { access_level: number; expires_at?: string | null }): Promise<unknown>;
  remove(user: number): Promise<unknown>;
  requests(): Promise<Schemas['AccessRequester'][]>;
  approve(user: number): Promise<unknown>;
  deny(user: number): Promise<unknown>;
  invitations(): Promise<Schemas['Invitation'][]>;
  takeBack(email: string): Promise<unknown>;
  share(body: { group_id: number; group_access: number }): Promise<unknown>;
  unshare(group: number): Promise<unknown>;
}

const query = { per_page: 100 };
const searched = (search: string) => ({ ...query, with_source: true, ...(search ? { query: search } : {}) });

export const projectMembers = (id: string): MemberSource => {
  const path = { id };
  const person = (user_id: number) => ({ params: { path: { id, user_id } } });
  return {
    noun: 'project',
    key: ['project', id, 'members'],
    list: (search) => unwrap(client.GET('/projects/{id}/members/all', { params: { path, query: searched(search) } })),
    add: (body) => unwrap(client.POST('/projects/{id}/members', { params: { path }, body })),
    invite: (body) =>
      unwrap(client.POST('/projects/{id}/invitations', { params: { path }, body: { ...body, email: [body.email] } })),
    change: (user, body) => unwrap(client.PUT('/projects/{id}/members/{user_id}', { ...person(user), body })),
    remove: (user) => unwrap(client.DELETE('/projects/{id}/members/{user_id}', person(user))),
    requests: () => unwrap(client.GET('/projects/{id}/access_requests', { params: { path, query } })),
    approve: (user) =>
      unwrap(client.PUT('/projects/{id}/access_requests/{user_id}/approve', { ...person(user), body: {} })),
    deny: (user) => unwrap(client.DELETE('/projects/{id}/access_requests/{user_id}', person(user))),
    invitations: () => unwrap(client.GET('/projects/{id}/invitations', { params: { path, query } })),
    takeBack: (email) =>
      unwrap(client.DELETE('/projects/{id}/invitations/{email}', { params: { path: { id, email } } })),
    share: (body) => unwrap(client.POST('/projects/{id}/share', { params: { path }, body })),
    unshare: (group_id) =>
      unwrap(client.DELETE('/projects/{id}/share/{group_id}', { params: { path: { id, group_id } } })),
  };
};

export const groupMembers = (id: string): MemberSource => {
  const path = { id };
  const person = (user_id: number) => ({ params: { path: { id, user_id } } });
  return {
    noun: 'group',
    key: ['group', id, 'members'],
    list: (search) => unwrap(client.GET('/groups/{id}/members/all', { params: { path, query: searched(search) } })),
    add: (body) => unwrap(client.POST('/groups/{id}/members', { params: { path }, body })),
    invite: (body) =>
      unwrap(client.POST('/groups/{id}/invitations', { params: { path }, body: { ...body, email: [body.email] } })),
    change: (user, body) => unwrap(client.PUT('/groups/{id}/members/{user_id}', { ...person(user), body })),
    remove: (user) => unwrap(client.DELETE('/groups/{id}/members/{user_id}', person(user))),
    requests: () => unwrap(client.GET('/groups/{id}/access_requests', { params: { path, query } })),
    approve: (user) =>
      unwrap(client.PUT('/groups/{id}/access_requests/{user_id}/approve', { ...person(user), body: {} })),
    deny: (user) => unwrap(client.DELETE('/groups/{id}/access_requests/{user_id}', person(user))),
    invitations: () => unwrap(client.GET('/groups/{id}/invitations', { params: { path, query } })),
    takeBack: (email) => unwrap(client.DELETE('/groups/{id}/invitations/{email}', { params: { path: { id, email } } })),
    share: (body) => unwrap(client.POST('/groups/{id}/share', { params: { path }, body })),
    unshare: (group_id) =>
      unwrap(client.DELETE('/groups/{id}/share/{group_id}', { params: { path: { id, group_id } } })),
  };
};

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
