/** Lines chosen by the address: read, chosen by a click, scrolled to when something else chose them. */
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { choose, formatLines, type LineRange, parseLines } from './lines.ts';

interface LineHash {
  readonly range: LineRange | null;
  choose(line: number, extend: boolean): void;
}

/** `ready`: whether there are lines; where they are a part of all, the number of the first. */
export function useLineHash(container: RefObject<HTMLElement | null>, ready: boolean | number): LineHash {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const range = parseLines(hash);
  /** The last choice that needs no scrolling: it was made here, or has been scrolled to. */
  const seen = useRef('');
  const first = range?.from;
  useEffect(() => {
    if (ready === false || first === undefined || seen.current === hash) return;
    const line = container.current?.querySelector(`[data-line="${first}"]`);
    if (!line) return;
    seen.current = hash;
    line.scrollIntoView({ block: 'center' });
  }, [container, ready, first, hash]);
  return {
    range,
    choose(line, extend) {
      const next = formatLines(choose(range, line, extend));
      seen.current = next;
      void navigate({
        to: '.',
        search: true,
        hash: next,
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      });
    },
  };
}
