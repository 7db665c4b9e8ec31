/** Search. */

export { globalScopes, searchRoutes } from './search.routes.ts';
export type { SearchDependencies } from './search.ts';
