/** Administration of the instance: application settings. */
import type { Feature } from '../../kernel/feature.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import { settingsRoutes } from './settings/settings.routes.ts';

export interface AdminDependencies {
  readonly settings: Settings;
}

export const adminFeature = (deps: AdminDependencies): Feature => ({ routes: settingsRoutes(deps.settings) });
