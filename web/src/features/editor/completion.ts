/** Which completion the text before the caret asks for, and the text with a completion in place. Pure. */

export type TriggerKind =
  | 'people'
  | 'issues'
  | 'requests'
  | 'labels'
  | 'milestones'
  | 'epics'
  | 'snippets'
  | 'emoji'
  | 'commands';

export interface Trigger {
  readonly kind: TriggerKind;
  /** What was typed after the character. */
  readonly query: string;
  /** Where the character stands. */
  readonly start: number;
}

const characters: Readonly<Record<string, TriggerKind>> = {
  '@': 'people',
  '#': 'issues',
  '!': 'requests',
  '~': 'labels',
  '%': 'milestones',
  '&': 'epics',
  $: 'snippets',
  ':': 'emoji',
};

/** A quoted name of a label or milestone may have blanks. */
const reference = /(?:^|[\s([{>,])(?:([~%])"([^"\n]*)|([@#!~%&$])([^\s@#!~%&$:"]*)|(:)([a-z0-9_+-]+))$/;
const command = /^\/([a-z_]*)$/;
const fence = /^ {0,3}(?:```|~~~)/;

/** Null where nothing is completed: in code, and after what is no reference. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const lines = before.split('\n');
  const line = lines.at(-1) ?? '';
  if (lines.filter((each) => fence.test(each)).length % 2 === 1) return null;
  const [, name] = command.exec(line) ?? [];
  if (name !== undefined) return { kind: 'commands', query: name, start: caret - line.length };
  // What follows an odd number of backticks is code.
  if ((line.split('`').length - 1) % 2 === 1) return null;
  const [, quoted, inQuotes, plain, word, colon, emoji] = reference.exec(line) ?? [];
  const character = quoted ?? plain ?? colon;
  const kind = character === undefined ? undefined : characters[character];
  if (!kind) return null;
  const query = inQuotes ?? word ?? emoji ?? '';
  return { kind, query, start: caret - query.length - (quoted === undefined ? 1 : 2) };
}

/** A title as a reference spells it: quoted where it has more than letters and digits. */
export const quotedName = (sign: '~' | '%', title: string): string =>
  /^[\w.-]+$/.test(title) && !/^\d+$/.test(title) ? `${sign}${title}` : `${sign}"${title}"`;

/** Those whose text has what was typed; the ones that begin with it come first. */
export function bestMatches<T>(all: readonly T[], query: string, textOf: (item: T) => string): T[] {
  const wanted = query.toLowerCase();
  const texts = all.map((item) => ({ item, text: textOf(item).toLowerCase() }));
  const begins = texts.filter(({ text }) => text.startsWith(wanted));
  const contains = texts.filter(({ text }) => !text.startsWith(wanted) && text.includes(wanted));
  return [...begins, ...contains].map(({ item }) => item);
}

/** Of the candidates that were found for less of a word, those that more of it means too. */
export const stillOffered = <C extends { readonly label: string; readonly hint?: string }>(
  candidates: readonly C[],
  query: string,
): C[] => bestMatches(candidates, query, ({ label, hint = '' }) => `${label.replace(/^[^\p{L}\p{N}]+/u, '')}\n${hint}`);
