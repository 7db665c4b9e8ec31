/** Security: what scanners find in a project, and what people make of it. */
import type { Db } from '../../kernel/db/index.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import type { ObjectStore } from '../../kernel/objects/index.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import type { Logger } from '../../kernel/telemetry/index.ts';
import { type IssueFinder, issueFollowers } from '../planning/index.ts';
import { moveLinks } from './issue-links/issue-links.queries.ts';
import { vulnerabilityIssueLinkRoutes } from './issue-links/issue-links.routes.ts';
import { reportReader } from './reports/ingest.ts';
import { vulnerabilityRoutes } from './vulnerabilities/vulnerabilities.routes.ts';

export { newestVulnerability, type ToldVulnerability, toldVulnerability } from './vulnerabilities/told.queries.ts';
export { findingRelation } from './vulnerabilities/transfer.ts';

export interface SecurityDependencies {
  readonly db: Db;
  readonly objects: Pick<ObjectStore, 'get' | 'exists'>;
  readonly parents: ParentLoader;
  readonly ports: Ports;
  readonly issues: IssueFinder;
  readonly settings: Settings;
  readonly log: Logger;
}

/** One per process, made by app.ts. */
export function securityFeature(deps: SecurityDependencies): Feature {
  deps.ports.provide(issueFollowers, { issueMoved: moveLinks });
  return {
    routes: [...vulnerabilityRoutes(deps), ...vulnerabilityIssueLinkRoutes(deps)],
    consumers: [reportReader(deps)],
  };
}
