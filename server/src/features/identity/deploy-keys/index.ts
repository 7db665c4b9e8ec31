/** Deploy keys. */
export { deployKeyRoutes } from './deploy-keys.routes.ts';
export { createDeployKeys } from './deploy-keys.service.ts';
