/** Routes of what administrators note of groups and projects. */
import Type from 'typebox';
import { entityOfPlace, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { IdOrPath, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { CustomAttribute } from '../../identity/index.ts';
import type { NamespacesDependencies } from '../deps.ts';
import {
  customAttributesOf,
  deleteCustomAttribute,
  findCustomAttribute,
  saveCustomAttribute,
} from './custom-attributes.queries.ts';

const common = { credentials: ['token', 'session'], tag: 'Custom attributes' } as const;
const names = { group: 'Group', project: 'Project' } as const;
const access = {
  group: { on: 'group', ability: 'admin_group_custom_attribute' },
  project: { on: 'project', ability: 'admin_custom_attribute' },
} as const;

export function customAttributeRoutes({ db }: NamespacesDependencies): Route[] {
  return (['group', 'project'] as const).flatMap((kind) => {
    const base = `/${kind}s/:id/custom_attributes`;
    const id = { id: IdOrPath(names[kind]) };
    const key = { key: Str({ maxLength: 255, description: 'Name of the attribute' }) };
    return [
      route({
        ...common,
        access: access[kind],
        method: 'GET',
        path: base,
        summary: `List custom attributes of a ${kind}`,
        params: Type.Object(id),
        responses: { 200: ListOf(CustomAttribute) },
        handler: async ({ subject }) => {
          const { id: of } = entityOfPlace(subject);
          return (await customAttributesOf(db, kind, [of])).get(of) ?? [];
        },
      }),
      route({
        ...common,
        access: access[kind],
        method: 'GET',
        path: `${base}/:key`,
        summary: `Get a custom attribute of a ${kind}`,
        params: Type.Object({ ...id, ...key }),
        responses: { 200: CustomAttribute },
        handler: async ({ params, subject }) => {
          const value = await findCustomAttribute(db, kind, entityOfPlace(subject).id, params.key);
          if (value === null) throw notFound('Custom Attribute');
          return { key: params.key, value };
        },
      }),
      route({
        ...common,
        access: access[kind],
        method: 'PUT',
        path: `${base}/:key`,
        summary: `Set a custom attribute of a ${kind}`,
        params: Type.Object({ ...id, ...key, value: Str({ maxLength: 10_000, description: 'What to note' }) }),
        responses: { 200: CustomAttribute },
        handler: async (context) => {
          const { params, subject } = context;
          const entity = entityOfPlace(subject);
          const attribute = { key: params.key, value: params.value };
          await transaction(db, async (tx) => {
            await saveCustomAttribute(tx, kind, entity.id, attribute);
            const event = `${kind}_custom_attribute_updated`;
            await recordAudit(tx, { ...originOf(context), entity, event, details: { key: params.key } });
          });
          return attribute;
        },
      }),
      route({
        ...common,
        access: access[kind],
        method: 'DELETE',
        path: `${base}/:key`,
        summary: `Delete a custom attribute of a ${kind}`,
        params: Type.Object({ ...id, ...key }),
        responses: { 204: Empty },
        conditional: 'A custom attribute has no date of change.',
        handler: async (context) => {
          const { params, subject } = context;
          const entity = entityOfPlace(subject);
          await transaction(db, async (tx) => {
            if (!(await deleteCustomAttribute(tx, kind, entity.id, params.key))) throw notFound('Custom Attribute');
            const event = `${kind}_custom_attribute_destroyed`;
            await recordAudit(tx, { ...originOf(context), entity, event, details: { key: params.key } });
          });
        },
      }),
    ];
  });
}
