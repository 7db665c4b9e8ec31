/** Who wrote a history, as `git shortlog` counts it. Depends on the commit only, and is cached by it. */
import type { Repo } from '../context.ts';
import { gitText } from '../process/run.ts';
import type { Sha } from '../types.ts';

export interface Contributor {
  readonly name: string;
  readonly email: string;
  /** Commits that they are the author of, without merges. */
  readonly commits: number;
}

/**
 * Authors of `head` and everything before it, each address once, with the name of most of its commits, most commits
 * first; its own `.mailmap` counts.
 */
export async function contributors(repo: Repo, head: Sha): Promise<readonly Contributor[]> {
  const key = `contributors:${head}${repo.key}`;
  const known = repo.git.cache.get(key) as readonly Contributor[] | undefined;
  if (known) return known;
  const text = await gitText(repo, ['shortlog', '--summary', '--numbered', '--email', '--no-merges', head, '--'], {
    work: 'heavy',
    config: [`mailmap.blob=${head}:.mailmap`],
  });
  const byAddress = new Map<string, Contributor>();
  for (const line of text.split('\n')) {
    const [, commits, name = '', email = ''] = /^\s*(\d+)\t(.*?) ?<([^<>]*)>$/.exec(line) ?? [];
    if (commits === undefined) continue;
    const before = byAddress.get(email);
    byAddress.set(email, { name: before?.name ?? name, email, commits: (before?.commits ?? 0) + Number(commits) });
  }
  const found = [...byAddress.values()].toSorted((a, b) => b.commits - a.commits);
  repo.git.cache.set(key, found, text.length + 100);
  return found;
}
