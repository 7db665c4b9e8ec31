/** Integrations: external services that receive events of projects, each in its own format. */
import type { Route } from '../../../kernel/http/route.ts';
import type { CronItem, Task } from '../../../kernel/queue/index.ts';
import type { ExternalPlaces } from '../../namespaces/index.ts';
import type { Announcement } from '../webhooks/index.ts';
import { integrationsAllowed } from './allowed.ts';
import { type IntegrationDeliveryDependencies, integrationDelivery } from './delivery.ts';
import { effectiveIntegrations } from './integrations.queries.ts';
import { type IntegrationRouteDependencies, integrationRoutes } from './integrations.routes.ts';
import { trackerIn, wikiIn } from './trackers.ts';

export { externalIssueReferences } from './references.ts';

interface IntegrationsDependencies
  extends Omit<IntegrationRouteDependencies, 'delivery' | 'outbound' | 'secrets'>,
    Omit<IntegrationDeliveryDependencies, 'secrets'>,
    Pick<IntegrationRouteDependencies, 'secrets'> {}

interface Integrations {
  readonly routes: readonly Route[];
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
  readonly places: ExternalPlaces;
  announce(announcement: Announcement): Promise<void>;
}

export function integrationsOf(deps: IntegrationsDependencies): Integrations {
  const delivery = integrationDelivery(deps);
  return {
    routes: integrationRoutes({ ...deps, delivery }),
    tasks: delivery.tasks,
    cron: delivery.cron,
    places: {
      async of({ project, namespace: { traversal_ids: groupIds } }) {
        const found = await effectiveIntegrations(deps.db, { kind: 'project', id: project.id, groupIds });
        if (found.length === 0) return { wikiUrl: wikiIn(found), tracker: trackerIn(found, groupIds, project) };
        const allowed = await integrationsAllowed(deps.settings);
        const all = found.filter(({ row }) => allowed(row.slug));
        return { wikiUrl: wikiIn(all), tracker: trackerIn(all, groupIds, project) };
      },
    },
    announce: delivery.announce,
  };
}
