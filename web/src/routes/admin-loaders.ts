/** What pages of the administration fetch before they are shown; loaded with the first of them. */

import { backupSchedule, backups } from '../lib/backups.ts';
import { allDeployKeys } from '../lib/deploy-keys.ts';
import { hooksOf, systemHooks } from '../lib/hooks.ts';
import { imports } from '../lib/imports.ts';
import { instanceIntegrations, integrationKinds, integrationsOf } from '../lib/integrations.ts';
import { everyGroup, everyProject, overview, usage } from '../lib/overview.ts';
import { instancePushRule, pushRuleOf } from '../lib/push-rules.ts';
import { queries } from '../lib/queries.ts';

const load = queries.ensureQueryData.bind(queries);
interface Found {
  readonly search?: string | undefined;
  readonly page?: number | undefined;
}

export const loadOverview = () =>
  Promise.all([load(overview()), queries.ensureInfiniteQueryData(backups()), load(backupSchedule())]);
export const loadUsage = () => load(usage());
export const loadProjects = (filter: Found) => load(everyProject(filter));
export const loadGroups = (filter: Found) => load(everyGroup(filter));
export const loadImports = (page: number | undefined) => load(imports('admin', page));
export const loadDeployKeys = (shared: boolean) => queries.ensureInfiniteQueryData(allDeployKeys(shared));
export const loadPushRule = () => load(pushRuleOf(instancePushRule));
export const loadHooks = () => load(hooksOf(systemHooks));
export const loadIntegrations = () =>
  Promise.all([load(integrationKinds()), load(integrationsOf(instanceIntegrations))]);
export const loadBackups = () => Promise.all([queries.ensureInfiniteQueryData(backups()), load(backupSchedule())]);
