/** Removing users. */
export { removalRoutes } from './removal.routes.ts';
export { type Belongings, createRemoval, type Removal } from './removal.service.ts';
