/** Whether formulas are limited in a document: its group says so, and the instance where there is none. */
import * as data from '../data.ts';
import { configuration } from '../instance.ts';
import { queries } from '../queries.ts';
import type { DocumentBase } from './addresses.ts';

/** Full path of the group that a document belongs to; null where it belongs to none. */
async function groupOf(base: DocumentBase): Promise<string | null> {
  if ('wiki' in base && base.wiki === 'group') return base.place;
  const project = await queries.fetchQuery({
    ...data.project('wiki' in base ? base.place : base.project),
    staleTime: 60_000,
  });
  return project.namespace.kind === 'group' ? project.namespace.full_path : null;
}

/** They are where nobody can be asked. */
export async function formulasLimited(base: DocumentBase | null): Promise<boolean> {
  try {
    const { formulas } = await queries.fetchQuery(configuration());
    const group = base === null || formulas.locked ? null : await groupOf(base);
    if (group === null) return formulas.limited;
    return (await queries.fetchQuery({ ...data.group(group), staleTime: 60_000 })).math_rendering_limits_enabled;
  } catch {
    return true;
  }
}
