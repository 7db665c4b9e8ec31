/** Reactions to things and to comments. */

export { awardRoutes } from './award-emoji.routes.ts';
export { emojiName, toggleAward } from './award-emoji.service.ts';
export { awardsJson } from './transfer.queries.ts';
export { awardLines, takeAwards } from './transfer.ts';
