/** Routes of labels of groups and projects: one set of handlers, two places. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf, exactlyOneOf } from '../../../kernel/http/params/groups.ts';
import { Bool, IdOrPath, Int, Int32, Optional, OrNull, rules, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Place } from '../../namespaces/index.ts';
import type { Labeled } from '../inherited-labels.ts';
import { GroupLabel, groupLabelJson, type LabelCounts, ProjectLabel, projectLabelJson } from './labels.entity.ts';
import {
  countLabels,
  findLabel,
  issuesOf,
  type LabelName,
  type LabelReach,
  type LabelRow,
  type LabelValues,
  listLabels,
  openRequestsOf,
  subscribe,
  unsubscribe,
} from './labels.queries.ts';
import { labelService } from './labels.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Labels' } as const;
const labelId = { label_id: Str({ maxLength: 255, description: 'Id or title of the label' }) };
const reachParameters = {
  include_ancestor_groups: Optional(Bool({ default: true, description: 'Also labels of the groups above' })),
};
const groupReachParameters = {
  ...reachParameters,
  include_descendant_groups: Optional(Bool({ default: false, description: 'Also labels of the groups below' })),
  only_group_labels: Optional(Bool({ default: true, description: 'Not those of projects' })),
};
const attributes = {
  color: Str({ maxLength: 30, description: 'Like `#FFAABB`, or a name like `red`' }),
  description: Optional(OrNull(Str({ maxLength: 2000, description: 'What the label is for' }))),
  archived: Optional(Bool({ description: 'Whether it is kept, but not offered any more' })),
};
const priority = {
  priority: Optional(OrNull(Int32({ minimum: 0, description: 'Rank in the project; null for none' }))),
};
const title = Str({ maxLength: 255, description: 'Title of the label' });
const named = {
  label_id: Optional(Int({ description: 'Id of the label' })),
  name: Optional(title),
};
const nameOf = (id: number | undefined, title = ''): LabelName => (id === undefined ? { title } : String(id));

const kinds = [
  {
    kind: 'group',
    noun: 'Group',
    entity: GroupLabel,
    json: groupLabelJson,
    reach: groupReachParameters,
    own: attributes,
    read: { on: 'group', ability: 'read_group_label' },
    hear: { on: 'group', ability: 'subscribe_group_label' },
    write: { on: 'group', ability: 'admin_group_label' },
  },
  {
    kind: 'project',
    noun: 'Project',
    entity: ProjectLabel,
    json: projectLabelJson,
    reach: reachParameters,
    own: { ...attributes, ...priority },
    read: { on: 'project', ability: 'read_label' },
    hear: { on: 'project', ability: 'subscribe_label' },
    write: { on: 'project', ability: 'admin_label' },
  },
] as const;

/** What a handler that writes labels is given. */
interface Writing {
  readonly subject: Place;
  readonly caller: Caller;
  readonly clientAddress: string | null;
}
interface AskedReach {
  readonly include_ancestor_groups?: boolean;
  readonly include_descendant_groups?: boolean;
  readonly only_group_labels?: boolean;
}
const reachOf = (asked: AskedReach, caller: Caller): LabelReach => ({
  caller,
  ancestors: asked.include_ancestor_groups ?? true,
  descendants: asked.include_descendant_groups ?? false,
  projects: asked.only_group_labels === false,
});
const widest = { ancestors: true };
const own = { ancestors: false };

/** What has each of the labels, of what the caller sees at the place. */
async function countsOf(db: Db, place: Place, caller: Caller, ids: readonly number[]) {
  const [requests, issues] = await Promise.all([
    openRequestsOf(db, place, caller, ids),
    issuesOf(db, place, caller, ids),
  ]);
  return (id: number): LabelCounts => ({
    openIssues: issues.get(id)?.opened ?? 0,
    closedIssues: issues.get(id)?.closed ?? 0,
    openRequests: requests.get(id) ?? 0,
  });
}

export function labelRoutes({ db, labeled }: { readonly db: Db; readonly labeled: readonly Labeled[] }): Route[] {
  const labels = labelService(db, labeled);
  const userOf = (caller: Caller) => caller.user?.id ?? null;

  async function find(
    place: Place,
    reach: Omit<LabelReach, 'caller'>,
    called: LabelName,
    caller: Caller,
  ): Promise<LabelRow> {
    const label = await findLabel(db, place, { ...reach, caller }, called, userOf(caller));
    if (!label) throw notFound('Label');
    return label;
  }

  /** Labels of groups are changed where they belong; a project only ranks them. */
  async function findOwn(place: Place, called: LabelName, caller: Caller): Promise<LabelRow> {
    const label = await find(place, place.kind === 'group' ? own : widest, called, caller);
    if (place.kind === 'project' && label.project_id === null) throw forbidden();
    return label;
  }

  interface Change extends Omit<LabelValues, 'title'> {
    readonly new_name?: string;
    readonly priority?: number | null;
  }

  async function change(context: Writing, called: LabelName, { new_name, ...given }: Change): Promise<LabelRow> {
    const { subject, caller } = context;
    const { priority: rank, ...rest } = given;
    const onlyRank = rank !== undefined && new_name === undefined && Object.keys(rest).length === 0;
    const label = onlyRank ? await find(subject, widest, called, caller) : await findOwn(subject, called, caller);
    await labels.update(subject, label, { ...given, title: new_name }, originOf(context));
    return await find(subject, widest, String(label.id), caller);
  }

  async function remove(
    context: Writing & { unmodifiedSince(changedAt: Date | null): void },
    called: LabelName,
  ): Promise<void> {
    const label = await findOwn(context.subject, called, context.caller);
    context.unmodifiedSince(label.updated_at);
    await labels.remove(context.subject, label, originOf(context));
  }

  const routes = kinds.flatMap(({ kind, noun, entity, json, reach, own: fields, read, hear, write }) => {
    const base = `/${kind}s/:id/labels`;
    const parent = { id: IdOrPath(noun) };
    const one = { ...parent, ...labelId };
    const { color, ...others } = fields;
    const subscription = (path: 'subscribe' | 'unsubscribe', change: typeof subscribe, summary: string) =>
      route({
        ...common,
        method: 'POST',
        path: `${base}/:label_id/${path}`,
        summary,
        access: hear,
        params: Type.Object(one),
        responses: { 201: entity, 304: Empty },
        handler: async ({ params, subject, caller }) => {
          const { user } = caller;
          if (!user) throw unauthorized();
          const label = await find(subject, widest, params.label_id, caller);
          const changed = await transaction(db, (tx) => change(tx, label.id, user.id));
          // Not found when somebody removed it meanwhile.
          const after = await find(subject, widest, String(label.id), caller);
          return changed ? json(after) : answer(304);
        },
      });
    return [
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List labels of a ${kind}`,
        access: read,
        params: Type.Object({
          ...parent,
          ...reach,
          with_counts: Optional(Bool({ default: false, description: 'Also count issues and merge requests' })),
          search: Optional(Str({ description: 'Only those whose title or description contains this text' })),
          archived: Optional(Bool({ description: 'Only archived labels, or only those that are not' })),
        }),
        pagination: 'offset',
        responses: { 200: ListOf(entity) },
        handler: async ({ params, page, subject, caller }) => {
          const list = {
            place: subject,
            reach: reachOf(params, caller),
            filter: { search: params.search, archived: params.archived },
          };
          const [rows, total] = await Promise.all([listLabels(db, list, userOf(caller), page), countLabels(db, list)]);
          const ids = rows.map(({ id }) => id);
          const counts = params.with_counts ? await countsOf(db, subject, caller, ids) : null;
          return mapPage(offsetPage(page, rows, total), (label) =>
            counts ? json(label, counts(label.id)) : json(label),
          );
        },
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/:label_id`,
        summary: `Get a label of a ${kind}`,
        access: read,
        params: Type.Object({ ...one, ...reach }),
        responses: { 200: entity },
        handler: async ({ params, subject, caller }) =>
          json(await find(subject, reachOf(params, caller), params.label_id, caller)),
      }),
      route({
        ...common,
        method: 'POST',
        path: base,
        summary: `Create a label of a ${kind}`,
        access: write,
        params: Type.Object({ ...parent, name: title, ...fields }),
        responses: { 201: entity },
        errors: [409],
        handler: async (context) => {
          const { id: _, name, ...given } = context.params;
          const made = await labels.create(context.subject, { ...given, title: name }, originOf(context));
          return json(await find(context.subject, own, String(made.id), context.caller));
        },
      }),
      route({
        ...common,
        method: 'PUT',
        path: `${base}/:label_id`,
        summary: `Update a label of a ${kind}`,
        access: write,
        params: Type.Object(
          { ...one, ...others, color: Optional(color), new_name: Optional(title) },
          rules(atLeastOneOf('new_name', ...Object.keys(fields))),
        ),
        responses: { 200: entity },
        errors: [409],
        handler: async (context) => {
          const { id: _, label_id: called, ...given } = context.params;
          return json(await change(context, called, given));
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${base}/:label_id`,
        summary: `Delete a label of a ${kind}`,
        access: write,
        params: Type.Object(one),
        responses: { 204: Empty },
        conditional: true,
        handler: async (context) => remove(context, context.params.label_id),
      }),
      // The older form, with the label among the parameters: what python-gitlab sends when a label is saved.
      route({
        ...common,
        method: 'PUT',
        path: base,
        summary: `Update a label of a ${kind}, named by a parameter`,
        access: write,
        params: Type.Object(
          { ...parent, ...named, ...others, color: Optional(color), new_name: Optional(title) },
          rules(exactlyOneOf('label_id', 'name'), atLeastOneOf('new_name', ...Object.keys(fields))),
        ),
        responses: { 200: entity },
        errors: [409],
        handler: async (context) => {
          const { id: _, label_id: labelNumber, name, ...given } = context.params;
          return json(await change(context, nameOf(labelNumber, name), given));
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: base,
        summary: `Delete a label of a ${kind}, named by a parameter`,
        access: write,
        params: Type.Object({ ...parent, ...named }, rules(exactlyOneOf('label_id', 'name'))),
        responses: { 204: Empty },
        conditional: true,
        handler: async (context) => remove(context, nameOf(context.params.label_id, context.params.name)),
      }),
      subscription('subscribe', subscribe, `Subscribe to a label of a ${kind}`),
      subscription('unsubscribe', unsubscribe, `Unsubscribe from a label of a ${kind}`),
    ];
  });

  return [
    ...routes,
    route({
      ...common,
      method: 'PUT',
      path: '/projects/:id/labels/:label_id/promote',
      summary: 'Promote a label of a project to its group',
      access: { on: 'project', ability: 'admin_label' },
      params: Type.Object({ id: IdOrPath('Project'), ...labelId }),
      responses: { 200: GroupLabel },
      errors: [409],
      handler: async (context) => {
        const { subject, caller } = context;
        if (subject.namespace.kind !== 'group') throw plainError(400, 'Failed to promote project label to group label');
        const label = await findOwn(subject, context.params.label_id, caller);
        await labels.promote(subject, label, originOf(context));
        return groupLabelJson(await find(subject, widest, String(label.id), caller));
      },
    }),
  ];
}
