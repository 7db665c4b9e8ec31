/** An entry of a menu that opens a feed: a link once the feed token is known, so that its address can be copied. */
import { Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { feedToken } from '../../lib/accounts.ts';
import { type FeedOf, feedAddress, openFeed } from '../../lib/feeds.ts';

export function FeedItem({ path, query, children }: FeedOf & { readonly children: ReactNode }) {
  const feed = { path, ...(query ? { query } : {}) };
  const { data } = useQuery({ ...feedToken(), retry: false });
  const opening = useMutation({ mutationFn: () => openFeed(feed) });
  return data?.feed_token ? (
    <Menu.Item component="a" href={feedAddress(feed, data.feed_token)}>
      {children}
    </Menu.Item>
  ) : (
    <Menu.Item onClick={() => opening.mutate()}>{children}</Menu.Item>
  );
}
