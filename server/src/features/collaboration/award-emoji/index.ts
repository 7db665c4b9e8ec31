/** Reactions to things and to comments. */
export { awardCounts, type Votes } from './award-emoji.queries.ts';
export { awardRoutes } from './award-emoji.routes.ts';
