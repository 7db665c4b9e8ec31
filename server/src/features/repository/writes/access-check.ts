/** The first check of every push: names of refs, the caller's role, protected branches. */
import * as git from '@millrace/git';
import type { Db } from '../../../kernel/db/index.ts';
import { knownSha } from '../reading/git-reader.ts';
import { refusal } from './protection.ts';
import type { PushCheck, Refusal } from './push-check.ts';
import { protections } from './writes.queries.ts';

const zero = /^0+$/;

export const accessCheck =
  (db: Db): PushCheck =>
  async ({ subject, caller, changes, quarantine, authorised }) => {
    const found = new Map<string, Refusal>();
    const all = authorised ? [] : await protections(db, subject.project.id);
    for (const change of changes) {
      const forced = async () =>
        !(await git.isAncestor(quarantine.repo, knownSha(change.before), knownSha(change.after)));
      const wellFormed = zero.test(change.after) || git.isCreatableRef(change.ref);
      const reason = wellFormed
        ? authorised
          ? null
          : await refusal(change, all, caller, subject, forced)
        : 'The name of the ref is not allowed.';
      if (reason !== null) found.set(change.ref, { reason, kind: 'permission' });
    }
    return found;
  };
