/** The cache of answers, shared by loaders and pages. */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';
import { followReads } from './cursors.ts';

export const queries = new QueryClient({
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
