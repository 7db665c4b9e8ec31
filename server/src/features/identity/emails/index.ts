/** Addresses of users. */
export { emailRoutes } from './emails.routes.ts';
export { createEmails } from './emails.service.ts';
