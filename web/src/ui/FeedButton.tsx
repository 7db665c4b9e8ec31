/** The Atom feed of what a page lists: for browsers and feed readers to find, and a button that opens it. */
import { ActionIcon } from '@mantine/core';
import { IconRss } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { FeedOf } from '../lib/feeds.ts';

export function FeedButton({ feed }: { readonly feed: FeedOf }) {
  const opening = useMutation({ mutationFn: async () => (await import('../lib/feeds.ts')).openFeed(feed) });
  const address = feed.query?.format === 'atom' ? `${feed.path}?format=atom` : feed.path;
  return (
    <>
      {/* React moves it into the head of the document. */}
      <link rel="alternate" type="application/atom+xml" title="Atom feed" href={address} />
      <ActionIcon
        variant="subtle"
        color="gray"
        size={30}
        aria-label="Subscribe to feed"
        title="Subscribe to feed"
        loading={opening.isPending}
        onClick={() => opening.mutate()}
      >
        <IconRss size={16} aria-hidden />
      </ActionIcon>
    </>
  );
}
