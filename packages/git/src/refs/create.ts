/** Creates references without a process: where hundreds are made at once, starting git for each is most of the work. */
import { link, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { readHeader } from '../objects/read.ts';
import type { RefName, Sha } from '../types.ts';
import { randomSuffix } from './files.ts';
import { parseRefName } from './names.ts';

/**
 * Creates a reference that one caller alone writes, and whose name leads through no other reference's. Its file is written
 * and synced under a name that no git looks at, and appears as a whole or not at all. False when its file exists, or cannot
 * be made in this way: `updateRefs` then decides. Throws `not_found` when the object is not there.
 */
export async function createRef(repo: Repo, ref: RefName, id: Sha): Promise<boolean> {
  if (repo.quarantine) throw new GitError('invalid', 'references cannot be moved from inside a quarantine');
  if (parseRefName(ref) === null) throw new GitError('invalid', 'not an acceptable reference name');
  if (!(await readHeader(repo, id))) throw new GitError('not_found', `there is no object ${id}`);
  const target = join(repo.path, ref);
  // Maintenance removes what was left under such a name.
  const temporary = join(repo.path, 'objects', `tmp_obj_${randomSuffix()}`);
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(`${id}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporary, target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      // Packing references removes directories that are empty then.
      await mkdir(dirname(target), { recursive: true });
      await link(temporary, target);
    });
    return true;
  } catch {
    return false;
  } finally {
    await rm(temporary, { force: true });
  }
}
