/** Tokens of feeds. */
export { feedTokenRoutes } from './feed-tokens.routes.ts';
export { createFeedTokens, type FeedTokens } from './feed-tokens.service.ts';
