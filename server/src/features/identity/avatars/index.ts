/** Pictures of users. */
export { mountAvatars } from './avatars.mount.ts';
export { type Avatars, createAvatars } from './avatars.service.ts';
