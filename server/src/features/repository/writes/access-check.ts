/** The first check of every push: names of refs, the caller's role, protected branches and tags. */
import * as git from '@millrace/git';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { type BranchProtection, letsDevelopersStart } from '../../../kernel/settings/branch-protection.ts';
import { ownerText } from '../code-owners/code-owners.ts';
import { ownedChange } from '../code-owners/owned-changes.ts';
import { knownSha } from '../reading/git-reader.ts';
import {
  allowsForcePush,
  type BranchRule,
  isGranted,
  mayCreateTag,
  mayDelete,
  mayMerge,
  mayPush,
  type RefChange,
  rulesOf,
} from './protection.ts';
import { branchRules, defaultProtectionOf, tagRules } from './protections.queries.ts';
import type { Push, PushCheck, Refusal } from './push-check.ts';

const creates = ({ before }: RefChange) => before === git.ZERO_SHA;
const deletes = ({ after }: RefChange) => after === git.ZERO_SHA;

/** Namespaces of refs that only the service writes. */
const reserved = /^refs\/(merge-requests|pipelines|keep-around|environments|tmp|remotes)\//;

/** What of the change itself is needed where it meets a rule. */
interface Attempt {
  readonly change: RefChange;
  readonly caller: Caller;
  readonly subject: ProjectSubject;
  readonly kind: Push['kind'];
  /** Whether the old tip is not an ancestor of the new one. */
  forced(): Promise<boolean>;
  /** A changed file that somebody owns, in words; null where none is. */
  owned(): Promise<string | null>;
  /** Whether a protected branch has the commit already. */
  onProtected(rules: readonly BranchRule[]): Promise<boolean>;
}

const administers = (caller: Caller, subject: ProjectSubject) => caller.admin || subject.level >= Level.maintainer;

/** The first branch of an empty repository: made by whoever administers the project, by others where the namespace lets them. */
async function firstBranchRefusal(
  { caller, subject }: Attempt,
  rules: readonly BranchRule[],
  protection: () => Promise<BranchProtection>,
): Promise<string | null> {
  if (administers(caller, subject)) return null;
  if (rules.some((rule) => isGranted(rule.push, caller, subject.level))) return null;
  if (letsDevelopersStart(await protection())) return null;
  return `A default branch does not exist yet for ${subject.namespace.full_path}/${subject.project.path}. Ask a project owner or maintainer to create it.`;
}

async function creationRefusal(attempt: Attempt, branch: string, all: readonly BranchRule[]): Promise<string | null> {
  const { caller, subject, kind } = attempt;
  if (mayPush(all, branch, caller, subject)) return null;
  if (!mayMerge(all, branch, caller, subject))
    return 'You are not allowed to create protected branches on this project.';
  if (!(await attempt.onProtected(all)))
    return 'You can only use an existing protected branch ref as the basis of a new protected branch.';
  return kind === 'push' ? 'You can only create protected branches using the web interface and API.' : null;
}

function deletionRefusal({ caller, subject, kind }: Attempt, rules: readonly BranchRule[]): string | null {
  if (!mayDelete(rules, caller, subject))
    return 'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.';
  return kind === 'push' ? 'You can only delete protected branches using the web interface.' : null;
}

async function branchRefusal(attempt: Attempt, branch: string, all: readonly BranchRule[]): Promise<string | null> {
  const { change, caller, subject, kind } = attempt;
  if (deletes(change) && branch === subject.project.default_branch)
    return 'The default branch of a project cannot be deleted.';
  const rules = rulesOf(all, branch);
  if (rules.length === 0) return null;
  if (deletes(change)) return deletionRefusal(attempt, rules);
  if (creates(change)) return await creationRefusal(attempt, branch, all);
  if (!mayPush(all, branch, caller, subject)) {
    const owned = rules.some((rule) => rule.codeOwnerApprovalRequired) ? await attempt.owned() : null;
    // Clients of the API compare the sentence that it has for every branch that the caller may not push to.
    if (kind !== 'push' && owned === null) return 'You are not allowed to push into this branch';
    return `You are not allowed to push code to protected branches on this project.${owned === null ? '' : ` ${owned}`}`;
  }
  if (!allowsForcePush(rules) && (await attempt.forced()))
    return 'You are not allowed to force push code to a protected branch on this project.';
  return null;
}

function tagRefusal({ change, caller, subject, kind }: Attempt, tag: string, all: Parameters<typeof mayCreateTag>[0]) {
  if (creates(change) && tag === subject.project.default_branch)
    return 'You cannot use the name of the default branch to create a tag.';
  if (rulesOf(all, tag).length === 0) return null;
  if (!creates(change) && !deletes(change)) return 'Protected tags cannot be updated.';
  if (deletes(change)) {
    if (!canOnProject(caller, 'admin_protected_ref', subject))
      return 'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.';
    if (kind === 'push') return 'You can only delete protected tags using the web interface.';
  }
  return mayCreateTag(all, tag, caller, subject) ? null : 'You are not allowed to create this tag as it is protected.';
}

/** A question that is asked once, when somebody wants to know. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => (answer ??= ask());
}

export const accessCheck =
  (db: Db, collaborates: (subject: ProjectSubject, caller: Caller) => Promise<ReadonlySet<string>>): PushCheck =>
  async ({ subject, caller, changes, quarantine, authorised, kind }) => {
    const { id } = subject.project;
    const branches = once(() => branchRules(db, id, caller));
    const tags = once(() => tagRules(db, id, caller));
    const empty = once(async () => !(await git.hasRefs(quarantine.base, 'refs/heads/')));
    const protection = once(() => defaultProtectionOf(db, id));
    const shared = once(() => collaborates(subject, caller));

    async function refusal(change: RefChange): Promise<string | null> {
      const { ref } = change;
      if (!deletes(change) && !git.isCreatableRef(ref)) return 'The name of the ref is not allowed.';
      if (authorised) return null;
      if (reserved.test(ref)) return `You are not allowed to write to ${ref}: it belongs to the service.`;
      if (!canOnProject(caller, 'push_code', subject)) {
        // What they may merge elsewhere they may put right first, and do nothing else here.
        const changed = ref.startsWith('refs/heads/') && !creates(change) && !deletes(change);
        if (changed && (await shared()).has(ref.slice('refs/heads/'.length))) return null;
        return 'You are not allowed to push code to this project.';
      }
      const attempt: Attempt = {
        change,
        caller,
        subject,
        kind,
        forced: async () => !(await git.isAncestor(quarantine.repo, knownSha(change.before), knownSha(change.after))),
        async owned() {
          const found = await ownedChange(quarantine.repo, knownSha(change.before), knownSha(change.after));
          if (found === null) return null;
          const owners = new Set(found.ownerships.flatMap((ownership) => ownership.owners.map(ownerText)));
          return `Open a merge request: ${found.path} is owned by ${[...owners].join(', ')}, whose approval the branch requires.`;
        },
        async onProtected(rules) {
          const commit = knownSha(change.after);
          const holding = await git.refsContaining(quarantine.repo, commit, { prefix: 'refs/heads/' });
          return holding.some((name) => rulesOf(rules, name.slice('refs/heads/'.length)).length > 0);
        },
      };
      if (ref.startsWith('refs/heads/')) {
        const branch = ref.slice('refs/heads/'.length);
        const all = await branches();
        const rules = rulesOf(all, branch);
        const asks = rules.length > 0 || !administers(caller, subject);
        if (asks && creates(change) && !deletes(change) && (await empty()))
          return await firstBranchRefusal(attempt, rules, protection);
        return await branchRefusal(attempt, branch, all);
      }
      if (ref.startsWith('refs/tags/')) return tagRefusal(attempt, ref.slice('refs/tags/'.length), await tags());
      if (ref.startsWith('refs/notes/')) return null;
      return `You are not allowed to write to ${ref}: only branches and tags can be pushed.`;
    }

    const found = new Map<string, Refusal>();
    for (const change of changes) {
      const reason = await refusal(change);
      if (reason !== null) found.set(change.ref, { reason, kind: 'permission' });
    }
    return found;
  };
