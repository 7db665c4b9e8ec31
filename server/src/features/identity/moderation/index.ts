/** Moderating users. */
export { moderationRoutes } from './moderation.routes.ts';
export { createModeration, type Moderation } from './moderation.service.ts';
