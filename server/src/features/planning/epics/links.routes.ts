/** The API of links between epics: which relate to each other, and which block which. */
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { EpicLink } from '../../../kernel/db/rows.ts';
import { Entity, Id, ListOf, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { conflict, notFound, plainError } from '../../../kernel/http/errors.ts';
import { mapPresent, slicePage } from '../../../kernel/http/pagination.ts';
import { DateTimeParam, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type ParentLoader, requireOnGroup } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { Epic } from './epics.entity.ts';
import { epicsById, findEpic } from './epics.queries.ts';
import { deleteLink, insertLink, linksIn, linksOf } from './links.queries.ts';
import { epicRoute, groupParam, oneEpic, type PresentEpics, readEpic } from './presenting.ts';

const types = ['relates_to', 'blocks', 'is_blocked_by'] as const;
type LinkType = (typeof types)[number];
const related = '/groups/:id/epics/:epic_iid/related_epics';
const link = { on: 'group', ability: 'admin_epic_link' } as const;

const { subscribed: _, ...listed } = Epic.properties;
const RelatedEpic = Entity('RelatedEpic', {
  ...listed,
  related_epic_link_id: Id(),
  link_type: Word(types, { description: 'As seen from the epic of the request' }),
  link_created_at: Timestamp(),
  link_updated_at: Timestamp(),
});
const RelatedEpicLink = Entity('RelatedEpicLink', {
  id: Id(),
  source_epic: Epic,
  target_epic: Epic,
  link_type: Word(types),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});

const otherOf = (row: EpicLink, id: number) => (row.source_id === id ? row.target_id : row.source_id);
const seenFrom = (row: EpicLink, id: number): LinkType =>
  row.link_type === 'blocks' && row.target_id === id ? 'is_blocked_by' : row.link_type;
const time = (description: string) => Optional(DateTimeParam({ description }));

export function relatedEpicRoutes({
  db,
  parents,
  present,
}: {
  readonly db: Db;
  readonly parents: Pick<ParentLoader, 'group'>;
  readonly present: PresentEpics;
}): Route[] {
  /** Links whose both epics the caller sees. */
  async function shown(rows: readonly EpicLink[], caller: Caller): Promise<Static<typeof RelatedEpicLink>[]> {
    const ids = [...new Set(rows.flatMap((row) => [row.source_id, row.target_id]))];
    const epics = await present.many(await epicsById(db, ids, caller));
    return rows.flatMap((row) => {
      const [source, target] = [epics.get(row.source_id), epics.get(row.target_id)];
      if (!source || !target) return [];
      const { id, link_type, created_at, updated_at } = row;
      return [{ id, source_epic: source, target_epic: target, link_type, created_at, updated_at }];
    });
  }
  async function one(row: EpicLink, caller: Caller) {
    const [found] = await shown([row], caller);
    if (!found) throw notFound('Related Epic Link');
    return found;
  }

  return [
    route({
      ...epicRoute,
      method: 'GET',
      path: '/groups/:id/related_epic_links',
      summary: 'List links between epics of a group',
      access: readEpic,
      params: Type.Object({
        ...groupParam,
        created_after: time('Created at or after this time'),
        created_before: time('Created at or before this time'),
        updated_after: time('Changed at or after this time'),
        updated_before: time('Changed at or before this time'),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(RelatedEpicLink) },
      handler: async ({ params, subject, caller, page }) => {
        const rows = await linksIn(db, subject.group.id, {
          createdAfter: params.created_after,
          createdBefore: params.created_before,
          updatedAfter: params.updated_after,
          updatedBefore: params.updated_before,
        });
        return slicePage(page, await shown(rows, caller));
      },
    }),
    route({
      ...epicRoute,
      method: 'GET',
      path: related,
      summary: 'List epics that an epic is linked to',
      access: readEpic,
      params: Type.Object(oneEpic),
      pagination: 'offset',
      responses: { 200: ListOf(RelatedEpic) },
      handler: async ({ params, subject, caller, page }) => {
        const epic = await present.find(subject, caller, params.epic_iid);
        const rows = await linksOf(db, epic.id);
        const seen = await epicsById(
          db,
          rows.map((row) => otherOf(row, epic.id)),
          caller,
        );
        const kept = rows.filter((row) => seen.some(({ id }) => id === otherOf(row, epic.id)));
        const paged = slicePage(page, kept);
        const epics = await present.many(seen, subject.group.id);
        return mapPresent(paged, (row) => {
          const other = epics.get(otherOf(row, epic.id));
          return (
            other && {
              ...other,
              related_epic_link_id: row.id,
              link_type: seenFrom(row, epic.id),
              link_created_at: row.created_at,
              link_updated_at: row.updated_at,
            }
          );
        });
      },
    }),
    route({
      ...epicRoute,
      method: 'POST',
      path: related,
      summary: 'Link an epic to another one',
      access: link,
      params: Type.Object({
        ...oneEpic,
        target_group_id: Str({ maxLength: 1000, description: 'Id or path of the group of the other epic' }),
        target_epic_iid: Int({ description: 'Number of the other epic within its group' }),
        link_type: Optional(
          OneOf(types, { default: 'relates_to', description: 'How this epic is linked to the other' }),
        ),
      }),
      responses: { 201: RelatedEpicLink },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        const epic = await present.find(subject, caller, params.epic_iid);
        const there = await parents.group(params.target_group_id, caller);
        const other = there && (await findEpic(db, there.group.id, caller, { iid: params.target_epic_iid }));
        if (!there || !other || other.id === epic.id)
          throw plainError(404, 'No matching epic found. Make sure that you are adding a valid epic URL.');
        requireOnGroup(caller, 'admin_epic_link', there);
        const type: LinkType = params.link_type ?? 'relates_to';
        const [source, target] = type === 'is_blocked_by' ? [other, epic] : [epic, other];
        const made = await transaction(db, (tx) =>
          insertLink(tx, {
            source_id: source.id,
            target_id: target.id,
            link_type: type === 'relates_to' ? 'relates_to' : 'blocks',
          }),
        );
        if (!made) throw conflict('Epic(s) already assigned');
        return await one(made, caller);
      },
    }),
    route({
      ...epicRoute,
      method: 'DELETE',
      path: `${related}/:related_epic_link_id`,
      summary: 'Delete a link of an epic',
      access: link,
      params: Type.Object({ ...oneEpic, related_epic_link_id: Int({ description: 'Id of the link' }) }),
      responses: { 200: RelatedEpicLink },
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const epic = await present.find(subject, caller, params.epic_iid);
        const row = (await linksOf(db, epic.id)).find(({ id }) => id === params.related_epic_link_id);
        if (!row) throw notFound('Related Epic Link');
        const json = await one(row, caller);
        unmodifiedSince(row.updated_at);
        if (!(await transaction(db, (tx) => deleteLink(tx, row.id)))) throw notFound('Related Epic Link');
        return json;
      },
    }),
  ];
}
