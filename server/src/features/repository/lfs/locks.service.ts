/** Locks of files: one person's at a time, until they or a maintainer take it away. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { forbidden, notFound, plainError, unprocessable } from '../../../kernel/http/errors.ts';
import * as queries from './locks.queries.ts';

/** Characters, as in the ecosystem. */
const longestPath = 511;

/** Whose locks a caller's are: a person's. Deploy keys have none, whoever made them. */
export const lockerOf = ({ user, credential }: Caller): number | null =>
  credential.kind === 'deploy_key' ? null : (user?.id ?? null);

/** A path in a repository as git writes it. */
function pathOf(given: string): string {
  const path = given.replace(/^\/+/, '');
  const parts = path.split('/');
  const strange = parts.some((part) => part === '' || part === '.' || part === '..') || /[\0\n]/.test(path);
  if (strange || [...path].length > longestPath)
    throw unprocessable(`path must be that of a file, in at most ${longestPath} characters.`);
  return path;
}

export function lfsLocks(db: Db) {
  /** Locks a file. Answers whose lock there is, which is another one where `made` is false. */
  async function lock({ project }: ProjectSubject, caller: Caller, given: string) {
    const userId = lockerOf(caller);
    if (userId === null) throw plainError(403, 'Only people lock files.');
    const path = pathOf(given);
    for (let attempt = 1; ; attempt += 1) {
      const made = await queries.insertLock(db, project.id, userId, path);
      const found = await queries.findLock(db, project.id, { path });
      // It may have been taken away meanwhile.
      if (found) return { made, lock: found };
      if (attempt === 3) throw notFound('Lock');
    }
  }

  /** Takes a lock away: one's own, or with `force` anybody's by who may. */
  async function unlock(subject: ProjectSubject, caller: Caller, id: number, force: boolean): Promise<queries.LfsLock> {
    const found = await queries.findLock(db, subject.project.id, { id });
    if (!found) throw notFound('Lock');
    if (found.user_id !== lockerOf(caller)) {
      if (!force) throw plainError(403, `'${found.path}' is locked by @${found.username}.`);
      if (!canOnProject(caller, 'force_file_unlock', subject))
        throw forbidden('only maintainers take away locks of others');
    }
    if (!(await queries.deleteLock(db, subject.project.id, id))) throw notFound('Lock');
    return found;
  }

  return {
    lock,
    unlock,
    list: ({ project }: ProjectSubject, window: queries.LockWindow) => queries.listLocks(db, project.id, window),
  };
}
