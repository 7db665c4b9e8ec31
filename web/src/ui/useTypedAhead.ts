/** A field that takes what was typed before it was there. */
import { useEffectEvent, useLayoutEffect } from 'react';
import { takeTyped } from '../lib/typed-ahead.ts';

/** For the component that shows a field with the focus: calls `type` once with what was typed on the way to it. */
export function useTypedAhead(type: (text: string) => void): void {
  const given = useEffectEvent(type);
  useLayoutEffect(() => {
    const text = takeTyped();
    if (text !== '') given(text);
  }, []);
}
