/** The API of to-dos: one's own list, marking them as done, and adding one about a thing. */
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Todo as TodoRow } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPresent, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, Int, List, OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findReferences } from '../../identity/index.ts';
import {
  declarations,
  type FollowedKind,
  type NoteableKinds,
  type NoteableType,
  type NoteRouteDependencies,
  type TodoTarget,
} from '../notes/index.ts';
import { Todo, TodoIds, todoJson } from './todos.entity.ts';
import * as queries from './todos.queries.ts';

const tag = 'To-dos';
const credentials = ['token', 'session'] as const;

const actions = [
  'assigned',
  'mentioned',
  'build_failed',
  'marked',
  'approval_required',
  'unmergeable',
  'directly_addressed',
  'merge_train_removed',
  'member_access_requested',
  'review_requested',
  'review_submitted',
] as const;

/** The ecosystem's names of what to-dos are about; those of kinds that do not exist here find nothing. */
const types: Readonly<Record<string, NoteableType | null>> = {
  Issue: 'issue',
  MergeRequest: 'merge_request',
  Commit: 'commit',
  Epic: 'epic',
  'DesignManagement::Design': null,
  'AlertManagement::Alert': null,
  Project: null,
  Namespace: null,
  Vulnerability: null,
  'WikiPage::Meta': null,
};

type Dependencies = Pick<NoteRouteDependencies, 'db' | 'externalUrl'> & { readonly kinds: NoteableKinds };

/** To-dos with what they are about; what the caller may no longer see is left out. */
function presenter({ db, externalUrl, kinds }: Dependencies) {
  return async (rows: readonly TodoRow[], caller: Caller): Promise<ReadonlyMap<number, Static<typeof Todo>>> => {
    const present = (ids: readonly (number | null)[]) => [...new Set(ids)].filter((id) => id !== null);
    const [people, projects, groups, bodies, targets] = await Promise.all([
      findReferences(
        db,
        rows.map((row) => row.author_id),
      ),
      queries.projectsOfTodos(db, present(rows.map((row) => row.project_id))),
      queries.groupsOfTodos(db, present(rows.map((row) => row.namespace_id))),
      queries.bodiesOf(db, present(rows.map((row) => row.note_id)), caller),
      Promise.all(
        [...Map.groupBy(rows, (row) => row.noteable_type)].map(async ([type, some]) => {
          const none: ReadonlyMap<number, TodoTarget> = new Map();
          const ids = [...new Set(some.map((row) => row.noteable_id))];
          return [type, (await kinds.of(type).followed?.many(ids, caller)) ?? none] as const;
        }),
      ),
    ]);
    const targetsOf = new Map(targets);
    return new Map(
      rows.flatMap((row) => {
        const target = targetsOf.get(row.noteable_type)?.get(row.noteable_id);
        const author = people.get(row.author_id);
        if (!target || !author) return [];
        const project = row.project_id === null ? undefined : projects.get(row.project_id);
        const group = row.namespace_id === null ? undefined : groups.get(row.namespace_id);
        const body = row.note_id === null ? undefined : bodies.get(row.note_id);
        if (body === null) return [];
        return [[row.id, todoJson(row, { target, author, project, group, body }, externalUrl)] as const];
      }),
    );
  };
}

/** `POST .../todo` of a kind. */
export function todoRoutesOf(deps: Dependencies, kind: FollowedKind): Route[] {
  const { base, parent, read, place } = declarations(kind);
  const shown = presenter(deps);
  return [
    route({
      method: 'POST',
      path: `${base}/todo`,
      summary: `Add a to-do about ${kind.noun}`,
      tag,
      credentials,
      access: read,
      params: Type.Object(parent),
      responses: { 201: Todo, 304: Empty },
      handler: async (context) => {
        const { user } = context.caller;
        if (!user) throw unauthorized();
        const { noteable } = await place(context);
        const marked = { userId: user.id, authorId: user.id, noteable, action: 'marked' } as const;
        const made = await transaction(deps.db, (tx) => queries.createTodo(tx, marked));
        if (!made) return answer(304);
        return (await shown([made], context.caller)).get(made.id);
      },
    }),
  ];
}

export function todoRoutes(deps: Dependencies): Route[] {
  const { db } = deps;
  const shown = presenter(deps);
  const access = { on: 'instance', ability: 'signed_in' } as const;
  const narrowing = {
    action: Optional(OneOf(actions, { description: 'Why it is to be done' })),
    author_id: Optional(Int({ description: 'Who caused it' })),
    project_id: Optional(Int({ description: 'Only of a project' })),
    group_id: Optional(Int({ description: 'Only of a group and what is below it' })),
    type: Optional(OneOf(Object.keys(types), { description: 'Kind of thing that it is about' })),
  };
  const narrowed = (params: Partial<Static<Type.TObject<typeof narrowing>>>) => ({
    action: params.action,
    authorId: params.author_id,
    projectId: params.project_id,
    groupId: params.group_id,
    type: params.type === undefined ? undefined : (types[params.type] ?? null),
  });
  return [
    route({
      method: 'GET',
      path: '/todos',
      acrossProjects: true,
      summary: 'List your to-do items',
      tag,
      credentials,
      access,
      pagination: 'offset',
      params: Type.Object({
        ...narrowing,
        state: Optional(OneOf(['pending', 'done'], { default: 'pending', description: 'Whether it is done' })),
      }),
      responses: { 200: ListOf(Todo) },
      handler: async ({ params, page, caller }) => {
        if (!caller.user) throw unauthorized();
        const filter: queries.TodoFilter = { ...narrowed(params), state: params.state ?? 'pending' };
        const { rows, total } = await queries.listTodos(db, caller.user.id, filter, page);
        const paged = offsetPage(page, rows, total);
        const found = await shown(paged.items, caller);
        return mapPresent(paged, (row) => found.get(row.id));
      },
    }),
    route({
      method: 'POST',
      path: '/todos/:id/mark_as_done',
      summary: 'Mark a to-do as done',
      tag,
      credentials,
      access,
      params: Type.Object({ id: Int({ description: 'Id of the to-do' }) }),
      responses: { 201: Todo },
      handler: async ({ params, caller }) => {
        const { user } = caller;
        if (!user) throw unauthorized();
        const marked = await transaction(db, (tx) => queries.markDone(tx, user.id, params.id));
        const json = marked && (await shown([marked], caller)).get(marked.id);
        if (!json) throw notFound();
        return json;
      },
    }),
    route({
      method: 'POST',
      path: '/todos/mark_as_done',
      summary: 'Mark all to-dos as done',
      tag,
      credentials,
      access,
      params: Type.Object({
        ...narrowing,
        with_ids: Optional(
          Bool({ description: 'Return the ids of the to-dos that were marked, so that they can be restored' }),
        ),
      }),
      responses: { 201: TodoIds, 204: Empty },
      handler: async ({ params, caller }) => {
        const { user } = caller;
        if (!user) throw unauthorized();
        const ids = await transaction(db, (tx) => queries.markAllDone(tx, user.id, narrowed(params)));
        return params.with_ids ? { ids } : answer(204);
      },
    }),
    route({
      method: 'POST',
      path: '/todos/mark_as_pending',
      summary: 'Restore to-dos that were marked as done',
      tag,
      credentials,
      access,
      params: Type.Object({
        ids: List(Int(), { maxItems: 10_000, commas: true, description: 'Ids of the to-dos' }),
      }),
      responses: { 201: TodoIds },
      handler: async ({ params, caller }) => {
        const { user } = caller;
        if (!user) throw unauthorized();
        return { ids: await transaction(db, (tx) => queries.markPending(tx, user.id, params.ids)) };
      },
    }),
  ];
}
