/** Access tokens. */
export { expiringTokens } from './expiring.ts';
export { impersonationRoutes } from './impersonation.routes.ts';
export {
  allScopes,
  applicationScopes,
  identityScopes,
  rotatingScopes,
  unavailableScopes,
  userScopes,
} from './scopes.ts';
export { selfRoutes } from './self.routes.ts';
export { NewPersonalAccessToken, PersonalAccessToken, personalAccessToken, tokenProperties } from './tokens.entity.ts';
export { newTokenParameters, rotationParameters, tokenFilters } from './tokens.params.ts';
export { countTokens, insertToken, listTokens, touchTokens } from './tokens.queries.ts';
export { tokenRoutes } from './tokens.routes.ts';
export { createTokens, type IssuedToken, type Tokens } from './tokens.service.ts';
export { tokenCron, tokenTasks } from './tokens.tasks.ts';
