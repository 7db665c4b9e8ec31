/** A folder of a branch, tag or commit. */
import { useParams } from '@tanstack/react-router';
import { Page } from '../../ui/Page.tsx';
import { useProject } from '../projects/useProject.ts';
import { FolderView } from './FolderView.tsx';
import { usePlace } from './refs.ts';

export default function TreePage() {
  const { _splat = '' } = useParams({ strict: false });
  const { project } = useProject();
  const place = usePlace(_splat);
  return (
    <Page
      title={`${place.path || 'Files'} · ${project.name_with_namespace}`}
      heading={place.path.split('/').at(-1) || 'Files'}
      quiet
    >
      <FolderView gitRef={place.ref} folder={place.path} />
    </Page>
  );
}
