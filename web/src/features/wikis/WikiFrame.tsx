/** What all views of a wiki have: its pages at the side, and what can be done with it. */
import { Button, Popover, Stack, TextInput } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type CSSProperties, type ReactNode, useState } from 'react';
import { gitAddresses } from '../../lib/instance.ts';
import type { WikiPageListed } from '../../lib/wikis.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Page } from '../../ui/Page.tsx';
import { SideList } from '../../ui/SideList.tsx';
import { outline } from './pages.ts';
import type { WikiInView } from './useWiki.ts';
import { WikiButton, WikiLink } from './WikiLink.tsx';
import classes from './wikis.module.css';

function Side({ of, pages, slug }: { of: WikiInView; pages: readonly WikiPageListed[]; slug: string | null }) {
  return (
    <div className={classes.pages}>
      <SideList label="Pages">
        {outline(pages).map((entry) =>
          entry.kind === 'folder' ? (
            <span key={`${entry.path}/`} className={classes.folder} style={{ marginLeft: entry.depth * 12 }}>
              {entry.name}
            </span>
          ) : (
            <WikiLink key={entry.page.slug} of={of} slug={entry.page.slug} current={entry.page.slug === slug}>
              <span className={classes.entry} style={{ '--depth': entry.depth } as CSSProperties}>
                {entry.page.title}
              </span>
            </WikiLink>
          ),
        )}
      </SideList>
    </div>
  );
}

function CloneWiki({ of }: { of: WikiInView }) {
  const [wanted, setWanted] = useState(false);
  // Asked for before the click, so that the menu opens with what it shows.
  const want = () => setWanted(true);
  const { data: usable } = useQuery({ ...gitAddresses(of.path), enabled: wanted && of.kind === 'project' });
  const commands = [
    ['HTTP', usable && !usable.http ? null : of.addresses.http],
    ['SSH', usable?.ssh ? of.addresses.ssh : null],
  ] as const;
  return (
    <Popover position="bottom-end" width={360} withArrow={false} onOpen={want}>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          onMouseEnter={want}
          onFocus={want}
        >
          Clone wiki
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          {commands.map(([label, address]) =>
            address === null ? null : (
              <TextInput
                key={label}
                label={`With ${label}`}
                readOnly
                value={`git clone ${address}`}
                onFocus={(event) => event.currentTarget.select()}
                rightSection={<CopyButton value={`git clone ${address}`} label={`Copy the command with ${label}`} />}
              />
            ),
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

export function WikiFrame(props: {
  of: WikiInView;
  pages: readonly WikiPageListed[];
  slug: string | null;
  title: string;
  /** Offers another new page. */
  adds?: boolean;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { of, pages, slug, title, adds = true, actions, children } = props;
  return (
    <Page
      title={`${title} · Wiki · ${of.name}`}
      heading={title}
      actions={
        <>
          {actions}
          {of.writes && adds ? (
            <WikiButton of={of} search={{ view: 'new' }}>
              New page
            </WikiButton>
          ) : null}
          <CloneWiki of={of} />
        </>
      }
    >
      {pages.length === 0 ? (
        children
      ) : (
        <div className={classes.layout}>
          <Side of={of} pages={pages} slug={slug} />
          <div>{children}</div>
        </div>
      )}
    </Page>
  );
}
