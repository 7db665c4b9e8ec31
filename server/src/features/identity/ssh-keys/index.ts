/** SSH keys. */
export { parseSshKey } from './parse.ts';
export { insertSshKey } from './ssh-keys.queries.ts';
export { sshKeyRoutes } from './ssh-keys.routes.ts';
export { createSshKeys, keyReasons, type SshKeys } from './ssh-keys.service.ts';
