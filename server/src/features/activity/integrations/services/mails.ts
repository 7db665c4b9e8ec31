/** Mails about pushes and pipelines to addresses that a project names. */
import { isMailAddress, type MailText } from '../../../../kernel/mail/index.ts';
import { escapeHtml } from '../../../../kernel/markdown/index.ts';
import type { PushedDiff, PushedFile } from '../../webhook-payloads/index.ts';
import { entriesOf, type IntegrationValues } from '../settings.ts';
import { chatMessage, rendered } from './message.ts';

type Json = Readonly<Record<string, unknown>>;

const mostFiles = 50;
/** Characters of all diffs of a mail, and files that have one. */
const mostDiff = 100_000;
const mostDiffs = 100;
const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const recipientsOf = (values: IntegrationValues): string[] => [
  ...new Set(entriesOf(values.recipients).filter(isMailAddress)),
];

function filesOf(payload: Json): string[] {
  const names = list(payload.commits).flatMap((commit) =>
    (['added', 'modified', 'removed'] as const).flatMap((how) =>
      list(object(commit)[how]).map((file) => `${how}: ${String(file)}`),
    ),
  );
  return [...new Set(names)];
}

const nameOf = ({ old_path: old, new_path: path, renamed_file: renamed }: PushedFile) =>
  renamed ? `${old} -> ${path}` : path;

const tones = [
  [/^\+/, 'background:#e6ffec'],
  [/^-/, 'background:#ffebe9'],
  [/^@@/, 'color:#5c6370'],
] as const;

function coloured(line: string): string {
  const tone = tones.find(([pattern]) => pattern.test(line))?.[1];
  return tone === undefined ? escapeHtml(line) : `<span style="${tone}">${escapeHtml(line)}</span>`;
}

/** Diffs as text and as HTML; files whose diff would make the mail too large are named without it. */
export function diffsOf({ files, overflow }: PushedDiff): NonNullable<MailText['body']> | null {
  const text: string[] = [];
  const html: string[] = [];
  let left = mostDiff;
  for (const file of files.slice(0, mostDiffs)) {
    const name = nameOf(file);
    const fits = file.diff !== '' && file.diff.length <= left;
    if (fits) left -= file.diff.length;
    const reason =
      file.diff === '' ? 'no diff: binary, too large or only moved' : 'diff left out: the mail is too large';
    const content = fits ? file.diff : `(${reason})`;
    const line = '='.repeat(Math.min(72, Math.max(8, name.length)));
    text.push(`${line}\n${name}\n${line}\n${content}`);
    const shown = content
      .trimEnd()
      .split('\n')
      .map(fits ? coloured : escapeHtml)
      .join('\n');
    html.push(
      `<p style="margin:0 0 4px"><strong>${escapeHtml(name)}</strong></p>`,
      `<pre style="font:13px/1.4 monospace;margin:0 0 16px;padding:8px;border:1px solid #d0d7de;overflow:auto">${shown}</pre>`,
    );
  }
  if (text.length === 0) return null;
  if (overflow || files.length > mostDiffs) {
    text.push('More files changed.');
    html.push('<p>More files changed.</p>');
  }
  return { text: text.join('\n\n'), html: html.join('\n') };
}

/** Null for what no mail is sent about. */
export function mailOf(payload: Json, diff: PushedDiff | null): Omit<MailText, 'to'> | null {
  const message = chatMessage(payload);
  if (!message) return null;
  const { sentence, details } = rendered(message, 'plain');
  const link = message.parts.find((part) => typeof part !== 'string' && part.url !== '');
  const files = payload.object_kind === 'push' ? filesOf(payload) : [];
  const shown = files.slice(0, mostFiles);
  if (files.length > shown.length) shown.push(`and ${files.length - shown.length} more`);
  const body = diff && diffsOf(diff);
  return {
    subject: sentence.slice(0, 200),
    paragraphs: [sentence, ...details.split('\n').filter((line) => line !== ''), ...shown],
    ...(body ? { body } : {}),
    ...(typeof link === 'object' ? { action: { label: 'View', url: link.url } } : {}),
  };
}
