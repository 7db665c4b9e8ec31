/** Mail: queued in the transaction of its cause, delivered by a task that is tried again, never sent by a request. */

export type { Letter } from './letter.ts';
export { createMail, type Mail, type MailSummary } from './mail.ts';
export { isMailAddress } from './smtp-url.ts';
