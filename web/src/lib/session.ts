/** Who is signed in, as a query that every page shares. */
import { queryOptions } from '@tanstack/react-query';
import { readSession, type SessionState } from './api.ts';
import { queries } from './queries.ts';

async function pacedSession(): Promise<SessionState> {
  const session = await readSession();
  queries.pace = session.pages.polling_interval_multiplier;
  return session;
}

export const sessionQuery = queryOptions({ queryKey: ['session'], queryFn: pacedSession, staleTime: 60_000 });

/** The session, fetched once. */
export const currentSession = () => queries.ensureQueryData(sessionQuery);

/**
 * Somebody else is signed in, or nobody: what was fetched for the former goes. The session itself is changed in place,
 * because the frame around the pages watches it.
 */
export function switchSession(session: SessionState): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  queries.setQueryData(sessionQuery.queryKey, session);
}
