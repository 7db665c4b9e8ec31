/** This repository, as a person has it in a folder: what scenarios push. */
import { join } from 'node:path';
import { git, withToken } from './git.ts';
import { root } from './instance.ts';

/** Clones it into `folder`, with the project at `url` as its origin; resolves with the path of the clone. */
export async function cloneOwnRepository(folder: string, url: string, token: string): Promise<string> {
  const branch = await git(root, 'branch', '--show-current').catch(() => 'main');
  await git(folder, 'clone', '--quiet', '--branch', branch, root, 'millrace').catch(() =>
    git(folder, 'clone', '--quiet', root, 'millrace'),
  );
  const clone = join(folder, 'millrace');
  await git(clone, 'remote', 'set-url', 'origin', withToken(url, token));
  return clone;
}
