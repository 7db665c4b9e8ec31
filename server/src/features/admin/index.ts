/** Administration of the instance: application settings, switches of features, and what everybody may know of them. */
import type { Feature } from '../../kernel/feature.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Switches } from '../../kernel/switches/index.ts';
import { announcements } from '../identity/index.ts';
import { mountAppearance } from './appearance/appearance.mount.ts';
import { type AppearanceDependencies, appearanceRoutes } from './appearance/appearance.routes.ts';
import { backgroundJobRoutes } from './background-jobs/background-jobs.routes.ts';
import { queueMetricsRoutes } from './background-jobs/queue-metrics.routes.ts';
import { type BackupDependencies, type Backups, backupFeature } from './backups/index.ts';
import { hasActiveMessages } from './broadcast-messages/broadcast-messages.queries.ts';
import { broadcastMessageRoutes } from './broadcast-messages/broadcast-messages.routes.ts';
import { type ConfigurationDependencies, configurationRoutes } from './configuration/configuration.routes.ts';
import { mountSecurityText } from './configuration/security-text.mount.ts';
import { type OverviewDependencies, overviewRoutes } from './overview/overview.routes.ts';
import { planLimitRoutes } from './settings/plan-limits.routes.ts';
import { settingsRoutes } from './settings/settings.routes.ts';
import { switchRoutes } from './switches/switches.routes.ts';
import { usageRoutes } from './usage/usage.routes.ts';

export { type Backups, headsOf, openBackup, openDestination, restoreBackup, verifyBackup } from './backups/index.ts';
export { pushBanner } from './broadcast-messages/push-banner.ts';

export interface AdminDependencies
  extends AppearanceDependencies,
    ConfigurationDependencies,
    OverviewDependencies,
    Omit<BackupDependencies, 'release'> {
  readonly config: BackupDependencies['config'] & { readonly workers: number };
  readonly switches: Switches;
  readonly ports: Pick<Ports, 'provide'>;
}

/** One per process, made by app.ts. */
export function adminFeature(deps: AdminDependencies): Feature & { readonly backups: Backups } {
  const { settings, switches } = deps;
  deps.ports.provide(announcements, { active: hasActiveMessages });
  const backup = backupFeature({ ...deps, release: deps.release.version });
  return {
    routes: [
      ...configurationRoutes(deps),
      ...overviewRoutes(deps),
      ...usageRoutes(deps),
      ...settingsRoutes(settings),
      ...planLimitRoutes(settings),
      ...switchRoutes(switches),
      ...backup.routes,
      ...backgroundJobRoutes(deps.db),
      ...queueMetricsRoutes(deps),
      ...broadcastMessageRoutes(deps.db),
      ...appearanceRoutes(deps),
    ],
    mount: (server) => {
      mountSecurityText(server, settings);
      mountAppearance(server, deps.appearance, deps.objects);
    },
    tasks: backup.tasks,
    cron: backup.cron,
    backups: backup.backups,
  };
}
