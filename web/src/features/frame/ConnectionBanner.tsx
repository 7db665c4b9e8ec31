/** A quiet line while live updates are lost, and a short one when they are back. */
import { useSyncExternalStore } from 'react';
import { connectionState, subscribeConnection } from '../../lib/live.ts';
import classes from './ConnectionBanner.module.css';

export function ConnectionBanner() {
  const state = useSyncExternalStore(subscribeConnection, connectionState);
  if (state === 'live') return null;
  return (
    <output className={classes.banner} data-state={state}>
      {state === 'lost' ? 'Connection lost. This page may be out of date. Reconnecting…' : 'Reconnected.'}
    </output>
  );
}
