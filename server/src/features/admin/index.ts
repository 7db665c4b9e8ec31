/** Administration of the instance: application settings, switches of features, and what everybody may know of them. */
import type { Feature } from '../../kernel/feature.ts';
import type { Switches } from '../../kernel/switches/index.ts';
import { type ConfigurationDependencies, configurationRoutes } from './configuration/configuration.routes.ts';
import { type OverviewDependencies, overviewRoutes } from './overview/overview.routes.ts';
import { settingsRoutes } from './settings/settings.routes.ts';
import { switchRoutes } from './switches/switches.routes.ts';

export interface AdminDependencies extends ConfigurationDependencies, OverviewDependencies {
  readonly switches: Switches;
}

/** One per process, made by app.ts. */
export function adminFeature(deps: AdminDependencies): Feature {
  const { settings, switches } = deps;
  return {
    routes: [
      ...configurationRoutes(deps),
      ...overviewRoutes(deps),
      ...settingsRoutes(settings),
      ...switchRoutes(switches),
    ],
  };
}
