/** Who wrote a history, as `git shortlog` counts it. Depends on the commit only, and is cached by it. */
import type { Repo } from '../context.ts';
import { gitText } from '../process/run.ts';
import type { Sha } from '../types.ts';

export interface Contributor {
  readonly name: string;
  readonly email: string;
  /** Commits that they are the author of; merges count. */
  readonly commits: number;
}

/** Authors of `head` and everything before it, each name and address once, most commits first; its own `.mailmap` counts. */
export async function contributors(repo: Repo, head: Sha): Promise<readonly Contributor[]> {
  const key = `contributors:${head}${repo.key}`;
  const known = repo.git.cache.get(key) as readonly Contributor[] | undefined;
  if (known) return known;
  const text = await gitText(repo, ['shortlog', '--summary', '--numbered', '--email', head, '--'], {
    work: 'heavy',
    config: [`mailmap.blob=${head}:.mailmap`],
  });
  const found = text.split('\n').flatMap((line) => {
    const [, commits, name = '', email = ''] = /^\s*(\d+)\t(.*?) ?<([^<>]*)>$/.exec(line) ?? [];
    return commits === undefined ? [] : [{ name, email, commits: Number(commits) }];
  });
  repo.git.cache.set(key, found, text.length + 100);
  return found;
}
