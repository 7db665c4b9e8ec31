/** The place whose iterations the address names, and whether the person who looks may change them. */
import type { PlaceKind } from '../../lib/planning.ts';
import { useGroup } from '../groups/useGroupForm.ts';
import { level, useProject } from '../projects/useProject.ts';

export interface IterationsInView {
  readonly kind: PlaceKind;
  readonly path: string;
  readonly segment: string;
  readonly name: string;
  /** Iterations are the group's: projects only show them. */
  readonly writes: boolean;
}

export function useProjectIterations(): IterationsInView {
  const { project, path, segment } = useProject();
  return { kind: 'project', path, segment, name: project.name_with_namespace, writes: false };
}

export function useGroupIterations(): IterationsInView {
  const { group, path, segment, level: own } = useGroup();
  const writes = own >= level.planner && !group.archived && !group.marked_for_deletion_on;
  return { kind: 'group', path, segment, name: group.full_name, writes };
}
