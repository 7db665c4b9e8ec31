/** What the pages of wikis ask of the API, for projects and groups alike. */
import { queryOptions } from '@tanstack/react-query';
import { ApiError, client, type Schemas, unwrap, unwrapPage } from './api.ts';
import { queries } from './queries.ts';

export type WikiKind = 'project' | 'group';
export type WikiPageListed = Schemas['WikiPageBasic'];
export type WikiPage = Schemas['WikiPage'];
export type WikiFormat = WikiPage['format'];

interface WikiChange {
  readonly title: string;
  readonly content: string;
  readonly format: WikiFormat;
  readonly message?: string;
}

/** The wiki of a place by its full path. */
export function wikiOf(kind: WikiKind, path: string) {
  const key = ['wiki', kind, path] as const;
  const id = { id: path };
  const pages = () =>
    queryOptions({
      queryKey: [...key, 'pages'],
      queryFn: () =>
        kind === 'project'
          ? unwrap(client.GET('/projects/{id}/wikis', { params: { path: id } }))
          : unwrap(client.GET('/groups/{id}/wikis', { params: { path: id } })),
    });
  /** Whether there is no page at all; an old answer that says so is not believed. */
  const isEmpty = async () =>
    (await queries.ensureQueryData(pages())).length === 0 && (await queries.fetchQuery(pages())).length === 0;
  return {
    key,
    pages,
    /** Null where there is none. With its text as HTML, or as it is written. */
    page: (slug: string, version: string | undefined, as: 'html' | 'source') =>
      queryOptions({
        queryKey: [...key, 'page', slug, version ?? null, as],
        queryFn: async () => {
          // Every 404 is an error in the log of the browser: an empty wiki is not asked for its page.
          if (version === undefined && (await isEmpty())) return null;
          const query = { render_html: as === 'html', ...(version === undefined ? {} : { version }) };
          const params = { path: { ...id, slug }, query };
          try {
            return kind === 'project'
              ? await unwrap(client.GET('/projects/{id}/wikis/{slug}', { params }))
              : await unwrap(client.GET('/groups/{id}/wikis/{slug}', { params }));
          } catch (error) {
            if (error instanceof ApiError && error.status === 404) return null;
            throw error;
          }
        },
      }),
    versions: (slug: string, page: number, perPage = 20) =>
      queryOptions({
        queryKey: [...key, 'versions', slug, page, perPage],
        queryFn: () => {
          const params = { path: { ...id, slug }, query: { page, per_page: perPage } };
          return kind === 'project'
            ? unwrapPage(client.GET('/projects/{id}/wikis/{slug}/versions', { params }))
            : unwrapPage(client.GET('/groups/{id}/wikis/{slug}/versions', { params }));
        },
      }),
    create: (body: WikiChange) =>
      kind === 'project'
        ? unwrap(client.POST('/projects/{id}/wikis', { params: { path: id }, body }))
        : unwrap(client.POST('/groups/{id}/wikis', { params: { path: id }, body })),
    /** Refused with 409 when somebody wrote a version after `lastCommit`. */
    change: (
      slug: string,
      change: Omit<WikiChange, 'title'> & { readonly title?: string },
      lastCommit: string | undefined,
    ) => {
      const body = { ...change, ...(lastCommit === undefined ? {} : { last_commit_sha: lastCommit }) };
      const params = { path: { ...id, slug } };
      return kind === 'project'
        ? unwrap(client.PUT('/projects/{id}/wikis/{slug}', { params, body }))
        : unwrap(client.PUT('/groups/{id}/wikis/{slug}', { params, body }));
    },
    remove: (slug: string) => {
      const params = { path: { ...id, slug } };
      return kind === 'project'
        ? unwrap(client.DELETE('/projects/{id}/wikis/{slug}', { params }))
        : unwrap(client.DELETE('/groups/{id}/wikis/{slug}', { params }));
    },
  };
}
