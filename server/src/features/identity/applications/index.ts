/** Applications that ask people for access. */
export { findApplication, findApplicationById, ownerName } from './applications.queries.ts';
export { applicationRoutes } from './applications.routes.ts';
export { createApplications, scopesOf } from './applications.service.ts';
export { acceptsRedirect } from './redirect-uris.ts';
