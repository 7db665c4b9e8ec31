/** Routes of feature flags. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import {
  Bool,
  IdOrPath,
  Int,
  JsonObject,
  List,
  OneOf,
  Optional,
  OrNull,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { FeatureFlag, featureFlagJson } from './feature-flags.entity.ts';
import { findFlag, listFlags } from './feature-flags.queries.ts';
import { featureFlagService } from './feature-flags.service.ts';

const common = { tag: 'Feature flags', credentials: ['token', 'session'] } as const;
const read = { on: 'project', ability: 'read_feature_flag' } as const;
const change = { on: 'project', ability: 'admin_feature_flag' } as const;
const id = IdOrPath('Id or path of the project');
const one = { id, feature_flag_name: Str({ description: 'Name of the flag' }) };
const list = '/projects/:id/feature_flags';
const path = `${list}/:feature_flag_name`;

const description = Optional(OrNull(Str({ maxLength: 255, description: 'What the flag is for' })));
const active = Optional(Bool({ description: 'Whether the flag is on for anybody' }));
const environment_scope = Str({ minLength: 1, maxLength: 255, description: 'Environments, with `*` for anything' });
const parameters = JsonObject({ description: 'What the strategy asks for; values are texts' });
const strategyName = Str({
  description: '`default`, `gradualRolloutUserId`, `flexibleRollout`, `userWithId` or `gitlabUserList`',
});
const user_list_id = Optional(Int({ description: 'Id of the list of `gitlabUserList`' }));
const scopesAre = 'Environments where it counts';
const newStrategy = Type.Object({
  name: strategyName,
  parameters: Optional(parameters),
  user_list_id,
  scopes: Optional(List(Type.Object({ environment_scope }), { maxItems: 100, description: scopesAre })),
});
const destroyed = Optional(Bool({ description: 'Deletes it' }));
const changedStrategy = Type.Object({
  id: Optional(Int({ description: 'Id of a strategy of the flag; a new one without it' })),
  name: Optional(strategyName),
  parameters: Optional(parameters),
  user_list_id,
  _destroy: destroyed,
  scopes: Optional(
    List(
      Type.Object({
        id: Optional(Int({ description: 'Id of a scope of the strategy; a new one without it' })),
        environment_scope: Optional(environment_scope),
        _destroy: destroyed,
      }),
      { maxItems: 100, description: scopesAre },
    ),
  ),
});

export function featureFlagRoutes(db: Db): Route[] {
  const flags = featureFlagService(db);
  return [
    route({
      ...common,
      method: 'GET',
      path: list,
      summary: 'List feature flags of a project',
      access: read,
      pagination: 'offset',
      params: Type.Object({
        id,
        scope: Optional(OneOf(['enabled', 'disabled'], { description: 'Only active ones, or only others' })),
      }),
      responses: { 200: ListOf(FeatureFlag) },
      handler: async ({ subject, params: { scope }, page }) => {
        const { rows, total } = await listFlags(
          db,
          subject.project.id,
          scope === undefined ? null : scope === 'enabled',
          page,
        );
        return mapPage(offsetPage(page, rows, total), featureFlagJson);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Get a feature flag',
      access: read,
      params: Type.Object(one),
      responses: { 200: FeatureFlag },
      handler: async ({ subject, params }) => {
        const found = await findFlag(db, subject.project.id, params.feature_flag_name);
        if (!found) throw recordNotFound();
        return featureFlagJson(found);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: list,
      summary: 'Create a feature flag',
      access: change,
      params: Type.Object({
        id,
        name: Str({ description: 'Lowercase letters, digits, `_` and `-`' }),
        description,
        active,
        version: Optional(OneOf(['new_version_flag'], { description: 'The only one there is' })),
        strategies: Optional(List(newStrategy, { maxItems: 100, description: 'For whom and where it is on' })),
      }),
      responses: { 201: FeatureFlag },
      handler: async (context) => {
        const { id: _, version: __, ...given } = context.params;
        return featureFlagJson(await flags.create(context.subject, given, originOf(context)));
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      summary: 'Update a feature flag',
      access: change,
      params: Type.Object({
        ...one,
        name: Optional(Str({ description: 'Its new name' })),
        description,
        active,
        strategies: Optional(
          List(changedStrategy, { maxItems: 100, description: 'Strategies to add, change or delete; others stay' }),
        ),
      }),
      responses: { 200: FeatureFlag },
      handler: async (context) => {
        const { id: _, feature_flag_name: name, ...given } = context.params;
        return featureFlagJson(await flags.update(context.subject, name, given, originOf(context)));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Delete a feature flag',
      access: change,
      params: Type.Object(one),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        await flags.remove(
          context.subject,
          context.params.feature_flag_name,
          originOf(context),
          context.unmodifiedSince,
        );
        return answer(204, undefined);
      },
    }),
  ];
}
