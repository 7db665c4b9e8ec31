/** One project: the frame around its pages. */
import { createRoute } from '@tanstack/react-router';
import { MissingPage } from '../features/frame/ErrorPages.tsx';
import * as data from '../lib/data.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { root } from './base.ts';

export const project = createRoute({
  getParentRoute: () => root,
  path: '/p/$path',
  loader: ({ params }) => queries.ensureQueryData(data.project(fromSegment(params.path))),
  notFoundComponent: MissingPage,
});
/** What every page of a project is below. */
export const under = { getParentRoute: () => project } as const;
