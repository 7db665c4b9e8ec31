/** Notification mails, and the link that ends them. */
export { mailRetention, type NotificationDependencies, notifications } from './notifications.ts';
export { projectMails } from './project-mails.ts';
export { unsubscribing } from './unsubscribe.ts';
