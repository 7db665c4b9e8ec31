/** Routes of protected branches, of projects and of top-level groups. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { ProtectedBranch, ProtectedTag, protectedBranchJson, protectedTagJson } from './protections.entity.ts';
import {
  changesOf,
  changesWithKeys,
  grantsOf,
  grantsWithKeys,
  newGrants,
  oneLevel,
  refName,
  stepsOf,
} from './protections.params.ts';
import { countRules, listRules, type RuleRow } from './protections.queries.ts';
import { type ProtectionService, placeOf } from './protections.service.ts';

const credentials = ['token', 'session'] as const;

const flags = {
  allow_force_push: Optional(Bool({ description: 'Whether those who may push may also force it' })),
  code_owner_approval_required: Optional(Bool({ description: 'Whether changes of owned files need their owners' })),
};
const search = Optional(Str({ maxLength: 1024, description: 'Only those whose name contains this text' }));

const places = [
  {
    noun: 'project',
    path: '/projects/:id/protected_branches',
    access: { on: 'project', ability: 'admin_protected_ref' },
    id: IdOrPath('Project'),
  },
  {
    noun: 'group',
    path: '/groups/:id/protected_branches',
    access: { on: 'group', ability: 'admin_group_protected_branch' },
    id: IdOrPath('Top-level group'),
  },
] as const;

export function protectedBranchRoutes(db: Db, rules: ProtectionService): Route[] {
  return places.flatMap(({ noun, path, access, id }) => {
    const shown = (rule: RuleRow) => protectedBranchJson(rule, noun === 'project');
    const common = { credentials, access, tag: 'Protected branches' } as const;
    const one = { id, name: refName('branch') };
    return [
      route({
        ...common,
        method: 'GET',
        path,
        summary: `List protected branches of a ${noun}`,
        pagination: 'offset',
        params: Type.Object({ id, search }),
        responses: { 200: ListOf(ProtectedBranch) },
        errors: noun === 'project' ? [] : [404],
        handler: async ({ params, subject, page }) => {
          const place = placeOf(subject);
          const found = await listRules(db, 'branch', place, params.search, page);
          return mapPage(offsetPage(page, found, await countRules(db, 'branch', place, params.search)), shown);
        },
      }),
      route({
        ...common,
        method: 'GET',
        path: `${path}/:name`,
        summary: `Get a protected branch of a ${noun}`,
        params: Type.Object(one),
        responses: { 200: ProtectedBranch },
        handler: async ({ params, subject }) => shown(await rules.find('branch', subject, params.name)),
      }),
      route({
        ...common,
        method: 'POST',
        path,
        summary: `Protect a branch of a ${noun}, or all that match a pattern`,
        params: Type.Object({
          ...one,
          ...flags,
          push_access_level: oneLevel('Who may push'),
          merge_access_level: oneLevel('Who may merge'),
          unprotect_access_level: oneLevel('Who may change or lift the protection'),
          allowed_to_push: grantsWithKeys('Who may push'),
          allowed_to_merge: grantsOf('Who may merge'),
          allowed_to_unprotect: grantsOf('Who may change or lift the protection'),
        }),
        responses: { 201: ProtectedBranch },
        errors: [409, 422],
        handler: async (context) => {
          const { name, allow_force_push, code_owner_approval_required, ...who } = context.params;
          return shown(
            await rules.create('branch', context, name, { allow_force_push, code_owner_approval_required }, [
              ['push', newGrants('push', who.push_access_level, who.allowed_to_push)],
              ['merge', newGrants('merge', who.merge_access_level, who.allowed_to_merge)],
              ['unprotect', newGrants('unprotect', who.unprotect_access_level, who.allowed_to_unprotect)],
            ]),
          );
        },
      }),
      route({
        ...common,
        method: 'PATCH',
        path: `${path}/:name`,
        summary: `Update a protected branch of a ${noun}`,
        params: Type.Object({
          ...one,
          ...flags,
          allowed_to_push: changesWithKeys('Who may push: entries to add, change and remove'),
          allowed_to_merge: changesOf('Who may merge: entries to add, change and remove'),
          allowed_to_unprotect: changesOf('Who may change or lift the protection: entries to add, change and remove'),
        }),
        responses: { 200: ProtectedBranch },
        errors: [422],
        handler: async (context) => {
          const { name, allow_force_push, code_owner_approval_required, ...who } = context.params;
          return shown(
            await rules.updateBranch(context, name, { allow_force_push, code_owner_approval_required }, [
              ['push', stepsOf('push', who.allowed_to_push ?? [])],
              ['merge', stepsOf('merge', who.allowed_to_merge ?? [])],
              ['unprotect', stepsOf('unprotect', who.allowed_to_unprotect ?? [])],
            ]),
          );
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${path}/:name`,
        summary: `Unprotect a branch of a ${noun}`,
        params: Type.Object(one),
        responses: { 204: Empty },
        conditional: true,
        handler: async (context) =>
          rules.remove('branch', context, context.params.name, (changedAt) => context.unmodifiedSince(changedAt)),
      }),
    ];
  });
}

export function protectedTagRoutes(db: Db, rules: ProtectionService): Route[] {
  const id = IdOrPath('Project');
  const path = '/projects/:id/protected_tags';
  const common = {
    credentials,
    access: { on: 'project', ability: 'admin_protected_ref' },
    tag: 'Protected tags',
  } as const;
  const one = { id, name: refName('tag') };
  return [
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'List protected tags of a project',
      pagination: 'offset',
      params: Type.Object({ id, search }),
      responses: { 200: ListOf(ProtectedTag) },
      handler: async ({ params, subject, page }) => {
        const place = placeOf(subject);
        const found = await listRules(db, 'tag', place, params.search, page);
        return mapPage(offsetPage(page, found, await countRules(db, 'tag', place, params.search)), protectedTagJson);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/:name`,
      summary: 'Get a protected tag of a project',
      params: Type.Object(one),
      responses: { 200: ProtectedTag },
      handler: async ({ params, subject }) => protectedTagJson(await rules.find('tag', subject, params.name)),
    }),
    route({
      ...common,
      method: 'POST',
      path,
      summary: 'Protect a tag, or all that match a pattern',
      params: Type.Object({
        ...one,
        create_access_level: oneLevel('Who may create'),
        allowed_to_create: grantsWithKeys('Who may create'),
      }),
      responses: { 201: ProtectedTag },
      errors: [422],
      handler: async (context) => {
        const { name, create_access_level, allowed_to_create } = context.params;
        const grants = newGrants('create', create_access_level, allowed_to_create);
        return protectedTagJson(await rules.create('tag', context, name, {}, [['create', grants]]));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/:name`,
      summary: 'Unprotect a tag',
      params: Type.Object(one),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) =>
        rules.remove('tag', context, context.params.name, (changedAt) => context.unmodifiedSince(changedAt)),
    }),
  ];
}
