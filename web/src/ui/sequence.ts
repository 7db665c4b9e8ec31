/** Two keys in a row, such as `g` then `m`. */
import { useEffect } from 'react';

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Calls the function of the second key when it follows the first within a second. */
export function useKeySequence(first: string, then: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    // Times count from the loading of the page: none is long ago.
    let at = Number.NEGATIVE_INFINITY;
    const listener = (event: KeyboardEvent) => {
      if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === first) at = event.timeStamp;
      else if (event.timeStamp - at < 1_000) {
        at = Number.NEGATIVE_INFINITY;
        const run = then[event.key];
        if (!run) return;
        event.preventDefault();
        run();
      }
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [first, then]);
}
