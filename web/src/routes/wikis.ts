/** Routes of wikis: what is below `/-/wikis` is read by the page, for projects and groups alike. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import type { WikiKind } from '../lib/wikis.ts';
import { group, number, text } from './base.ts';

const wikisData = () => Promise.all([import('../lib/wikis.ts'), import('../features/wikis/pages.ts')]);

interface WikiSearch {
  readonly view?: string | undefined;
  readonly version_id?: string | undefined;
  readonly page?: number | undefined;
  readonly title?: string | undefined;
}

const readSearch = (search: Record<string, unknown>): WikiSearch => ({
  view: text(search.view),
  version_id: text(search.version_id),
  page: number(search.page),
  title: text(search.title),
});

interface At {
  readonly params: { readonly path: string; readonly _splat?: string };
  readonly deps: WikiSearch;
}

async function loadWiki(kind: WikiKind, { params, deps }: At): Promise<void> {
  const [{ wikiOf }, { viewOf }] = await wikisData();
  const wiki = wikiOf(kind, fromSegment(params.path));
  const view = viewOf(params._splat ?? '', deps.view, await queries.ensureQueryData(wiki.pages()));
  if (view.kind === 'page') await queries.ensureQueryData(wiki.page(view.slug, deps.version_id, 'html'));
  if (view.kind === 'history') await queries.ensureQueryData(wiki.versions(view.slug, deps.page ?? 1));
  // A form begins with what is there now, not with what was seen some time ago.
  if (view.kind === 'edit') {
    // The version first: it is never newer than the text, so nothing is written over unseen.
    await queries.fetchQuery({ ...wiki.versions(view.slug, 1, 1), staleTime: 0 }).catch(() => undefined);
    await queries.fetchQuery({ ...wiki.page(view.slug, undefined, 'source'), staleTime: 0 });
  }
}

/** Below a project's route. */
export const projectWiki = {
  path: '/wikis/$',
  validateSearch: readSearch,
  loaderDeps: ({ search }: { search: WikiSearch }) => search,
  loader: (at: At) => loadWiki('project', at),
  component: lazyRouteComponent(() => import('../features/wikis/ProjectWikiPage.tsx')),
} as const;

export const groupWiki = createRoute({
  getParentRoute: () => group,
  path: '/wikis/$',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: (at) => loadWiki('group', at),
  component: lazyRouteComponent(() => import('../features/wikis/GroupWikiPage.tsx')),
});
