/** Refs of the service that keep commits of merge requests reachable, whatever becomes of their branches. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import type { RepositoryAccess } from '../../repository/index.ts';

/** The ref under which a request's head stays reachable and can be fetched. */
export const headRef = (iid: number) => `refs/merge-requests/${iid}/head`;

/** Keeps a head that another one replaces where that does not contain it: versions of the changes go on opening. */
export async function keepVersion(
  { db, repository }: { readonly db: Db; readonly repository: Pick<RepositoryAccess, 'isAncestor' | 'keepRef'> },
  project: Project,
  iid: number,
  { before, head }: { readonly before: string | null; readonly head: string },
): Promise<void> {
  if (before === null || (await repository.isAncestor(project, before, head))) return;
  await repository.keepRef(db, project, `refs/merge-requests/${iid}/versions/${before}`, before);
}
