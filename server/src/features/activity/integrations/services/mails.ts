/** Mails about pushes and pipelines to addresses that a project names. */
import { isMailAddress, type MailText } from '../../../../kernel/mail/index.ts';
import type { IntegrationValues } from '../settings.ts';
import { chatMessage, rendered } from './message.ts';

type Json = Readonly<Record<string, unknown>>;

const mostRecipients = 100;
const mostFiles = 50;
const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function recipientsOf(values: IntegrationValues): string[] {
  const given = typeof values.recipients === 'string' ? values.recipients : '';
  return [...new Set(given.split(/[\s,;]+/))].filter(isMailAddress).slice(0, mostRecipients);
}

function filesOf(payload: Json): string[] {
  const names = list(payload.commits).flatMap((commit) =>
    (['added', 'modified', 'removed'] as const).flatMap((how) =>
      list(object(commit)[how]).map((file) => `${how}: ${String(file)}`),
    ),
  );
  return [...new Set(names)];
}

/** Null for what no mail is sent about. */
export function mailOf(values: IntegrationValues, payload: Json): Omit<MailText, 'to'> | null {
  const message = chatMessage(payload);
  if (!message) return null;
  const { sentence, details } = rendered(message, 'plain');
  const link = message.parts.find((part) => typeof part !== 'string' && part.url !== '');
  const files = values.disable_diffs === true || payload.object_kind !== 'push' ? [] : filesOf(payload);
  const shown = files.slice(0, mostFiles);
  if (files.length > shown.length) shown.push(`and ${files.length - shown.length} more`);
  return {
    subject: sentence.slice(0, 200),
    paragraphs: [sentence, ...details.split('\n').filter((line) => line !== ''), ...shown],
    ...(typeof link === 'object' ? { action: { label: 'View', url: link.url } } : {}),
  };
}
