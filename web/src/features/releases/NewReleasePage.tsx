/** A new release, with its tag where there is none yet. */
import { Page } from '../../ui/Page.tsx';
import { useProject } from '../projects/useProject.ts';
import { ReleaseForm } from './ReleaseForm.tsx';

export function NewReleasePage() {
  const { project } = useProject();
  return (
    <Page title={`New release · ${project.name_with_namespace}`} heading="New release" narrow>
      <ReleaseForm />
    </Page>
  );
}
