/** Security: what scanners find in a project, and what people make of it. */
import type { Db } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import type { ObjectStore } from '../../kernel/objects/index.ts';
import type { Logger } from '../../kernel/telemetry/index.ts';
import { reportReader } from './reports/ingest.ts';
import { vulnerabilityRoutes } from './vulnerabilities/vulnerabilities.routes.ts';

export { newestVulnerability, type ToldVulnerability, toldVulnerability } from './vulnerabilities/told.queries.ts';
export { findingRelation } from './vulnerabilities/transfer.ts';

export interface SecurityDependencies {
  readonly db: Db;
  readonly objects: Pick<ObjectStore, 'get' | 'exists'>;
  readonly parents: ParentLoader;
  readonly log: Logger;
}

/** One per process, made by app.ts. */
export function securityFeature(deps: SecurityDependencies): Feature {
  return { routes: vulnerabilityRoutes(deps), consumers: [reportReader(deps)] };
}
