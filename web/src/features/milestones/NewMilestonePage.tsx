/** A new milestone. */
import { Page } from '../../ui/Page.tsx';
import { useProject } from '../projects/useProject.ts';
import { MilestoneForm } from './MilestoneForm.tsx';

export default function NewMilestonePage() {
  const { project } = useProject();
  return (
    <Page title={`New milestone · ${project.name_with_namespace}`} heading="New milestone" narrow>
      <MilestoneForm />
    </Page>
  );
}
