/** Protected environments: who may deploy to them, and who approves that. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Route } from '../../../kernel/http/route.ts';
import { protectedEnvironmentRoutes } from './protected-environments.routes.ts';
import { protectionService } from './protected-environments.service.ts';

export { approvalState, isProtected, mayApprove, mayDeploy, type ProtectedPlace, protectionIn } from './access.ts';

export const protectedEnvironments = (db: Db): Route[] => protectedEnvironmentRoutes(db, protectionService(db));
