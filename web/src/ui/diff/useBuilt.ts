/**
 * Whether a file is built: only near the window. A change of 500 files is a million elements, which make every
 * step of scrolling slow; what is far away has its name, and is as high as it was.
 */
import { type RefObject, startTransition, useCallback, useEffect, useRef, useState } from 'react';

/** How far from the window, and how far before a body goes again: further, so that a step back and forth builds nothing. */
const comes = '800px 0px';
const goes = '2400px 0px';

type Crossed = (isNear: boolean) => void;

/** One observer for all files: a page of hundreds would spend as much on one each as on their names. */
function nearness(rootMargin: string): (section: Element, crossed: Crossed) => () => void {
  const told = new Map<Element, Crossed>();
  let observer: IntersectionObserver | null = null;
  return (section, crossed) => {
    observer ??= new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) told.get(target)?.(isIntersecting);
      },
      { rootMargin },
    );
    told.set(section, crossed);
    observer.observe(section);
    return () => {
      told.delete(section);
      observer?.unobserve(section);
    };
  };
}

const coming = nearness(comes);
const going = nearness(goes);

/** What would be lost, or is looked for: the focus, marked text, threads and forms. */
function isHeld(section: HTMLElement): boolean {
  if (section.contains(document.activeElement) || section.querySelector('form, article') !== null) return true;
  const marked = document.getSelection();
  return marked !== null && !marked.isCollapsed && marked.containsNode(section, true);
}

interface Built {
  readonly section: RefObject<HTMLElement | null>;
  readonly body: RefObject<HTMLDivElement | null>;
  readonly built: boolean;
  build(): void;
  /** Of the body that has gone; null where there was none yet. */
  readonly height: number | null;
}

export function useBuilt(atOnce: boolean): Built {
  const section = useRef<HTMLElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [built, setBuilt] = useState(atOnce);
  const [height, setHeight] = useState<number | null>(null);
  useEffect(() => {
    const shown = section.current;
    if (!shown) return;
    // Built between events rather than in one: a page that is scrolled goes on moving.
    const stopComing = coming(shown, (isNear) => {
      if (isNear) startTransition(() => setBuilt(true));
    });
    const stopGoing = going(shown, (isNear) => {
      if (isNear || isHeld(shown)) return;
      if (body.current) setHeight(body.current.offsetHeight);
      setBuilt(false);
    });
    return () => {
      stopComing();
      stopGoing();
    };
  }, []);
  const build = useCallback(() => setBuilt(true), []);
  return { section, body, built, build, height };
}
