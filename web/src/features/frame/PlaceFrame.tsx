/**
 * The header of the project or group that the shown page belongs to. It is one for all of their pages, the overview
 * included, so that it stays where it is while the next page loads.
 */
import { CatchBoundary, useMatches } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { GroupFrame } from '../groups/GroupFrame.tsx';
import { ProjectFrame } from '../projects/ProjectFrame.tsx';
import { ErrorPage } from './ErrorPages.tsx';
import { PendingPage } from './PendingPage.tsx';
import { type Kind, placeOf } from './place.ts';

const frames = { project: ProjectFrame, group: GroupFrame };

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
