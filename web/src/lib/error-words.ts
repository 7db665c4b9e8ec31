/** What the API says of a refusal, as people read it: sentences instead of status lines and names of fields. Pure. */
import { capitalized } from './words.ts';

/** Fields whose name on a page is another one. */
const labels: Readonly<Record<string, string>> = {
  path: 'URL path',
  password_confirmation: 'Password confirmation',
  namespace_id: 'Namespace',
};
const acronyms = /\b(api|ci|cidr|gpg|html|http|https|id|ip|jwt|ldap|lfs|saml|sha|ssh|ssl|tls|uri|url|yaml)\b/g;

const ended = (text: string): string => (/[.!?:]$/.test(text) ? text : `${text}.`);

/** `external_url` as `External URL`; of `project_namespace.path` the last part. */
export function fieldLabel(name: string): string {
  const last = name.split('.').at(-1) ?? name;
  return labels[last] ?? capitalized(last.replaceAll('_', ' ').replace(acronyms, (word) => word.toUpperCase()));
}

/** `has already been taken` as `Name has already been taken.` What begins like a sentence is one. */
export function fieldSentence(name: string, reason: string): string {
  if (name === 'base' || /^[A-Z]/.test(reason)) return ended(capitalized(reason));
  return ended(`${fieldLabel(name)} ${reason}`);
}

const general: Readonly<Record<string, string>> = {
  unauthorized: 'Your session has ended. Sign in again.',
  forbidden: 'You do not have permission to do this.',
  'not found': 'This does not exist, or you do not have access to it.',
  'bad request': 'The server did not accept the request.',
  'internal server error': 'The server could not process the request. Try again later.',
};

/** `403 Forbidden - Archived projects are read-only` as `Archived projects are read-only.` */
export function sentenceOf(text: string): string {
  const plain = text.trim().replace(/^\d{3} /, '');
  const known = general[plain.toLowerCase()];
  if (known) return known;
  const missing = /^(.+) not found$/i.exec(plain)?.[1];
  if (missing && plain !== text.trim()) return `${capitalized(missing.toLowerCase())} not found.`;
  const reason = /^(?:unauthorized|forbidden|not found|bad request|conflict)(?: - |: )(.+)$/is.exec(plain)?.[1];
  return ended(capitalized(reason ?? plain));
}

/** The reasons by field in `Failed to save group {:path=>["has already been taken"]}`; null where the text has none. */
export function printedFields(text: string): Record<string, readonly string[]> | null {
  const found = [...text.matchAll(/:([a-z_.]+)=>(\["(?:[^"\\]|\\.)*"(?:, "(?:[^"\\]|\\.)*")*\])/g)];
  if (found.length === 0) return null;
  return Object.fromEntries(found.map(([, name = '', reasons = '[]']) => [name, JSON.parse(reasons) as string[]]));
}

/** What is known when the answer says nothing. */
export function statusSentence(status: number): string {
  if (status === 0) return 'The server cannot be reached. Check your connection and try again.';
  if (status === 429) return 'Too many requests. Wait a moment and try again.';
  if (status >= 502 && status <= 504) return 'The server is not available at the moment. Try again later.';
  return status >= 500
    ? 'The server could not process the request. Try again later.'
    : `The server refused the request (HTTP ${status}).`;
}
