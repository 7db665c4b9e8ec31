/** A new milestone of a project or group. */
import { Page } from '../../ui/Page.tsx';
import { GroupFrame } from '../groups/GroupFrame.tsx';
import { MilestoneForm } from './MilestoneForm.tsx';
import { type MilestonesInView, useGroupMilestones, useProjectMilestones } from './useMilestones.ts';

function NewMilestone({ of }: { of: MilestonesInView }) {
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
  return (
    <GroupFrame>
      <NewMilestone of={useGroupMilestones()} />
    </GroupFrame>
  );
}
