/** Where the changes of a project may go: to itself, and from a fork to what it was forked from. */
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { sessionQuery } from '../../lib/session.ts';
import { levelIn, useProject } from '../projects/useProject.ts';

export interface Target {
  readonly id: number;
  /** Full path. */
  readonly path: string;
  /** The branch that is meant unless another one is chosen. */
  readonly branch: string;
  /** The caller's level there. */
  readonly level: number;
}

const targetOf = (
  project: Pick<Schemas['Project'], 'id' | 'path_with_namespace' | 'default_branch'>,
  level: number,
): Target => ({
  level,
  id: project.id,
  path: project.path_with_namespace,
  branch: project.default_branch ?? 'main',
});

export function useTargets(): { own: Target; upstream: Target | null } {
  const { project, level } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const from = project.forked_from_project?.path_with_namespace;
  const { data: origin } = useQuery({ ...data.project(from ?? ''), enabled: from !== undefined });
  const open = origin && origin.merge_requests_enabled !== false && !origin.archived;
  return { own: targetOf(project, level), upstream: open ? targetOf(origin, levelIn(origin, session?.user)) : null };
}
