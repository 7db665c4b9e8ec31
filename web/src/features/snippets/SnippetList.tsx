/** A list of snippets, newest first. */
import { SegmentedControl } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { Visibility } from '../projects/Visibility.tsx';
import { type SnippetPlace, snippetLink, useSnippets } from './useSnippets.ts';

interface Props {
  readonly place: SnippetPlace;
  readonly page: number;
  readonly everybody: boolean;
}

export function SnippetList({ place, page, everybody }: Props) {
  const { list } = useSnippets(place);
  const { data } = useSuspenseQuery(list(page, everybody));
  const navigate = useNavigate();
  const here = snippetLink(place.project, '');
  const show = (search: { page?: number; scope?: string }) => void navigate({ ...here, search });
  return (
    <Page
      title={place.project === null ? 'Snippets' : `Snippets · ${place.name}`}
      heading="Snippets"
      actions={
        place.creates ? (
          <LinkButton {...snippetLink(place.project, 'new')} variant="filled">
            New snippet
          </LinkButton>
        ) : null
      }
    >
      {place.project === null ? (
        <SegmentedControl
          size="xs"
          mb="sm"
          aria-label="Show"
          data={[
            { value: 'own', label: 'Yours' },
            { value: 'public', label: 'Public' },
          ]}
          value={everybody ? 'public' : 'own'}
          onChange={(value) => show(value === 'public' ? { scope: 'public' } : {})}
        />
      ) : null}
      {data.items.length === 0 ? (
        <EmptyState title="No snippets yet">Use snippets to store and share text or code, with its history.</EmptyState>
      ) : (
        <DataList label="Snippets">
          {data.items.map((each) => (
            <DataRow
              key={each.id}
              title={
                <Link {...snippetLink(everybody ? null : place.project, String(each.id))} data-entry>
                  {each.title}
                </Link>
              }
              meta={
                <>
                  <span>
                    ${each.id} by {each.author.name}
                  </span>
                  <Visibility level={each.visibility} />
                  <span>{each.files.length === 1 ? each.files[0]?.path : `${each.files.length} files`}</span>
                </>
              }
              after={<TimeAgo at={each.updated_at} />}
            />
          ))}
        </DataList>
      )}
      <Pager
        page={page}
        nextPage={data.nextPage}
        go={(number) => show({ page: number, ...(everybody ? { scope: 'public' } : {}) })}
      />
    </Page>
  );
}
