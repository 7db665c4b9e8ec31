/** What is typed while the field that it is meant for is still on its way: kept, and given to the field. */

/** A field that has not come by then does not come, or nobody waits for it any more. */
const mostMilliseconds = 10_000;

let kept: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
/** What had the focus when the new field was asked for, such as a text from which the search is opened. */
let origin: Element | null = null;

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

function stop(): void {
  kept = null;
  origin = null;
  clearTimeout(timer);
  window.removeEventListener('keydown', keep, true);
  window.removeEventListener('pointerdown', stop, true);
}

/** Before any shortcut of the page sees the key: the letters of a name are no commands. */
function keep(event: KeyboardEvent): void {
  const { key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  // Whoever chose another field, or thought better of it, types there.
  if (key === 'Escape' || (event.target !== origin && isField(event.target))) {
    stop();
    return;
  }
  if (key.length > 1 && key !== 'Backspace' && key !== 'Enter') return;
  event.preventDefault();
  event.stopImmediatePropagation();
  // What Enter would open is not known yet.
  if (key !== 'Enter') kept = key === 'Backspace' ? (kept ?? '').slice(0, -1) : `${kept ?? ''}${key}`;
}

/** From now on letters are kept, until the field takes them or somebody goes elsewhere. */
export function keepTyped(): void {
  stop();
  kept = '';
  origin = document.activeElement;
  timer = setTimeout(stop, mostMilliseconds);
  window.addEventListener('keydown', keep, true);
  window.addEventListener('pointerdown', stop, true);
}

/** For the field, once it has the focus: what was typed until then; empty where nothing was. */
export function takeTyped(): string {
  const typed = kept ?? '';
  stop();
  return typed;
}
