/** SSH keys. */
export { sshKeyRoutes } from './ssh-keys.routes.ts';
export { createSshKeys, type SshKeys } from './ssh-keys.service.ts';
