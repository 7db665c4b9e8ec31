/** What is said at lines of a diff: a page hands it to the diff, which only knows where it stands. */
import type { ReactNode } from 'react';
import type { Schemas } from '../../lib/api.ts';
import type { DiffLine } from './hunks.ts';

export interface LineComments {
  /** Threads by `lineKey`. */
  readonly said: ReadonlyMap<string, ReactNode>;
  /** Files with threads on lines that the change does not show, by path. */
  readonly outside?: ReadonlySet<string>;
  /** Threads on files and pictures, by path. */
  readonly onFiles?: ReadonlyMap<string, readonly FileThread[]>;
  /** The form for a new thread on a file or a point of a picture. */
  readonly fileForm?: ((file: Schemas['FileDiff'], place: FilePlace, close: () => void) => ReactNode) | null;
  /** The form for a new thread on a line, or on the lines from `first` on; null for those who may not write. */
  readonly form: ((file: Schemas['FileDiff'], lines: CommentedLines, close: () => void) => ReactNode) | null;
}

/** Where a comment on a file stands: on all of it, or at a point of a picture, in its own pixels. */
export type FilePlace =
  | { readonly kind: 'file' }
  | {
      readonly kind: 'image';
      readonly width: number;
      readonly height: number;
      readonly x: number;
      readonly y: number;
    };

export interface FileThread {
  readonly id: string;
  /** Where in the picture, from 0 to 1; null for the file as a whole. */
  readonly point: { readonly x: number; readonly y: number } | null;
  readonly shown: ReactNode;
}

export interface CommentedLines {
  readonly first: DiffLine;
  readonly last: DiffLine;
  /** The lines from the first to the last as they are after the change. */
  readonly text: readonly string[];
}

/** What a page knows of files beyond their diffs. */
export interface FileReview {
  setViewed(file: Schemas['FileDiff'], viewed: boolean): void;
  /** Where the bytes of a file after the change are. */
  raw(file: Schemas['FileDiff']): string;
  /** The text of a file after the change. */
  text(file: Schemas['FileDiff']): Promise<string>;
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
