/** Which project and group the short references of a text are of. Pure. */
import type { DocumentBase } from './addresses.ts';

export interface OwnPlace {
  /** Full path of the project; null for a text of a group, or of nothing. */
  readonly project: string | null;
  /** Full path of the group, for a text of a project that of what it is in. */
  readonly group: string | null;
}

const above = (path: string): string => path.slice(0, path.lastIndexOf('/'));

export function placeOf(base: DocumentBase | null): OwnPlace {
  if (base === null) return { project: null, group: null };
  if (base.kind === 'group') return { project: null, group: base.group };
  if (base.kind === 'wiki' && base.of === 'group') return { project: null, group: base.path };
  const project = base.kind === 'wiki' ? base.path : base.project;
  return { project, group: above(project) };
}
