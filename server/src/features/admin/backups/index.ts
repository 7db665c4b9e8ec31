/** Backups of the whole instance: created while it runs, verified, and restored into an empty one. */
import type { Route } from '../../../kernel/http/route.ts';
import type { CronItem, Task } from '../../../kernel/queue/index.ts';
import { backupRoutes } from './backups.routes.ts';
import { type BackupDependencies, type Backups, backupService } from './backups.service.ts';

export type { BackupDependencies, Backups } from './backups.service.ts';
export { headsOf, openBackup } from './create.ts';
export { openDestination } from './destination.ts';
export { restoreBackup } from './restore.ts';
export { verifyBackup } from './verify.ts';

interface BackupFeature {
  readonly routes: readonly Route[];
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
  readonly backups: Backups;
}

export function backupFeature(deps: BackupDependencies): BackupFeature {
  const backups = backupService(deps);
  return { routes: backupRoutes(deps, backups), tasks: backups.tasks, cron: backups.cron, backups };
}
