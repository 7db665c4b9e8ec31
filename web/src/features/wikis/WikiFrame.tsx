/** What all views of a wiki have: its pages at the side, and what can be done with it. */
import { Button } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { CSSProperties, ReactNode } from 'react';
import type { WikiPageListed } from '../../lib/wikis.ts';
import { MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';
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

const cloneCommands = onDemand(() => import('./CloneCommands.tsx'));

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
          <MenuOnDemand
            of={cloneCommands}
            props={{ of }}
            target={
              <Button
                size="xs"
                variant="default"
                aria-haspopup="dialog"
                rightSection={<IconChevronDown size={14} aria-hidden />}
              >
                Clone wiki
              </Button>
            }
          />
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
