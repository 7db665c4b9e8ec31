/**
 * The focus is never lost. When the element that has it goes away, what took its place gets it: the next entry of the list,
 * the button that replaced it, or the heading of a new page, which readers of the screen say. A button that was disabled
 * while it worked gets it back.
 */

/** Where an element stands below one that holds it. */
interface Level {
  readonly parent: Element;
  readonly next: Element | null;
  readonly previous: Element | null;
}

interface Held {
  readonly element: HTMLElement;
  /** From the inside out. */
  readonly levels: readonly Level[];
}

const tabbable = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]';
/** Inside of these a neighbour takes the focus; with anything larger the page itself has changed. */
const regions = 'main, nav, header';
/** Menus and dialogs give the focus back themselves, within this time. */
const givenBackMilliseconds = 100;

/** Not removed, disabled, or hidden while something loads. */
const works = (element: HTMLElement) =>
  element.isConnected && element.checkVisibility() && !element.matches(':disabled');

function holdOf(element: HTMLElement): Held {
  const levels: Level[] = [];
  for (let child: Element = element; child.parentElement && child !== document.body; child = child.parentElement)
    levels.push({
      parent: child.parentElement,
      next: child.nextElementSibling,
      previous: child.previousElementSibling,
    });
  return { element, levels };
}

function take(element: HTMLElement | null | undefined, preventScroll = false): boolean {
  if (!element || !works(element)) return false;
  element.focus({ preventScroll });
  return document.activeElement === element;
}

function takeIn(part: Element | null): boolean {
  if (!part?.isConnected) return false;
  if (part instanceof HTMLElement && part.matches(tabbable) && take(part)) return true;
  return [...part.querySelectorAll<HTMLElement>(tabbable)].some((each) => take(each));
}

/** The heading; where only readers of the screen see it, the tab of the page. Neither is there while the page is loading. */
function takePage(): boolean {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (!heading) return false;
  const tab = heading.closest('[data-quiet]') ? document.querySelector<HTMLElement>('nav [aria-current="page"]') : null;
  return take(tab, true) || take(heading, true);
}

function restore({ element, levels }: Held): boolean {
  if (element.isConnected) return take(element);
  for (const { parent, next, previous } of levels.filter((level) => level.parent.isConnected)) {
    if (!parent.closest(regions)) break;
    if (takeIn(next) || takeIn(previous) || takeIn(parent)) return true;
  }
  return takePage();
}

const nothingHasIt = () => document.activeElement === null || document.activeElement === document.body;

/** Watches the whole document from now on. */
export function keepFocus(): void {
  let held: Held | null = null;
  /** The last one that stands in the page, not in a menu or dialog above it. */
  let below: Held | null = null;
  const inPage = (element: Element) => element.closest('#root') !== null;
  const hold = (target: EventTarget | null) => {
    if (!(target instanceof HTMLElement) || target === document.body) return;
    held = holdOf(target);
    if (inPage(target)) below = held;
  };
  hold(document.activeElement);
  document.addEventListener('focusin', ({ target }) => hold(target));
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget || !(target instanceof HTMLElement)) return;
    // What is still there and works was left on purpose.
    queueMicrotask(() => {
      if (held?.element === target && works(target) && nothingHasIt()) held = null;
    });
  });
  // Whoever presses beside everything wants no focus.
  document.addEventListener('pointerdown', () => {
    held = null;
  });
  const check = () => {
    if (!held || !nothingHasIt() || document.querySelector('[role="dialog"]')) return;
    // What takes its place takes the focus in a moment: until then no neighbour may, which what is typed would go to.
    if (held.element.matches('[data-hands-over]')) return;
    if (held === below) restore(held);
    else if (!held.element.isConnected) {
      const gone = held;
      setTimeout(() => {
        if (held === gone && below && nothingHasIt()) restore(below);
      }, givenBackMilliseconds);
    }
  };
  new MutationObserver(check).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
}
