/** Reviewing by keyboard: from file to file, from thread to thread, marks of viewed files. */
import { useEffect } from 'react';

/** Shown in the page. */
export const reviewKeys = [
  ['j / k', 'Next and previous file'],
  ['n / p', 'Next and previous unresolved thread'],
  ['v', 'Mark the file as viewed'],
  ['c', 'Comment on a line of the file; arrow keys move between lines'],
] as const;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  target.getAttribute('type') !== 'checkbox';

/** Height of what stays at the top of the window. */
const top = 60;

/** The first element below the one that has the focus, or is at the top of the window; or the last one above it. */
function neighbour(selector: string, step: 1 | -1): HTMLElement | null {
  const all = [...document.querySelectorAll<HTMLElement>(selector)];
  const held = document.activeElement?.closest<HTMLElement>(selector);
  const at = held ? all.indexOf(held) : -1;
  if (at >= 0) return all[at + step] ?? null;
  const isBelow = (element: HTMLElement) => element.getBoundingClientRect().top >= top;
  return (step === 1 ? all.find(isBelow) : all.findLast((element) => !isBelow(element))) ?? null;
}

function show(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'start' });
  element?.focus({ preventScroll: true });
}

const currentFile = () =>
  document.activeElement?.closest<HTMLElement>('[data-file]') ??
  [...document.querySelectorAll<HTMLElement>('[data-file]')].find(
    (section) => section.getBoundingClientRect().bottom > top,
  );

const actions: Readonly<Record<string, () => void>> = {
  j: () => show(neighbour('[data-file]', 1)),
  k: () => show(neighbour('[data-file]', -1)),
  n: () => show(neighbour('[data-thread="open"]', 1)),
  p: () => show(neighbour('[data-thread="open"]', -1)),
  v: () => currentFile()?.querySelector<HTMLInputElement>('input[data-viewed]')?.click(),
  c: () => currentFile()?.querySelector<HTMLElement>('[data-comment]')?.focus(),
};

export function useReviewKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}
