/** Lists what a token sees on another server, a page at a time, so that people choose what they import. */
import type { Static } from 'typebox';
import { Count, Entity, Fields, Flag, ListOf, Nullable, Text } from '../../../kernel/http/entity.ts';
import { forbidden, plainError } from '../../../kernel/http/errors.ts';
import type { PortabilityDependencies } from '../index.ts';
import { type Row, record, text } from '../project-archives/json.ts';
import { type ProviderClient, ProviderError } from './client.ts';
import { giteaApiOf, giteaClient } from './gitea.ts';
import { apiOf, hostedClient } from './hosted.ts';
import type { ProviderConfig } from './provider.ts';
import { importTypes, refusalOf } from './refusals.ts';
import { serverApiOf, serverClient } from './server.ts';
import { transferApiOf, transferClient } from './transfer-source.ts';

export const Importable = Entity('Importable', {
  items: ListOf(
    Fields({
      id: Text({ description: 'Id there' }),
      name: Text(),
      full_path: Text({ description: 'Path there; of Bitbucket Server the key of the project and the repository' }),
      description: Nullable(Text()),
      private: Flag(),
    }),
  ),
  next_page: Nullable(Count({ description: 'Null on the last page' })),
});
type ImportableJson = Static<typeof Importable>;
type Item = ImportableJson['items'][number];

export const importableKinds = ['repositories', 'groups'] as const;
export const importProviders = ['github', 'gitea', 'bitbucket_server', 'gitlab'] as const;

export interface ImportableQuery {
  readonly provider: (typeof importProviders)[number];
  readonly kind: (typeof importableKinds)[number];
  readonly url: string | undefined;
  readonly username: string;
  readonly token: string;
  readonly page: number;
}

const pageSize = 50;

interface Listing {
  readonly provider: ProviderConfig['provider'];
  /** Null for what is no address. */
  readonly base: string | null;
  readonly client: (base: string) => ProviderClient;
  readonly path: string;
  readonly item: (row: Row) => Omit<Item, 'id' | 'description'> | null;
}

const named = (name: unknown, fullPath: unknown, isPrivate: boolean) => {
  const path = text(fullPath);
  return path === null ? null : { name: text(name) ?? path, full_path: path, private: isPrivate };
};

export function importableLister({ outbound, settings }: Pick<PortabilityDependencies, 'outbound' | 'settings'>) {
  function listingOf(
    { provider, kind, url = '', username, token, page }: ImportableQuery,
    signal: AbortSignal,
  ): Listing {
    const options = { outbound, waits: false, signal };
    if (provider === 'github')
      return {
        provider: 'hosted',
        base: apiOf(url === '' ? undefined : url),
        client: (base) => hostedClient(options, { base, tokens: [token] }),
        path: `/user/repos?sort=full_name&per_page=${pageSize}&page=${page}`,
        item: (row) => named(row.name, row.full_name, row.private === true),
      };
    if (provider === 'gitea')
      return {
        provider: 'gitea',
        base: giteaApiOf(url),
        client: (base) => giteaClient(options, { base, token }),
        path: `/user/repos?limit=${pageSize}&page=${page}`,
        item: (row) => named(row.name, row.full_name, row.private === true),
      };
    if (provider === 'bitbucket_server')
      return {
        provider: 'server',
        base: serverApiOf(url),
        client: (base) => serverClient(options, { base, username, token }),
        path: `/repos?limit=${pageSize}&start=${(page - 1) * pageSize}`,
        item: (row) => {
          const [key, slug] = [text(record(row.project).key), text(row.slug)];
          return named(row.name, key === null || slug === null ? null : `${key}/${slug}`, row.public !== true);
        },
      };
    // Exports are for maintainers.
    const paged = `min_access_level=40&per_page=${pageSize}&page=${page}`;
    return {
      provider: 'transfer',
      base: transferApiOf(url),
      client: (base) => transferClient(options, { base, token }),
      path: kind === 'groups' ? `/groups?${paged}` : `/projects?membership=true&simple=true&${paged}`,
      item: (row) => named(row.name, row.full_path ?? row.path_with_namespace, row.visibility === 'private'),
    };
  }

  return async (query: ImportableQuery, signal: AbortSignal): Promise<ImportableJson> => {
    const listing = listingOf(query, signal);
    const values = await settings.read();
    const allowed =
      listing.provider === 'transfer'
        ? values.bulk_import_enabled
        : values.import_sources.some((each) => each === importTypes[listing.provider]);
    if (!allowed) throw forbidden();
    const { base } = listing;
    const refusal = base === null ? 'is not an address of http or https' : await outbound.refusal(base, 'import');
    if (base === null || refusal !== null) throw plainError(400, `Invalid URL: ${refusal}`);
    try {
      // The first page of a list that begins at the page asked for.
      const { value: rows = [] } = await listing.client(base).pages(listing.path).next();
      const items = rows.flatMap((row: Row): Item[] => {
        const item = listing.item(row);
        return item ? [{ id: String(row.id ?? ''), ...item, description: text(row.description) }] : [];
      });
      return { items, next_page: rows.length < pageSize ? null : query.page + 1 };
    } catch (error) {
      throw error instanceof ProviderError ? refusalOf(error, listing.provider) : error;
    }
  };
}
