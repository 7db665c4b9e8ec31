/** Mail: queued in the transaction of its cause, delivered by a task that is tried again, never sent by a request. */

export { createMail, type Mail, type MailSummary } from './mail.ts';
export type { MailText } from './message.ts';
export { isMailAddress, isOwnAddress } from './smtp-url.ts';
