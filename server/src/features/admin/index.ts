/** Administration of the instance: application settings, switches of features. */
import type { Feature } from '../../kernel/feature.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import type { Switches } from '../../kernel/switches/index.ts';
import { settingsRoutes } from './settings/settings.routes.ts';
import { switchRoutes } from './switches/switches.routes.ts';

export interface AdminDependencies {
  readonly settings: Settings;
  readonly switches: Switches;
}

/** One per process, made by app.ts. */
export function adminFeature({ settings, switches }: AdminDependencies): Feature {
  return { routes: [...settingsRoutes(settings), ...switchRoutes(switches)] };
}
