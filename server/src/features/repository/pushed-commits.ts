/** Where the commits of a push begin, and which they are. */
import { ZERO_SHA } from '@millrace/git';
import type { Project } from '../../kernel/db/rows.ts';
import type { PushedCommits } from '../collaboration/index.ts';
import type { RepositoryAccess } from './face.ts';

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

export const broughtCommits = (
  access: Pick<RepositoryAccess, 'branch' | 'commitsBetween' | 'resolve'>,
): PushedCommits => ({
  async brought(subject, { ref, before, after }, limit) {
    if (!ref.startsWith('refs/heads/') || after === ZERO_SHA) return [];
    const { project } = subject;
    // Where it was pushed over meanwhile there is nothing to read.
    if ((await access.resolve(project, after)) === null) return [];
    const base = before === ZERO_SHA ? await newRefBase(access, project, ref) : await access.resolve(project, before);
    return await access.commitsBetween(subject, base, after, { skip: 0, limit });
  },
});
