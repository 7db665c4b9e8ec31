/** Routes of transfers from another instance: begin, follow, cancel. */
import Type from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidParameters, notFound, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, slicePage } from '../../../kernel/http/pagination.ts';
import { Bool, Int, List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import {
  BulkImport,
  BulkImportEntity,
  BulkImportFailure,
  bulkImportEntityJson,
  bulkImportJson,
  failuresOf,
} from './bulk-imports.entity.ts';
import { findEntity, findTransfer, listEntities, listTransfers, transferStatuses } from './bulk-imports.queries.ts';
import { type BulkImports, mostEntities } from './bulk-imports.service.ts';

const common = {
  credentials: ['token', 'session'],
  tag: 'Exports and imports',
  access: { on: 'instance', ability: 'signed_in' },
} as const;
const id = Int({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Id of the transfer' });
const entity_id = Int({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Id of the group or project in it',
});
const list = {
  sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'By when they were begun' })),
  status: Optional(OneOf(transferStatuses, { description: 'Only those in this state' })),
};
const path = (description: string) => Str({ minLength: 1, maxLength: 1024, description });
const slug = Str({
  minLength: 1,
  maxLength: 255,
  pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]*$',
  description: 'Last part of the address here',
});

const entity = Type.Object({
  source_type: OneOf(['group_entity', 'project_entity'], { description: 'What it is' }),
  source_full_path: path('Path there, with its groups'),
  destination_slug: Optional(slug),
  destination_name: Optional(Str({ minLength: 1, maxLength: 255, description: 'Another name for `destination_slug`' })),
  destination_namespace: Optional(
    Str({ maxLength: 1024, description: 'Path of the group here; empty for a top-level group' }),
  ),
  migrate_projects: Optional(Bool({ default: true, description: 'Whether projects of the group come along' })),
  migrate_memberships: Optional(Bool({ default: true, description: 'Whether members come along' })),
});

export function bulkImportRoutes(db: Db, service: BulkImports): Route[] {
  const userOf = ({ user }: Caller): number => {
    if (!user) throw unauthorized();
    return user.id;
  };
  async function find(caller: Caller, transferId: number) {
    const row = await findTransfer(db, userOf(caller), transferId);
    if (!row) throw notFound('Bulk import');
    return row;
  }
  async function findPart(caller: Caller, transferId: number, part: number) {
    const row = await findEntity(db, userOf(caller), transferId, part);
    if (!row) throw notFound('Bulk import entity');
    return row;
  }
  const entitiesOf = (path: '/bulk_imports/entities' | '/bulk_imports/:id/entities') => {
    const one = path === '/bulk_imports/:id/entities';
    return route({
      ...common,
      method: 'GET',
      path,
      summary: one ? 'List the groups and projects of a transfer' : 'List the groups and projects of your transfers',
      params: Type.Object(one ? { id, ...list } : list),
      pagination: 'offset',
      responses: { 200: ListOf(BulkImportEntity) },
      handler: async ({ caller, params, page }) => {
        const { id: asked, status, sort } = params as { id?: number; status?: 'failed'; sort?: 'asc' };
        const transferId = one && asked !== undefined ? (await find(caller, asked)).id : null;
        const filter = { userId: userOf(caller), status: status ?? null, sort: sort ?? 'desc', transferId } as const;
        const { rows, total } = await listEntities(db, filter, page);
        return mapPage(offsetPage(page, rows, total), bulkImportEntityJson);
      },
    });
  };

  return [
    route({
      ...common,
      method: 'POST',
      path: '/bulk_imports',
      summary: 'Transfer groups and projects from another instance, in the background',
      params: Type.Object({
        configuration: Type.Object(
          {
            url: Str({ minLength: 1, maxLength: 2048, description: 'Address of the instance' }),
            access_token: Str({ minLength: 1, maxLength: 1024, description: 'Token there, with the scope `api`' }),
          },
          { description: 'The instance that they come from' },
        ),
        entities: List(entity, { description: `The groups and projects, at most ${mostEntities}` }),
      }),
      responses: { 201: BulkImport },
      errors: [404, 422],
      handler: async ({ caller, params, signal }) => {
        await service.requireEnabled();
        const { configuration, entities } = params;
        if (entities.length === 0) throw invalidParameters(['entities is empty']);
        if (entities.length > mostEntities) throw invalidParameters([`entities has more than ${mostEntities}`]);
        const wanted = entities.map((each) => {
          const destination_slug = each.destination_slug ?? each.destination_name;
          if (destination_slug === undefined)
            throw invalidParameters([
              'entities[destination_slug], entities[destination_name] are missing, at least one parameter must be provided',
            ]);
          return {
            source_type: each.source_type === 'group_entity' ? ('group' as const) : ('project' as const),
            source_full_path: each.source_full_path.replace(/^\/+|\/+$/g, ''),
            destination_name: null,
            destination_slug,
            destination_namespace: (each.destination_namespace ?? '').replace(/^\/+|\/+$/g, ''),
            migrate_projects: each.migrate_projects ?? true,
            migrate_memberships: each.migrate_memberships ?? true,
          };
        });
        const { url, access_token: token } = configuration;
        const made = await service.start(caller, { url, token, entities: wanted }, signal);
        return bulkImportJson(await find(caller, made));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/bulk_imports',
      summary: 'List your transfers from other instances',
      params: Type.Object(list),
      pagination: 'offset',
      responses: { 200: ListOf(BulkImport) },
      handler: async ({ caller, params: { status, sort }, page }) => {
        const filter = { userId: userOf(caller), status: status ?? null, sort: sort ?? 'desc' } as const;
        const { rows, total } = await listTransfers(db, filter, page);
        return mapPage(offsetPage(page, rows, total), bulkImportJson);
      },
    }),
    entitiesOf('/bulk_imports/entities'),
    route({
      ...common,
      method: 'GET',
      path: '/bulk_imports/:id',
      summary: 'Get the status of a transfer',
      params: Type.Object({ id }),
      responses: { 200: BulkImport },
      errors: [404],
      handler: async ({ caller, params }) => bulkImportJson(await find(caller, params.id)),
    }),
    entitiesOf('/bulk_imports/:id/entities'),
    route({
      ...common,
      method: 'GET',
      path: '/bulk_imports/:id/entities/:entity_id',
      summary: 'Get the status of a group or project of a transfer',
      params: Type.Object({ id, entity_id }),
      responses: { 200: BulkImportEntity },
      errors: [404],
      handler: async ({ caller, params }) => bulkImportEntityJson(await findPart(caller, params.id, params.entity_id)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/bulk_imports/:id/entities/:entity_id/failures',
      summary: 'List failures of a group or project of a transfer',
      params: Type.Object({ id, entity_id }),
      pagination: 'offset',
      responses: { 200: ListOf(BulkImportFailure) },
      errors: [404],
      handler: async ({ caller, params, page }) =>
        slicePage(page, failuresOf(await findPart(caller, params.id, params.entity_id))),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/bulk_imports/:id/cancel',
      summary: 'Cancel a transfer that is in progress; what was imported stays',
      params: Type.Object({ id }),
      responses: { 200: BulkImport },
      errors: [404],
      handler: async ({ caller, params }) => {
        const { id: transferId } = await find(caller, params.id);
        if (!(await service.cancel(transferId))) throw plainError(400, 'The transfer is not in progress');
        return bulkImportJson(await find(caller, transferId));
      },
    }),
  ];
}
