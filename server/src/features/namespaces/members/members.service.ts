/** Rules of membership: who may give which level, and that somebody stays in charge. */
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Grant, User } from '../../../kernel/db/rows.ts';
import { memberChanged, recordFact, toInstant } from '../../../kernel/events/index.ts';
import { forbidden, invalidRecord, notFound, plainError, recordNotFound } from '../../../kernel/http/errors.ts';
import { findUser, findUserByUsername } from '../../identity/index.ts';
import { accessGiven } from '../access-requests/mail-templates.ts';
import { seatState } from '../billable-members/seats.queries.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { lockNamespace } from '../projects/projects.queries.ts';
import { sendsMail } from './entry.queries.ts';
import {
  approveAwaiting,
  deleteMember,
  dropWaiting,
  findGrant,
  inheritedLevel,
  insertMember,
  lockGrant,
  otherOwners,
  type Place,
  serviceAccountFits,
  setMemberState,
  updateMember,
} from './members.queries.ts';
import type { MembershipHooks } from './membership.ts';
import {
  checkTerms,
  type MemberSubject,
  nameOf,
  placeOf,
  requireAdministration,
  requireEntry,
  requireLevel,
  roleOf,
  type Terms,
} from './rules.ts';

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

interface RemovalOptions {
  /** Also direct memberships in the groups and projects below. */
  readonly below: boolean;
  /** Also what they are assigned to. */
  readonly unassign: boolean;
  /** Throws when the client's state of the membership is older than this. */
  unmodifiedSince(changedAt: Date): void;
}

export type MemberServiceDependencies = Pick<NamespacesDependencies, 'db' | 'externalUrl' | 'assigned' | 'settings'> &
  MembershipHooks;

export function memberService(deps: MemberServiceDependencies) {
  const { db, externalUrl, mail } = deps;
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

  /** With what the membership was where it is gone. */
  const recordChange = (
    tx: Db,
    subject: MemberSubject,
    actor: Caller,
    userId: number,
    change: 'added' | 'updated' | 'removed',
    was?: Grant,
  ) =>
    recordFact(
      tx,
      memberChanged,
      {
        user_id: userId,
        change,
        ...(was ? { level: was.level, expires_at: was.expires_at, created_at: toInstant(was.created_at) } : {}),
      },
      {
        project_id: subject.kind === 'project' ? subject.project.id : null,
        namespace_id: subject.kind === 'group' ? subject.group.id : subject.project.namespace_id,
        actor_id: actor.user?.id ?? null,
      },
    );

  /** By id or username. */
  async function findPerson(who: number | string): Promise<User> {
    const user = typeof who === 'number' ? await findUser(db, who) : await findUserByUsername(db, who);
    if (!user) throw notFound('User');
    return user;
  }

  /** Makes somebody a member; who may do it was checked. Their request and invitations for the place are done with. */
  async function enter(
    tx: Db,
    subject: MemberSubject,
    user: User,
    terms: Terms,
    createdById: number | null,
    caller: Caller,
  ): Promise<void> {
    const place = placeOf(subject);
    // What its token may is decided where the token was made; elsewhere nobody would see whose it is, or end it.
    if (user.user_type === 'project_bot' || user.user_type === 'group_bot')
      throw invalidRecord({ user: ['project bots cannot be added to other groups / projects'] });
    await requireEntry(tx, subject, user);
    if (user.user_type === 'service_account' && !(await serviceAccountFits(tx, place, user.id)))
      throw invalidRecord({ user: ['can only be a member of what its account belongs to, and below'] });
    const state = await seatState(tx, place, user.id, terms.level);
    if (!(await insertMember(tx, place, { userId: user.id, ...terms, createdById, state })))
      throw plainError(409, 'Member already exists');
    await dropWaiting(tx, place, user.id);
    const details = { as: roleOf(terms.level), expires_at: terms.expiresAt, ...(state === 'active' ? {} : { state }) };
    await record(tx, subject, caller, user.id, 'created', details);
    await recordChange(tx, subject, caller, user.id, 'added');
    const told = user.user_type === 'human' && user.confirmed_at !== null && caller.user?.id !== user.id;
    if (told && mail.configured && state === 'active' && (await sendsMail(tx, place)))
      await mail.send(tx, accessGiven(user, nameOf(subject, externalUrl), roleOf(terms.level)));
  }

  /** The instance may leave it to administrators who becomes a member. */
  async function requireInviting(caller: Caller): Promise<void> {
    const { disable_invite_members: disabled } = await deps.settings.read();
    if (disabled && !caller.admin) throw forbidden();
  }

  async function add(caller: Caller, subject: MemberSubject, user: User, terms: Terms): Promise<void> {
    requireAdministration(caller, subject);
    await requireInviting(caller);
    checkTerms(subject, terms.level, terms.expiresAt);
    requireLevel(caller, subject, terms.level);
    const place = placeOf(subject);
    if (await findGrant(db, place, user.id)) throw plainError(409, 'Member already exists');
    await checkInherited(db, place, user.id, terms.level);
    await transaction(db, (tx) => enter(tx, subject, user, terms, caller.user?.id ?? null, caller));
  }

  /** What an invitation gives: a new membership, or a higher role in the one that is there. */
  async function accept(
    tx: Db,
    caller: Caller,
    subject: MemberSubject,
    user: User,
    terms: Terms & { readonly createdById: number | null },
  ): Promise<void> {
    const grant = await findGrant(tx, placeOf(subject), user.id);
    if (!grant) return enter(tx, subject, user, terms, terms.createdById, caller);
    if (grant.level >= terms.level) return;
    await updateMember(tx, grant.id, { level: terms.level, expires_at: terms.expiresAt });
    const [from, to] = [{ level: roleOf(grant.level) }, { level: roleOf(terms.level) }];
    await record(tx, subject, caller, user.id, 'updated', { from, to });
    await recordChange(tx, subject, caller, user.id, 'updated');
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
      if (!grant) throw recordNotFound();
      requireLevel(caller, subject, Math.max(terms.level, grant.level));
      // Also who would leave some day: then nobody is in charge.
      if (terms.level < Level.owner || terms.expiresAt) await requireOtherOwner(tx, subject, userId, grant.level);
      await checkInherited(tx, place, userId, terms.level);
      await updateMember(tx, grant.id, {
        level: terms.level,
        ...(terms.expiresAt === undefined ? {} : { expires_at: terms.expiresAt }),
      });
      const from = { level: roleOf(grant.level), expires_at: grant.expires_at };
      const to = { level: roleOf(terms.level), expires_at: terms.expiresAt ?? grant.expires_at };
      await record(tx, subject, caller, userId, 'updated', { from, to });
      await recordChange(tx, subject, caller, userId, 'updated');
    });
  }

  async function remove(
    caller: Caller,
    subject: MemberSubject,
    userId: number,
    { below, unassign, unmodifiedSince }: RemovalOptions,
  ): Promise<void> {
    const place = placeOf(subject);
    const leaving = caller.user?.id === userId;
    await transaction(db, async (tx) => {
      const grant = await lockGrant(tx, place, userId);
      if (!leaving || !grant) requireAdministration(caller, subject);
      if (!grant) throw recordNotFound();
      if (!leaving) requireLevel(caller, subject, grant.level);
      await requireOtherOwner(tx, subject, userId, grant.level);
      unmodifiedSince(grant.updated_at);
      await deleteMember(tx, place, userId, below);
      if (unassign) for (const part of deps.assigned) await part.unassign(tx, userId, place);
      await record(tx, subject, caller, userId, 'destroyed', { was: roleOf(grant.level) });
      await recordChange(tx, subject, caller, userId, 'removed', grant);
    });
  }

  /** Takes somebody out of a group and of everything below it, also where they are no member of the group itself. */
  async function removeEverywhere(caller: Caller, subject: MemberSubject, userId: number): Promise<void> {
    requireAdministration(caller, subject);
    const place = placeOf(subject);
    await transaction(db, async (tx) => {
      const grant = await lockGrant(tx, place, userId);
      if (grant) await requireOtherOwner(tx, subject, userId, grant.level);
      if ((await deleteMember(tx, place, userId, true)) === 0) throw recordNotFound();
      await record(tx, subject, caller, userId, 'destroyed', { was: grant ? roleOf(grant.level) : 'below' });
      await recordChange(tx, subject, caller, userId, 'removed', grant);
    });
  }

  /** Lets somebody who waits in; by the id of the membership. */
  async function approve(caller: Caller, subject: MemberSubject, grantId: number): Promise<void> {
    requireAdministration(caller, subject);
    await transaction(db, async (tx) => {
      const [userId] = await approveAwaiting(tx, placeOf(subject).id, grantId);
      if (userId === undefined) throw recordNotFound();
      await record(tx, subject, caller, userId, 'updated', { from: { state: 'awaiting' }, to: { state: 'active' } });
      await recordChange(tx, subject, caller, userId, 'updated');
    });
  }

  async function approveAll(caller: Caller, subject: MemberSubject): Promise<void> {
    requireAdministration(caller, subject);
    await transaction(db, async (tx) => {
      for (const userId of new Set(await approveAwaiting(tx, placeOf(subject).id, null))) {
        await record(tx, subject, caller, userId, 'updated', { from: { state: 'awaiting' }, to: { state: 'active' } });
        await recordChange(tx, subject, caller, userId, 'updated');
      }
    });
  }

  /** Whether a member of a top-level group takes part or waits, in all of its tree. */
  async function setState(
    caller: Caller,
    subject: MemberSubject,
    userId: number,
    state: 'active' | 'awaiting',
  ): Promise<void> {
    requireAdministration(caller, subject);
    await transaction(db, async (tx) => {
      const grant = await findGrant(tx, placeOf(subject), userId);
      if (state === 'awaiting' && grant) await requireOtherOwner(tx, subject, userId, grant.level);
      if (!(await setMemberState(tx, placeOf(subject).id, userId, state))) throw notFound('User');
      await record(tx, subject, caller, userId, 'updated', { to: { state } });
      await recordChange(tx, subject, caller, userId, 'updated');
    });
  }

  async function requireOtherOwner(tx: Db, subject: MemberSubject, userId: number, level: number): Promise<void> {
    if (ownsNamespace(subject, userId)) throw forbidden();
    if (level < Level.owner || subject.kind === 'project') return;
    // Of owners who leave at the same time the last one waits here and sees that the others are gone.
    await lockNamespace(tx, subject.group.id);
    if ((await otherOwners(tx, placeOf(subject), userId)) === 0) throw forbidden();
  }

  return { findPerson, requireInviting, add, accept, change, remove, removeEverywhere, approve, approveAll, setState };
}

export type MemberService = ReturnType<typeof memberService>;
