/** Addresses of feeds. Feed readers cannot sign in: the address has a token that opens feeds and nothing else. */
import { feedToken, makeFeedToken } from './accounts.ts';
import { ApiError } from './api.ts';
import { queries } from './queries.ts';

export interface FeedOf {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

export function feedAddress({ path, query = {} }: FeedOf, feed_token: string | null): string {
  const given = Object.entries({ ...query, feed_token: feed_token ?? undefined });
  const search = new URLSearchParams(given.filter((each): each is [string, string] => Boolean(each[1]))).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** Opens a feed. The token is created if there is none; where the instance has switched tokens off, the session opens it. */
export async function openFeed(feed: FeedOf): Promise<void> {
  let token: string | null;
  try {
    token = (await queries.fetchQuery(feedToken())).feed_token;
    if (token === null) {
      const made = await makeFeedToken();
      queries.setQueryData(feedToken().queryKey, made);
      token = made.feed_token;
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    token = null;
  }
  window.location.assign(feedAddress(feed, token));
}
