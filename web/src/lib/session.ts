/** Who is signed in, as a query that every page shares. */
import { queryOptions } from '@tanstack/react-query';
import { readSession } from './api.ts';
import { queries } from './queries.ts';

export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: readSession, staleTime: 60_000 });

/** The session, fetched once. */
export const currentSession = () => queries.ensureQueryData(sessionQuery);
