/** Pictures of users. */
export { mountAvatars } from './avatars.mount.ts';
export { type Avatars, avatarRules, createAvatars, maximumAvatarBytes } from './avatars.service.ts';
