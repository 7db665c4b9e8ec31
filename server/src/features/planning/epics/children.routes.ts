/** The API of epics below an epic: which they are, their order, and what is below an epic altogether. */
import Type from 'typebox';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Epic as EpicRow } from '../../../kernel/db/rows.ts';
import { Count, Entity, Fields, Flag, Id, ListOf, Text } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPresent, slicePage } from '../../../kernel/http/pagination.ts';
import { Bool, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type ParentLoader, requireOnGroup } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { childrenOf, contentsOf, orderOfChildren, rollUp, setOrderOfChildren } from './children.queries.ts';
import { Epic } from './epics.entity.ts';
import { epicInTree, lockEpic } from './epics.queries.ts';
import type { EpicService } from './epics.service.ts';
import { moved } from './ordering.ts';
import { epicRoute, oneEpic, type PresentEpics, readEpic } from './presenting.ts';

const update = { on: 'group', ability: 'update_epic' } as const;
const children = '/groups/:id/epics/:epic_iid/epics';
const child = { ...oneEpic, child_epic_id: Int({ description: 'Id of the epic below' }) };

const { subscribed: _, ...listed } = Epic.properties;
const ChildEpic = Entity('ChildEpic', listed);
const LinkedEpic = Entity('LinkedEpic', {
  id: Id(),
  iid: Id(),
  title: Text(),
  group_id: Id(),
  parent_id: Id({ description: 'Id of the epic above' }),
  has_children: Flag(),
  has_issues: Flag(),
  reference: Text(),
  url: Text(),
  relation_url: Text(),
});
const counts = (what: string) =>
  Fields({ opened: Count({ description: `Open ${what}` }), closed: Count({ description: `Closed ${what}` }) });
const EpicStatistics = Entity('EpicStatistics', {
  statistics: Fields({ epics: counts('epics'), issues: counts('issues'), weight: counts('weight') }),
});

export function childEpicRoutes({
  db,
  base,
  parents,
  epics,
  present,
}: {
  readonly db: Db;
  readonly base: string;
  readonly parents: Pick<ParentLoader, 'group'>;
  readonly epics: EpicService;
  readonly present: PresentEpics;
}): Route[] {
  /** An epic of the same tree and its group, where the caller may change it. */
  async function changeable({ group }: GroupSubject, caller: Caller, id: number) {
    const row = await epicInTree(db, group.traversal_ids[0] ?? group.id, caller, id);
    const there = row && (await parents.group(String(row.namespace_id), caller));
    if (!row || !there) throw notFound('Epic');
    requireOnGroup(caller, 'update_epic', there);
    return { row, there };
  }
  async function list(parent: EpicRow, caller: Caller) {
    const rows = await childrenOf(db, parent.id, caller);
    const shown = await present.many(rows, parent.namespace_id);
    return rows.flatMap(({ id }) => shown.get(id) ?? []);
  }

  return [
    route({
      ...epicRoute,
      method: 'GET',
      path: children,
      summary: 'List child epics',
      access: readEpic,
      params: Type.Object(oneEpic),
      pagination: 'offset',
      responses: { 200: ListOf(ChildEpic) },
      handler: async ({ params, subject, caller, page }) => {
        const parent = await present.find(subject, caller, params.epic_iid);
        const paged = slicePage(page, await childrenOf(db, parent.id, caller));
        const shown = await present.many(paged.items, parent.namespace_id);
        return mapPresent(paged, ({ id }) => shown.get(id));
      },
    }),
    route({
      ...epicRoute,
      method: 'POST',
      path: children,
      summary: 'Create a child epic',
      access: { on: 'group', ability: 'create_epic' },
      params: Type.Object({
        ...oneEpic,
        title: Str({ description: 'Title of the epic' }),
        confidential: Optional(
          Bool({
            description: 'Whether only its author and members from planners on see it; as the parent by default',
          }),
        ),
      }),
      responses: { 201: LinkedEpic },
      handler: async ({ params, subject, caller }) => {
        const parent = await present.find(subject, caller, params.epic_iid);
        const { title, confidential = parent.confidential } = params;
        const row = await epics.create(subject, caller, { title, confidential, parent_id: parent.id });
        const page = `/groups/${subject.group.full_path}/-/epics`;
        return {
          id: row.id,
          iid: row.iid,
          title: row.title,
          group_id: row.namespace_id,
          parent_id: parent.id,
          ...(await contentsOf(db, row.id)),
          reference: `&${row.iid}`,
          url: `${base}${page}/${row.iid}`,
          relation_url: `${base}${page}/${parent.iid}/links/${row.id}`,
        };
      },
    }),
    route({
      ...epicRoute,
      method: 'POST',
      path: `${children}/:child_epic_id`,
      summary: 'Assign a child epic',
      access: update,
      params: Type.Object(child),
      responses: { 201: Epic },
      handler: async ({ params, subject, caller }) => {
        const parent = await present.find(subject, caller, params.epic_iid);
        const { row, there } = await changeable(subject, caller, params.child_epic_id);
        return await present.one(await epics.update(there, caller, row.id, { parent_id: parent.id }), caller);
      },
    }),
    route({
      ...epicRoute,
      method: 'PUT',
      path: `${children}/:child_epic_id`,
      summary: 'Reorder a child epic',
      access: update,
      params: Type.Object({
        ...child,
        move_before_id: Optional(Int({ description: 'Id of the sibling that comes right before it' })),
        move_after_id: Optional(Int({ description: 'Id of the sibling that comes right after it' })),
      }),
      responses: { 200: ListOf(ChildEpic) },
      handler: async ({ params, subject, caller }) => {
        const parent = await present.find(subject, caller, params.epic_iid);
        const move = { id: params.child_epic_id, before: params.move_before_id, after: params.move_after_id };
        // What the caller does not see is no neighbour for them.
        moved(
          (await childrenOf(db, parent.id, caller)).map(({ id }) => id),
          move,
          'Epic',
        );
        await transaction(db, async (tx) => {
          await lockEpic(tx, parent.id);
          await setOrderOfChildren(tx, parent.id, moved(await orderOfChildren(tx, parent.id), move, 'Epic'));
        });
        return await list(parent, caller);
      },
    }),
    route({
      ...epicRoute,
      method: 'DELETE',
      path: `${children}/:child_epic_id`,
      summary: 'Unassign a child epic',
      access: update,
      params: Type.Object(child),
      responses: { 200: Epic },
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const parent = await present.find(subject, caller, params.epic_iid);
        const { row, there } = await changeable(subject, caller, params.child_epic_id);
        if (row.parent_id !== parent.id) throw notFound('Epic');
        unmodifiedSince(row.updated_at);
        return await present.one(await epics.update(there, caller, row.id, { parent_id: null }), caller);
      },
    }),
    route({
      ...epicRoute,
      method: 'GET',
      path: '/groups/:id/epics/:epic_iid/statistics',
      summary: 'Count epics and issues at any depth below an epic',
      access: readEpic,
      params: Type.Object(oneEpic),
      responses: { 200: EpicStatistics },
      handler: async ({ params, subject, caller }) => {
        const epic = await present.find(subject, caller, params.epic_iid);
        const found = await rollUp(db, epic.id, caller);
        return {
          statistics: {
            epics: { opened: found.opened_epics, closed: found.closed_epics },
            issues: { opened: found.opened_issues, closed: found.closed_issues },
            weight: { opened: found.opened_weight, closed: found.closed_weight },
          },
        };
      },
    }),
  ];
}
