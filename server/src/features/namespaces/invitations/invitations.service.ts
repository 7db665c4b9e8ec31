/** Inviting addresses: the link in the mail proves who reads it; whoever is signed in then becomes the member. */
import { randomBytes } from 'node:crypto';
import {
  type AuditOrigin,
  entityOfPlace,
  originOfCaller,
  recordAudit,
  strangerAt,
} from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { HttpError, invalidParameters, notFound, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { isMailAddress, type Mail } from '../../../kernel/mail/index.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import { findUser } from '../../identity/index.ts';
import { findGroupSubject, findProjectSubject } from '../access/parents.queries.ts';
import type { MemberService } from '../members/members.service.ts';
import {
  checkTerms,
  type MemberSubject,
  nameOf,
  placeOf,
  reasonOf,
  requireInvitable,
  requireLevel,
  roleOf,
  type Terms,
} from '../members/rules.ts';
import {
  deleteInvitation,
  findConfirmedUser,
  findInvitation,
  findInvitationByToken,
  insertInvitation,
  type MemberInvitation,
  updateInvitation,
} from './invitations.queries.ts';
import { invitation } from './mail-templates.ts';

export interface InvitationDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly mail: Pick<Mail, 'send'>;
  readonly members: MemberService;
}

export interface Invited {
  readonly emails: readonly string[];
  readonly userIds: readonly number[];
  readonly terms: Terms;
  readonly source: string | null;
}

/** What a link invites to. */
export interface OpenedInvitation {
  readonly row: MemberInvitation;
  readonly subject: MemberSubject;
  readonly inviter: User | undefined;
}

const most = 100;

export function invitationService(deps: InvitationDependencies) {
  const { db, externalUrl, mail, members } = deps;

  /** Whoever has the link may decline without an account: then nobody known did it, not the system itself. */
  function originOf(caller: Caller): AuditOrigin {
    const origin = originOfCaller(caller);
    return origin.author ? origin : strangerAt(origin.address);
  }

  const record = (tx: Db, caller: Caller, subject: MemberSubject, event: string, email: string, details: object) =>
    recordAudit(tx, {
      ...originOf(caller),
      entity: entityOfPlace(subject),
      event,
      details: { ...details },
      target: { type: 'Invitation', id: null, details: email },
    });

  async function inviteAddress(caller: Caller, subject: MemberSubject, email: string, { terms, source }: Invited) {
    if (!isMailAddress(email)) throw plainError(400, 'Invite email is invalid');
    const known = await findConfirmedUser(db, email);
    if (known) return members.add(caller, subject, known, terms);
    await members.requireInviting(caller);
    await requireInvitable(db, subject, email);
    const token = randomBytes(32).toString('base64url');
    await transaction(db, async (tx) => {
      const row = await insertInvitation(tx, placeOf(subject), {
        email,
        level: terms.level,
        expiresAt: terms.expiresAt,
        source,
        tokenSha256: tokenHash(token),
        createdById: caller.user?.id ?? null,
      });
      if (!row) throw plainError(409, "The member's email address has already been taken");
      const url = `${externalUrl}/-/invites?invitation_token=${token}`;
      await mail.send(tx, invitation(email, caller.user, nameOf(subject, externalUrl), roleOf(terms.level), url));
      await record(tx, caller, subject, 'member_invited', email, {
        as: roleOf(terms.level),
        expires_at: terms.expiresAt,
      });
    });
  }

  async function subjectOf(handle: Db, row: MemberInvitation, userId: number | null): Promise<MemberSubject | null> {
    return row.project_id === null
      ? await findGroupSubject(handle, String(row.namespace_id), userId)
      : await findProjectSubject(handle, String(row.project_id), userId);
  }

  async function opened(
    handle: Db,
    token: string,
    userId: number | null,
    forUpdate: boolean,
  ): Promise<OpenedInvitation> {
    const row = await findInvitationByToken(handle, tokenHash(token), forUpdate);
    const subject = row && (await subjectOf(handle, row, userId));
    if (!row || !subject) throw notFound('Invitation');
    const inviter = row.created_by_id === null ? undefined : ((await findUser(handle, row.created_by_id)) ?? undefined);
    return { row, subject, inviter };
  }

  async function pending(handle: Db, subject: MemberSubject, email: string): Promise<MemberInvitation> {
    const row = await findInvitation(handle, placeOf(subject), email);
    if (!row) throw notFound();
    return row;
  }

  return {
    /** Why addresses and users could not be invited, by what the client called them. */
    async invite(caller: Caller, subject: MemberSubject, invited: Invited): Promise<Record<string, string>> {
      const { emails, userIds, terms } = invited;
      if (emails.length + userIds.length === 0) throw invalidParameters(['email is empty']);
      if (emails.length + userIds.length > most) throw plainError(400, `Too many users specified (limit is ${most})`);
      checkTerms(subject, terms.level, terms.expiresAt);
      requireLevel(caller, subject, terms.level);
      const failed: Record<string, string> = {};
      const tried = async (name: string, work: () => Promise<void>) => {
        try {
          await work();
        } catch (error) {
          if (!(error instanceof HttpError) || error.status === 403) throw error;
          failed[name] = reasonOf(error);
        }
      };
      for (const email of new Set(emails)) await tried(email, () => inviteAddress(caller, subject, email, invited));
      for (const id of new Set(userIds))
        await tried(String(id), async () => members.add(caller, subject, await members.findPerson(id), terms));
      return failed;
    },

    async change(
      caller: Caller,
      subject: MemberSubject,
      email: string,
      changes: { readonly level?: number | undefined; readonly expiresAt?: string | null | undefined },
    ): Promise<MemberInvitation> {
      return await transaction(db, async (tx) => {
        const before = await pending(tx, subject, email);
        const level = changes.level ?? before.level;
        checkTerms(subject, level, changes.expiresAt);
        requireLevel(caller, subject, Math.max(level, before.level));
        await updateInvitation(tx, before.id, {
          level,
          ...(changes.expiresAt === undefined ? {} : { expires_at: changes.expiresAt }),
        });
        const from = { level: roleOf(before.level), expires_at: before.expires_at };
        const after = await pending(tx, subject, email);
        const to = { level: roleOf(level), expires_at: after.expires_at };
        await record(tx, caller, subject, 'member_invitation_updated', before.email, { from, to });
        return after;
      });
    },

    async remove(caller: Caller, subject: MemberSubject, email: string, unmodifiedSince: (at: Date) => void) {
      await transaction(db, async (tx) => {
        const row = await pending(tx, subject, email);
        requireLevel(caller, subject, row.level);
        unmodifiedSince(row.updated_at);
        if (!(await deleteInvitation(tx, row.id))) throw notFound();
        await record(tx, caller, subject, 'member_invitation_removed', row.email, { was: roleOf(row.level) });
      });
    },

    look: (token: string) => opened(db, token, null, false),

    /** Makes the caller a member with the terms of the invitation, once. What they have already is never lowered. */
    async accept(caller: Caller, token: string): Promise<OpenedInvitation> {
      const { user } = caller;
      if (!user) throw unauthorized();
      return await transaction(db, async (tx) => {
        const found = await opened(tx, token, user.id, true);
        const { row, subject } = found;
        await deleteInvitation(tx, row.id);
        await record(tx, caller, subject, 'member_invitation_accepted', row.email, { as: roleOf(row.level) });
        const terms = { level: row.level, expiresAt: row.expires_at };
        await members.accept(tx, caller, subject, user, { ...terms, createdById: row.created_by_id });
        return found;
      });
    },

    async decline(token: string, caller: Caller): Promise<void> {
      await transaction(db, async (tx) => {
        const { row, subject } = await opened(tx, token, null, true);
        await deleteInvitation(tx, row.id);
        await record(tx, caller, subject, 'member_invitation_declined', row.email, {});
      });
    },
  };
}

export type InvitationService = ReturnType<typeof invitationService>;
