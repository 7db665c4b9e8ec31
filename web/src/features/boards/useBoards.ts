/** The place whose boards the address names, and what the person who looks may do with them. */
import { boardsOf, type PlaceKind } from '../../lib/boards.ts';
import { useGroup } from '../groups/useGroupForm.ts';
import { level, useProject } from '../projects/useProject.ts';

export interface BoardsInView {
  readonly kind: PlaceKind;
  readonly path: string;
  readonly segment: string;
  readonly name: string;
  readonly boards: ReturnType<typeof boardsOf>;
  /** Whether boards, lists and issues may be changed. */
  readonly writes: boolean;
}

export function useProjectBoards(): BoardsInView {
  const { project, path, segment, level: own } = useProject();
  return {
    ...{ path, segment },
    kind: 'project',
    name: project.name_with_namespace,
    boards: boardsOf('project', path),
    writes: own >= level.planner && !project.archived,
  };
}

export function useGroupBoards(): BoardsInView {
  const { group, path, segment, level: own } = useGroup();
  return {
    ...{ path, segment },
    kind: 'group',
    name: group.full_name,
    boards: boardsOf('group', path),
    writes: own >= level.planner && !group.archived && !group.marked_for_deletion_on,
  };
}
