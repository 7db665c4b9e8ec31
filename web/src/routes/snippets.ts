/** Routes of snippets: what is below `/-/snippets` is read by the page, for people and projects alike. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { missing } from '../lib/api.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { number, root, signedIn, text } from './base.ts';

const snippetsData = () => import('../lib/snippets.ts');

export interface SnippetSearch {
  readonly page?: number | undefined;
  readonly scope?: string | undefined;
}

const readSearch = (search: Record<string, unknown>): SnippetSearch => ({
  page: number(search.page),
  scope: text(search.scope),
});

async function loadSnippets(project: string | null, rest: string, search: SnippetSearch): Promise<void> {
  const { snippetsOf, snippetTexts, snippetView } = await snippetsData();
  const view = snippetView(rest);
  if (!view) throw missing();
  const snippets = snippetsOf(project);
  if (view.kind === 'list') await queries.ensureQueryData(snippets.list(search.page ?? 1, search.scope === 'public'));
  if (view.kind === 'one' || view.kind === 'edit') {
    const snippet = await queries.fetchQuery({ ...snippets.one(view.id), staleTime: 0 });
    await queries.ensureQueryData(snippetTexts(snippet));
  }
}

/** Below a project's route. */
export const projectSnippets = {
  path: '/snippets/$',
  validateSearch: readSearch,
  loaderDeps: ({ search }: { search: SnippetSearch }) => search,
  loader: ({
    params,
    deps,
  }: {
    readonly params: { readonly path: string; readonly _splat?: string };
    readonly deps: SnippetSearch;
  }) => loadSnippets(fromSegment(params.path), params._splat ?? '', deps),
  component: lazyRouteComponent(() => import('../features/snippets/SnippetsRoute.tsx'), 'ProjectSnippets'),
} as const;

export const personalSnippets = createRoute({
  getParentRoute: () => root,
  path: '/-/snippets/$',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  // One that is public is read by anybody; lists and forms are somebody's.
  beforeLoad: async (at) => {
    if (!/^\d+$/.test((at.params as { _splat?: string })._splat ?? '')) await signedIn(at);
  },
  loader: ({ params, deps }) => loadSnippets(null, params._splat ?? '', deps),
  component: lazyRouteComponent(() => import('../features/snippets/SnippetsRoute.tsx'), 'PersonalSnippets'),
});
