/**
 * Where the data on the page stands in the server's sequence of changes. A cursor that was known before a read began names
 * everything that the read may have missed, so a stream that starts there needs nothing to be read again.
 */
import type { QueryCache, QueryClient, QueryKey } from '@tanstack/react-query';

/** A cursor, with the order in which cursors became known here: the server's own order is its secret. */
export interface Cursor {
  readonly text: string;
  readonly order: number;
}

/** Null: unknown, so that what was read may have missed anything. */
export type Since = Cursor | null;

let latest: Since = null;

export const latestCursor = (): Since => latest;

/** A cursor arrived with an answer or on the stream. */
export function noteCursor(text: string | null): Since {
  if (text && text !== latest?.text) latest = { text, order: (latest?.order ?? 0) + 1 };
  return latest;
}

export const older = (a: Since, b: Since): Since => (a === null || b === null ? null : a.order <= b.order ? a : b);

type Query = ReturnType<QueryCache['getAll']>[number];

/** The cursor from before the read whose result a query has, and that of the read that is on its way. */
const finished = new WeakMap<Query, Since>();
const begun = new WeakMap<Query, Since>();

/** Keeps the cursor of every read of the cache. */
export function followReads(cache: QueryCache): void {
  cache.subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    if (action.type === 'fetch') begun.set(query, latest);
    if ((action.type === 'success' && !action.manual) || action.type === 'error')
      finished.set(query, begun.get(query) ?? null);
  });
}

/** What is in the cache for longer is read again before it is shown. */
const freshMilliseconds = 5_000;

/** The cursor from before everything under the keys that the page shows, or may show without reading it again. */
export function cursorOf(client: QueryClient, keys: readonly QueryKey[]): Since {
  let since = latest;
  for (const queryKey of keys)
    for (const query of client.getQueryCache().findAll({ queryKey })) {
      const { state } = query;
      if (state.dataUpdateCount + state.errorUpdateCount > 0) {
        if (query.isActive() || !query.isStaleByTime(freshMilliseconds))
          since = older(since, finished.get(query) ?? null);
      } else if (state.fetchStatus !== 'idle') since = older(since, begun.get(query) ?? null);
    }
  return since;
}
