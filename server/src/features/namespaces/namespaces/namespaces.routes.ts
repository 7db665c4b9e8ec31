/** Routes of namespaces. */
import Type from 'typebox';
import { canOnGroup } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Namespace as Row } from '../../../kernel/db/rows.ts';
import { Entity, Flag, ListOf, Text } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findGroupSubject, findNamespaceSubject } from '../access/parents.queries.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { freePath } from '../naming/naming.ts';
import { findFormer } from '../naming/redirects.queries.ts';
import { Namespace, namespaceJson } from './namespaces.entity.ts';
import { countNamespaces, listNamespaces, namespaceFigures, ownedAmong, pathsLike } from './namespaces.queries.ts';

const common = { credentials: ['token', 'session'], tag: 'Namespaces' } as const;
const Existence = Entity('NamespaceExistence', {
  exists: Flag({ description: 'Whether the name is taken' }),
  suggests: ListOf(Text(), { description: 'Free names like it' }),
});

export function namespaceRoutes({ db, externalUrl }: NamespacesDependencies): Route[] {
  async function presenter(rows: readonly Row[], caller: Caller) {
    const ids = rows.map(({ id }) => id);
    const [figures, owned] = await Promise.all([namespaceFigures(db, ids), ownedAmong(db, ids, caller.user?.id ?? 0)]);
    const none = { billable: 0, members: 0, projects: 0, repositorySize: 0 };
    return (row: Row) =>
      namespaceJson(row, figures.get(row.id) ?? none, { owner: caller.admin || owned.has(row.id), externalUrl });
  }

  /** By id, by path, or by where it was before it was renamed. */
  async function find(idOrPath: string, caller: Caller): Promise<GroupSubject | null> {
    const userId = caller.user?.id ?? null;
    const found = await findNamespaceSubject(db, idOrPath, userId);
    if (found || /^\d+$/.test(idOrPath)) return found;
    const former = await findFormer(db, idOrPath, 'group');
    return former === null ? null : await findNamespaceSubject(db, String(former), userId);
  }

  /** Paths below the group that the name is compared with: what is in a group that the caller may not see is not told. */
  async function takenIn(parentId: number | undefined, caller: Caller, name: string) {
    if (parentId === undefined) return { above: null, taken: await pathsLike(db, null, name) };
    const parent = await findGroupSubject(db, String(parentId), caller.user?.id ?? null);
    if (!parent || !canOnGroup(caller, 'read_group', parent)) return { above: '', taken: new Set<string>() };
    return { above: parent.group.full_path, taken: await pathsLike(db, parent.group.id, name) };
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/namespaces',
      summary: 'List your namespaces; all of them for administrators',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({
        search: Optional(Str({ description: 'Only those whose name or path contains this text' })),
        owned_only: Optional(Bool({ default: false, description: 'Only those that the caller owns' })),
        top_level_only: Optional(Bool({ default: false, description: 'Only those without a group above' })),
        full_path_search: Optional(Bool({ default: false, description: 'Search in whole paths' })),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(Namespace) },
      handler: async ({ params, page, caller }) => {
        const filter = {
          search: params.search,
          ownedOnly: params.owned_only,
          topLevelOnly: params.top_level_only,
          fullPathSearch: params.full_path_search,
        };
        const [rows, total] = await Promise.all([
          listNamespaces(db, caller, filter, page),
          countNamespaces(db, caller, filter),
        ]);
        const found = offsetPage(page, rows, total);
        return mapPage(found, await presenter(found.items, caller));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/namespaces/:id',
      summary: 'Get a namespace',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({ id: IdOrPath('Namespace') }),
      responses: { 200: Namespace },
      handler: async ({ params, caller }) => {
        const found = await find(params.id, caller);
        const seen = found && (caller.admin || found.level >= Level.guest) && canOnGroup(caller, 'read_group', found);
        if (!found || !seen) throw notFound('Namespace');
        return (await presenter([found.group], caller))(found.group);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/namespaces/:namespace/exists',
      summary: 'Check whether a path is taken, and suggest a free one',
      rate: 'namespace_exists',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({
        namespace: Str({ description: 'The last part of the path' }),
        parent_id: Optional(Int({ description: 'Without it only top-level namespaces are considered' })),
      }),
      responses: { 200: Existence },
      handler: async ({ params, caller }) => {
        const { taken, above } = await takenIn(params.parent_id, caller, params.namespace);
        const exists = taken.has(params.namespace.toLowerCase());
        return { exists, suggests: exists ? [freePath(params.namespace, taken, above)] : [] };
      },
    }),
  ];
}
