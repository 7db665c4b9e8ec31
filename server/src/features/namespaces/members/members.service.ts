/** Rules of membership: who may give which level, and that somebody stays in charge. */
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import { Level, memberLevels } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { emit } from '../../../kernel/events/index.ts';
import { forbidden, invalidParameters, invalidRecord, notFound, plainError } from '../../../kernel/http/errors.ts';
import { requireOnGroup, requireOnProject } from '../../../kernel/http/parents.ts';
import { findUser, findUserByUsername } from '../../identity/index.ts';
import { lockNamespace } from '../projects/projects.queries.ts';
import {
  deleteMember,
  findGrant,
  inheritedLevel,
  insertMember,
  otherOwners,
  type Place,
  updateMember,
} from './members.queries.ts';

export type MemberSubject = ProjectSubject | GroupSubject;

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

const roleOf = (level: number): string => roleNames[level] ?? String(level);

const isLevel = (value: number) => (memberLevels as readonly number[]).includes(value);

function requireAdministration(caller: Caller, subject: MemberSubject): void {
  if (subject.kind === 'project') requireOnProject(caller, 'admin_project_member', subject);
  else requireOnGroup(caller, 'admin_group_member', subject);
}

/** Nobody gives, changes or takes away a level above their own. */
function requireLevel(caller: Caller, subject: MemberSubject, level: number): void {
  if (!caller.admin && subject.level < level) throw forbidden();
}

function checkTerms(subject: MemberSubject, level: number, expiresAt: string | null | undefined): void {
  if (!isLevel(level) || (subject.kind === 'project' && level === Level.minimal))
    throw invalidParameters(['access_level does not have a valid value']);
  if (expiresAt && expiresAt < new Date().toISOString().slice(0, 10))
    throw invalidRecord({ expires_at: ['cannot be a date in the past'] });
}

async function checkInherited(db: Db, place: Place, userId: number, level: number): Promise<void> {
  const above = await inheritedLevel(db, place, userId);
  if (!above || above.level <= level) return;
  throw invalidRecord({
    access_level: [
      `should be greater than or equal to ${roleOf(above.level)} inherited membership from group ${above.name}`,
    ],
  });
}

/** The owner of a personal namespace is in charge of its projects whatever happens. */
const ownsNamespace = (subject: MemberSubject, userId: number) =>
  subject.kind === 'project' && subject.namespace.kind === 'user' && subject.namespace.owner_id === userId;

export interface Terms {
  readonly level: number;
  readonly expiresAt: string | null;
}

interface RemovalOptions {
  /** Also direct memberships in the groups and projects below. */
  readonly below: boolean;
  /** Throws when the client's state of the membership is older than this. */
  unmodifiedSince(changedAt: Date): void;
}

export function memberService(db: Db) {
  async function record(
    tx: Db,
    subject: MemberSubject,
    actor: Caller,
    userId: number,
    what: 'created' | 'updated' | 'destroyed',
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const user = await findUser(tx, userId);
    await recordAudit(tx, {
      ...originOfCaller(actor),
      entity: entityOfPlace(subject),
      event: `member_${what}`,
      details,
      target: { type: 'User', id: userId, details: user?.username ?? '' },
    });
  }

  const tell = (tx: Db, subject: MemberSubject, actor: Caller, userId: number, change: string) =>
    emit(tx, {
      kind: 'member.changed',
      project_id: subject.kind === 'project' ? subject.project.id : null,
      namespace_id: subject.kind === 'group' ? subject.group.id : subject.project.namespace_id,
      actor_id: actor.user?.id ?? null,
      payload: { user_id: userId, change },
    });

  /** By id or user name. */
  async function findPerson(who: number | string): Promise<User> {
    const user = typeof who === 'number' ? await findUser(db, who) : await findUserByUsername(db, who);
    if (!user) throw notFound('User');
    return user;
  }

  async function add(caller: Caller, subject: MemberSubject, user: User, terms: Terms): Promise<void> {
    requireAdministration(caller, subject);
    checkTerms(subject, terms.level, terms.expiresAt);
    requireLevel(caller, subject, terms.level);
    const place = placeOf(subject);
    if (await findGrant(db, place, user.id)) throw plainError(409, 'Member already exists');
    await checkInherited(db, place, user.id, terms.level);
    await transaction(db, async (tx) => {
      const added = await insertMember(tx, place, {
        userId: user.id,
        ...terms,
        createdById: caller.user?.id ?? null,
      });
      if (!added) throw plainError(409, 'Member already exists');
      await record(tx, subject, caller, user.id, 'created', { as: roleOf(terms.level), expires_at: terms.expiresAt });
      await tell(tx, subject, caller, user.id, 'added');
    });
  }

  async function change(
    caller: Caller,
    subject: MemberSubject,
    userId: number,
    terms: { readonly level: number; readonly expiresAt: string | null | undefined },
  ): Promise<void> {
    requireAdministration(caller, subject);
    checkTerms(subject, terms.level, terms.expiresAt);
    const place = placeOf(subject);
    await transaction(db, async (tx) => {
      const grant = await findGrant(tx, place, userId);
      if (!grant) throw notFound('Member');
      requireLevel(caller, subject, Math.max(terms.level, grant.level));
      if (terms.level < Level.owner) await requireOtherOwner(tx, subject, userId, grant.level);
      await checkInherited(tx, place, userId, terms.level);
      await updateMember(tx, grant.id, {
        level: terms.level,
        ...(terms.expiresAt === undefined ? {} : { expires_at: terms.expiresAt }),
      });
      const from = { level: roleOf(grant.level), expires_at: grant.expires_at };
      const to = { level: roleOf(terms.level), expires_at: terms.expiresAt ?? grant.expires_at };
      await record(tx, subject, caller, userId, 'updated', { from, to });
      await tell(tx, subject, caller, userId, 'updated');
    });
  }

  async function remove(
    caller: Caller,
    subject: MemberSubject,
    userId: number,
    { below, unmodifiedSince }: RemovalOptions,
  ): Promise<void> {
    const place = placeOf(subject);
    const leaving = caller.user?.id === userId;
    await transaction(db, async (tx) => {
      const grant = await findGrant(tx, place, userId);
      if (!leaving || !grant) requireAdministration(caller, subject);
      if (!grant) throw notFound('Member');
      if (!leaving) requireLevel(caller, subject, grant.level);
      await requireOtherOwner(tx, subject, userId, grant.level);
      unmodifiedSince(grant.updated_at);
      await deleteMember(tx, place, userId, below);
      await record(tx, subject, caller, userId, 'destroyed', { was: roleOf(grant.level) });
      await tell(tx, subject, caller, userId, 'removed');
    });
  }

  async function requireOtherOwner(tx: Db, subject: MemberSubject, userId: number, level: number): Promise<void> {
    if (ownsNamespace(subject, userId)) throw forbidden();
    if (level < Level.owner || subject.kind === 'project') return;
    // Of owners who leave at the same time the last one waits here and sees that the others are gone.
    await lockNamespace(tx, subject.group.id);
    if ((await otherOwners(tx, placeOf(subject), userId)) === 0) throw forbidden();
  }

  return { findPerson, add, change, remove };
}

export type MemberService = ReturnType<typeof memberService>;
