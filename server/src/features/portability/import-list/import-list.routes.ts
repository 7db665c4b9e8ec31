/** Routes of the lists of imports: one's own, and those of the instance. */
import Type from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, type Page } from '../../../kernel/http/pagination.ts';
import { OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { ImportListed, importListedJson } from './import-list.entity.ts';
import { importStatuses, listImports } from './import-list.queries.ts';

const common = { credentials: ['token', 'session'], tag: 'Exports and imports', method: 'GET' } as const;
const params = Type.Object({
  status: Optional(OneOf(importStatuses, { description: 'Only those in this state' })),
});

export function importListRoutes(db: Db): Route[] {
  async function list(caller: Caller, userId: number | null, status: string | undefined, page: Page) {
    const { rows, total } = await listImports(db, caller, { userId, status: status ?? null }, page);
    return mapPage(offsetPage(page, rows, total), importListedJson);
  }
  return [
    route({
      ...common,
      path: '/user/imports',
      summary: 'List your project imports, newest first',
      access: { on: 'instance', ability: 'signed_in' },
      params,
      pagination: 'offset',
      responses: { 200: ListOf(ImportListed) },
      handler: ({ caller, params: { status }, page }) => {
        if (!caller.user) throw unauthorized();
        return list(caller, caller.user.id, status, page);
      },
    }),
    route({
      ...common,
      path: '/admin/imports',
      summary: 'List project imports of the instance, newest first',
      access: { on: 'instance', ability: 'admin' },
      params,
      pagination: 'offset',
      responses: { 200: ListOf(ImportListed) },
      handler: ({ caller, params: { status }, page }) => list(caller, null, status, page),
    }),
  ];
}
