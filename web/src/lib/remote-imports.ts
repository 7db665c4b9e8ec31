/** Imports from other servers: what can be chosen there, beginning them, and direct transfers with what they bring. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll } from './api.ts';

export const sources = {
  github: 'GitHub',
  gitea: 'Gitea or Forgejo',
  bitbucket_server: 'Bitbucket Server',
  'gitlab:groups': 'Another instance: groups',
  'gitlab:repositories': 'Another instance: projects',
} as const;
export type SourceName = keyof typeof sources;

export interface Source {
  readonly name: SourceName;
  /** Empty for the public server of GitHub. */
  readonly url: string;
  readonly username: string;
  readonly token: string;
}

export type Importable = Schemas['Importable']['items'][number];
export const isTransfer = (name: SourceName): boolean => name.startsWith('gitlab:');

/** One page of what the token sees there. */
export function importable({ name, url, username, token }: Source, page: number) {
  const [provider, kind] = name.split(':') as ['gitlab', 'groups' | undefined];
  return unwrap(
    client.POST('/import/repositories', {
      body: {
        ...{ provider, personal_access_token: token, page },
        ...(kind ? { kind } : {}),
        ...(url ? { url } : {}),
        ...(username ? { username } : {}),
      },
    }),
  );
}

/** Begins the import of one repository. */
export async function importRepository(
  source: Source,
  item: Importable,
  options: { namespace: string; people: boolean },
) {
  const { name, url, username, token } = source;
  const common = { personal_access_token: token, target_namespace: options.namespace };
  if (name === 'gitea')
    return await unwrap(
      client.POST('/import/gitea', { body: { ...common, gitea_host_url: url, repo_id: Number(item.id) } }),
    );
  if (name === 'bitbucket_server') {
    const slash = item.full_path.indexOf('/');
    const body = {
      ...common,
      bitbucket_server_url: url,
      bitbucket_server_username: username,
      bitbucket_server_project: item.full_path.slice(0, slash),
      bitbucket_server_repo: item.full_path.slice(slash + 1),
    };
    return await unwrap(client.POST('/import/bitbucket_server', { body }));
  }
  const body = {
    ...common,
    repo_id: Number(item.id),
    ...(url ? { github_hostname: url } : {}),
    ...(options.people ? { optional_stages: { collaborators_import: true } } : {}),
  };
  return await unwrap(client.POST('/import/github', { body }));
}

/** Begins one transfer of all that is chosen; `namespace` is empty for top-level groups. */
export const transfer = (source: Source, items: readonly Importable[], namespace: string) =>
  unwrap(
    client.POST('/bulk_imports', {
      body: {
        configuration: { url: source.url, access_token: source.token },
        entities: items.map(({ full_path: path }) => ({
          source_type: source.name === 'gitlab:groups' ? ('group_entity' as const) : ('project_entity' as const),
          source_full_path: path,
          destination_slug: path.split('/').at(-1) ?? path,
          destination_namespace: namespace,
        })),
      },
    }),
  );

export type Transfer = Schemas['BulkImport'];
export type TransferPart = Schemas['BulkImportEntity'];
export const inProgress = ({ status }: Pick<Transfer, 'status'>) => status === 'created' || status === 'started';

/** The last transfers; asked again while one of them is in progress. */
export const transfers = () =>
  queryOptions({
    queryKey: ['transfers'],
    queryFn: () => unwrap(client.GET('/bulk_imports', { params: { query: { per_page: 5 } } })),
    refetchInterval: ({ state }) => (state.data?.some(inProgress) ? 2_000 : false),
  });

export const transferParts = ({ id, ...of }: Pick<Transfer, 'id' | 'status'>) =>
  queryOptions({
    // The status is part of the key: what ends is read once more.
    queryKey: ['transfers', id, 'parts', of.status],
    queryFn: () =>
      unwrapAll(
        client.GET('/bulk_imports/{id}/entities', { params: { path: { id }, query: { per_page: 100, sort: 'asc' } } }),
      ),
    refetchInterval: inProgress(of) ? 2_000 : false,
  });

export const cancelTransfer = (id: number) =>
  unwrap(client.POST('/bulk_imports/{id}/cancel', { params: { path: { id } } }));

/** Rows that came in of a group or project, of as many as were asked for. */
export function countsOf({ stats }: Pick<TransferPart, 'stats'>): {
  readonly imported: number;
  readonly total: number;
} {
  const all = Object.values(stats);
  const sum = (of: (each: (typeof all)[number]) => number) => all.reduce((before, each) => before + of(each), 0);
  return { imported: sum((each) => each.imported), total: sum((each) => Math.max(each.source, each.fetched)) };
}
