/** A pending comment: what shows it is loaded with the first one. */
import { type ComponentProps, lazy, Suspense } from 'react';

const Pending = lazy(() => import('./PendingComment.tsx'));

export function PendingOnDemand(props: ComponentProps<typeof Pending>) {
  return (
    <Suspense fallback={null}>
      <Pending {...props} />
    </Suspense>
  );
}
