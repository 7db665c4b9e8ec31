/** Mails about what people follow. They are threads in mail programs, and end with a link to hear no more. */
import type { Note } from '../../../kernel/db/rows.ts';
import type { MailText } from '../../../kernel/mail/index.ts';
import { mailHeaderPrefix } from '../../../kernel/names.ts';
import type { Reason } from './recipients.ts';

export interface NotifiedItem {
  readonly type: 'issue' | 'merge_request' | 'epic' | 'commit' | 'snippet';
  /** Of its row; the hash of a commit. */
  readonly id: number | string;
  /** Null for what has no number within its place. */
  readonly iid: number | null;
  readonly title: string;
  /** Of its page, without an anchor. */
  readonly url: string;
  /** Project or group. */
  readonly place: { readonly id: number; readonly name: string; readonly path: string };
}

export interface Content {
  /** What happened, in one line. */
  readonly line: string;
  /** What somebody wrote, as they wrote it and as HTML. */
  readonly body?: { readonly text: string; readonly html: string };
  /** Who wrote the body, where the instance wants it named above it. */
  readonly author?: { readonly name: string; readonly username: string };
  /** The comment that it is about. */
  readonly note?: Pick<Note, 'id' | 'discussion_id' | 'kind'>;
}

const signs = { issue: '#', merge_request: '!', epic: '&', snippet: '$', commit: '' } as const;
const nouns = {
  ...{ issue: 'issue', merge_request: 'merge request', epic: 'epic' },
  ...{ snippet: 'snippet', commit: 'commit' },
} as const;
const headerNames = {
  ...{ issue: 'Issue', merge_request: 'MergeRequest', epic: 'Epic' },
  ...{ snippet: 'Snippet', commit: 'Commit' },
} as const;

type Named = Pick<NotifiedItem, 'type' | 'id' | 'iid'>;
/** As texts name it: `#1`, `$5`, the first characters of a hash. */
const referenceOf = ({ type, id, iid }: Named) => `${signs[type]}${iid ?? String(id).slice(0, 8)}`;
export const wordsOf = (item: Named) => `${nouns[item.type]} ${referenceOf(item)}`;

/** Only what a header holds: names of places may have any character. */
const plain = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').replaceAll('"', "'");

/** What mail programs sort mails of a project by. */
export function placeHeaders({ id, name, path }: NotifiedItem['place'], externalUrl: string): Record<string, string> {
  const host = new URL(externalUrl).hostname;
  return {
    [`${mailHeaderPrefix}Project`]: plain(name),
    [`${mailHeaderPrefix}Project-Id`]: String(id),
    [`${mailHeaderPrefix}Project-Path`]: plain(path),
    'List-Id': listId({ id, path }, host),
  };
}

const listId = ({ id, path }: Omit<NotifiedItem['place'], 'name'>, host: string) =>
  `${plain(path)} <${id}.${plain(path).replace(/[^\w-]+/g, '.')}.${host}>`;

export function notificationMail(
  reader: { readonly address: string; readonly reason: Reason; readonly unsubscribe: string | null },
  about: NotifiedItem,
  content: Content,
  externalUrl: string,
): MailText {
  const host = new URL(externalUrl).hostname;
  const first = content.note === undefined && content.body !== undefined;
  const subject = `${about.place.name} | ${about.title} (${referenceOf(about)})`;
  const url = content.note ? `${about.url}#note_${content.note.id}` : about.url;
  const root = `<${about.type}_${about.id}@${host}>`;
  // Comments of one thread are a thread of their own below the thing; a single comment has no kind.
  const thread =
    content.note && content.note.kind !== null ? `<discussion_${content.note.discussion_id}@${host}>` : null;
  const name = headerNames[about.type];
  return {
    to: reader.address,
    subject: first ? subject : `Re: ${subject}`,
    paragraphs: [
      content.line,
      ...(content.author ? [`Author: ${content.author.name} (@${content.author.username})`] : []),
    ],
    ...(content.body ? { body: content.body } : {}),
    action: { label: `View ${wordsOf(about)}`, url },
    ...(reader.unsubscribe === null ? {} : { unsubscribe: reader.unsubscribe }),
    headers: {
      // The first mail need not arrive for the others to be one thread.
      'In-Reply-To': thread ?? root,
      References: thread ? `${root} ${thread}` : root,
      [`${mailHeaderPrefix}${name}-ID`]: String(about.id),
      ...(about.iid === null ? {} : { [`${mailHeaderPrefix}${name}-IID`]: String(about.iid) }),
      ...(about.type === 'epic'
        ? {
            [`${mailHeaderPrefix}Group-Id`]: String(about.place.id),
            [`${mailHeaderPrefix}Group-Path`]: plain(about.place.path),
          }
        : placeHeaders(about.place, externalUrl)),
      [`${mailHeaderPrefix}NotificationReason`]:
        reader.reason === 'participating' || reader.reason === 'watching' ? '' : reader.reason,
      ...(content.note ? { [`${mailHeaderPrefix}Discussion-ID`]: content.note.discussion_id } : {}),
      'List-Id': listId(about.place, host),
    },
  };
}
