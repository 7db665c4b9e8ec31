/** Which refs may be changed by whom: protected branches and tags, and names that only the service writes. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';

/** Somebody who may: exactly one of level, user, group and deploy key. */
export interface AccessGrant {
  readonly level: number | null;
  readonly userId: number | null;
  readonly deployKeyId: number | null;
  /** Whether the caller is in the group that it is for, and the group still has access to the project. */
  readonly member: boolean;
}

/** The rule of a name with wildcards. */
export interface RefRule {
  readonly id: number;
  readonly name: string;
  /** Set by the top-level group for everything below it. */
  readonly inherited: boolean;
}

/** A protected branch, as it is for one caller. */
export interface BranchRule extends RefRule {
  readonly allowForcePush: boolean;
  readonly codeOwnerApprovalRequired: boolean;
  readonly push: readonly AccessGrant[];
  readonly merge: readonly AccessGrant[];
  readonly unprotect: readonly AccessGrant[];
}

/** A protected tag, as it is for one caller. */
export interface TagRule extends RefRule {
  readonly create: readonly AccessGrant[];
}

/** Matches the name of a ref with a pattern of literal text and `*`. */
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

/** The rules that cover a name. */
export const rulesOf = <T extends { readonly name: string }>(all: readonly T[], name: string): T[] =>
  all.filter((rule) => matchesPattern(rule.name, name));

/** Level that only administrators have. */
const administrators = 60;

/** Whether one of the grants is the caller's. What they may do on the project at all is asked besides. */
export function isGranted(grants: readonly AccessGrant[], caller: Caller, level: number): boolean {
  const { credential, user, admin } = caller;
  return grants.some((grant) => {
    if (credential.kind === 'deploy_key') {
      // The roles of whoever made a deploy key are not the key's; but who may not push, has no key that may.
      const maker = user?.admin === true || level >= Level.developer;
      return grant.deployKeyId === credential.keyId && maker;
    }
    if (grant.userId !== null) return grant.userId === user?.id;
    if (grant.level === null) return grant.member;
    if (grant.level === administrators) return admin;
    return grant.level > Level.none && (admin || level >= grant.level);
  });
}

/** Whether the caller may push commits to a branch, new or existing: one of the rules that cover it is enough. */
export function mayPush(all: readonly BranchRule[], branch: string, caller: Caller, subject: ProjectSubject): boolean {
  if (!canOnProject(caller, 'push_code', subject)) return false;
  const rules = rulesOf(all, branch);
  return rules.length === 0 || rules.some((rule) => isGranted(rule.push, caller, subject.level));
}

/** Whether the caller may merge into a branch; being allowed to push is enough. */
export function mayMerge(all: readonly BranchRule[], branch: string, caller: Caller, subject: ProjectSubject): boolean {
  if (mayPush(all, branch, caller, subject)) return true;
  if (!canOnProject(caller, 'push_code', subject)) return false;
  return rulesOf(all, branch).some((rule) => isGranted(rule.merge, caller, subject.level));
}

/** Whether the caller may create a tag. */
export function mayCreateTag(all: readonly TagRule[], tag: string, caller: Caller, subject: ProjectSubject): boolean {
  if (!canOnProject(caller, 'push_code', subject)) return false;
  const rules = rulesOf(all, tag);
  return rules.length === 0 || rules.some((rule) => isGranted(rule.create, caller, subject.level));
}

/** Whether a rule may be lifted or changed by somebody who administers the place; without a list, by all of them. */
export const mayUnprotect = ({ unprotect }: Pick<BranchRule, 'unprotect'>, caller: Caller, level: number): boolean =>
  unprotect.length === 0 || isGranted(unprotect, caller, level);

/** Where a group says something of force pushes, projects do not undo it. */
export function allowsForcePush(rules: readonly BranchRule[]): boolean {
  const ofGroup = rules.filter(({ inherited }) => inherited);
  return (ofGroup.length > 0 ? ofGroup : rules).some(({ allowForcePush }) => allowForcePush);
}

/** Whether somebody may remove a protected branch by the API or a page: it ends what the rules protect. */
export const mayDelete = (rules: readonly BranchRule[], caller: Caller, subject: ProjectSubject): boolean =>
  canOnProject(caller, 'admin_protected_ref', subject) &&
  rules.every((rule) => mayUnprotect(rule, caller, subject.level));

export interface RefChange {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
}
