/** The API of package protection rules: which packages of a project only some may publish or delete. */
import Type, { type Static } from 'typebox';
import { entityOfPlace, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { PackageProtectionRule as Row } from '../../../kernel/db/rows.ts';
import { Entity, Id, ListOf, Nullable, Text, Word } from '../../../kernel/http/entity.ts';
import { HttpError, recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import * as queries from './protection.queries.ts';
import { protectionLevels } from './protection.ts';

const types = ['conan', 'generic', 'helm', 'maven', 'npm', 'nuget', 'pypi'] as const;
const pushRoles = ['maintainer', 'owner', 'admin'] as const;
const deleteRoles = ['owner', 'admin'] as const;

const PackageProtectionRule = Entity('PackageProtectionRule', {
  id: Id(),
  project_id: Id(),
  package_name_pattern: Text({ description: 'Name, in which `*` stands for anything' }),
  package_type: Word(types),
  minimum_access_level_for_delete: Nullable(Word(deleteRoles)),
  minimum_access_level_for_push: Nullable(Word(pushRoles)),
});

const roleOf = <R extends keyof typeof protectionLevels>(roles: readonly R[], level: number | null): R | null =>
  roles.find((role) => protectionLevels[role] === level) ?? null;

const json = (row: Row): Static<typeof PackageProtectionRule> => ({
  id: row.id,
  project_id: row.project_id,
  package_name_pattern: row.package_name_pattern,
  package_type: row.package_type,
  minimum_access_level_for_delete: roleOf(deleteRoles, row.minimum_access_level_for_delete),
  minimum_access_level_for_push: roleOf(pushRoles, row.minimum_access_level_for_push),
});

const common = { tag: 'Packages', credentials: ['token', 'session'] } as const;
const read = { on: 'project', ability: 'read_package_protection_rule' } as const;
const admin = { on: 'project', ability: 'admin_package_protection_rule' } as const;
const id = IdOrPath('Id or path of the project');
const base = '/projects/:id/packages/protection/rules';
const path = `${base}/:package_protection_rule_id` as const;
const one = { id, package_protection_rule_id: Int({ description: 'Id of the rule' }) };
const pattern = Str({ minLength: 1, maxLength: 255, description: 'Name, in which `*` stands for anything' });
const type = OneOf(types, { description: 'Kind of the packages; those published here are `generic`' });
const roles = {
  minimum_access_level_for_push: Optional(
    OrNull(OneOf(pushRoles, { description: 'Lowest role that publishes; every role that may without it' })),
  ),
  minimum_access_level_for_delete: Optional(
    OrNull(OneOf(deleteRoles, { description: 'Lowest role that deletes; every role that may without it' })),
  ),
};

interface Given {
  readonly package_name_pattern?: string;
  readonly package_type?: Row['package_type'];
  readonly minimum_access_level_for_push?: (typeof pushRoles)[number] | null;
  readonly minimum_access_level_for_delete?: (typeof deleteRoles)[number] | null;
}

const refused = (reason: string) => new HttpError(422, { message: { error: [reason] } });
const levelOf = (role: keyof typeof protectionLevels | null | undefined, before: number | null): number | null => {
  if (role === undefined) return before;
  return role === null ? null : protectionLevels[role];
};

function levels(given: Given, before: Row | null) {
  const push = levelOf(given.minimum_access_level_for_push, before?.minimum_access_level_for_push ?? null);
  const remove = levelOf(given.minimum_access_level_for_delete, before?.minimum_access_level_for_delete ?? null);
  if (push === null && remove === null)
    throw refused('A rule must have at least a minimum access role for push or delete.');
  return { minimum_access_level_for_push: push, minimum_access_level_for_delete: remove };
}

export function packageProtectionRoutes(db: Db): Route[] {
  async function locked(tx: Db, { project }: ProjectSubject, ruleId: number): Promise<Row> {
    const found = await queries.lockProtectionRule(tx, project.id, ruleId);
    if (!found) throw recordNotFound();
    return found;
  }
  type Context = Parameters<typeof originOf>[0] & { readonly subject: ProjectSubject };

  /** Changes rules, and says so in the audit events. */
  async function changing(context: Context, event: string, change: (tx: Db) => Promise<Row>): Promise<Row> {
    try {
      return await transaction(db, async (tx) => {
        const row = await change(tx);
        const { package_name_pattern, package_type } = row;
        await recordAudit(tx, {
          ...originOf(context),
          entity: entityOfPlace(context.subject),
          event: `package_protection_rule_${event}`,
          details: { package_name_pattern, package_type },
          target: { type: 'PackageProtectionRule', id: row.id, details: package_name_pattern },
        });
        return row;
      });
    } catch (error) {
      if (isUniqueViolation(error, 'package_protection_rules_pattern'))
        throw refused('Package name pattern has already been taken');
      throw error;
    }
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: base,
      summary: 'List package protection rules of a project',
      access: read,
      pagination: 'offset',
      params: Type.Object({ id }),
      responses: { 200: ListOf(PackageProtectionRule) },
      handler: async ({ subject, page }) => {
        const { rows, total } = await queries.listProtectionRules(db, subject.project.id, page);
        return mapPage(offsetPage(page, rows, total), json);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: base,
      summary: 'Create a package protection rule',
      access: admin,
      params: Type.Object({ id, package_name_pattern: pattern, package_type: type, ...roles }),
      responses: { 201: PackageProtectionRule },
      errors: [422],
      handler: async (context) => {
        const { subject, params } = context;
        const { package_name_pattern, package_type } = params;
        const values = { project_id: subject.project.id, package_name_pattern, package_type, ...levels(params, null) };
        return json(await changing(context, 'created', (tx) => queries.insertProtectionRule(tx, values)));
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      path,
      summary: 'Update a package protection rule',
      access: admin,
      params: Type.Object({
        ...one,
        package_name_pattern: Optional(pattern),
        package_type: Optional(type),
        ...roles,
      }),
      responses: { 200: PackageProtectionRule },
      errors: [422],
      handler: async (context) => {
        const { subject, params } = context;
        const row = await changing(context, 'updated', async (tx) => {
          const before = await locked(tx, subject, params.package_protection_rule_id);
          return await queries.updateProtectionRule(tx, before.id, {
            package_name_pattern: params.package_name_pattern ?? before.package_name_pattern,
            package_type: params.package_type ?? before.package_type,
            ...levels(params, before),
          });
        });
        return json(row);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Delete a package protection rule',
      access: admin,
      params: Type.Object(one),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const { subject, params, unmodifiedSince } = context;
        await changing(context, 'deleted', async (tx) => {
          const found = await locked(tx, subject, params.package_protection_rule_id);
          unmodifiedSince(found.updated_at);
          await queries.deleteProtectionRule(tx, found.id);
          return found;
        });
        return answer(204, undefined);
      },
    }),
  ];
}
