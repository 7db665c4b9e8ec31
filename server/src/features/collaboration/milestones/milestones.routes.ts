/** Routes of milestones of groups and projects: one set of handlers, two places. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound, plainError, recordNotFound, savedOr } from '../../../kernel/http/errors.ts';
import { offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { filled } from '../../../kernel/http/params/filled.ts';
import { allOrNoneOf, atLeastOneOf, mutuallyExclusive } from '../../../kernel/http/params/groups.ts';
import {
  Bool,
  DateParam,
  DateTimeParam,
  IdOrPath,
  Int,
  List,
  OneOf,
  Optional,
  OrNull,
  rules,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { type ParentLoader, requireOnGroup } from '../../../kernel/http/parents.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { baseOf, type Markdown } from '../../../kernel/markdown/index.ts';
import type { Place } from '../../namespaces/index.ts';
import type { Labeled } from '../inherited-labels.ts';
import { TaskParam } from '../tasks/index.ts';
import {
  Milestone,
  type MilestoneStats,
  milestoneJson,
  milestoneStates,
  type PlacedMilestone,
} from './milestones.entity.ts';
import {
  countMilestones,
  findMilestone,
  listMilestones,
  type MilestoneFilter,
  type MilestoneList,
  plannedFor,
} from './milestones.queries.ts';
import { milestoneService } from './milestones.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Milestones' } as const;
const milestoneId = { milestone_id: Int({ description: 'Id of the milestone' }) };

const rendered = Optional(Bool({ description: 'Also give the description as HTML' }));

const filters = {
  iids: Optional(
    List(Int(), {
      commas: true,
      maxItems: 100,
      description: 'Only those with these numbers; ignored with those of the groups above',
    }),
  ),
  state: Optional(OneOf([...milestoneStates, 'all'], { default: 'all', description: 'Only those in this state' })),
  title: Optional(Str({ description: 'Only the one with this title' })),
  search: Optional(Str({ maxLength: 255, description: 'Only those whose title or description contains this text' })),
  search_title: Optional(Str({ maxLength: 255, description: 'Only those whose title contains all of these words' })),
  include_ancestors: Optional(Bool({ default: false, description: 'Also those of the groups above' })),
  include_parent_milestones: Optional(Bool({ deprecated: true, description: 'Use `include_ancestors`' })),
  updated_before: Optional(DateTimeParam({ description: 'Only those changed at or before this time' })),
  updated_after: Optional(DateTimeParam({ description: 'Only those changed at or after this time' })),
  containing_date: Optional(DateTimeParam({ description: 'Only those that this day lies in' })),
  with_counts: Optional(
    Bool({ default: false, description: 'Also count the issues and merge requests that are planned' }),
  ),
  start_date: Optional(DateTimeParam({ description: 'With `end_date`: only those that do not end before this day' })),
  end_date: Optional(DateTimeParam({ description: 'With `start_date`: only those that do not begin after this day' })),
  render_html: rendered,
};
const groupFilters = {
  ...filters,
  include_descendants: Optional(Bool({ default: false, description: 'Also those of the groups below' })),
};
const texts = {
  description: Optional(OrNull(Str({ maxLength: 1_048_576, description: 'What is to be done by then, in Markdown' }))),
  due_date: Optional(OrNull(DateParam({ description: 'The day by which it is due' }))),
  start_date: Optional(OrNull(DateParam({ description: 'The day on which it begins' }))),
};
const title = Str({ maxLength: 255, description: 'Title of the milestone' });

const kinds = [
  {
    kind: 'group',
    noun: 'Group',
    asked: groupFilters,
    read: { on: 'group', ability: 'read_group_milestone' },
    write: { on: 'group', ability: 'admin_group_milestone' },
    remove: { on: 'group', ability: 'remove_group_milestone' },
  },
  {
    kind: 'project',
    noun: 'Project',
    asked: filters,
    read: { on: 'project', ability: 'read_milestone' },
    write: { on: 'project', ability: 'admin_milestone' },
    remove: { on: 'project', ability: 'admin_milestone' },
  },
] as const;

const dayOf = (date: Date) => date.toISOString().slice(0, 10);

interface AskedFilter extends Pick<MilestoneFilter, 'title' | 'search'> {
  readonly iids?: readonly number[];
  readonly state?: 'active' | 'closed' | 'all';
  readonly search_title?: string;
  readonly include_ancestors?: boolean;
  readonly include_parent_milestones?: boolean;
  readonly include_descendants?: boolean;
  readonly updated_before?: Date;
  readonly updated_after?: Date;
  readonly containing_date?: Date;
  readonly start_date?: Date;
  readonly end_date?: Date;
}

function listOf(place: Place, caller: Caller, given: AskedFilter): MilestoneList {
  const asked = filled(given);
  const ancestors = asked.include_ancestors === true || asked.include_parent_milestones === true;
  const { containing_date: day, start_date: first, end_date: last } = asked;
  return {
    place,
    caller,
    reach: { ancestors, descendants: asked.include_descendants ?? false },
    filter: {
      iids: ancestors ? undefined : asked.iids,
      state: asked.state === 'all' ? undefined : asked.state,
      title: asked.title,
      search: asked.search,
      searchTitle: asked.search_title,
      updatedBefore: asked.updated_before,
      updatedAfter: asked.updated_after,
      within: day ? [dayOf(day), dayOf(day)] : first && last ? [dayOf(first), dayOf(last)] : undefined,
    },
  };
}

export function milestoneRoutes({
  db,
  externalUrl,
  labeled,
  parents,
  markdown,
}: {
  readonly db: Db;
  readonly externalUrl: string;
  readonly labeled: readonly Labeled[];
  readonly parents: Pick<ParentLoader, 'group'>;
  readonly markdown: Pick<Markdown, 'html'>;
}): Route[] {
  const milestones = milestoneService(db, labeled);
  const json = (row: PlacedMilestone, stats?: MilestoneStats) => milestoneJson(row, externalUrl, stats);

  /** The description as HTML where it is asked for; relative links are of the project or group that was asked. */
  async function htmlOf({ description }: PlacedMilestone, place: Place, caller: Caller, wanted = false) {
    if (!wanted) return {};
    const html = description && (await markdown.html(description, { caller, base: baseOf(place) }));
    return { description_html: html };
  }

  async function find(place: Place, id: number): Promise<PlacedMilestone> {
    const milestone = await findMilestone(db, place, id);
    if (!milestone) throw recordNotFound();
    return milestone;
  }

  const routes = kinds.flatMap(({ kind, noun, asked, read, write, remove }) => {
    const base = `/${kind}s/:id/milestones`;
    const parent = { id: IdOrPath(noun) };
    const one = { ...parent, ...milestoneId };
    return [
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List milestones of a ${kind}`,
        access: read,
        params: Type.Object({ ...parent, ...asked }, rules(allOrNoneOf('start_date', 'end_date'))),
        pagination: 'offset',
        responses: { 200: ListOf(Milestone) },
        handler: async ({ params, page, subject, caller }) => {
          const list = listOf(subject, caller, params);
          const [rows, total] = await Promise.all([listMilestones(db, list, page), countMilestones(db, list)]);
          const found = offsetPage(page, rows, total);
          const ids = found.items.map(({ id }) => id);
          const stats = params.with_counts ? await plannedFor(db, subject, caller, ids) : null;
          const texts = await Promise.all(found.items.map((row) => htmlOf(row, subject, caller, params.render_html)));
          return withItems(
            found,
            found.items.map((row, at) => ({
              ...json(row, stats?.(row.id)),
              ...texts[at],
            })),
          );
        },
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/:milestone_id`,
        summary: `Get a milestone of a ${kind}`,
        access: read,
        params: Type.Object({ ...one, render_html: rendered }),
        responses: { 200: Milestone },
        handler: async ({ params, subject, caller }) => {
          const found = await find(subject, params.milestone_id);
          return { ...json(found), ...(await htmlOf(found, subject, caller, params.render_html)) };
        },
      }),
      route({
        ...common,
        method: 'POST',
        path: base,
        summary: `Create a milestone of a ${kind}`,
        access: write,
        params: Type.Object({ ...parent, title, ...texts }),
        responses: { 201: Milestone },
        handler: async (context) => {
          const { subject, caller, params } = context;
          const made = await savedOr('Failed to create milestone', () =>
            milestones.create(subject, caller, params, originOf(context)),
          );
          return json(await find(subject, made.id));
        },
      }),
      route({
        ...common,
        method: 'PUT',
        path: `${base}/:milestone_id`,
        summary: `Update, close or reopen a milestone of a ${kind}`,
        access: write,
        params: Type.Object(
          {
            ...one,
            title: Optional(title),
            ...texts,
            update_task: TaskParam,
            state_event: Optional(OneOf(['close', 'activate'], { description: 'Close it or open it again' })),
          },
          rules(
            mutuallyExclusive('description', 'update_task'),
            atLeastOneOf('title', 'description', 'start_date', 'due_date', 'update_task', 'state_event'),
          ),
        ),
        responses: { 200: Milestone },
        errors: [409],
        handler: async (context) => {
          const { subject, caller, params } = context;
          const { id } = await find(subject, params.milestone_id);
          await savedOr('Failed to update milestone', () =>
            milestones.update(subject, caller, id, params, originOf(context)),
          );
          return json(await find(subject, id));
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${base}/:milestone_id`,
        summary: `Delete a milestone of a ${kind}`,
        access: remove,
        params: Type.Object(one),
        responses: { 204: Empty },
        conditional: true,
        handler: async (context) => {
          const { id, updated_at } = await find(context.subject, context.params.milestone_id);
          context.unmodifiedSince(updated_at);
          await milestones.remove(context.subject, context.caller, id, originOf(context));
        },
      }),
    ];
  });

  return [
    ...routes,
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/milestones/:milestone_id/promote',
      summary: 'Promote a milestone of a project to its group',
      access: { on: 'project', ability: 'admin_milestone' },
      params: Type.Object({ id: IdOrPath('Project'), ...milestoneId }),
      responses: { 200: Milestone },
      handler: async (context) => {
        const { params, subject, caller } = context;
        if (subject.namespace.kind !== 'group')
          throw plainError(400, 'Promotion failed - Project does not belong to a group.');
        const group = await parents.group(String(subject.namespace.id), caller);
        if (!group) throw notFound('Group');
        requireOnGroup(caller, 'admin_group_milestone', group);
        const { id } = await find(subject, params.milestone_id);
        const made = await milestones.promote(subject, group, caller, id, originOf(context));
        return json(await find(group, made.id));
      },
    }),
  ];
}
