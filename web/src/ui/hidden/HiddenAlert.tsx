/** Says above some code that there are characters in it that nobody sees. Most code has none: what says so is loaded then. */
import { lazy, Suspense } from 'react';
import type { HiddenProps } from './HiddenNote.tsx';

const HiddenNote = lazy(() => import('./HiddenNote.tsx'));

export function HiddenAlert(props: HiddenProps) {
  return props.places === 0 ? null : (
    <Suspense fallback={null}>
      <HiddenNote {...props} />
    </Suspense>
  );
}
