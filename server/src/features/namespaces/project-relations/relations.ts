/** Badges, members and custom attributes of a project or group in an archive. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { DateParam, Int, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { customAttributesOf, saveCustomAttribute } from '../custom-attributes/custom-attributes.queries.ts';
import {
  type Exporter,
  type GroupRelation,
  groupRelation,
  type ImportTarget,
  once,
  type Relation,
  relation,
} from './relation.ts';
import * as queries from './relations.queries.ts';
import { removing, removingOfGroup } from './removing.queries.ts';

/** Administrators keep them, and nobody else reads them. */
const attributesOf = async (db: Db, kind: 'project' | 'group', id: number, { admin }: Exporter) =>
  admin ? ((await customAttributesOf(db, kind, [id])).get(id) ?? []) : [];

const named = Str({ minLength: 1, maxLength: 255 });
/** An address of a web page. */
const link = Str({ minLength: 1, maxLength: 2048, pattern: '^https?://' });

const badge = {
  name: 'badges',
  schema: Type.Object({ name: Optional(OrNull(Str({ maxLength: 255 }))), link_url: link, image_url: link }),
};
export const badgeRelation: Relation = relation({
  ...badge,
  rows: (db, project_id) => once(queries.badgesOf(db, { project_id })),
  insert: (tx, row, { projectId: project_id }) => queries.insertBadge(tx, { project_id }, row),
  remove: removing('badges'),
});
export const groupBadgeRelation: GroupRelation = groupRelation({
  ...badge,
  rows: (db, namespace_id) => once(queries.badgesOf(db, { namespace_id })),
  insert: (tx, row, { groupId: namespace_id }) => queries.insertBadge(tx, { namespace_id }, row),
  remove: removingOfGroup('badges'),
});

const attribute = {
  name: 'custom_attributes',
  schema: Type.Object({ key: named, value: Str({ minLength: 1, maxLength: 255 }) }),
};
export const customAttributeRelation: Relation = relation({
  ...attribute,
  rows: (db, projectId, by) => once(attributesOf(db, 'project', projectId, by)),
  insert: async (tx, row, { projectId, trusted }) => {
    if (!trusted) return 'only administrators import them';
    await saveCustomAttribute(tx, 'project', projectId, row);
    return null;
  },
  remove: removing('project_custom_attributes'),
});

export const groupCustomAttributeRelation: GroupRelation = groupRelation({
  ...attribute,
  rows: (db, groupId, by) => once(attributesOf(db, 'group', groupId, by)),
  insert: async (tx, row, { groupId, trusted }) => {
    if (!trusted) return 'only administrators import them';
    await saveCustomAttribute(tx, 'group', groupId, row);
    return null;
  },
  remove: removingOfGroup('namespace_custom_attributes'),
});

const member = {
  name: 'members',
  schema: Type.Object({
    username: named,
    access_level: Int(),
    expires_at: Optional(OrNull(DateParam())),
  }),
};

async function insertMember(
  tx: Db,
  row: queries.MemberLine,
  place: Parameters<typeof queries.insertMember>[1],
  { trusted, person, importerId }: Pick<ImportTarget, 'trusted' | 'person' | 'importerId'>,
): Promise<string | null> {
  if (!trusted) return 'only administrators import members';
  const userId = await person(row.username);
  if (userId === null) return `nobody is called ${row.username}`;
  return await queries.insertMember(tx, place, importerId, { ...row, userId });
}

export const memberRelation: Relation = relation({
  ...member,
  rows: (db, project_id) => once(queries.membersOf(db, { project_id })),
  insert: (tx, row, target) => insertMember(tx, row, { project_id: target.projectId }, target),
  // Whoever imports stays: that is how they came to the project.
  remove: queries.removeMembers,
});
export const groupMemberRelation: GroupRelation = groupRelation({
  ...member,
  rows: (db, namespace_id) => once(queries.membersOf(db, { namespace_id })),
  insert: (tx, row, target) => insertMember(tx, row, { namespace_id: target.groupId }, target),
  remove: queries.removeGroupMembers,
});
