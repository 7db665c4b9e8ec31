/** The field for a comment where it is opened by hand: it and its editor come with the first one. */
import { type ComponentProps, lazy, Suspense } from 'react';

const Form = lazy(async () => ({ default: (await import('./CommentForm.tsx')).CommentForm }));

export function CommentFormOnDemand(props: ComponentProps<typeof Form>) {
  return (
    <Suspense fallback={null}>
      <Form {...props} />
    </Suspense>
  );
}
