/** What a push brought, for its event. */
import { newRefBase, type RepositoryAccess } from '../repository/index.ts';
import type { PushReader } from './events/index.ts';

/** A tag brings its commit. */
export const pushReader =
  (access: Pick<RepositoryAccess, 'branch' | 'pushed'>): PushReader =>
  async (project, { ref, before, after }) => {
    if (ref.startsWith('refs/tags/')) return { ...(await access.pushed(project, null, after)), count: 1 };
    const base = /^0+$/.test(before) ? await newRefBase(access, project, ref) : before;
    return await access.pushed(project, base, after);
  };
