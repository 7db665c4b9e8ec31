/** What people change of their own account by themselves. */
export { accountRoutes } from './account.routes.ts';
