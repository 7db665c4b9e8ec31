/** Keys of lists on every page: `j` and `k` move over the entries, `/` goes to the filter. */
import { useHotkeys } from '@mantine/hooks';

function move(step: 1 | -1): void {
  const entries = [...document.querySelectorAll<HTMLElement>('[data-entry]')];
  const at = entries.indexOf(document.activeElement as HTMLElement);
  entries[
    at === -1 ? (step === 1 ? 0 : entries.length - 1) : Math.min(entries.length - 1, Math.max(0, at + step))
  ]?.focus();
}

export function useListKeys(): void {
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['/', () => document.querySelector<HTMLElement>('[data-filter]')?.focus()],
  ]);
}
