/** Making and changing groups, and the personal namespaces of users. */
import {
  entityOfPlace,
  eventsOfChanges,
  originOfCaller,
  recordAudit,
  recordAudits,
} from '../../../kernel/audit/index.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { Namespace, User } from '../../../kernel/db/rows.ts';
import { groupFacts, groupUpdated, recordFact } from '../../../kernel/events/index.ts';
import { forbidden, invalidRecord, notFound, unauthorized, unprocessable } from '../../../kernel/http/errors.ts';
import { requireOnGroup } from '../../../kernel/http/parents.ts';
import type { ApplicationSettings } from '../../../kernel/settings/index.ts';
import { refusesGuest } from '../access/guests.ts';
import { ancestorLimit, lockTree } from '../access/hierarchy.queries.ts';
import { findGroupSubject } from '../access/parents.queries.ts';
import { withPicture } from '../avatars/pictures.ts';
import type { NamespacesDependencies } from '../deps.ts';
import {
  checkBranchName,
  groupNameReasons,
  groupPathReasons,
  openness,
  usernamePathReasons,
  type Visibility,
  visibilities,
} from '../naming/naming.ts';
import { claimPath, leaveGroupPath } from '../naming/redirects.queries.ts';
import { findPersonalNamespace, lockNamespace } from '../projects/projects.queries.ts';
import { formulasLockedBy, spreadSettings } from './descendants.queries.ts';
import { insertNamespace, makeOwner, moveGroup, takenBelow, updateGroup, visibilitiesBelow } from './groups.queries.ts';
import {
  type GroupAttributes,
  inheritedColumns,
  requireFormulasFree,
  requireInherited,
  settingColumns,
} from './settings.ts';

const taken = 'has already been taken';

/** A path that stays as it is is not looked at: rules have changed since it was given. */
function checkNames(name: string, path: string | null, above: string | null): void {
  const reasons = { name: groupNameReasons(name), path: path === null ? [] : groupPathReasons(path, above) };
  const wrong = Object.entries(reasons).filter(([, found]) => found.length > 0);
  if (wrong.length > 0) throw invalidRecord(Object.fromEntries(wrong));
}

/** The full path of the group above; null at the top. */
const fullPathAbove = ({ parent_id, full_path }: Namespace): string | null =>
  parent_id === null ? null : full_path.slice(0, full_path.lastIndexOf('/'));

const conflictOf = (found: { path: boolean; name: boolean }): void => {
  if (!found.path && !found.name) return;
  throw invalidRecord({ ...(found.path ? { path: [taken] } : {}), ...(found.name ? { name: [taken] } : {}) });
};

const conflictFrom = (error: unknown): unknown =>
  isUniqueViolation(error, 'namespaces_place_key') ? invalidRecord({ path: [taken] }) : error;

/** In the transaction that makes the user: the namespace of their own projects. Throws the API's 400. */
export async function createPersonalNamespace(
  tx: Db,
  user: Pick<User, 'id' | 'username' | 'name'>,
): Promise<Namespace> {
  const reserved = usernamePathReasons(user.username);
  if (reserved.length > 0) throw invalidRecord({ username: [...reserved] });
  const namespace = await insertNamespace(
    tx,
    { kind: 'user', owner_id: user.id, name: user.name, path: user.username, visibility: 'public' },
    null,
  );
  await claimPath(tx, user.username);
  await makeOwner(tx, { userId: user.id, namespaceId: namespace.id, createdById: null });
  return namespace;
}

/** In the transaction that changes a user's names: their namespace follows. Throws the API's 400. */
export async function renamePersonalNamespace(tx: Db, user: Pick<User, 'id' | 'username' | 'name'>): Promise<void> {
  const reserved = usernamePathReasons(user.username);
  if (reserved.length > 0) throw invalidRecord({ username: [...reserved] });
  await lockTree(tx);
  const namespace = await findPersonalNamespace(tx, user.id);
  if (!namespace) return;
  if (user.username.toLowerCase() !== namespace.path.toLowerCase()) {
    await claimPath(tx, user.username);
    await leaveGroupPath(tx, namespace.id);
  }
  await moveGroup(tx, namespace, { path: user.username, name: user.name });
}

export function groupService(deps: NamespacesDependencies) {
  const { db, settings } = deps;

  async function checkVisibility(visibility: Visibility, parent: Namespace | null, caller: Caller): Promise<void> {
    if (parent && openness(visibility) > openness(parent.visibility))
      throw invalidRecord({
        visibility_level: [
          `${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`,
        ],
      });
    const { restricted_visibility_levels: restricted } = await settings.read();
    if (restricted.includes(visibility) && !caller.admin)
      throw invalidRecord({ visibility_level: [`${visibility} has been restricted by your administrator`] });
  }

  async function checkBelow(tx: Db, group: Namespace, visibility: Visibility): Promise<void> {
    const below = await visibilitiesBelow(tx, group.id);
    const tooOpen = (found: readonly string[]) =>
      found.some((each) => openness(each as Visibility) > openness(visibility));
    if (tooOpen(below.projects))
      throw invalidRecord({
        visibility_level: [`${visibility} is not allowed since this group contains projects with higher visibility.`],
      });
    if (tooOpen(below.groups))
      throw invalidRecord({
        visibility_level: [`${visibility} is not allowed since there are sub-groups with higher visibility.`],
      });
  }

  async function parentOf(caller: Caller, parentId: number | null): Promise<GroupSubject | null> {
    if (parentId === null) {
      if (!caller.admin && !caller.user?.can_create_group) throw forbidden();
      if (await refusesGuest(deps, caller)) throw forbidden('Guests cannot create groups on this instance');
      return null;
    }
    const parent = await findGroupSubject(db, String(parentId), caller.user?.id ?? null);
    if (!parent) throw notFound('Group');
    requireOnGroup(caller, 'create_subgroup', parent);
    return parent;
  }

  const pictured = async <T>(
    { avatar }: GroupAttributes,
    work: (picture: string | null | undefined) => Promise<T>,
  ): Promise<T> =>
    await withPicture(deps.avatars, avatar, work).catch((error: unknown) => {
      throw conflictFrom(error);
    });

  async function create(
    caller: Caller,
    wanted: { readonly name: string; readonly path: string; readonly parentId: number | null },
    attributes: GroupAttributes,
  ): Promise<GroupSubject> {
    const user = caller.user;
    if (!user) throw unauthorized();
    const parent = await parentOf(caller, wanted.parentId);
    const { name, path } = wanted;
    checkNames(name, path, parent?.group.full_path ?? null);
    checkBranchName(attributes.default_branch);
    const values = await settings.read();
    const columns = settingColumns(attributes, {
      admin: caller.admin,
      topLevel: parent === null,
      ownersProtect: values.group_owners_can_manage_default_branch_protection,
    });
    const usual = values.default_group_visibility;
    const most = parent ? openness(parent.group.visibility) : openness('public');
    const visibility = attributes.visibility ?? visibilities[Math.min(openness(usual), most)] ?? 'private';
    await checkVisibility(visibility, parent?.group ?? null, caller);
    const group = await pictured(attributes, (picture) =>
      transaction(db, async (tx) => {
        const above = parent ? await lockNamespace(tx, parent.group.id) : null;
        if (above === undefined) throw notFound('Group');
        if (above && above.traversal_ids.length > ancestorLimit)
          throw invalidRecord({ parent_id: ['has too deep level of nesting'] });
        if (above) requireInherited(columns, above, { ownsParent: caller.admin || parent?.level === Level.owner });
        const limited = (above ?? values).math_rendering_limits_enabled;
        requireFormulasFree(columns, limited, await formulasLocked(tx, values, above));
        conflictOf(await takenBelow(tx, above?.id ?? null, { name, path }, null));
        await claimPath(tx, above ? `${above.full_path}/${path}` : path);
        const row = await insertNamespace(
          tx,
          {
            math_rendering_limits_enabled: limited,
            ...(above ? inheritedColumns(above) : {}),
            ...(columns as object),
            ...(picture ? { avatar_object_key: picture } : {}),
            kind: 'group',
            name,
            path,
            visibility,
            created_by_id: user.id,
          },
          above,
        );
        if (!parent || parent.level < Level.owner)
          await makeOwner(tx, { userId: user.id, namespaceId: row.id, createdById: user.id });
        await recordFact(tx, groupFacts.created, { group_id: row.id }, { namespace_id: row.id, actor_id: user.id });
        await recordAudit(tx, {
          ...originOfCaller(caller),
          entity: entityOfPlace({ kind: 'group', group: row }),
          event: 'group_created',
          details: { visibility },
        });
        return row;
      }),
    );
    return { kind: 'group', group, level: Level.owner };
  }

  const formulasLocked = async (tx: Db, values: ApplicationSettings, above: Namespace | null): Promise<boolean> =>
    values.lock_math_rendering_limits_enabled || (above !== null && (await formulasLockedBy(tx, above.traversal_ids)));

  /** Whether the caller owns the group above: only they lift what it asks of those below. */
  async function ownsParent(caller: Caller, group: Namespace): Promise<boolean> {
    if (caller.admin || group.parent_id === null) return true;
    const parent = await findGroupSubject(db, String(group.parent_id), caller.user?.id ?? null);
    return parent?.level === Level.owner;
  }

  async function update(
    subject: GroupSubject,
    caller: Caller,
    names: { readonly name?: string; readonly path?: string },
    attributes: GroupAttributes,
  ): Promise<void> {
    const { group } = subject;
    const name = names.name ?? group.name;
    const path = names.path ?? group.path;
    const moved = name !== group.name || path !== group.path;
    if (moved) checkNames(name, path === group.path ? null : path, fullPathAbove(group));
    checkBranchName(attributes.default_branch);
    const values = await settings.read();
    const changes = settingColumns(attributes, {
      admin: caller.admin,
      topLevel: group.parent_id === null,
      ownersProtect: values.group_owners_can_manage_default_branch_protection,
    });
    const mayLift = await ownsParent(caller, group);
    await pictured(attributes, (picture) =>
      transaction(db, async (tx) => {
        if (picture !== undefined) changes.avatar_object_key = picture;
        if (moved) await lockTree(tx);
        const parent = group.parent_id === null ? null : ((await lockNamespace(tx, group.parent_id)) ?? null);
        if (parent) requireInherited(changes, parent, { ownsParent: mayLift });
        if (changes.math_rendering_limits_enabled !== undefined)
          requireFormulasFree(changes, group.math_rendering_limits_enabled, await formulasLocked(tx, values, parent));
        const visibility = attributes.visibility;
        if (visibility !== undefined && visibility !== group.visibility) {
          await checkVisibility(visibility, parent, caller);
          await checkBelow(tx, group, visibility);
          changes.visibility = visibility;
        }
        if (moved) {
          conflictOf(await takenBelow(tx, group.parent_id, { name, path }, group.id));
          if (path.toLowerCase() !== group.path.toLowerCase()) {
            await claimPath(tx, parent ? `${parent.full_path}/${path}` : path);
            await leaveGroupPath(tx, group.id);
          }
          await moveGroup(tx, group, { ...changes, name, path });
        } else if (!(await updateGroup(tx, group.id, changes))) throw notFound('Group');
        await spreadSettings(tx, group, changes);
        await recordFact(
          tx,
          groupUpdated,
          {
            group_id: group.id,
            ...(path !== group.path ? { old_path: group.path, old_full_path: group.full_path } : {}),
          },
          { namespace_id: group.id, actor_id: caller.user?.id ?? null },
        );
        const about = { ...originOfCaller(caller), entity: entityOfPlace(subject) };
        const { avatar_object_key: avatar, default_branch_protection_defaults: rules, ...others } = changes;
        const recorded: Partial<Record<keyof Namespace, unknown>> = {
          ...others,
          ...(typeof rules === 'string' ? { default_branch_protection_defaults: JSON.parse(rules) } : {}),
          ...{ name, path },
        };
        await recordAudits(tx, eventsOfChanges(about, 'group', group, recorded as Partial<Namespace>));
        if (avatar !== undefined) await recordAudit(tx, { ...about, event: 'group_avatar_updated', details: {} });
      }),
    );
  }

  /** An archived group keeps everything below it as it is, whatever that is itself. */
  async function setArchived(subject: GroupSubject, caller: Caller, archived: boolean): Promise<void> {
    const { group } = subject;
    await transaction(db, async (tx) => {
      if (group.archived === archived)
        throw unprocessable(archived ? 'Group is already archived!' : 'Group is already unarchived!');
      if (group.marked_for_deletion_on !== null) throw unprocessable('Group is scheduled for deletion!');
      if (!(await updateGroup(tx, group.id, { archived }))) throw notFound('Group');
      const context = { namespace_id: group.id, actor_id: caller.user?.id ?? null };
      await recordFact(tx, groupUpdated, { group_id: group.id }, context);
      const event = archived ? 'group_archived' : 'group_unarchived';
      await recordAudit(tx, { ...originOfCaller(caller), entity: entityOfPlace(subject), event, details: {} });
    });
  }

  return { create, update, setArchived };
}

export type GroupService = ReturnType<typeof groupService>;
