/** The page of releases that an address means. */
import { useParams } from '@tanstack/react-router';
import { releaseAddress } from './address.ts';
import { NewReleasePage } from './NewReleasePage.tsx';
import { ReleasePage } from './ReleasePage.tsx';
import { ReleasesPage } from './ReleasesPage.tsx';

export default function ReleasesRoute() {
  const { _splat = '' } = useParams({ strict: false });
  const { kind, tag } = releaseAddress(_splat);
  if (kind === 'list') return <ReleasesPage />;
  if (kind === 'new') return <NewReleasePage />;
  return <ReleasePage tag={tag} edited={kind === 'edit'} key={_splat} />;
}
