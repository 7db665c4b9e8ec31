/** The cache of answers, shared by loaders and pages. */
import {
  type DefaultError,
  type DefaultedQueryObserverOptions,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
  type QueryObserverOptions,
} from '@tanstack/react-query';
import { ApiError } from './api.ts';
import { followReads } from './cursors.ts';

/**
 * A first read that began before a change may answer without it. The library goes on with such a read instead of beginning
 * another one, and takes its answer for the state after the change: here it is asked once more when it has ended.
 */
export class AnswerCache extends QueryClient {
  /** How much longer than they say queries wait before they ask again; 0 for ever. */
  pace = 1;

  override defaultQueryOptions<
    Answer = unknown,
    Failure = DefaultError,
    Shown = Answer,
    Stored = Answer,
    Key extends QueryKey = QueryKey,
    Param = never,
  >(
    options:
      | QueryObserverOptions<Answer, Failure, Shown, Stored, Key, Param>
      | DefaultedQueryObserverOptions<Answer, Failure, Shown, Stored, Key>,
  ): DefaultedQueryObserverOptions<Answer, Failure, Shown, Stored, Key> {
    const defaulted = super.defaultQueryOptions(options);
    const { refetchInterval: own } = defaulted;
    if (options._defaulted || own === undefined || own === false) return defaulted;
    return {
      ...defaulted,
      refetchInterval: (query) => {
        const interval = typeof own === 'function' ? own(query) : own;
        if (typeof interval !== 'number') return interval;
        return this.pace === 0 ? false : interval * this.pace;
      },
    };
  }

  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const begun = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: 'fetching' } as InvalidateQueryFilters)
      .filter(({ state }) => state.data === undefined);
    await super.invalidateQueries(filters, options);
    if (begun.length === 0) return;
    await Promise.allSettled(begun.map(({ promise }) => promise));
    await super.invalidateQueries(
      { ...filters, predicate: (query) => begun.includes(query) } as InvalidateQueryFilters,
      options,
    );
  }
}

export const queries = new AnswerCache({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // What the server refused it refuses again; only a lost connection or an overload is worth another try.
      retry: (count, error) => count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
    },
  },
});

followReads(queries.getQueryCache());
