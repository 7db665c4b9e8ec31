/** Routes of the files that a job left, below a project's route. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { number, text } from './base.ts';

const artifactsData = () => import('../lib/artifacts.ts');

interface Search {
  readonly path?: string | undefined;
  readonly file?: string | undefined;
  readonly page?: number | undefined;
}

export const artifactBrowser = {
  path: '/jobs/$id/artifacts/browse',
  validateSearch: (search: Record<string, unknown>): Search => ({
    path: text(search.path),
    file: text(search.file),
    page: number(search.page),
  }),
  loaderDeps: ({ search: { path, page } }: { search: Search }) => ({ path, page }),
  loader: async ({
    params,
    deps,
  }: {
    readonly params: { readonly path: string; readonly id: string };
    readonly deps: Search;
  }) =>
    queries.ensureQueryData((await artifactsData()).artifactTree(fromSegment(params.path), Number(params.id), deps)),
  component: lazyRouteComponent(() => import('../features/jobs/ArtifactsPage.tsx')),
} as const;
