/** Making and changing groups, and the personal namespaces of users. */
import { isIP } from 'node:net';
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
import { emit } from '../../../kernel/events/index.ts';
import { forbidden, invalidRecord, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { requireOnGroup } from '../../../kernel/http/parents.ts';
import { lockTree } from '../access/hierarchy.queries.ts';
import { findGroupSubject } from '../access/parents.queries.ts';
import type { NamespacesDependencies } from '../deps.ts';
import {
  checkBranchName,
  groupNameReasons,
  groupPathReasons,
  openness,
  type Visibility,
  visibilities,
} from '../naming/naming.ts';
import { claimPath, leaveGroupPath } from '../naming/redirects.queries.ts';
import { findPersonalNamespace, lockNamespace } from '../projects/projects.queries.ts';
import {
  type GroupColumns,
  insertNamespace,
  insertNamespaceGrant,
  moveGroup,
  takenBelow,
  updateGroup,
  visibilitiesBelow,
} from './groups.queries.ts';

/** Settings as the parameters give them: columns of the same name, and the old switch for mails. */
export type GroupAttributes = Partial<Omit<GroupColumns, 'description'>> & {
  readonly description?: string | null;
  readonly emails_disabled?: boolean;
  readonly visibility?: Visibility;
};

const taken = 'has already been taken';

function checkNames(name: string, path: string, topLevel: boolean): void {
  const reasons = { name: groupNameReasons(name), path: groupPathReasons(path, topLevel) };
  const wrong = Object.entries(reasons).filter(([, found]) => found.length > 0);
  if (wrong.length > 0) throw invalidRecord(Object.fromEntries(wrong));
}

function checkRanges(ranges: string | null | undefined): void {
  for (const range of (ranges ?? '').split(',').filter((part) => part.trim() !== '')) {
    const [address = '', bits, more] = range.trim().split('/');
    const version = isIP(address);
    const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
    if (version === 0 || !fits || more !== undefined)
      throw invalidRecord({ ip_restriction_ranges: ['is an invalid IP address range'] });
  }
}

/** The columns that the parameters set, without path, name and visibility. */
function columnsOf({ emails_disabled, description, visibility: _, ...columns }: GroupAttributes): GroupColumns {
  const changes: GroupColumns = { ...columns };
  if (description !== undefined) changes.description = description ?? '';
  if (columns.default_branch === '') changes.default_branch = null;
  if (emails_disabled !== undefined && columns.emails_enabled === undefined) changes.emails_enabled = !emails_disabled;
  return changes;
}

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
  const reserved = groupPathReasons(user.username, true).filter((reason) => reason.endsWith('is a reserved name'));
  if (reserved.length > 0) throw invalidRecord({ username: reserved });
  const namespace = await insertNamespace(
    tx,
    { kind: 'user', owner_id: user.id, name: user.name, path: user.username, visibility: 'public' },
    null,
  );
  await claimPath(tx, user.username);
  await insertNamespaceGrant(tx, {
    userId: user.id,
    namespaceId: namespace.id,
    level: Level.owner,
    createdById: null,
  });
  return namespace;
}

/** What the setting's numbers stand for. */
const creationLevels = ['noone', 'maintainer', 'developer', 'administrator', 'owner'] as const;

/** In the transaction that changes a user's names: their namespace follows. Throws the API's 400. */
export async function renamePersonalNamespace(tx: Db, user: Pick<User, 'id' | 'username' | 'name'>): Promise<void> {
  const reserved = groupPathReasons(user.username, true).filter((reason) => reason.endsWith('is a reserved name'));
  if (reserved.length > 0) throw invalidRecord({ username: reserved });
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
      return null;
    }
    const parent = await findGroupSubject(db, String(parentId), caller.user?.id ?? null);
    if (!parent) throw notFound('Group');
    requireOnGroup(caller, 'create_subgroup', parent);
    return parent;
  }

  async function create(
    caller: Caller,
    wanted: { readonly name: string; readonly path: string; readonly parentId: number | null },
    attributes: GroupAttributes,
  ): Promise<GroupSubject> {
    const user = caller.user;
    if (!user) throw unauthorized();
    const parent = await parentOf(caller, wanted.parentId);
    const { name, path } = wanted;
    checkNames(name, path, parent === null);
    checkRanges(attributes.ip_restriction_ranges);
    checkBranchName(attributes.default_branch);
    const values = await settings.read();
    const usual = values.default_group_visibility;
    const most = parent ? openness(parent.group.visibility) : openness('public');
    const visibility = attributes.visibility ?? visibilities[Math.min(openness(usual), most)] ?? 'private';
    await checkVisibility(visibility, parent?.group ?? null, caller);
    const group = await transaction(db, async (tx) => {
      const above = parent ? await lockNamespace(tx, parent.group.id) : null;
      if (above === undefined) throw notFound('Group');
      conflictOf(await takenBelow(tx, above?.id ?? null, { name, path }, null));
      await claimPath(tx, above ? `${above.full_path}/${path}` : path);
      const row = await insertNamespace(
        tx,
        {
          default_branch_protection: values.default_branch_protection,
          project_creation_level: creationLevels[values.default_project_creation] ?? 'developer',
          ...(columnsOf(attributes) as object),
          kind: 'group',
          name,
          path,
          visibility,
          created_by_id: user.id,
        },
        above,
      );
      if (!parent || parent.level < Level.owner)
        await insertNamespaceGrant(tx, {
          userId: user.id,
          namespaceId: row.id,
          level: Level.owner,
          createdById: user.id,
        });
      await recordAudit(tx, {
        ...originOfCaller(caller),
        entity: entityOfPlace({ kind: 'group', group: row }),
        event: 'group_created',
        details: { visibility },
      });
      await emit(tx, {
        kind: 'group.created',
        namespace_id: row.id,
        actor_id: user.id,
        payload: { group_id: row.id },
      });
      return row;
    }).catch((error: unknown) => {
      throw conflictFrom(error);
    });
    return { kind: 'group', group, level: Level.owner };
  }

  async function update(
    { group }: GroupSubject,
    caller: Caller,
    names: { readonly name?: string; readonly path?: string },
    attributes: GroupAttributes,
  ): Promise<void> {
    const name = names.name ?? group.name;
    const path = names.path ?? group.path;
    const moved = name !== group.name || path !== group.path;
    if (moved) checkNames(name, path, group.parent_id === null);
    checkRanges(attributes.ip_restriction_ranges);
    checkBranchName(attributes.default_branch);
    const changes = columnsOf(attributes);
    await transaction(db, async (tx) => {
      if (moved) await lockTree(tx);
      const parent = group.parent_id === null ? null : ((await lockNamespace(tx, group.parent_id)) ?? null);
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
      const about = { ...originOfCaller(caller), entity: entityOfPlace({ kind: 'group', group }) };
      await recordAudits(tx, eventsOfChanges(about, 'group', group, { ...changes, name, path }));
      await emit(tx, {
        kind: 'group.updated',
        namespace_id: group.id,
        actor_id: caller.user?.id ?? null,
        payload: { group_id: group.id },
      });
    }).catch((error: unknown) => {
      throw conflictFrom(error);
    });
  }

  return { create, update };
}

export type GroupService = ReturnType<typeof groupService>;
