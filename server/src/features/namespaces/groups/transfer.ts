/** Moving a group, with everything in it, below another group or to the top. */
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import { canOnGroup } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { groupUpdated, recordFact } from '../../../kernel/events/index.ts';
import { notFound, plainError } from '../../../kernel/http/errors.ts';
import { refusesGuest } from '../access/guests.ts';
import { ancestorLimit, lockTree, type MoveRefusal, moveNamespace } from '../access/hierarchy.queries.ts';
import { findGroupSubject } from '../access/parents.queries.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { isReserved, openness } from '../naming/naming.ts';
import { claimPath, leaveGroupPath } from '../naming/redirects.queries.ts';
import { closeForks } from '../projects/fork-visibility.ts';
import { lockNamespace } from '../projects/projects.queries.ts';
import { formulasLockedBy, lowerVisibility, spreadFormulaLimits, spreadSettings } from './descendants.queries.ts';
import { type GroupColumns, hasOwner, makeOwner, takenBelow, updateGroup } from './groups.queries.ts';

const refused = (why: string) => plainError(400, `Transfer failed: ${why}`);
const taken = () => refused('The parent group already has a subgroup or a project with the same path.');

const refusals: Readonly<Record<MoveRefusal, string>> = {
  missing: 'The group is not there any more.',
  'inside itself': 'A group cannot be moved into itself.',
  'too deep': `Groups are at most ${ancestorLimit} levels below the top (ancestor_limit).`,
};

/** What the group above asks of everything below it. */
function demandsOf(parent: Namespace, group: Namespace): GroupColumns {
  const demands: GroupColumns = {};
  if (parent.share_with_group_lock && !group.share_with_group_lock) demands.share_with_group_lock = true;
  if (parent.shared_runners_setting === 'disabled_and_unoverridable')
    demands.shared_runners_setting = 'disabled_and_unoverridable';
  return demands;
}

export function groupTransfer({ db, moved, settings }: NamespacesDependencies) {
  /** Where it goes; null for the top. */
  async function targetOf(
    { group }: GroupSubject,
    caller: Caller,
    wanted: string | null,
  ): Promise<GroupSubject | null> {
    if (wanted === null) {
      if (group.parent_id === null) throw refused('Group is already a root group.');
      if (!caller.admin && !caller.user?.can_create_group) throw refused("You don't have enough permissions.");
      if (await refusesGuest({ db, settings }, caller)) throw refused("You don't have enough permissions.");
      return null;
    }
    const target = await findGroupSubject(db, wanted, caller.user?.id ?? null);
    if (!target || !canOnGroup(caller, 'read_group', target)) throw notFound('Group');
    if (target.group.id === group.parent_id) throw refused('Group is already associated to the parent group.');
    if (!canOnGroup(caller, 'create_subgroup', target)) throw refused("You don't have enough permissions.");
    return target;
  }

  async function move(tx: Db, before: Namespace, caller: Caller, parent: Namespace | null): Promise<void> {
    const { id, path, name } = before;
    const found = await takenBelow(tx, parent?.id ?? null, { path, name }, id);
    if (found.path || found.name) throw taken();
    await claimPath(tx, parent ? `${parent.full_path}/${path}` : path);
    await leaveGroupPath(tx, id);
    const moved = await moveNamespace(tx, id, { parentId: parent?.id ?? null });
    if (typeof moved === 'string') throw refused(refusals[moved]);
    if (parent) {
      const demands = demandsOf(parent, before);
      if (Object.keys(demands).length > 0) await updateGroup(tx, id, demands);
      await spreadSettings(tx, moved, demands);
      if (await formulasLockedBy(tx, parent.traversal_ids)) {
        const limited = parent.math_rendering_limits_enabled;
        await updateGroup(tx, id, { math_rendering_limits_enabled: limited });
        await spreadFormulaLimits(tx, id, limited);
      }
      if (openness(before.visibility) > openness(parent.visibility))
        await closeForks(tx, caller, await lowerVisibility(tx, id, parent.visibility), parent.visibility);
      return;
    }
    // Those who owned the group above own it no longer: somebody has to.
    if (caller.user && !(await hasOwner(tx, id)))
      await makeOwner(tx, { userId: caller.user.id, namespaceId: id, createdById: caller.user.id });
  }

  return async (subject: GroupSubject, caller: Caller, wanted: string | null): Promise<void> => {
    const target = await targetOf(subject, caller, wanted);
    if (isReserved(subject.group.path, target?.group.full_path ?? null))
      throw refused(`${subject.group.path} is a reserved name`);
    await transaction(db, async (tx) => {
      await lockTree(tx);
      const [before, parent] = [
        await lockNamespace(tx, subject.group.id),
        target ? await lockNamespace(tx, target.group.id) : null,
      ];
      if (!before || parent === undefined) throw notFound('Group');
      if (before.marked_for_deletion_on !== null) throw refused('Group is scheduled for deletion.');
      await move(tx, before, caller, parent);
      for (const part of moved) await part.moved(tx, { namespaceId: before.id });
      const context = { namespace_id: before.id, actor_id: caller.user?.id ?? null };
      await recordFact(tx, groupUpdated, { group_id: before.id }, context);
      await recordAudit(tx, {
        ...originOfCaller(caller),
        entity: entityOfPlace(subject),
        event: 'group_transferred',
        details: { from: before.full_path, to: parent ? `${parent.full_path}/${before.path}` : before.path },
      });
    }).catch((error: unknown) => {
      throw isUniqueViolation(error, 'namespaces_place_key') ? taken() : error;
    });
  };
}
