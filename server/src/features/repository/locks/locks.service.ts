/** Locks of files and folders: one person's at a time, until they or a maintainer take it away. */
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, lockInTransaction, transaction } from '../../../kernel/db/index.ts';
import { forbidden, notFound, plainError, unprocessable } from '../../../kernel/http/errors.ts';
import { longestPointer, readPointer } from '../lfs/index.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import * as queries from './locks.queries.ts';

/** Characters, as in the ecosystem. */
const longestPath = 511;
/** Locks of one project: each push of others is held against all of them. */
const mostLocks = 10_000;

/** Whose locks a caller's are: a person's. Deploy keys have none, whoever made them. */
export const lockerOf = ({ user, credential }: Caller): number | null =>
  credential.kind === 'deploy_key' ? null : (user?.id ?? null);

/** A path in a repository as git writes it. */
function pathOf(given: string): string {
  const path = given.replace(/^\/+/, '');
  const parts = path.split('/');
  const strange = parts.some((part) => part === '' || part === '.' || part === '..') || /[\0\n]/.test(path);
  if (strange || [...path].length > longestPath)
    throw unprocessable(`path must be that of a file or folder, in at most ${longestPath} characters.`);
  return path;
}

function personOf(caller: Caller): number {
  const userId = lockerOf(caller);
  if (userId === null) throw plainError(403, 'Only people lock files.');
  return userId;
}

export interface LockDependencies {
  readonly db: Db;
  readonly reader: Pick<RepositoryReader, 'branch' | 'blob' | 'blobContent' | 'tree'>;
}

export function pathLocks({ db, reader }: LockDependencies) {
  /** One at a time in a project: a folder and what is in it must not go to two people at once. */
  const alone = <T>(projectId: number, work: (tx: Db) => Promise<T>): Promise<T> =>
    transaction(db, async (tx) => {
      await lockInTransaction(tx, 'path locks', projectId);
      return await work(tx);
    });

  async function insert(tx: Db, lock: Parameters<typeof queries.insertLock>[1]): Promise<queries.PathLock> {
    if (await queries.hasLocks(tx, lock.project_id, mostLocks))
      throw unprocessable(`The project has ${mostLocks} locks already: unlock something first.`);
    await queries.insertLock(tx, lock);
    const made = await queries.findLock(tx, lock.project_id, lock);
    // The person may be removed meanwhile.
    if (!made) throw notFound('Lock');
    return made;
  }

  /**
   * Locks a file for Git LFS, on every branch; what one has locked oneself on the default branch alone, too. Answers whose
   * lock there is, which is another one where `made` is false.
   */
  async function lockForLfs({ project }: ProjectSubject, caller: Caller, given: string) {
    const userId = personOf(caller);
    const path = pathOf(given);
    return await alone(project.id, async (tx) => {
      const around = await queries.lockAround(tx, project.id, path, userId);
      if (around && around.user_id !== userId) return { made: false, lock: around };
      const own = await queries.findLock(tx, project.id, { path });
      if (own?.lfs) return { made: false, lock: own };
      if (own) {
        await queries.widenLock(tx, own.id);
        return { made: true, lock: { ...own, lfs: true } };
      }
      return { made: true, lock: await insert(tx, { project_id: project.id, user_id: userId, path, lfs: true }) };
    });
  }

  /** Whether what is at a path of the default branch is a file of Git LFS; null where nothing is. */
  async function isLarge({ project }: ProjectSubject, path: string): Promise<boolean | null> {
    const head = project.default_branch === null ? null : await reader.branch(project, project.default_branch);
    if (!head) return null;
    const blob = await reader.blob(project, head.commit, path);
    if (!blob) return (await reader.tree(project, head.commit, path, false)) ? false : null;
    const content = project.lfs_enabled ? await reader.blobContent(project, blob.id, longestPointer) : null;
    return content !== null && readPointer(content) !== null;
  }

  /** Locks a file or folder of the default branch; a file of Git LFS as its clients do. */
  async function lock(subject: ProjectSubject, caller: Caller, given: string): Promise<queries.PathLock> {
    const { project } = subject;
    const userId = personOf(caller);
    const path = pathOf(given);
    const large = await isLarge(subject, path);
    if (large === null) throw notFound('File or folder of the default branch');
    return await alone(project.id, async (tx) => {
      const around = await queries.lockAround(tx, project.id, path, userId);
      if (around?.path === path) throw plainError(409, `'${path}' is locked already, by @${around.username}.`);
      if (around)
        throw plainError(409, `Locks are not nested: '${around.path}' is locked already, by @${around.username}.`);
      return await insert(tx, { project_id: project.id, user_id: userId, path, lfs: large });
    });
  }

  /** Takes a lock away: one's own, or with `force` anybody's by who may. */
  async function unlock(
    subject: ProjectSubject,
    caller: Caller,
    id: number,
    force: boolean,
  ): Promise<queries.PathLock> {
    const found = await queries.findLock(db, subject.project.id, { id });
    if (!found) throw notFound('Lock');
    const own = found.user_id === lockerOf(caller);
    if (!own && !force) throw plainError(403, `'${found.path}' is locked by @${found.username}.`);
    if (!own && !canOnProject(caller, 'force_file_unlock', subject))
      throw forbidden('only maintainers take away locks of others');
    await transaction(db, async (tx) => {
      if (!(await queries.deleteLock(tx, subject.project.id, id))) throw notFound('Lock');
      if (own) return;
      await recordAudit(tx, {
        ...originOfCaller(caller),
        entity: entityOfPlace(subject),
        event: 'path_lock_removed',
        details: { path: found.path, lfs: found.lfs, locked_by: found.username },
        target: { type: 'PathLock', id, details: found.path },
      });
    });
    return found;
  }

  return {
    lock,
    unlock,
    /** As git-lfs asks for them. */
    lfs: {
      lock: lockForLfs,
      unlock,
      list: ({ project }: ProjectSubject, window: queries.LockWindow) => queries.listLfsLocks(db, project.id, window),
    },
  };
}
