/** Pictures of users. */
export { mountAvatars } from './avatars.mount.ts';
export { type Avatars, createAvatars, maximumAvatarBytes } from './avatars.service.ts';
