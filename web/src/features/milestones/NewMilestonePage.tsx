/** A new milestone of a project or group. */
import { forbidden } from '../../lib/api.ts';
import { Page } from '../../ui/Page.tsx';
import { MilestoneForm } from './MilestoneForm.tsx';
import { type MilestonesInView, useGroupMilestones, useProjectMilestones } from './useMilestones.ts';

function NewMilestone({ of }: { of: MilestonesInView }) {
  if (!of.writes) throw forbidden();
  return (
    <Page title={`New milestone · ${of.name}`} heading="New milestone" narrow>
      <MilestoneForm of={of} />
    </Page>
  );
}

export function NewProjectMilestone() {
  return <NewMilestone of={useProjectMilestones()} />;
}

export function NewGroupMilestone() {
  return <NewMilestone of={useGroupMilestones()} />;
}
