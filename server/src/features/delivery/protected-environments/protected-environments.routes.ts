/** The API of protected environments of projects and groups. */
import Type from 'typebox';
import type { GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, IntOf, List, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { ProtectedEnvironment, protectedJson } from './protected-environments.entity.ts';
import { findProtected, listProtected, type ProtectedRow } from './protected-environments.queries.ts';
import { type ProtectionService, placeOf } from './protected-environments.service.ts';

const common = { tag: 'Protected environments', credentials: ['token', 'session'] } as const;
const maxItems = 100;

const who = {
  access_level: Optional(Int({ description: 'Lowest role: 30 developers, 40 maintainers, 60 administrators' })),
  user_id: Optional(Int({ description: 'A member of the project' })),
  group_id: Optional(Int({ description: 'A group' })),
  group_inheritance_type: Optional(
    IntOf([0, 1], { description: '0 for direct members of the group, 1 for inherited ones too' }),
  ),
};
const approvals = {
  required_approvals: Optional(Int({ minimum: 1, maximum: 5, description: 'How many of them have to approve' })),
};
const change = {
  id: Optional(Int({ description: 'The entry to change' })),
  _destroy: Optional(Bool({ description: 'Remove the entry' })),
};
const required = Optional(
  Int({ minimum: 0, maximum: 5, description: 'How many of those who may deploy have to approve' }),
);
const name = Str({ minLength: 1, maxLength: 255, description: 'Name of the environment; of a group, a tier' });

const newRules = {
  deploy_access_levels: List(Type.Object(who), { maxItems, description: 'Who may deploy' }),
  approval_rules: Optional(
    List(Type.Object({ ...who, ...approvals }), { maxItems, description: 'Who has to approve' }),
  ),
  required_approval_count: required,
};
const changedRules = {
  deploy_access_levels: Optional(List(Type.Object({ ...who, ...change }), { maxItems, description: 'Who may deploy' })),
  approval_rules: Optional(
    List(Type.Object({ ...who, ...approvals, ...change }), { maxItems, description: 'Who has to approve' }),
  ),
  required_approval_count: required,
};

/** The same for projects and for groups. */
export function protectedEnvironmentRoutes(db: Db, service: ProtectionService): Route[] {
  async function find(subject: ProjectSubject | GroupSubject, wanted: string): Promise<ProtectedRow> {
    const found = await findProtected(db, placeOf(subject), wanted);
    if (!found) throw notFound();
    return found;
  }

  const routesOf = (kind: 'project' | 'group') => {
    const base = `/${kind}s/:id/protected_environments`;
    const id = IdOrPath(`Id or path of the ${kind}`);
    const one = Type.Object({ id, name });
    const access = (verb: 'read' | 'admin') =>
      kind === 'project'
        ? ({ on: 'project', ability: `${verb}_protected_environment` } as const)
        : ({ on: 'group', ability: 'admin_group_protected_environment' } as const);
    return [
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List protected environments of a ${kind}`,
        access: access('read'),
        pagination: 'offset',
        params: Type.Object({ id }),
        responses: { 200: ListOf(ProtectedEnvironment) },
        handler: async ({ subject, page }) => {
          const { rows, total } = await listProtected(db, placeOf(subject), page);
          return mapPage(offsetPage(page, rows, total), protectedJson);
        },
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/:name`,
        summary: `Get a protected environment of a ${kind}`,
        access: access('read'),
        params: one,
        responses: { 200: ProtectedEnvironment },
        handler: async ({ subject, params }) => protectedJson(await find(subject, params.name)),
      }),
      route({
        ...common,
        method: 'POST',
        path: base,
        summary: `Protect an environment of a ${kind}`,
        access: access('admin'),
        params: Type.Object({ ...one.properties, ...newRules }),
        responses: { 201: ProtectedEnvironment },
        errors: [409, 422],
        handler: async ({ subject, caller, clientAddress, params: { id: _, name: given, ...rules } }) =>
          protectedJson(await service.create({ subject, caller, clientAddress }, given, rules)),
      }),
      route({
        ...common,
        method: 'PUT',
        path: `${base}/:name`,
        summary: `Update a protected environment of a ${kind}`,
        access: access('admin'),
        params: Type.Object({ ...one.properties, ...changedRules }),
        responses: { 200: ProtectedEnvironment },
        errors: [422],
        handler: async ({ subject, caller, clientAddress, params: { id: _, name: given, ...rules } }) => {
          const found = await find(subject, given);
          return protectedJson(await service.update({ subject, caller, clientAddress }, found, rules));
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${base}/:name`,
        summary: `Unprotect an environment of a ${kind}`,
        access: access('admin'),
        params: one,
        responses: { 204: Empty },
        conditional: true,
        handler: async ({ subject, caller, clientAddress, params, unmodifiedSince }) => {
          const found = await find(subject, params.name);
          unmodifiedSince(found.updated_at);
          await service.remove({ subject, caller, clientAddress }, found);
          return answer(204, undefined);
        },
      }),
    ];
  };
  return [...routesOf('project'), ...routesOf('group')];
}
