/** Feature flags: what applications of a project switch on, for whom and where. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Route } from '../../../kernel/http/route.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { featureFlagRoutes } from './feature-flags.routes.ts';
import { unleashRoutes } from './unleash.routes.ts';
import { userListRoutes } from './user-lists.routes.ts';

export interface FeatureFlagDependencies {
  readonly db: Db;
  readonly secrets: Secrets;
  readonly settings: Settings;
  /** Without a trailing slash. */
  readonly externalUrl: string;
}

export const featureFlagsFeature = (deps: FeatureFlagDependencies): Route[] => [
  ...featureFlagRoutes(deps.db),
  ...userListRoutes(deps.db),
  ...unleashRoutes(deps),
];
