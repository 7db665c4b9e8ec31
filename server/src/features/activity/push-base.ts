/** Where the commits of a push begin. */
import type { Project } from '../../kernel/db/rows.ts';
import type { RepositoryAccess } from '../repository/index.ts';
import type { PushReader } from './events/index.ts';

/** A new branch brings what the default one has not; a new tag and the default branch begin with nothing. */
export async function newRefBase(
  access: Pick<RepositoryAccess, 'branch'>,
  project: Project,
  ref: string,
): Promise<string | null> {
  const main = project.default_branch;
  return ref.startsWith('refs/tags/') || main === null || ref === `refs/heads/${main}`
    ? null
    : await access.branch(project, main);
}

/** A tag brings its commit. */
export const pushReader =
  (access: Pick<RepositoryAccess, 'branch' | 'pushed'>): PushReader =>
  async (project, { ref, before, after }) => {
    if (ref.startsWith('refs/tags/')) return { ...(await access.pushed(project, null, after)), count: 1 };
    const base = /^0+$/.test(before) ? await newRefBase(access, project, ref) : before;
    return await access.pushed(project, base, after);
  };
