/** The catalogue of CI components. */
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { catalogPresenter } from './catalog.entity.ts';
import { catalogRoutes } from './catalog.routes.ts';
import { type CatalogServiceDependencies, catalogService } from './catalog.service.ts';

export interface CatalogDependencies extends CatalogServiceDependencies {
  readonly parents: ParentLoader;
  readonly externalUrl: string;
}

export function catalogFeature(deps: CatalogDependencies) {
  const catalog = catalogService(deps);
  const routes = catalogRoutes({ db: deps.db, parents: deps.parents, catalog, presenter: catalogPresenter(deps) });
  return { routes, consumers: [catalog.consumer] };
}
