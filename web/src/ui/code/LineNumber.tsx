/** The number of a line as a link to it; of all numbers in a view the Tab key stops at one, and the arrow keys move on from there. */
import type { KeyboardEvent, MouseEvent } from 'react';

interface LineNumberProps {
  readonly number: number;
  /** Whether the Tab key stops here. */
  readonly stop: boolean;
  readonly className: string | undefined;
}

export function LineNumber({ number, stop, className }: LineNumberProps) {
  return (
    <a
      href={`#L${number}`}
      data-line={number}
      aria-label={`Line ${number}`}
      tabIndex={stop ? 0 : -1}
      className={className}
    >
      {number}
    </a>
  );
}

/** The line whose number was clicked; undefined where the browser opens the link itself, in a new tab for example. */
export function clickedLine(event: MouseEvent<HTMLElement>): number | undefined {
  const line = (event.target as HTMLElement).closest<HTMLElement>('a[data-line]')?.dataset.line;
  if (line === undefined || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  event.preventDefault();
  return Number(line);
}

/** Moves the focus from one number to the next with the arrow keys. */
export function moveByLine(event: KeyboardEvent<HTMLElement>): void {
  const target = event.target as HTMLElement;
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || target.dataset.line === undefined) return;
  const numbers = [...event.currentTarget.querySelectorAll<HTMLElement>('a[data-line]')];
  const next = numbers[numbers.indexOf(target) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
