/** One's own account, and that what other parts of the page know of it is fetched again after a change. */
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import * as accounts from '../../lib/accounts.ts';
import { sessionQuery } from '../../lib/session.ts';

export function useOwnAccount() {
  const { data: account } = useSuspenseQuery(accounts.self());
  const cache = useQueryClient();
  const again = async () => {
    await Promise.all([
      cache.invalidateQueries({ queryKey: ['user'] }),
      cache.invalidateQueries({ queryKey: ['users'] }),
      cache.invalidateQueries(sessionQuery),
    ]);
  };
  return { account, again };
}
