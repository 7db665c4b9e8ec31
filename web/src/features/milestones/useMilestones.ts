/** The place whose milestones the address names, a project or a group, and what the person who looks may do with them. */
import { milestonesOf } from '../../lib/planning.ts';
import { useGroup } from '../groups/useGroupForm.ts';
import { level, useProject } from '../projects/useProject.ts';

export interface MilestonesInView {
  readonly kind: 'project' | 'group';
  /** Full path of the place, and the same as one segment of the router. */
  readonly path: string;
  readonly segment: string;
  readonly name: string;
  readonly milestones: ReturnType<typeof milestonesOf>;
  readonly writes: boolean;
  readonly removes: boolean;
  /** Whether there are merge requests to be planned. */
  readonly plans: boolean;
}

export function useProjectMilestones(): MilestonesInView {
  const { project, path, segment, level: own } = useProject();
  const writes = own >= level.planner && !project.archived;
  return {
    kind: 'project',
    path,
    segment,
    name: project.name_with_namespace,
    milestones: milestonesOf('project', path),
    writes,
    removes: writes,
    plans: project.merge_requests_enabled !== false,
  };
}

export function useGroupMilestones(): MilestonesInView {
  const { group, path, segment, level: own } = useGroup();
  const changes = !group.archived && !group.marked_for_deletion_on;
  return {
    kind: 'group',
    path,
    segment,
    name: group.full_name,
    milestones: milestonesOf('group', path),
    writes: changes && own >= level.planner,
    removes: changes && own >= level.developer,
    plans: true,
  };
}
