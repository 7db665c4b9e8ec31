/** The list of pages beside a page; a line above it where there is no room, which shows the current one. */
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './side-list.module.css';

/**
 * Keeps the link of the page that is shown in sight where the links are a line that scrolls, and marks the ends beyond which
 * there is more of it.
 */
export function useCurrentInSight<T extends HTMLElement>() {
  const list = useRef<T>(null);
  const place = useLocation({ select: ({ href }) => href });
  useEffect(() => {
    const line = list.current;
    if (!line || !place) return;
    let shown = '';
    const show = () => {
      const { clientWidth: width, scrollWidth: whole } = line;
      const current = line.querySelector<HTMLElement>('[aria-current="page"]');
      if (current) {
        const { offsetLeft: left, offsetWidth: own } = current;
        const at = `${left} ${own} ${width}`;
        // Where nothing has moved it stays where somebody has scrolled it.
        if (at !== shown && whole > width) line.scrollLeft = left - (width - own) / 2;
        shown = at;
      }
      line.toggleAttribute('data-before', line.scrollLeft > 1);
      line.toggleAttribute('data-after', line.scrollLeft + width < whole - 1);
    };
    show();
    line.onscroll = show;
    const sizes = new ResizeObserver(show);
    sizes.observe(line);
    // Counts, and links that are for some, come later.
    const changes = new MutationObserver(show);
    changes.observe(line, { childList: true, characterData: true, subtree: true, attributeFilter: ['aria-current'] });
    return () => {
      sizes.disconnect();
      changes.disconnect();
    };
  }, [place]);
  return list;
}

export function SideList({ label, children }: { label: string; children: ReactNode }) {
  const list = useCurrentInSight<HTMLElement>();
  return (
    <nav aria-label={label} className={classes.list} ref={list}>
      {children}
    </nav>
  );
}
