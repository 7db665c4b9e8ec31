/** Lines chosen by the address: read, chosen by a click, scrolled to when the page opens. */
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { choose, formatLines, type LineRange, parseLines } from './lines.ts';

interface LineHash {
  readonly range: LineRange | null;
  choose(line: number, extend: boolean): void;
}

export function useLineHash(container: RefObject<HTMLElement | null>, ready: boolean): LineHash {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const range = parseLines(hash);
  const shown = useRef(false);
  const first = range?.from;
  useEffect(() => {
    if (!ready || shown.current || first === undefined) return;
    shown.current = true;
    container.current?.querySelector(`[data-line="${first}"]`)?.scrollIntoView({ block: 'center' });
  }, [container, ready, first]);
  return {
    range,
    choose(line, extend) {
      shown.current = true;
      void navigate({
        to: '.',
        search: true,
        hash: formatLines(choose(range, line, extend)),
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      });
    },
  };
}
