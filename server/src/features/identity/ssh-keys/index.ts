/** SSH keys. */
export { parseSshKey } from './parse.ts';
export { createSshSignIn, type SshCaller, type SshSignIn } from './sign-in.ts';
export { SshKeyEntity, sshKey } from './ssh-keys.entity.ts';
export { hasSshKeys, insertSshKey, touchSshKeys } from './ssh-keys.queries.ts';
export { sshKeyRoutes } from './ssh-keys.routes.ts';
export { createSshKeys, endSshKeys, keyReasons, type SshKeys } from './ssh-keys.service.ts';
