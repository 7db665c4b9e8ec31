/** Parts of a page that appear together: nothing moves under the pointer when a list above a form arrives. */
import { type Query, useIsFetching, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import classes from './ui.module.css';

/** An answer that takes longer is not worth an empty page: what is there is shown. */
const patienceMilliseconds = 2_000;

const first = { predicate: ({ state }: Query) => state.status === 'pending' };

/**
 * Keeps its children out of sight, in their place, until every question that they asked first has its answer or its
 * error. Later questions (a filter, the next page, a refresh) hide nothing.
 */
export function Settled({ children }: { children: ReactNode }) {
  const cache = useQueryClient();
  const [shown, setShown] = useState(false);
  const waiting = useIsFetching(first);
  // Effects of the children run before this one: their questions are counted already.
  useEffect(() => {
    if (waiting === 0 && cache.isFetching(first) === 0) setShown(true);
  }, [cache, waiting]);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), patienceMilliseconds);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={classes.settled} data-shown={shown || undefined} aria-busy={!shown || undefined}>
      {children}
    </div>
  );
}
