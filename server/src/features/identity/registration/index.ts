/** Signing up, confirming addresses, new passwords. */
export { mountRegistration } from './registration.mount.ts';
export { createRegistration } from './registration.service.ts';
export { createPasswordReset } from './reset.service.ts';
