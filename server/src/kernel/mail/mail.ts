/** Queueing and delivering messages over the configured mail server. */
import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Transporter } from 'nodemailer';
import Type from 'typebox';
import type { Db } from '../db/index.ts';
import { addJob, defineTask, type Task } from '../queue/index.ts';
import type { Secrets } from '../secrets/index.ts';
import type { Settings } from '../settings/index.ts';
import { type MailFrame, type MailMessage, type MailText, renderMail } from './message.ts';
import { isMailAddress, parseMailbox, parseSmtpUrl, type SmtpServer } from './smtp-url.ts';

export interface MailDependencies {
  /** Null: no mail is sent. */
  readonly smtpUrl: string | null;
  /** `Name <address>`; null for an address on the external URL's host. */
  readonly from: string | null;
  readonly replyTo: string | null;
  readonly externalUrl: string;
  readonly settings: Settings;
  /** What is above and below every message. */
  readonly frame: () => Promise<Omit<MailFrame, 'addition'>>;
  /** Messages wait sealed: they hold links that must not be read from the queue's table. */
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void };
}

/** What callers of other slices see. */
export interface MailSummary {
  readonly configured: boolean;
}

export interface Mail extends MailSummary {
  /**
   * Queues a message; it is delivered after the transaction commits, and never if it does not. False when no mail server
   * is configured: nothing is queued.
   */
  send(tx: Db, letter: MailText): Promise<boolean>;
  /** Connects and signs in without sending anything; answers what answered. Throws what went wrong. */
  check(): Promise<string>;
  readonly tasks: readonly Task[];
}

const purpose = 'mail';
const seconds = 1000;
/** Tries over about three and a half hours. */
const attempts = 10;

function defaultFrom(externalUrl: string) {
  const { hostname } = new URL(externalUrl);
  const literal = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  return { name: 'Millrace', address: `millrace@${literal ? 'localhost' : hostname}` };
}

async function connect(server: SmtpServer): Promise<Transporter> {
  // Only processes that send mail pay for loading the library.
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host: server.host,
    port: server.port,
    secure: server.tls === 'implicit',
    requireTLS: server.tls === 'required',
    ignoreTLS: server.tls === 'off',
    tls: { rejectUnauthorized: server.verify },
    ...(server.user === null ? {} : { auth: { user: server.user, pass: server.password } }),
    connectionTimeout: 10 * seconds,
    greetingTimeout: 10 * seconds,
    socketTimeout: 30 * seconds,
    // Messages are made here; nothing in them names a file or an address to fetch from.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Whether the server refused this message for good: its sender, its recipient or its content. */
function isFinal(error: unknown): boolean {
  const { responseCode, command } = error as { responseCode?: number; command?: string };
  return (responseCode ?? 0) >= 500 && ['MAIL FROM', 'RCPT TO', 'DATA'].includes(command ?? '');
}

/** One per process, made by app.ts. */
export function createMail(deps: MailDependencies): Mail {
  const { secrets, settings, externalUrl, log } = deps;
  const server = deps.smtpUrl === null ? null : parseSmtpUrl(deps.smtpUrl);
  const from = deps.from === null ? defaultFrom(externalUrl) : parseMailbox(deps.from);
  const replyTo = deps.replyTo === null ? null : parseMailbox(deps.replyTo);
  let transport: Promise<Transporter> | undefined;
  const transporter = (to: SmtpServer) => {
    transport ??= connect(to);
    return transport;
  };

  const deliver = async (sealed: string, signal: AbortSignal): Promise<void> => {
    if (!server) {
      log.warn({}, 'a message was dropped: no mail server is configured any more');
      return;
    }
    if ((await settings.read()).silent_mode_enabled) {
      log.info({}, 'a message was dropped: silent mode is enabled');
      return;
    }
    const { id, message } = JSON.parse(secrets.open(Buffer.from(sealed, 'base64'), purpose)) as {
      id: string;
      message: MailMessage;
    };
    try {
      await (await transporter(server)).sendMail({
        // The same in every attempt, so that a message that was taken twice is seen once.
        messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
        from: message.from ?? from,
        ...(message.from || replyTo ? { replyTo: message.from ?? replyTo ?? from } : {}),
        to: { name: '', address: message.to },
        envelope: { from: from.address, to: [message.to] },
        subject: message.subject,
        text: message.text,
        ...((await settings.read()).html_emails_enabled ? { html: message.html } : {}),
        ...(message.attachments
          ? {
              attachments: message.attachments.map(({ filename, contentType, gzip }) => ({
                ...{ filename, contentType },
                content: gunzipSync(Buffer.from(gzip, 'base64')),
              })),
            }
          : {}),
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...message.headers },
        signal,
      });
      log.info({ mail: id }, 'mail delivered');
    } catch (error) {
      if (!isFinal(error)) throw error;
      log.warn({ mail: id, err: error }, 'the mail server refused a message for good');
    }
  };
  const task = defineTask(
    'mail.deliver',
    Type.Object({ sealed: Type.String() }),
    ({ sealed }, { signal }) => deliver(sealed, signal),
    { maxAttempts: attempts, timeout: 60 * seconds },
  );

  return {
    configured: server !== null,
    send: async (tx, letter) => {
      if (!server) return false;
      if (!isMailAddress(letter.to)) throw new Error('a message has no usable address');
      const message = renderMail(letter, externalUrl, {
        ...(await deps.frame()),
        addition: (await settings.read()).email_additional_text,
      });
      const sealed = secrets.seal(JSON.stringify({ id: randomUUID(), message }), purpose).toString('base64');
      await addJob(tx, task, { sealed });
      return true;
    },
    check: async () => {
      if (!server) throw new Error('no mail server is configured (MILLRACE_SMTP_URL)');
      await (await transporter(server)).verify();
      return `${server.host}:${server.port} answers${server.user === null ? '' : ', signed in'}`;
    },
    tasks: [task],
  };
}
