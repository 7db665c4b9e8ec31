/** A wiki without pages: how the first one is made. */
import { Text, Title } from '@mantine/core';
import type { WikiPageListed } from '../../lib/wikis.ts';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import type { WikiInView } from './useWiki.ts';
import { WikiFrame } from './WikiFrame.tsx';
import { WikiButton } from './WikiLink.tsx';

export function EmptyWiki({ of, pages }: { of: WikiInView; pages: readonly WikiPageListed[] }) {
  const folder = `${of.path.split('/').at(-1)}.wiki`;
  return (
    <WikiFrame of={of} pages={pages} slug={null} title="Wiki" adds={false}>
      <EmptyState title="This wiki has no pages yet">
        {of.writes ? (
          <>
            <Text c="var(--mr-dim)" mb="md">
              Document your project in Markdown: write the first page here, or push it.
            </Text>
            <WikiButton of={of} search={{ view: 'new', title: 'home' }} filled>
              Write the first page
            </WikiButton>
            <Title order={3} size="md" mt="lg">
              Or with git
            </Title>
            <Command
              text={`git clone ${of.addresses.http}\ncd ${folder}\necho '# Welcome' > home.md\ngit add home.md\ngit commit -m 'Add home'\ngit push origin HEAD:main`}
            />
          </>
        ) : (
          <Text c="var(--mr-dim)">Members with write access can create the first page.</Text>
        )}
      </EmptyState>
    </WikiFrame>
  );
}
