/** GPG keys. */
export { gpgKeyRoutes } from './gpg-keys.routes.ts';
export { createGpgKeys } from './gpg-keys.service.ts';
