/** Whether formulas are limited in a document: its group says so, and the instance where there is none. */
import * as data from '../data.ts';
import { configuration } from '../instance.ts';
import { queries } from '../queries.ts';

/** What a document is of, by its full path. */
export interface DocumentOwner {
  readonly kind: 'project' | 'group';
  readonly path: string;
}

/** Full path of the group that a document belongs to; null where it belongs to none. */
async function groupOf({ kind, path }: DocumentOwner): Promise<string | null> {
  if (kind === 'group') return path;
  const project = await queries.fetchQuery({ ...data.project(path), staleTime: 60_000 });
  return project.namespace.kind === 'group' ? project.namespace.full_path : null;
}

/** They are where nobody can be asked. */
export async function formulasLimited(owner: DocumentOwner | null): Promise<boolean> {
  try {
    const { formulas } = await queries.fetchQuery(configuration());
    const group = owner === null || formulas.locked ? null : await groupOf(owner);
    if (group === null) return formulas.limited;
    return (await queries.fetchQuery({ ...data.group(group), staleTime: 60_000 })).math_rendering_limits_enabled;
  } catch {
    return true;
  }
}
