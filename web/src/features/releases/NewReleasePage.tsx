/** A new release, with its tag where there is none yet. */
import { forbidden } from '../../lib/api.ts';
import { Page } from '../../ui/Page.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { ReleaseForm } from './ReleaseForm.tsx';

export function NewReleasePage() {
  const { project, level: own } = useProject();
  if (own < level.developer || project.archived) throw forbidden();
  return (
    <Page title={`New release · ${project.name_with_namespace}`} heading="New release" narrow>
      <ReleaseForm />
    </Page>
  );
}
