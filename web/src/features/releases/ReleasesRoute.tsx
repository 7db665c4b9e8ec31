/** The page of releases that an address means. */
import { useParams } from '@tanstack/react-router';
import { lazy } from 'react';
import { releaseAddress } from './address.ts';
import { ReleasePage } from './ReleasePage.tsx';
import { ReleasesPage } from './ReleasesPage.tsx';

// The list needs no editor.
const NewReleasePage = lazy(async () => ({ default: (await import('./NewReleasePage.tsx')).NewReleasePage }));

export default function ReleasesRoute() {
  const { _splat = '' } = useParams({ strict: false });
  const { kind, tag } = releaseAddress(_splat);
  if (kind === 'list') return <ReleasesPage />;
  if (kind === 'new') return <NewReleasePage />;
  return <ReleasePage tag={tag} edited={kind === 'edit'} key={_splat} />;
}
