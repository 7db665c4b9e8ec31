/**
 * The lines of a file that is not built, for the browser's own search: they are neither drawn nor laid out, and the file is
 * built when something is found in them. Browsers that do not know this find only what is built.
 */
import { useCallback, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

interface FarLinesProps {
  readonly diff: string;
  /** Of the room that the lines will need. */
  readonly height: number;
  /** Shows the lines themselves. */
  show(): void;
}

/** As they will be shown: without what tells added from removed ones, which stands beside them then. */
const shownText = (diff: string): string => diff.replace(/^[ +-]/gm, '');

export function FarLines({ diff, height, show }: FarLinesProps) {
  const place = useRef<HTMLDivElement>(null);
  // At once: the search goes on in what it finds in the place of this text when the event is over.
  const reveal = useEffectEvent(() => flushSync(show));
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    element.setAttribute('hidden', 'until-found');
    const matched = () => reveal();
    element.addEventListener('beforematch', matched);
    return () => element.removeEventListener('beforematch', matched);
  }, []);
  return (
    <div ref={place} hidden style={{ height, whiteSpace: 'pre', overflow: 'hidden' }}>
      {shownText(diff)}
    </div>
  );
}

/** Whether a file was built because something was found in it, until the person returns from the search to the page. */
export function useFound(): { readonly plain: boolean; found(): void } {
  const [plain, setPlain] = useState(false);
  const found = useCallback(() => {
    if (document.hasFocus()) return;
    setPlain(true);
    window.addEventListener('focus', () => setPlain(false), { once: true });
  }, []);
  return { plain, found };
}
