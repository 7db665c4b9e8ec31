/** Sessions of the pages. */
export { mountHomePage } from './home-page.mount.ts';
export { checkOrigin, mountSessions } from './sessions.mount.ts';
export { deleteSessionsOf, extendSessions } from './sessions.queries.ts';
export { sessionRoutes } from './sessions.routes.ts';
export { createSessions, sessionLifetimes } from './sessions.service.ts';
export { sessionCron, sessionTasks } from './sessions.tasks.ts';
