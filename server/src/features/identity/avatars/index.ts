/** Pictures of users. */
export { mountAvatars } from './avatars.mount.ts';
export { type Avatars, createAvatars, imageType, maximumAvatarBytes } from './avatars.service.ts';
