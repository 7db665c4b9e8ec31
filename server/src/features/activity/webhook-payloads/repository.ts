/** Commits as hooks tell them, from what the repository slice answers. */
import { ZERO_SHA } from '@millrace/git';
import { newRefBase, type RepositoryAccess } from '../../repository/index.ts';
import type { HookRepository } from './push.ts';

const notThere = () => null;

type Access = Pick<
  RepositoryAccess,
  'branch' | 'commit' | 'commitsBetween' | 'diff' | 'isProtected' | 'pushed' | 'resolve' | 'changes'
>;

export const hookRepository = (access: Access, wikiPage: HookRepository['wikiPage']): HookRepository => ({
  wikiPage,
  async pushed(subject, { ref, before, after }, limit) {
    const { project } = subject;
    const isTag = ref.startsWith('refs/tags/');
    const base = before === ZERO_SHA ? await newRefBase(access, project, ref) : await access.resolve(project, before);
    const { count } = await access.pushed(project, base, after);
    const found =
      isTag || base === null
        ? await newest(access, subject, after, isTag ? 1 : limit)
        : await access.commitsBetween(subject, base, after, { skip: 0, limit });
    const commits = await Promise.all(
      found.map(async (commit) => ({ ...commit, ...(await access.changes(project, commit.id)) })),
    );
    return { commits: commits.reverse(), count };
  },
  commit: (subject, sha) => access.commit(subject, sha).catch(notThere),
  resolve: (subject, revision) => access.resolve(subject.project, revision),
  isProtected: (subject, ref) => access.isProtected(subject.project, ref),
  async diff({ project }, { before, after }) {
    if (before === ZERO_SHA || after === ZERO_SHA) return null;
    const [from, to] = await Promise.all([access.resolve(project, before), access.resolve(project, after)]);
    return from === null || to === null ? null : await access.diff(project, from, to);
  },
});

async function newest(access: Access, subject: Parameters<Access['commit']>[0], head: string, limit: number) {
  return await access.commitsBetween(subject, null, head, { skip: 0, limit });
}
