/** Service accounts. */
export { ServiceAccount, serviceAccount } from './service-accounts.entity.ts';
export { serviceAccountChanges, serviceAccountOrder, serviceAccountParameters } from './service-accounts.params.ts';
export { countServiceAccounts, listServiceAccounts, type ServiceAccountPlace } from './service-accounts.queries.ts';
export { serviceAccountRoutes } from './service-accounts.routes.ts';
export { createServiceAccounts, type ServiceAccounts } from './service-accounts.service.ts';
