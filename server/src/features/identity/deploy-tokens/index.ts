/** Deploy tokens. */
export { deployTokenRoutes } from './deploy-tokens.routes.ts';
export { createDeployTokens } from './deploy-tokens.service.ts';
