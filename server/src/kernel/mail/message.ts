/** Messages as plain text and HTML from one description, so that both say the same. */
import { gzipSync } from 'node:zlib';

export interface MailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

export interface MailText {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** What the reader is asked to do. */
  readonly action?: { readonly label: string; readonly url: string };
  /** Facts in two columns. */
  readonly details?: readonly (readonly [string, string])[];
  /** What somebody wrote: as text, and as HTML that is safe to show. */
  readonly body?: { readonly text: string; readonly html: string };
  /** Shown as its sender, and where answers go, in place of those of the instance; see `isOwnAddress`. */
  readonly from?: { readonly name: string; readonly address: string };
  /** Headers beside the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the reader says that they want no more of these. */
  readonly unsubscribe?: string;
  /** Files. They wait in the queue with the message, so their caller bounds their size. */
  readonly attachments?: readonly MailAttachment[];
  /** After everything else: what to do when this was not expected. */
  readonly closing?: string;
}

/** What is sent. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly from?: { readonly name: string; readonly address: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments?: readonly QueuedAttachment[];
}

/** An attachment as it waits in the queue. */
interface QueuedAttachment {
  readonly filename: string;
  readonly contentType: string;
  /** Compressed, as base64. */
  readonly gzip: string;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** What administrators have in every message. */
export interface MailFrame {
  /** Lines above and below everything, the HTML safe to show. */
  readonly header: { readonly text: string; readonly html: string } | null;
  readonly footer: { readonly text: string; readonly html: string } | null;
  readonly background: string;
  readonly color: string;
  /** Behind the reason for the message. */
  readonly addition: string | null;
}

const noFrame: MailFrame = { header: null, footer: null, background: '', color: '', addition: null };

/** Texts of people are escaped in the HTML part and kept in one line in the subject. */
export function renderMail(letter: MailText, externalUrl: string, frame: MailFrame = noFrame): MailMessage {
  const { paragraphs, body, action, details = [], closing, unsubscribe } = letter;
  const { header, footer, addition } = frame;
  const because = `You receive this message because of your account on ${externalUrl}.`;
  const text = [
    ...(header ? [header.text] : []),
    ...paragraphs,
    ...(body ? [body.text] : []),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...(details.length > 0 ? [details.map(([name, value]) => `${name}: ${oneLine(value)}`).join('\n')] : []),
    ...(closing ? [closing] : []),
    `-- \n${[because, ...(unsubscribe ? [`Unsubscribe from this thread: ${unsubscribe}`] : []), ...(addition ? [addition] : [])].join('\n\n')}`,
    ...(footer ? [footer.text] : []),
  ].join('\n\n');
  const paragraph = (content: string) => `<p style="margin:0 0 16px">${content}</p>`;
  const line = (message: MailFrame['header']) =>
    message
      ? [
          `<div style="padding:4px 12px;margin:0 0 16px;text-align:center;background:${escaped(frame.background)};color:${escaped(frame.color)}">${message.html}</div>`,
        ]
      : [];
  const rows = details.map(
    ([name, value]) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#5c6370">${escaped(name)}</td><td>${escaped(oneLine(value))}</td></tr>`,
  );
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"></head>',
    '<body style="font:16px/1.5 system-ui,sans-serif;color:#1f2328;max-width:36em;margin:24px auto;padding:0 16px">',
    ...line(header),
    ...paragraphs.map((each) => paragraph(escaped(each))),
    ...(body ? [`<div style="margin:0 0 16px">${body.html}</div>`] : []),
    ...(action
      ? [
          paragraph(
            `<a href="${escaped(action.url)}" style="background:#1f5fd0;color:#fff;padding:8px 16px;border-radius:4px;text-decoration:none;display:inline-block">${escaped(action.label)}</a>`,
          ),
          paragraph(`<span style="color:#5c6370;font-size:14px">${escaped(action.url)}</span>`),
        ]
      : []),
    ...(rows.length > 0 ? [`<table style="margin:0 0 16px;border-collapse:collapse">${rows.join('')}</table>`] : []),
    ...(closing ? [paragraph(escaped(closing))] : []),
    `<p style="color:#5c6370;font-size:14px;border-top:1px solid #d0d7de;padding-top:8px">${escaped(because)}</p>`,
    ...(unsubscribe ? [paragraph(`<a href="${escaped(unsubscribe)}">Unsubscribe from this thread</a>`)] : []),
    ...(addition ? [paragraph(escaped(addition))] : []),
    ...line(footer),
    '</body></html>',
  ].join('\n');
  const headers = {
    ...letter.headers,
    ...(unsubscribe
      ? { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
      : {}),
  };
  const attachments = letter.attachments?.map(({ filename, contentType, content }) => ({
    ...{ filename, contentType },
    gzip: gzipSync(content).toString('base64'),
  }));
  return {
    ...{ to: letter.to, subject: oneLine(letter.subject), text: `${text}\n`, html, headers },
    ...(letter.from ? { from: { name: oneLine(letter.from.name), address: letter.from.address } } : {}),
    ...(attachments ? { attachments } : {}),
  };
}
