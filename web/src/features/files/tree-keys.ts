/** Keys of a tree, as readers of the screen expect them: arrows, Home, End, Enter, and the first letters of a name. */
import { type KeyboardEvent, useRef } from 'react';

/** Letters that follow one another within this time are one word. */
const wordMilliseconds = 700;

/** Gathers letters to what somebody looks for; any other key, given as null, ends the word. */
export function useTypeAhead(): (letter: string | null, now: number) => string {
  const word = useRef({ text: '', at: 0 });
  return (letter, now) => {
    if (letter === null) {
      word.current = { text: '', at: 0 };
      return '';
    }
    const { text, at } = word.current;
    word.current = { text: now - at < wordMilliseconds ? text + letter : letter, at: now };
    return word.current.text;
  };
}

/** The next name that begins with what was typed, from an entry on; -1 for none. The same letter again goes on. */
export function nextNamed(names: readonly string[], from: number, typed: string): number {
  const [first = ''] = typed;
  const same = [...typed].every((letter) => letter === first);
  const word = (same ? first : typed).toLowerCase();
  // A word that grows may still mean where it is.
  const start = same ? from + 1 : from;
  for (let step = 0; step < names.length; step += 1) {
    const index = (start + step) % names.length;
    if (names[index]?.toLowerCase().startsWith(word)) return index;
  }
  return -1;
}

/** Moves the focus in a tree or opens and closes what has it; false where the key means nothing here. */
export function moveInTree(event: KeyboardEvent<HTMLElement>, typeAhead: ReturnType<typeof useTypeAhead>): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="treeitem"]')];
  const at = items.indexOf((event.target as HTMLElement).closest<HTMLElement>('[role="treeitem"]') as HTMLElement);
  const item = items[at];
  if (!item) return false;
  const focus = (to: HTMLElement | null | undefined) => {
    to?.focus();
    return true;
  };
  const press = () => {
    item.querySelector<HTMLElement>(':scope > a, :scope > button')?.click();
    return true;
  };
  const expanded = item.getAttribute('aria-expanded');
  if (event.key.length !== 1) typeAhead(null, event.timeStamp);
  switch (event.key) {
    case 'ArrowDown':
      return focus(items[at + 1]);
    case 'ArrowUp':
      return focus(items[at - 1]);
    case 'Home':
      return focus(items[0]);
    case 'End':
      return focus(items.at(-1));
    case 'ArrowRight':
      if (expanded === 'false') return press();
      return focus(expanded === 'true' ? item.querySelector<HTMLElement>('[role="treeitem"]') : null);
    case 'ArrowLeft':
      if (expanded === 'true') return press();
      return focus(item.parentElement?.closest<HTMLElement>('[role="treeitem"]'));
    case 'Enter':
      return press();
    default:
      break;
  }
  // A space is for the page unless a word has begun.
  if (event.key.length !== 1 || event.key === ' ') return false;
  const names = items.map((each) => each.getAttribute('aria-label') ?? '');
  const found = nextNamed(names, at, typeAhead(event.key, event.timeStamp));
  event.stopPropagation();
  return focus(items[found]);
}
