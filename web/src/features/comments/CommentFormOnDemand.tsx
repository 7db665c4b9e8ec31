/** The field for a comment: it and its editor are loaded when the first one is shown, after what people came to read. */
import { type ComponentProps, lazy, Suspense, useEffect, useRef, useState } from 'react';
import classes from './comments.module.css';

const Form = lazy(async () => ({ default: (await import('./CommentForm.tsx')).CommentForm }));

export function CommentFormOnDemand(props: ComponentProps<typeof Form>) {
  return (
    <Suspense fallback={<div className={classes.awaited} />}>
      <Form {...props} />
    </Suspense>
  );
}

/** After that it is loaded out of view as well: for the keyboard, and to be there when people have read so far. */
const laterMilliseconds = 1500;

/** The field at the end of a page, which most people see later than what they came to read. */
export function CommentFormInView(props: ComponentProps<typeof Form>) {
  const place = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState(false);
  useEffect(() => {
    const want = () => setWanted(true);
    const seen = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) want();
    });
    if (place.current) seen.observe(place.current);
    const timer = setTimeout(want, laterMilliseconds);
    return () => {
      seen.disconnect();
      clearTimeout(timer);
    };
  }, []);
  return wanted ? <CommentFormOnDemand {...props} /> : <div ref={place} className={classes.awaited} />;
}
