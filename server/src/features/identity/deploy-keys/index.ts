/** Deploy keys. */
export { deployKeyRoutes } from './deploy-keys.routes.ts';
export { createDeployKeys, type DeployKeyDependencies, type DeployKeys } from './deploy-keys.service.ts';
