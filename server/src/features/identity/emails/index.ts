/** Addresses of users. */
export { findEmail } from './emails.queries.ts';
export { emailRoutes } from './emails.routes.ts';
export { createEmails, setNotificationEmail } from './emails.service.ts';
