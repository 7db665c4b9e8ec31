/** What Git LFS says to a change of refs: nobody changes what others have locked, and every pointer has its object. */
import * as git from '@millrace/git';
import type { Db } from '../../../kernel/db/index.ts';
import { knownSha } from '../reading/git-reader.ts';
import type { RefChange } from '../writes/protection.ts';
import { type Push, type PushCheck, type Refusal, refuseAll } from '../writes/push-check.ts';
import * as queries from './locks.queries.ts';
import { lockerOf } from './locks.service.ts';
import type { LfsObjects } from './objects.service.ts';
import { longestPointer, readPointer } from './pointers.ts';

const zero = /^0+$/;
/** Paths and ids in one query. */
const atOnce = 1000;

/**
 * Commits whose paths count: new ones, and where something is merged or the default branch moves all that the branch
 * gets or loses. So a branch that takes over what the lock's owner did on the default branch can be pushed.
 */
const sinceWhat = (push: Push, { ref, before }: RefChange): git.Sha | null =>
  !zero.test(before) && (push.kind === 'merge' || ref === `refs/heads/${push.subject.project.default_branch}`)
    ? knownSha(before)
    : null;

/** Refuses changes of files that others have locked. */
export function lockCheck(db: Db): PushCheck {
  async function reasonOf(push: Push, change: RefChange): Promise<string | null> {
    const { project } = push.subject;
    const who = lockerOf(push.caller);
    let paths = new Set<string>();
    const seen = new Set<string>();
    const locked = async () => {
      const found = await queries.lockAmong(db, project.id, who, [...paths]);
      paths = new Set();
      return found ? `The path '${found.path}' is locked in Git LFS by @${found.username}.` : null;
    };
    const touched = git.touchedPaths(push.quarantine.repo, knownSha(change.after), sinceWhat(push, change));
    for await (const { path } of touched) {
      if (seen.has(path)) continue;
      seen.add(path);
      paths.add(path);
      if (paths.size < atOnce) continue;
      const reason = await locked();
      if (reason !== null) return reason;
    }
    return paths.size > 0 ? await locked() : null;
  }

  return async (push) => {
    const found = new Map<string, Refusal>();
    const { project } = push.subject;
    if (!project.lfs_enabled || !(await queries.othersLock(db, project.id, lockerOf(push.caller)))) return found;
    for (const change of push.changes) {
      if (zero.test(change.after) || !change.ref.startsWith('refs/heads/')) continue;
      const reason = await reasonOf(push, change);
      if (reason !== null) found.set(change.ref, { reason, kind: 'content' });
    }
    return found;
  };
}

/** Refuses pointers to objects that the project has not. */
export function presenceCheck(lfs: Pick<LfsObjects, 'of' | 'fromSource'>): PushCheck {
  /** Blobs that are pointers to what is not there, by their id. */
  async function dangling(push: Push): Promise<Map<string, string>> {
    const pointers = new Map<string, string>();
    for await (const { id, data } of git.quarantinedBlobs(push.quarantine, longestPointer)) {
      const pointer = readPointer(data);
      if (pointer) pointers.set(id, pointer.oid);
    }
    const oids = [...new Set(pointers.values())];
    const here = new Set<string>();
    for (let at = 0; at < oids.length; at += atOnce) {
      const some = oids.slice(at, at + atOnce);
      for (const oid of (await lfs.of(push.subject, some)).keys()) here.add(oid);
      const absent = some.filter((oid) => !here.has(oid));
      for (const oid of await lfs.fromSource(push.subject, push.caller, absent)) here.add(oid);
    }
    return new Map([...pointers].filter(([, oid]) => !here.has(oid)));
  }

  return async (push) => {
    if (!push.subject.project.lfs_enabled) return new Map();
    const missing = await dangling(push);
    if (missing.size === 0) return new Map();
    const adding = push.changes.filter(({ after }) => !zero.test(after));
    const tips = adding.map(({ after }) => knownSha(after));
    const ids = new Set(missing.keys());
    const introduced = await git.introducedBlobs(push.quarantine.repo, tips, ids, longestPointer);
    const [first] = introduced;
    if (!first) return new Map();
    const [id, path] = first;
    const reason =
      `${introduced.size === 1 ? 'An LFS object is' : `${introduced.size} LFS objects are`} missing, as that of '${path}' ` +
      `(${missing.get(id)}). Set up Git LFS in your clone, or send them with "git lfs push --all".`;
    return refuseAll({ ...push, changes: adding }, { reason, kind: 'content' });
  };
}
