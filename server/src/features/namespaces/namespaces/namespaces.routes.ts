/** Routes of namespaces. */
import Type from 'typebox';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Namespace as Row } from '../../../kernel/db/rows.ts';
import { Entity, Flag, ListOf, Text } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findNamespaceSubject } from '../access/parents.queries.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { freePath } from '../naming/naming.ts';
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

  return [
    route({
      ...common,
      method: 'GET',
      path: '/namespaces',
      summary: 'Namespaces of the caller; for administrators all',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({
        search: Optional(Str({ description: 'Only those whose name or description contains this text' })),
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
      summary: 'A namespace',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({ id: IdOrPath('Namespace') }),
      responses: { 200: Namespace },
      handler: async ({ params, caller }) => {
        const found = await findNamespaceSubject(db, params.id, caller.user?.id ?? null);
        if (!found || (!caller.admin && found.level < Level.guest)) throw notFound('Namespace');
        return (await presenter([found.group], caller))(found.group);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/namespaces/:namespace/exists',
      summary: 'Whether a path is taken, and one that is free',
      rate: 'namespace_exists',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({
        namespace: Str({ description: 'The last part of the path' }),
        parent_id: Optional(Int({ description: 'Without it only top-level namespaces are considered' })),
      }),
      responses: { 200: Existence },
      handler: async ({ params }) => {
        const taken = await pathsLike(db, params.parent_id ?? null, params.namespace);
        const exists = taken.has(params.namespace.toLowerCase());
        return { exists, suggests: exists ? [freePath(params.namespace, taken)] : [] };
      },
    }),
  ];
}
