/** What Git LFS says to a change of refs: every pointer has its object. */
import * as git from '@millrace/git';
import { knownSha } from '../reading/git-reader.ts';
import { type Push, type PushCheck, refuseAll } from '../writes/push-check.ts';
import type { LfsObjects } from './objects.service.ts';
import { longestPointer, readPointer } from './pointers.ts';

/** Ids in one query. */
const atOnce = 1000;

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
    const adding = push.changes.filter(({ after }) => after !== git.ZERO_SHA);
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
