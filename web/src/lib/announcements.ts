/** Which broadcast messages a page shows, their links, and those that were dismissed in this browser. */
import type { BroadcastMessage } from './broadcast-messages.ts';

/** Whether a pattern with `*` for anything covers the path of a page. */
export function coversPath(pattern: string, path: string): boolean {
  const parts = pattern.toLowerCase().split('*');
  const whole = path.toLowerCase();
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return whole === first;
  if (!whole.startsWith(first) || !whole.endsWith(last) || whole.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = whole.indexOf(part, at);
    if (found === -1 || found + part.length > whole.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

/** The messages of a page: `own` is the role there, undefined outside of projects. */
export const shownAt = (
  messages: readonly BroadcastMessage[],
  path: string,
  own: number | undefined,
): readonly BroadcastMessage[] =>
  messages.filter(
    ({ target_path: target, target_access_levels: levels }) =>
      (target === null || coversPath(target, path)) && (levels.length === 0 || levels.some((each) => each === own)),
  );

type Piece = string | { readonly text: string; readonly href: string };

/** Text with its links: `[words](https://...)`, and addresses as they stand. */
export function withLinks(message: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const found of message.matchAll(
    /\[([^\]\n]+)\]\((https?:\/\/[^\s()]+)\)|https?:\/\/[^\s<>()]*[^\s<>().,;:!?]/g,
  )) {
    const [whole, text = whole, href = whole] = found;
    if (found.index > at) pieces.push(message.slice(at, found.index));
    pieces.push({ text, href });
    at = found.index + whole.length;
  }
  if (at < message.length) pieces.push(message.slice(at));
  return pieces;
}

const key = 'millrace-dismissed-messages';
const mark = ({ id, ends_at }: BroadcastMessage) => `${id} ${ends_at}`;

/** What this browser no longer shows: by id and end, so that a message that is shown again later comes back. */
export function dismissedMessages(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}
export function dismiss(message: BroadcastMessage): readonly string[] {
  const kept = [...dismissedMessages().filter((each) => each !== mark(message)), mark(message)].slice(-50);
  localStorage.setItem(key, JSON.stringify(kept));
  return kept;
}
export const isDismissed = (message: BroadcastMessage, dismissed: readonly string[]): boolean =>
  message.dismissable && dismissed.includes(mark(message));
