/** What the rules of protected branches and tags say to others: of a ref, and of a person. */
import type { Db } from '../../../kernel/db/index.ts';
import type { RepositoryAccess } from '../face.ts';
import { allowsForcePush, mayCreateTag, mayMerge, mayPush, rulesOf } from './protection.ts';
import { branchRules, nobody, tagRules } from './protections.queries.ts';

/** The name of the branch or the tag that a full ref is. */
const partsOf = (ref: string) => ({
  branch: ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null,
  tag: ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : null,
});

export function refPermissions(
  db: Db,
): Pick<RepositoryAccess, 'branchPermissions' | 'isProtected' | 'mayPush' | 'mayMerge' | 'mayBeForced' | 'mayUpdate'> {
  return {
    async branchPermissions(subject, caller) {
      const rules = await branchRules(db, subject.project.id, caller);
      return {
        mayMerge: (name) => mayMerge(rules, name, caller, subject),
        isProtected: (name) => rulesOf(rules, name).length > 0,
      };
    },
    async isProtected(project, ref) {
      const { branch, tag } = partsOf(ref);
      if (branch !== null) return rulesOf(await branchRules(db, project.id, nobody), branch).length > 0;
      return tag !== null && rulesOf(await tagRules(db, project.id, nobody), tag).length > 0;
    },
    async mayPush(subject, caller, name) {
      return mayPush(await branchRules(db, subject.project.id, caller), name, caller, subject);
    },
    async mayMerge(subject, caller, name) {
      return mayMerge(await branchRules(db, subject.project.id, caller), name, caller, subject);
    },
    async mayBeForced(project, name) {
      const rules = rulesOf(await branchRules(db, project.id, nobody), name);
      return rules.length === 0 || allowsForcePush(rules);
    },
    async mayUpdate(subject, caller, ref) {
      const { branch, tag } = partsOf(ref);
      if (branch !== null) return mayMerge(await branchRules(db, subject.project.id, caller), branch, caller, subject);
      return tag !== null && mayCreateTag(await tagRules(db, subject.project.id, caller), tag, caller, subject);
    },
  };
}
