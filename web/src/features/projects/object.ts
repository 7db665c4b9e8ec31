/** What stands behind an address of names only: a project first, then a group. */
import { notFound } from '@tanstack/react-router';
import { ApiError } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { queries } from '../../lib/queries.ts';

export type NamedObject = { readonly kind: 'project' | 'group'; readonly path: string };

const missing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

export async function resolveObject(path: string): Promise<NamedObject> {
  try {
    if (path.includes('/')) {
      const project = await queries.ensureQueryData(data.project(path));
      const ref = project.default_branch;
      const parts = data.of(path);
      if (ref && !project.empty_repo)
        await Promise.all([
          queries.ensureQueryData(parts.tree(ref, '')),
          queries.ensureQueryData(parts.commits({ ref, folder: '', perPage: 1 })),
        ]);
      return { kind: 'project', path };
    }
  } catch (error) {
    if (!missing(error)) throw error;
  }
  try {
    await Promise.all([queries.ensureQueryData(data.group(path)), queries.ensureQueryData(data.groupProjects(path))]);
    return { kind: 'group', path };
  } catch (error) {
    if (missing(error)) throw notFound();
    throw error;
  }
}
