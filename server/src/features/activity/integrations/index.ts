/** Integrations: external services that receive events of projects, each in its own format. */
import type { Route } from '../../../kernel/http/route.ts';
import type { CronItem, Task } from '../../../kernel/queue/index.ts';
import type { Announcement } from '../webhooks/index.ts';
import { type IntegrationDeliveryDependencies, integrationDelivery } from './delivery.ts';
import { type IntegrationRouteDependencies, integrationRoutes } from './integrations.routes.ts';

interface IntegrationsDependencies
  extends Omit<IntegrationRouteDependencies, 'delivery' | 'outbound' | 'secrets'>,
    Omit<IntegrationDeliveryDependencies, 'secrets'>,
    Pick<IntegrationRouteDependencies, 'secrets'> {}

interface Integrations {
  readonly routes: readonly Route[];
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
  announce(announcement: Announcement): Promise<void>;
}

export function integrationsOf(deps: IntegrationsDependencies): Integrations {
  const delivery = integrationDelivery(deps);
  return {
    routes: integrationRoutes({ ...deps, delivery }),
    tasks: delivery.tasks,
    cron: delivery.cron,
    announce: delivery.announce,
  };
}
