/** The field for a comment: it and its editor are loaded when the first one is shown, after what people came to read. */
import { type ComponentProps, lazy, Suspense } from 'react';
import classes from './comments.module.css';

const Form = lazy(async () => ({ default: (await import('./CommentForm.tsx')).CommentForm }));

export function CommentFormOnDemand(props: ComponentProps<typeof Form>) {
  return (
    <Suspense fallback={<div className={classes.awaited} />}>
      <Form {...props} />
    </Suspense>
  );
}
