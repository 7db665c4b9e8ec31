/** The package registry: generic packages of projects. */
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import type { Route } from '../../../kernel/http/route.ts';
import { genericPackageRoutes } from './generic.routes.ts';
import { packagePresenter } from './packages.entity.ts';
import { packageRoutes } from './packages.routes.ts';
import { type PackagesDependencies, packageService } from './packages.service.ts';
import { packageProtectionRoutes } from './protection.routes.ts';

export type { PackagesDependencies } from './packages.service.ts';

export function packagesFeature(deps: PackagesDependencies & { readonly parents: ParentLoader }): Route[] {
  const packages = packageService(deps);
  const present = packagePresenter(deps.externalUrl);
  return [
    ...packageRoutes(deps, deps.parents, present, packages),
    ...genericPackageRoutes(deps, present, packages),
    ...packageProtectionRoutes(deps.db),
  ];
}
