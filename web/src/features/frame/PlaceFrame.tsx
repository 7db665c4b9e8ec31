/**
 * The header of the project or group that the shown page belongs to. It is one for all of their pages, the overview
 * included, so that it stays where it is while the next page loads.
 */
import { CatchBoundary, type RouterState, useMatches } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import * as data from '../../lib/data.ts';
import { queries } from '../../lib/queries.ts';
import { fromSegment } from '../../lib/urls.ts';
import { GroupFrame } from '../groups/GroupFrame.tsx';
import { ProjectFrame } from '../projects/ProjectFrame.tsx';
import { ErrorPage } from './ErrorPages.tsx';
import { PendingPage } from './PendingPage.tsx';

const frames = { project: ProjectFrame, group: GroupFrame };
type Kind = keyof typeof frames;

const isKnown = (kind: Kind, path: string): boolean =>
  queries.getQueryData((kind === 'project' ? data.project(path) : data.group(path)).queryKey) !== undefined;

/** By their routes; an address of names only can be that of either. */
const kinds: Readonly<Record<string, readonly Kind[]>> = {
  '/p/$path': ['project'],
  '/g/$path': ['group'],
  '/o/$path': ['project', 'group'],
};

/**
 * What is shown, not where the address leads: until the next page is ready, the one before it keeps its own header. There is
 * none before the project or group has arrived, nor where it cannot be opened.
 */
function placeOf([, match]: RouterState['matches']): `${Kind}/${string}` | null {
  if (!match || match.status === 'error' || match.status === 'notFound') return null;
  const { path: segment } = match.params as { path?: string };
  if (segment === undefined) return null;
  const kind = kinds[match.routeId]?.find((each) => isKnown(each, fromSegment(segment)));
  return kind ? `${kind}/${segment}` : null;
}

export function PlaceFrame({ children }: { children: ReactNode }) {
  const place = useMatches({ select: placeOf });
  if (place === null) return children;
  const Around = frames[place.split('/', 1)[0] as Kind];
  return (
    <CatchBoundary getResetKey={() => place} errorComponent={ErrorPage}>
      <Suspense fallback={<PendingPage />}>
        <Around key={place}>{children}</Around>
      </Suspense>
    </CatchBoundary>
  );
}
