/** What is said at lines of a diff: a page hands it to the diff, which only knows where it stands. */
import type { ReactNode } from 'react';
import type { Schemas } from '../../lib/api.ts';
import type { DiffLine } from './hunks.ts';

export interface LineComments {
  /** Threads by `lineKey`. */
  readonly said: ReadonlyMap<string, ReactNode>;
  /** The form for a new thread; null for those who may not write. */
  readonly form: ((file: Schemas['FileDiff'], line: DiffLine, close: () => void) => ReactNode) | null;
}

/** A line of a change: removed ones by their number before it, others by the one after it. */
export const lineKey = (
  file: string | null | undefined,
  line: { readonly old?: number | null | undefined; readonly now?: number | null | undefined },
): string => `${file ?? ''}\n${line.now == null ? `-${line.old ?? ''}` : `+${line.now}`}`;

/** Moves the focus from one line's button to the next one's; only the first is reached by Tab. */
export function moveBetweenLines(event: {
  readonly key: string;
  readonly target: EventTarget;
  readonly currentTarget: HTMLElement;
  preventDefault(): void;
}): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(event.target instanceof HTMLElement) || !('comment' in event.target.dataset)) return;
  event.preventDefault();
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-comment]')];
  all[all.indexOf(event.target) + step]?.focus();
}
