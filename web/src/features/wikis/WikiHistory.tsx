/** The versions of a page, the newest first, each a way to its text. */
import { useSuspenseQuery } from '@tanstack/react-query';
import type { WikiPageListed } from '../../lib/wikis.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import type { WikiInView } from './useWiki.ts';
import { WikiFrame } from './WikiFrame.tsx';
import { useWikiNavigate, WikiButton, WikiLink } from './WikiLink.tsx';

interface Props {
  readonly of: WikiInView;
  readonly pages: readonly WikiPageListed[];
  readonly slug: string;
  readonly number: number;
}

export function WikiHistory({ of, pages, slug, number }: Props) {
  const { data: versions } = useSuspenseQuery(of.wiki.versions(slug, number));
  const go = useWikiNavigate();
  const title = pages.find((page) => page.slug === slug)?.title ?? slug;
  return (
    <WikiFrame
      of={of}
      pages={pages}
      slug={slug}
      title={`History of ${title}`}
      actions={
        <WikiButton of={of} slug={slug}>
          Back to the page
        </WikiButton>
      }
    >
      <DataList label="Versions">
        {versions.items.map((version) => (
          <DataRow
            key={version.id}
            title={
              <WikiLink of={of} slug={slug} search={{ version_id: version.id }}>
                {version.title}
              </WikiLink>
            }
            meta={<span>{version.author_name}</span>}
            after={
              <>
                <code>{version.short_id}</code>
                <TimeAgo at={version.authored_date} />
              </>
            }
          />
        ))}
      </DataList>
      <Pager
        page={number}
        nextPage={versions.nextPage}
        go={(page) => void go({ of, slug, search: { view: 'history', page } })}
      />
    </WikiFrame>
  );
}
