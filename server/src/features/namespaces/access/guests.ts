/** What guests may not create, where the instance says so (`allow_project_creation_for_guest_and_below`). */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { isGuestAtMost } from '../projects/projects.queries.ts';

/** Whether the instance wants more of the caller than the role of a guest before they create something of their own. */
export async function refusesGuest(
  { db, settings }: Pick<NamespacesDependencies, 'db' | 'settings'>,
  { admin, user }: Caller,
): Promise<boolean> {
  if (admin || !user || (await settings.read()).allow_project_creation_for_guest_and_below) return false;
  return await isGuestAtMost(db, user.id);
}
