/** Access tokens. */
export { allScopes, userScopes } from './scopes.ts';
export { insertToken, touchTokens } from './tokens.queries.ts';
export { tokenRoutes } from './tokens.routes.ts';
export { createTokens, type Tokens } from './tokens.service.ts';
