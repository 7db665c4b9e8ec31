/** Signing up, confirming addresses, new passwords. */

export { passwordRoutes } from './password.routes.ts';
export { mountRegistration } from './registration.mount.ts';
export { activeAdministrators } from './registration.queries.ts';
export { createRegistration } from './registration.service.ts';
export { createPasswordReset } from './reset.service.ts';
