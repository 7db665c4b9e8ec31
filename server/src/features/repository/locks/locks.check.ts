/** What locks say to a change of refs: nobody changes what others have locked. */
import * as git from '@millrace/git';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { RepositoryAccess } from '../face.ts';
import { knownSha, type OpenRepository } from '../reading/git-reader.ts';
import type { RefChange } from '../writes/protection.ts';
import { bringsObjects, type Push, type PushCheck, type Refusal } from '../writes/push-check.ts';
import type { PushConditions } from '../writes/push-conditions.ts';
import * as queries from './locks.queries.ts';
import { lockerOf } from './locks.service.ts';

/** The lock that a path is under: its own, or that of a folder above it. */
function lockOver<T>(locks: ReadonlyMap<string, T>, path: string): T | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const found = locks.get(path.slice(0, end));
    if (found !== undefined) return found;
  }
  return undefined;
}

function reasonOf({ path: locked, lfs, username }: queries.PathLock, path: string): string {
  const by = `locked${lfs ? ' in Git LFS' : ''} by @${username}`;
  return path === locked ? `The path '${path}' is ${by}.` : `The path '${path}' is in '${locked}', which is ${by}.`;
}

const byPath = (locks: readonly queries.PathLock[]) => new Map(locks.map((lock) => [lock.path, lock]));

/** Of all locks those that count on a branch. */
const countingOn = (
  locks: readonly queries.PathLock[],
  { project }: Pick<ProjectSubject, 'project'>,
  branch: string,
): readonly queries.PathLock[] =>
  branch === project.default_branch ? locks : project.lfs_enabled ? locks.filter(({ lfs }) => lfs) : [];

const heads = 'refs/heads/';
const branchOf = ({ ref }: RefChange) => (ref.startsWith(heads) ? ref.slice(heads.length) : null);

/**
 * Where something is merged or the default branch moves, what the branch gets or loses: no merge commit, however it was
 * made, undoes what the lock's owner did. Else what new commits do, so that a branch that takes over what the owner did on
 * the default branch can be pushed.
 */
function changedPaths({ quarantine, kind, subject }: Push, change: RefChange): AsyncIterable<string> {
  const after = knownSha(change.after);
  const whole = kind === 'merge' || branchOf(change) === subject.project.default_branch;
  return whole && change.before !== git.ZERO_SHA
    ? git.differingPaths(quarantine.repo, knownSha(change.before), after)
    : git.touchedPaths(quarantine.repo, after);
}

/**
 * Refuses changes of files that others have locked: on the default branch, and where Git LFS has locked them on every
 * branch. All locks of others come in one query.
 */
export function lockCheck(db: Db, conditions: PushConditions): PushCheck {
  return async (push) => {
    const found = new Map<string, Refusal>();
    // A branch that begins where something is already changes no file.
    if (!bringsObjects(push) && push.changes.every(({ before }) => before === git.ZERO_SHA)) return found;
    if (!(await conditions(push)).locks) return found;
    const people = [lockerOf(push.caller), push.author].filter((id) => id !== null);
    const locks = await queries.locksOfOthers(db, push.subject.project.id, people);
    for (const change of push.changes) {
      const branch = branchOf(change);
      if (branch === null || change.after === git.ZERO_SHA) continue;
      const counting = byPath(countingOn(locks, push.subject, branch));
      if (counting.size === 0) continue;
      for await (const path of changedPaths(push, change)) {
        const lock = lockOver(counting, path);
        if (!lock) continue;
        found.set(change.ref, { reason: reasonOf(lock, path), kind: 'content' });
        break;
      }
    }
    return found;
  };
}

/** What a merge request would be told. */
export const locksInTheWay =
  (db: Db, open: OpenRepository): RepositoryAccess['lockInTheWay'] =>
  async (subject, branch, { from, to }, people) => {
    const { project } = subject;
    const counting = byPath(countingOn(await queries.locksOfOthers(db, project.id, people), subject, branch));
    if (counting.size === 0) return null;
    const repo = open(project);
    const base = await git.mergeBase(repo, knownSha(from), knownSha(to));
    if (base === null) return null;
    const files = await git.changedFiles(repo, base, knownSha(to), { renames: false });
    for (const { newPath } of files) {
      const lock = lockOver(counting, newPath);
      if (lock) return { lfs: lock.lfs, reason: reasonOf(lock, newPath) };
    }
    return null;
  };
