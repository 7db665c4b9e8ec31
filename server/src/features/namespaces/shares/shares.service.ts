/** Inviting a group as a whole: its members get at most the level of the invitation. */
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import { canOnGroup } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Grant } from '../../../kernel/db/rows.ts';
import { memberChanged, recordFact } from '../../../kernel/events/index.ts';
import { invalidRecord, notFound, plainError } from '../../../kernel/http/errors.ts';
import { findGroupSubject } from '../access/parents.queries.ts';
import { checkTerms, type MemberSubject, placeOf, requireLevel, roleOf } from '../members/rules.ts';
import { deleteShare, findShare, insertShare, keepsToItself, shareLocked } from './shares.queries.ts';

export interface ShareTerms {
  readonly groupId: number;
  readonly level: number;
  readonly expiresAt: string | null;
}

export function shareService(db: Db) {
  async function record(
    tx: Db,
    caller: Caller,
    subject: MemberSubject,
    event: string,
    group: GroupSubject,
    details: object,
  ) {
    await recordAudit(tx, {
      ...originOfCaller(caller),
      entity: entityOfPlace(subject),
      event,
      details: { ...details },
      target: { type: 'Group', id: group.group.id, details: group.group.full_path },
    });
    await recordFact(
      tx,
      memberChanged,
      { group_id: group.group.id, change: event },
      {
        project_id: subject.kind === 'project' ? subject.project.id : null,
        namespace_id: subject.kind === 'group' ? subject.group.id : subject.project.namespace_id,
        actor_id: caller.user?.id ?? null,
      },
    );
  }

  /** The group to invite, as far as the caller sees it. */
  async function invitee(caller: Caller, groupId: number): Promise<GroupSubject> {
    const found = await findGroupSubject(db, String(groupId), caller.user?.id ?? null);
    if (!found || !canOnGroup(caller, 'read_group', found)) throw notFound('Group');
    return found;
  }

  /** What the groups above say about inviting others. */
  async function checkLocks(subject: MemberSubject, group: GroupSubject): Promise<void> {
    const ids = subject.kind === 'group' ? subject.group.traversal_ids : subject.namespace.traversal_ids;
    const [top] = ids;
    if (subject.kind === 'project' && (await shareLocked(db, ids)))
      throw plainError(400, 'The project sharing with group is disabled');
    const outside = top !== undefined && group.group.traversal_ids[0] !== top;
    if (outside && (await keepsToItself(db, ids))) throw notFound('Group');
  }

  const alreadyShared = {
    project: 'Group already shared with this group',
    group: 'Shared group The group has already been shared with this group',
  } as const;

  return {
    async share(caller: Caller, subject: MemberSubject, terms: ShareTerms): Promise<Grant> {
      checkTerms(subject, terms.level, terms.expiresAt, 'group_access');
      requireLevel(caller, subject, terms.level);
      const group = await invitee(caller, terms.groupId);
      if (subject.kind === 'group' && subject.group.traversal_ids.includes(group.group.id))
        throw invalidRecord({ shared_with_group: ['cannot be the group itself or one above it'] });
      if (subject.kind === 'project' && subject.namespace.traversal_ids.includes(group.group.id))
        throw plainError(400, 'The project is in the hierarchy of the group already.');
      await checkLocks(subject, group);
      return await transaction(db, async (tx) => {
        const { groupId, level, expiresAt } = terms;
        const row = await insertShare(tx, placeOf(subject), {
          groupId,
          level,
          expiresAt,
          createdById: caller.user?.id ?? null,
        });
        if (!row) throw plainError(409, alreadyShared[subject.kind]);
        const details = { as: roleOf(level), expires_at: expiresAt };
        await record(tx, caller, subject, `${subject.kind}_share_created`, group, details);
        return row;
      });
    },

    async unshare(caller: Caller, subject: MemberSubject, groupId: number, unmodifiedSince: (at: Date) => void) {
      await transaction(db, async (tx) => {
        const share = await findShare(tx, placeOf(subject), groupId);
        const group = share && (await findGroupSubject(tx, String(groupId), null));
        if (!share || !group) throw notFound('Group Link');
        requireLevel(caller, subject, share.level);
        unmodifiedSince(share.updated_at);
        if (!(await deleteShare(tx, share.id))) throw notFound('Group Link');
        await record(tx, caller, subject, `${subject.kind}_share_removed`, group, { was: roleOf(share.level) });
      });
    },
  };
}

export type ShareService = ReturnType<typeof shareService>;
