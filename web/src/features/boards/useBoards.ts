/** The place whose boards the address names, and what the person who looks may do with them. */
import { type Boards, boardsOf } from '../../lib/boards.ts';
import { epicBoardsOf } from '../../lib/epic-boards.ts';
import type { PlaceKind } from '../../lib/planning.ts';
import { useGroup } from '../groups/useGroupForm.ts';
import { level, useProject } from '../projects/useProject.ts';

export interface BoardsInView {
  readonly kind: PlaceKind;
  readonly path: string;
  readonly segment: string;
  readonly name: string;
  readonly boards: Boards;
  /** Where changes of its own issues or epics are told. */
  readonly topics: readonly string[];
  /** What is on the boards. */
  readonly cards: 'issues' | 'epics';
  /** Whether boards, lists and issues may be changed. */
  readonly writes: boolean;
}

export function useProjectBoards(): BoardsInView {
  const { project, path, segment, level: own } = useProject();
  return {
    ...{ path, segment },
    kind: 'project',
    cards: 'issues',
    topics: [`project:${project.id}:issues`],
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
    cards: 'issues',
    topics: [],
    name: group.full_name,
    boards: boardsOf('group', path),
    writes: own >= level.planner && !group.archived && !group.marked_for_deletion_on,
  };
}

export const useEpicBoards = (): BoardsInView => {
  const view = useGroupBoards();
  const { group } = useGroup();
  return { ...view, cards: 'epics', topics: [`group:${group.id}:epics`], boards: epicBoardsOf(view.path) };
};
