/** Feature flags and lists of people as the API shows them. */
import type { Static } from 'typebox';
import type { FeatureFlag as FlagRow, FeatureFlagUserList as ListRow } from '../../../kernel/db/rows.ts';
import {
  AnyJson,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  MapOf,
  Nullable,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';

const Strategy = Fields({
  id: Id(),
  name: Text({ description: 'How is decided for whom the flag is on' }),
  parameters: MapOf(AnyJson()),
  scopes: ListOf(Fields({ id: Id(), environment_scope: Text() })),
  user_list: Nullable(Fields({ id: Id(), iid: Id(), name: Text(), user_xids: Text() })),
});
export type StrategyJson = Static<typeof Strategy>;

export const FeatureFlag = Entity('FeatureFlag', {
  name: Text(),
  description: Nullable(Text()),
  active: Flag(),
  version: Word(['new_version_flag']),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  scopes: ListOf(AnyJson(), { description: 'Of an older version of flags; always empty' }),
  strategies: ListOf(Strategy),
});

export type FlagWithStrategies = FlagRow & { readonly strategies: readonly StrategyJson[] };

export const featureFlagJson = (row: FlagWithStrategies): Static<typeof FeatureFlag> => ({
  name: row.name,
  description: row.description,
  active: row.active,
  version: 'new_version_flag',
  created_at: row.created_at,
  updated_at: row.updated_at,
  scopes: [],
  strategies: [...row.strategies],
});

export const UserList = Entity('FeatureFlagUserList', {
  id: Id(),
  iid: Id(),
  project_id: Id(),
  name: Text(),
  user_xids: Text({ description: 'External ids, separated by commas' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});

export const userListJson = (row: ListRow): Static<typeof UserList> => ({
  id: row.id,
  iid: row.iid,
  project_id: row.project_id,
  name: row.name,
  user_xids: row.user_xids,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

export const UnleashFeatures = Entity('UnleashFeatures', {
  version: Id({ description: 'Of the client protocol' }),
  features: ListOf(
    Fields({
      name: Text(),
      description: Nullable(Text()),
      enabled: Flag(),
      strategies: ListOf(Fields({ name: Text(), parameters: MapOf(AnyJson()) })),
    }),
  ),
});

export const FeatureFlagsClient = Entity('FeatureFlagsClient', {
  url: Text({ description: 'The address that clients of Unleash are configured with' }),
  instance_id: Nullable(Text({ description: 'What proves them; null until it is generated' })),
});
