/** Who takes part in a merge request, its time, its stack, and changing parts of it in place. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapAll } from './api.ts';

const of = (id: string, iid: number) => ({ path: { id, merge_request_iid: iid } });
const keyOf = (id: string, iid: number) => ['project', id, 'merge-request', iid];

export const participantsOf = (id: string, iid: number) =>
  queryOptions({
    queryKey: [...keyOf(id, iid), 'participants'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/merge_requests/{merge_request_iid}/participants', {
          params: { ...of(id, iid), query: { per_page: 100 } },
        }),
      ),
  });

/** Itself, those that it stands on, and those on top of it, the lowest first. */
export const stackOf = (id: string, iid: number) =>
  queryOptions({
    queryKey: [...keyOf(id, iid), 'stack'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/merge_requests/{merge_request_iid}/stack', {
          params: { ...of(id, iid), query: { per_page: 100 } },
        }),
      ),
  });

/** The ids of people by their usernames; throws where somebody does not exist. */
export async function idsOf(usernames: readonly string[]): Promise<number[]> {
  return await Promise.all(
    usernames.map(async (username) => {
      const [found] = await unwrap(client.GET('/users', { params: { query: { username } } }));
      if (!found) throw new Error(`There is no user @${username}.`);
      return found.id;
    }),
  );
}

export const changeMergeRequest = (
  id: string,
  iid: number,
  body: { assignee_ids?: number[]; reviewer_ids?: number[]; labels?: string[]; milestone_id?: number },
) => unwrap(client.PUT('/projects/{id}/merge_requests/{merge_request_iid}', { params: of(id, iid), body }));

export const setSubscribed = (id: string, iid: number, subscribed: boolean) =>
  unwrap(
    client.POST(
      subscribed
        ? '/projects/{id}/merge_requests/{merge_request_iid}/subscribe'
        : '/projects/{id}/merge_requests/{merge_request_iid}/unsubscribe',
      { params: of(id, iid) },
    ),
  );

/** `1h 30m`; an empty estimate is none. */
export const setEstimate = (id: string, iid: number, duration: string) =>
  duration.trim() === ''
    ? unwrap(
        client.POST('/projects/{id}/merge_requests/{merge_request_iid}/reset_time_estimate', { params: of(id, iid) }),
      )
    : unwrap(
        client.POST('/projects/{id}/merge_requests/{merge_request_iid}/time_estimate', {
          params: of(id, iid),
          body: { duration },
        }),
      );

export const addSpent = (id: string, iid: number, duration: string) =>
  unwrap(
    client.POST('/projects/{id}/merge_requests/{merge_request_iid}/add_spent_time', {
      params: of(id, iid),
      body: { duration },
    }),
  );
