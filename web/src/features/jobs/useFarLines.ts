/** Lines that are chosen in a part of the log that is not shown: that part is read, then scrolled to. */
import { type RefObject, useEffect, useRef } from 'react';
import type { LineRange } from '../../ui/code/lines.ts';
import type { Trace } from './trace.ts';

export function useFarLines(
  container: RefObject<HTMLElement | null>,
  trace: Pick<Trace, 'firstLine' | 'atStart' | 'atEnd' | 'show'>,
  count: number,
  range: LineRange | null,
) {
  const { firstLine, atStart, atEnd, show } = trace;
  const wanted = useRef<number | null>(null);
  /** One that the log does not have is asked for once. */
  const asked = useRef<number | null>(null);
  const from = range?.from;
  const far =
    from !== undefined && ((from < firstLine && !atStart) || (from >= firstLine + count && !atEnd)) ? from : null;
  const showing = useRef(show);
  showing.current = show;
  useEffect(() => {
    if (far === null || asked.current === far) return;
    asked.current = far;
    showing.current(far);
  }, [far]);
  const scroll = () => {
    const line = wanted.current === null ? null : container.current?.querySelector(`[data-line="${wanted.current}"]`);
    if (!line) return;
    wanted.current = null;
    line.scrollIntoView({ block: 'center' });
  };
  useEffect(() => {
    if (firstLine > 0) requestAnimationFrame(scroll);
  });
  return {
    goTo(line: number) {
      wanted.current = line;
      asked.current = null;
      requestAnimationFrame(scroll);
    },
  };
}
