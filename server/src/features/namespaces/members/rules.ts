/** What holds for every way to become a member: roles, who gives them, names of places. */
import { Level, memberLevels } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import {
  badRequest,
  forbidden,
  type HttpError,
  invalidParameters,
  invalidRecord,
} from '../../../kernel/http/errors.ts';
import { requireOnGroup, requireOnProject } from '../../../kernel/http/parents.ts';
import { confirmedDomains, entryTerms } from './entry.queries.ts';
import type { Place } from './members.queries.ts';

export type MemberSubject = ProjectSubject | GroupSubject;

export interface Terms {
  readonly level: number;
  readonly expiresAt: string | null;
}

export function placeOf(subject: MemberSubject): Place {
  return subject.kind === 'project'
    ? { kind: 'project', id: subject.project.id, namespaceIds: subject.namespace.traversal_ids }
    : { kind: 'group', id: subject.group.id, namespaceIds: subject.group.traversal_ids };
}

const roleNames: Readonly<Record<number, string>> = {
  5: 'Minimal Access',
  10: 'Guest',
  15: 'Planner',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
};

export const roleOf = (level: number): string => roleNames[level] ?? String(level);

const isLevel = (value: number) => (memberLevels as readonly number[]).includes(value);

export function requireAdministration(caller: Caller, subject: MemberSubject): void {
  if (subject.kind === 'project') requireOnProject(caller, 'admin_project_member', subject);
  else requireOnGroup(caller, 'admin_group_member', subject);
}

/** Nobody gives, changes or takes away a level above their own. */
export function requireLevel(caller: Caller, subject: MemberSubject, level: number): void {
  if (!caller.admin && subject.level < level) throw forbidden();
}

/** Minimal access is for top-level groups. `name` is what the client calls the level. */
export function checkTerms(
  subject: MemberSubject,
  level: number,
  expiresAt: string | null | undefined,
  name = 'access_level',
): void {
  const top = subject.kind === 'group' && subject.group.parent_id === null;
  if (!isLevel(level) || (level === Level.minimal && !top))
    throw invalidParameters([`${name} does not have a valid value`]);
  const today = new Date().toISOString().slice(0, 10);
  if (expiresAt && expiresAt < today) throw invalidRecord({ expires_at: ['cannot be a date in the past'] });
  // It ends when the day begins: what would be over at once is not given.
  if (expiresAt === today) throw invalidRecord({ expires_at: ['must be after today'] });
}

export function refuseCustomRole(memberRoleId: number | null | undefined): void {
  if (memberRoleId != null) throw badRequest('member_role_id: there are no custom roles');
}

/** Whom the groups above let in: nobody new into projects, or people with addresses of some domains. */
export async function requireEntry(
  tx: Db,
  subject: MemberSubject,
  user: Pick<User, 'id' | 'user_type'>,
): Promise<void> {
  // Accounts that stand for tokens are made by whoever administers the place.
  if (user.user_type !== 'human') return;
  const { locked, domains } = await entryTerms(tx, placeOf(subject).namespaceIds);
  if (subject.kind === 'project' && locked)
    throw forbidden('a group above keeps its projects from having members of their own (membership_lock)');
  if (domains === null) return;
  const wanted = domains.split(',').map((domain) => domain.trim().toLowerCase());
  const own = await confirmedDomains(tx, user.id);
  if (own.some((domain) => wanted.includes(domain))) return;
  throw invalidRecord({
    user: [`has no confirmed address in the domains of the group: ${wanted.join(', ')} (allowed_email_domains_list)`],
  });
}

/** The same of an address that nobody has yet. */
export async function requireInvitable(db: Db, subject: MemberSubject, address: string): Promise<void> {
  const { locked, domains } = await entryTerms(db, placeOf(subject).namespaceIds);
  if (subject.kind === 'project' && locked)
    throw forbidden('a group above keeps its projects from having members of their own (membership_lock)');
  const wanted = domains?.split(',').map((domain) => domain.trim().toLowerCase());
  if (!wanted || wanted.includes(address.slice(address.lastIndexOf('@') + 1).toLowerCase())) return;
  throw invalidRecord({
    invite_email: [`is not in the domains of the group: ${wanted.join(', ')} (allowed_email_domains_list)`],
  });
}

/** The reason that a client is told about one of several: one sentence, as typed clients read it. */
export function reasonOf({ body }: HttpError): string {
  const said = 'message' in body ? body.message : body.error;
  if (typeof said !== 'object' || said === null) return String(said);
  return Object.entries(said)
    .flatMap(([field, reasons]) => [reasons].flat().map((reason) => `${sentenceStart(field)} ${reason}`))
    .join(', ');
}
const sentenceStart = (field: string) => `${field.charAt(0).toUpperCase()}${field.slice(1).replaceAll('_', ' ')}`;

/** A group or project as messages name it. */
export function nameOf(subject: MemberSubject, externalUrl: string) {
  if (subject.kind === 'group') {
    const url = `${externalUrl}/groups/${subject.group.full_path}`;
    return { noun: 'group', name: subject.group.full_name, url, membersUrl: `${url}/-/group_members` } as const;
  }
  const url = `${externalUrl}/${subject.namespace.full_path}/${subject.project.path}`;
  const name = `${subject.namespace.full_name} / ${subject.project.name}`;
  return { noun: 'project', name, url, membersUrl: `${url}/-/project_members` } as const;
}
