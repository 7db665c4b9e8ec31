/** References to what is in a project, as seen from somewhere. */
import type { Project } from '../../../kernel/db/rows.ts';

/** The project or group that a request is about; what is elsewhere is written with its path. */
export type SeenFrom = { readonly projectId: number } | { readonly groupId: number } | { readonly anywhere: true };

/** What stands before a reference: nothing in the project itself, its path in its group, else the whole path. */
export function pathFrom(
  project: Pick<Project, 'id' | 'namespace_id' | 'path'> & { readonly path_with_namespace: string },
  from: SeenFrom,
): string {
  if ('projectId' in from && from.projectId === project.id) return '';
  if ('groupId' in from && from.groupId === project.namespace_id) return project.path;
  return project.path_with_namespace;
}
