/** Where the focus goes when a form that replaced or followed a button is closed by a button of its own, which has gone with it. */
import { type RefObject, useEffect, useRef } from 'react';

export function useReturnedFocus(open: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef(open);
  useEffect(() => {
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (before.current && !open && lost) button.current?.focus();
    before.current = open;
  }, [open]);
  return button;
}
