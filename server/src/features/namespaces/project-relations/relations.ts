/** Badges, members and custom attributes of a project in an archive. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { DateParam, Int, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { customAttributesOf, saveCustomAttribute } from '../custom-attributes/custom-attributes.queries.ts';
import { once, type Relation, relation } from './relation.ts';
import * as queries from './relations.queries.ts';
import { removing } from './removing.queries.ts';

const attributesOf = async (db: Db, projectId: number) =>
  (await customAttributesOf(db, 'project', [projectId])).get(projectId) ?? [];

const named = Str({ minLength: 1, maxLength: 255 });
/** An address of a web page. */
const link = Str({ minLength: 1, maxLength: 2048, pattern: '^https?://' });

export const badgeRelation: Relation = relation({
  name: 'badges',
  schema: Type.Object({ name: Optional(OrNull(Str({ maxLength: 255 }))), link_url: link, image_url: link }),
  rows: (db, projectId) => once(queries.badgesOf(db, projectId)),
  insert: (tx, row, { projectId }) => queries.insertBadge(tx, projectId, row),
  remove: removing('badges'),
});

export const customAttributeRelation: Relation = relation({
  name: 'custom_attributes',
  schema: Type.Object({ key: named, value: Str({ minLength: 1, maxLength: 255 }) }),
  // Administrators keep them, and nobody else reads them.
  rows: (db, projectId, { admin }) => once(admin ? attributesOf(db, projectId) : Promise.resolve([])),
  insert: async (tx, row, { projectId, trusted }) => {
    if (!trusted) return 'only administrators import them';
    await saveCustomAttribute(tx, 'project', projectId, row);
    return null;
  },
  remove: removing('project_custom_attributes'),
});

export const memberRelation: Relation = relation({
  name: 'members',
  schema: Type.Object({
    username: named,
    access_level: Int(),
    expires_at: Optional(OrNull(DateParam())),
  }),
  rows: (db, projectId) => once(queries.membersOf(db, projectId)),
  insert: async (tx, row, target) => {
    if (!target.trusted) return 'only administrators import members';
    const userId = await target.person(row.username);
    if (userId === null) return `nobody is called ${row.username}`;
    return await queries.insertMember(tx, { project_id: target.projectId }, target.importerId, { ...row, userId });
  },
  // Whoever imports stays: that is how they came to the project.
  remove: queries.removeMembers,
});
