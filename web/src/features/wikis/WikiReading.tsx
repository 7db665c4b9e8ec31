/** One page of a wiki, as it is now or was in an older version; also what its form begins with. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WikiPage, WikiPageListed } from '../../lib/wikis.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { titleOf } from './pages.ts';
import type { WikiInView } from './useWiki.ts';
import { WikiForm } from './WikiForm.tsx';
import { WikiFrame } from './WikiFrame.tsx';
import { useWikiNavigate, WikiButton, WikiLink } from './WikiLink.tsx';
import classes from './wikis.module.css';

interface Props {
  readonly of: WikiInView;
  readonly pages: readonly WikiPageListed[];
  readonly slug: string;
  /** A commit; the newest version where none is told. */
  readonly version?: string | undefined;
  readonly edit?: boolean;
}

function Remove({ of, page }: { of: WikiInView; page: WikiPage }) {
  const [asking, setAsking] = useState(false);
  const cache = useQueryClient();
  const go = useWikiNavigate();
  const removing = useMutation({
    mutationFn: () => of.wiki.remove(page.slug),
    onSuccess: async () => {
      await cache.fetchQuery({ ...of.wiki.pages(), staleTime: 0 });
      await go({ of });
      cache.removeQueries({ queryKey: [...of.wiki.key, 'page', page.slug] });
    },
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmName
        opened={asking}
        title="Delete page"
        text="The page will be deleted. Its versions are kept in the history of the wiki."
        name={page.slug}
        action="Delete page"
        pending={removing.isPending}
        error={removing.error}
        close={() => setAsking(false)}
        confirm={() => removing.mutate()}
      />
    </>
  );
}

function Missing({ of, pages, slug, version }: Props) {
  return (
    <WikiFrame of={of} pages={pages} slug={null} title={titleOf(slug)}>
      <EmptyState
        title={version === undefined ? 'This page does not exist yet' : 'This page did not exist at this version'}
      >
        {of.writes && version === undefined ? (
          <WikiButton of={of} search={{ view: 'new', title: titleOf(slug) }} filled>
            Create page
          </WikiButton>
        ) : (
          <WikiLink of={of}>Go to the wiki home page</WikiLink>
        )}
      </EmptyState>
    </WikiFrame>
  );
}

export function WikiReading({ of, pages, slug, version, edit = false }: Props) {
  const editing = edit && of.writes;
  const { data: page } = useSuspenseQuery(of.wiki.page(slug, version, editing ? 'source' : 'html'));
  if (!page) return <Missing of={of} pages={pages} slug={slug} version={version} />;
  if (editing) return <WikiForm of={of} pages={pages} page={page} title={titleOf(page.slug)} />;
  return (
    <WikiFrame
      of={of}
      pages={pages}
      slug={page.slug}
      title={page.title}
      actions={
        <>
          {of.writes && version === undefined ? (
            <WikiButton of={of} slug={page.slug} search={{ view: 'edit' }}>
              Edit
            </WikiButton>
          ) : null}
          <WikiButton of={of} slug={page.slug} search={{ view: 'history' }}>
            History
          </WikiButton>
          {of.removes && version === undefined ? <Remove of={of} page={page} /> : null}
        </>
      }
    >
      {version === undefined ? null : (
        <p className={classes.note}>
          An older version, <code>{version.slice(0, 8)}</code>.{' '}
          <WikiLink of={of} slug={page.slug}>
            Show latest version
          </WikiLink>
        </p>
      )}
      <MarkdownBody html={page.content} of={of} />
    </WikiFrame>
  );
}
