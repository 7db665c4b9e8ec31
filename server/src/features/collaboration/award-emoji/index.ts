/** Reactions to things and to comments. */

export { awardRoutes } from './award-emoji.routes.ts';
export { emojiName, toggleAward } from './award-emoji.service.ts';
