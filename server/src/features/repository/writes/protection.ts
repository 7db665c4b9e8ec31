/** Which refs may be changed by whom: protected branches, and names that only the service writes. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';

/** A protected branch's rule: who may push and merge, by level, user or group. */
export interface Protection {
  readonly name: string;
  readonly allowForcePush: boolean;
  readonly codeOwnerApprovalRequired: boolean;
  readonly push: readonly AccessGrant[];
  readonly merge: readonly AccessGrant[];
}
export interface AccessGrant {
  readonly level: number | null;
  readonly userId: number | null;
  readonly groupId: number | null;
}

/** Matches a branch name with a pattern of literal text and `*`. */
export function matchesPattern(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
}

/** The protections that cover a branch. */
export const protectionsOf = (all: readonly Protection[], branch: string) =>
  all.filter((rule) => matchesPattern(rule.name, branch));

function granted(grants: readonly AccessGrant[], caller: Caller, subject: ProjectSubject): boolean {
  return grants.some((grant) => {
    if (grant.userId !== null) return grant.userId === caller.user?.id && subject.level >= 30;
    if (grant.level === null || grant.level === 0) return false;
    return caller.admin || subject.level >= grant.level;
  });
}

/** Whether the caller may push commits to a branch, new or existing. */
export function mayPush(all: readonly Protection[], branch: string, caller: Caller, subject: ProjectSubject): boolean {
  if (!canOnProject(caller, 'push_code', subject)) return false;
  const rules = protectionsOf(all, branch);
  return rules.length === 0 || rules.some((rule) => granted(rule.push, caller, subject));
}

/** Whether the caller may merge into a branch; being allowed to push is enough. */
export function mayMerge(all: readonly Protection[], branch: string, caller: Caller, subject: ProjectSubject): boolean {
  if (mayPush(all, branch, caller, subject)) return true;
  if (!canOnProject(caller, 'push_code', subject)) return false;
  return protectionsOf(all, branch).some((rule) => granted(rule.merge, caller, subject));
}

const zero = /^0+$/;
/** Namespaces of refs that only the service writes. */
const reserved = /^refs\/(merge-requests|pipelines|keep-around|environments|tmp|remotes)\//;

export interface RefChange {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
}

/**
 * The reason why a caller may not make a change, or null. `forced` tells whether the old tip is not an ancestor of
 * the new one; it is asked only for protected branches.
 */
export async function refusal(
  change: RefChange,
  all: readonly Protection[],
  caller: Caller,
  subject: ProjectSubject,
  forced: () => Promise<boolean>,
): Promise<string | null> {
  if (reserved.test(change.ref)) return `You are not allowed to write to ${change.ref}: it belongs to the service.`;
  if (!canOnProject(caller, 'push_code', subject)) return 'You are not allowed to push code to this project.';
  const branch = /^refs\/heads\/(.+)$/.exec(change.ref)?.[1];
  if (branch === undefined) {
    return /^refs\/(tags|notes)\//.test(change.ref)
      ? null
      : `You are not allowed to write to ${change.ref}: only branches and tags can be pushed.`;
  }
  const deletes = zero.test(change.after);
  if (deletes && branch === subject.project.default_branch) return 'The default branch of a project cannot be deleted.';
  const rules = protectionsOf(all, branch);
  if (rules.length === 0) return null;
  if (deletes) return 'You can only delete protected branches using the web interface.';
  if (!mayPush(all, branch, caller, subject))
    return 'You are not allowed to push code to protected branches on this project.';
  if (!zero.test(change.before) && !rules.some((rule) => rule.allowForcePush) && (await forced())) {
    return 'You are not allowed to force push code to a protected branch on this project.';
  }
  return null;
}
