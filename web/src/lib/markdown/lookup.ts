/** Which references of a text exist for who reads it, and where they are. What cannot be found stays text. */
import { ApiError, client, unwrap } from '../api.ts';
import { queries } from '../queries.ts';
import type { Reference } from './references.ts';

export interface Target {
  readonly address: string;
  readonly title: string;
}

/** At most this many requests for one text: it is the reader's browser that asks. */
const mostLookups = 30;
const fresh = {
  staleTime: 60_000,
  // What is not there is not asked for again; what the server could not say just now is.
  retry: (failures: number, error: Error) => failures < 2 && !(error instanceof ApiError && error.status === 404),
};

export const referenceKey = ({ kind, project, value }: Reference, own: string | null): string =>
  `${kind} ${kind === 'user' ? '' : (project ?? own ?? '')} ${kind === 'user' ? value.toLowerCase() : value}`;

const known = new Map<string, (reference: Reference, project: string) => Promise<Target | null>>([
  [
    'commit',
    ({ value: sha }, id) =>
      queries.fetchQuery({
        ...fresh,
        queryKey: ['project', id, 'commit', sha, 'named'],
        queryFn: async () => {
          const path = { id, sha };
          const found = await unwrap(client.GET('/projects/{id}/repository/commits/{sha}', { params: { path } }));
          return { address: `/${id}/-/commit/${found.id}`, title: found.title };
        },
      }),
  ],
  [
    'merge_request',
    ({ value }, id) =>
      queries.fetchQuery({
        ...fresh,
        queryKey: ['project', id, 'merge-request', Number(value), 'named'],
        queryFn: async () => {
          const path = { id, merge_request_iid: Number(value) };
          const found = await unwrap(
            client.GET('/projects/{id}/merge_requests/{merge_request_iid}', { params: { path } }),
          );
          return { address: `/${id}/-/merge_requests/${found.iid}`, title: found.title };
        },
      }),
  ],
  [
    'user',
    ({ value: username }) =>
      queries.fetchQuery({
        ...fresh,
        queryKey: ['user-named', username.toLowerCase()],
        queryFn: async () => {
          const [found] = await unwrap(client.GET('/users', { params: { query: { username } } }));
          return found ? { address: `/${found.username}`, title: found.name } : null;
        },
      }),
  ],
]);

/** Targets by `referenceKey`. */
export async function lookUp(
  references: readonly Reference[],
  own: string | null,
): Promise<ReadonlyMap<string, Target>> {
  const asked = new Map<string, () => Promise<Target | null>>();
  for (const reference of references) {
    const project = reference.project ?? own;
    const look = known.get(reference.kind);
    if (!look || (project === null && reference.kind !== 'user')) continue;
    asked.set(referenceKey(reference, own), () => look(reference, project ?? ''));
  }
  const found = await Promise.all(
    [...asked].slice(0, mostLookups).map(async ([key, look]) => [key, await look().catch(() => null)] as const),
  );
  return new Map(found.flatMap(([key, target]) => (target ? [[key, target] as const] : [])));
}
