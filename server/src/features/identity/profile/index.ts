/** Profiles: status, preferences, picture, relations. */

export { ownProfileRoutes } from './own.routes.ts';
export { relationRoutes } from './relations.routes.ts';
export { statusRoutes } from './status.routes.ts';
