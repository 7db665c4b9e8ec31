/** The API of epics. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { atLeastOneOf, mutuallyExclusive } from '../../../kernel/http/params/groups.ts';
import {
  Bool,
  DateParam,
  DateTimeParam,
  Int,
  OneOf,
  Optional,
  OrNull,
  rules,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { LabelTitles, TaskParam } from '../../collaboration/index.ts';
import type { QuickActions } from '../../collaboration/quick-actions/index.ts';
import { Epic, ListedEpic } from './epics.entity.ts';
import { type EpicList, epicById } from './epics.queries.ts';
import type { EpicService } from './epics.service.ts';
import type { EpicNarrowing } from './filter.queries.ts';
import type { EpicLists } from './listing.ts';
import { placeOfEpic } from './place.ts';
import { epicRoute, groupParam, oneEpic, type PresentEpics, readEpic } from './presenting.ts';

const narrowed = {
  author_id: Optional(Int({ description: 'Of this author' })),
  author_username: Optional(Str({ maxLength: 255, description: 'Of the author of this name' })),
  labels: Optional(LabelTitles('With all of these labels; `None`, `Any`')),
  my_reaction_emoji: Optional(
    Str({ maxLength: 255, description: 'That the caller reacted to with this emoji; `None`, `Any`' }),
  ),
};
const oneAuthor = rules(mutuallyExclusive('author_id', 'author_username'));

const filters = {
  ...narrowed,
  not: Optional(Type.Object(narrowed, { description: 'Filters of which none may hold', ...oneAuthor })),
  with_labels_details: Optional(Bool({ default: false, description: 'More about labels than their titles' })),
  order_by: Optional(
    OneOf(['created_at', 'updated_at', 'title', 'relative_position'], {
      default: 'created_at',
      description: 'Order; `relative_position` is that on boards',
    }),
  ),
  sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' })),
  search: Optional(Str({ maxLength: 255, description: 'With this text in title or description' })),
  state: Optional(OneOf(['opened', 'closed', 'all'], { default: 'all', description: 'In this state' })),
  confidential: Optional(Bool({ description: 'Confidential ones, or those that are not' })),
  created_after: Optional(DateTimeParam({ description: 'Created at or after this time' })),
  created_before: Optional(DateTimeParam({ description: 'Created at or before this time' })),
  updated_after: Optional(DateTimeParam({ description: 'Changed at or after this time' })),
  updated_before: Optional(DateTimeParam({ description: 'Changed at or before this time' })),
  include_ancestor_groups: Optional(Bool({ default: false, description: 'Also those of the groups above' })),
  include_descendant_groups: Optional(Bool({ default: true, description: 'Also those of the groups below' })),
};

/** `None` and `Any` are no titles. */
function narrowingOf({ labels, ...rest }: EpicNarrowing): EpicNarrowing {
  const only = labels?.length === 1 ? labels[0]?.toLowerCase() : undefined;
  return only === 'none' || only === 'any' ? { ...rest, labelled: only } : { ...rest, labels };
}

const title = Str({ description: 'Title of the epic' });
const day = (description: string) => Optional(OrNull(DateParam({ description })));
const written = {
  description: Optional(OrNull(Str({ maxLength: 1_048_576, description: 'Text in Markdown' }))),
  labels: Optional(OrNull(LabelTitles('Its labels; those that are missing are created'))),
  confidential: Optional(Bool({ description: 'Whether only its author and members from planners on see it' })),
  color: Optional(Str({ pattern: '^#[0-9a-fA-F]{6}$', description: 'Color' })),
  start_date_is_fixed: Optional(Bool({ description: 'Whether `start_date_fixed` counts, not what is inherited' })),
  start_date_fixed: day('Fixed first day'),
  due_date_is_fixed: Optional(Bool({ description: 'Whether `due_date_fixed` counts, not what is inherited' })),
  due_date_fixed: day('Fixed last day'),
  parent_id: Optional(OrNull(Int({ description: 'Id of the epic above, of the same tree of groups' }))),
};
const changed = {
  ...written,
  title: Optional(title),
  update_task: TaskParam,
  add_labels: Optional(OrNull(LabelTitles('More labels'))),
  remove_labels: Optional(OrNull(LabelTitles('Labels to take away'))),
  state_event: Optional(OneOf(['close', 'reopen'], { description: 'Close it or open it again' })),
};

export function epicRoutes(
  db: Db,
  lists: EpicLists,
  epics: EpicService,
  present: PresentEpics,
  actions: Pick<QuickActions, 'creating' | 'describing'>,
): Route[] {
  const { find, one: shown } = present;

  return [
    route({
      ...epicRoute,
      method: 'GET',
      path: '/groups/:id/epics',
      summary: 'List epics of a group',
      access: readEpic,
      params: Type.Object({ ...groupParam, ...filters }, oneAuthor),
      pagination: 'offset',
      responses: { 200: ListOf(ListedEpic) },
      handler: async ({ params, page, subject, caller }) => {
        const { group } = subject;
        const list: EpicList = {
          ...{ group, caller },
          ancestors: params.include_ancestor_groups ?? false,
          descendants: params.include_descendant_groups ?? true,
          narrowed: narrowingOf(params),
          not: params.not && narrowingOf(params.not),
          search: params.search,
          state: params.state === 'all' ? undefined : params.state,
          confidential: params.confidential,
          createdAfter: params.created_after,
          createdBefore: params.created_before,
          updatedAfter: params.updated_after,
          updatedBefore: params.updated_before,
          orderBy: params.order_by ?? 'created_at',
          sort: params.sort ?? 'desc',
        };
        return await lists.page(list, { groupId: group.id, details: params.with_labels_details ?? false }, page);
      },
    }),
    route({
      ...epicRoute,
      method: 'POST',
      path: '/groups/:id/epics',
      summary: 'Create an epic',
      access: { on: 'group', ability: 'create_epic' },
      params: Type.Object({
        ...groupParam,
        title,
        ...written,
        created_at: Optional(
          DateTimeParam({
            description: 'When it was created; for administrators and owners, passed over for others',
          }),
        ),
      }),
      responses: { 201: Epic },
      handler: async ({ params, subject, caller }) => {
        const made = await actions.creating(
          'epic',
          caller,
          params.description,
          (description) => epics.create(subject, caller, { ...params, description }),
          (row) => placeOfEpic(row, subject),
        );
        return await shown((await epicById(db, made.id)) ?? made, caller);
      },
    }),
    route({
      ...epicRoute,
      method: 'GET',
      path: '/groups/:id/epics/:epic_iid',
      summary: 'Get an epic',
      access: readEpic,
      params: Type.Object(oneEpic),
      responses: { 200: Epic },
      handler: async ({ params, subject, caller }) => await shown(await find(subject, caller, params.epic_iid), caller),
    }),
    route({
      ...epicRoute,
      method: 'PUT',
      path: '/groups/:id/epics/:epic_iid',
      summary: 'Update, close or reopen an epic',
      access: { on: 'group', ability: 'update_epic' },
      params: Type.Object({ ...oneEpic, ...changed }, rules(atLeastOneOf(...Object.keys(changed)))),
      responses: { 200: Epic },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        const row = await find(subject, caller, params.epic_iid);
        const updated = await actions.describing(
          placeOfEpic(row, subject),
          caller,
          params.description,
          (description) => epics.update(subject, caller, row.id, { ...params, description }),
          () => epicById(db, row.id),
        );
        return await shown(updated, caller);
      },
    }),
    route({
      ...epicRoute,
      method: 'DELETE',
      path: '/groups/:id/epics/:epic_iid',
      summary: 'Delete an epic',
      access: { on: 'group', ability: 'remove_epic' },
      params: Type.Object(oneEpic),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const row = await find(subject, caller, params.epic_iid);
        unmodifiedSince(row.updated_at);
        await epics.remove(row.id, caller);
      },
    }),
  ];
}
