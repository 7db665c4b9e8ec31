/** Reading audit events. */
export { auditEventRoutes } from './audit-events.routes.ts';
