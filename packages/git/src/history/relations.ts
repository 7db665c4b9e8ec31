/** How two commits relate: merge base, ancestry, ahead and behind. Answers depend on ids only and are cached. */
import type { Repo } from '../context.ts';
import { gitText, runGit } from '../process/run.ts';
import { isSha, type Sha } from '../types.ts';

async function cached<T>(repo: Repo, key: string, load: () => Promise<T>): Promise<T> {
  const full = `${key}${repo.key}`;
  const known = repo.git.cache.get(full) as { value: T } | undefined;
  if (known) return known.value;
  const value = await load();
  repo.git.cache.set(full, { value }, 300);
  return value;
}

/** The best common ancestor; null for unrelated histories. Throws `not_found` when a commit is missing. */
export function mergeBase(repo: Repo, a: Sha, b: Sha): Promise<Sha | null> {
  if (a === b) return Promise.resolve(a);
  return cached(repo, `base:${a}:${b}`, async () => {
    const text = await gitText(repo, ['merge-base', a, b], { work: 'heavy', okCodes: [0, 1] });
    const id = text.split('\n')[0] ?? '';
    return isSha(id) ? id : null;
  });
}

/** The best common ancestor of several commits (`git merge-base --octopus`); null when there is none. */
export function mergeBaseOf(repo: Repo, ids: readonly Sha[]): Promise<Sha | null> {
  return cached(repo, `bases:${ids.join(':')}`, async () => {
    const text = await gitText(repo, ['merge-base', '--octopus', ...ids], { work: 'heavy', okCodes: [0, 1] });
    const id = text.split('\n')[0] ?? '';
    return isSha(id) ? id : null;
  });
}

/** Whether `ancestor` is in the history of `descendant` (a commit is its own ancestor). */
export function isAncestor(repo: Repo, ancestor: Sha, descendant: Sha): Promise<boolean> {
  if (ancestor === descendant) return Promise.resolve(true);
  return cached(repo, `anc:${ancestor}:${descendant}`, async () => {
    const args = ['merge-base', '--is-ancestor', ancestor, descendant];
    return (await runGit(repo, args, { work: 'heavy', okCodes: [0, 1] })).code === 0;
  });
}

/** Commits only in `head` (ahead) and only in `base` (behind). */
export function aheadBehind(repo: Repo, base: Sha, head: Sha): Promise<{ ahead: number; behind: number }> {
  return cached(repo, `ab:${base}:${head}`, async () => {
    const text = await gitText(repo, ['rev-list', '--left-right', '--count', `${base}...${head}`, '--'], {
      work: 'heavy',
    });
    const [behind = 0, ahead = 0] = text.trim().split(/\s+/).map(Number);
    return { ahead, behind };
  });
}
