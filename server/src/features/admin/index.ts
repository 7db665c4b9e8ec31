/** Administration of the instance. */
import type { Feature } from '../../kernel/feature.ts';
import type { Switches } from '../../kernel/switches/index.ts';
import { switchRoutes } from './switches/switches.routes.ts';

export interface AdminDependencies {
  readonly switches: Switches;
}

/** One per process, made by app.ts. */
export function adminFeature({ switches }: AdminDependencies): Feature {
  return { routes: switchRoutes(switches) };
}
