/** Topics to browse: words that projects are described with, those of most projects first. */
import { Avatar } from '@mantine/core';
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { topics } from '../../lib/topics.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { Page } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { countOf } from './count.ts';

export default function TopicsPage() {
  const { search } = useSearch({ from: '/explore/projects/topics' });
  const navigate = useNavigate();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(topics(search));
  const found = data.pages.flatMap(({ items }) => items);
  return (
    <Page title="Topics">
      <FilterBar
        label="Search topics"
        value={search ?? ''}
        change={(text) =>
          void navigate({ to: '/explore/projects/topics', search: { search: text || undefined }, replace: true })
        }
      />
      {found.length === 0 ? (
        <EmptyState title={search ? 'No topics match' : 'No topics yet'}>
          {search ? 'Try a different search.' : 'Add topics to projects in their settings.'}
        </EmptyState>
      ) : (
        <DataList label="Topics">
          {found.map((topic) => (
            <DataRow
              key={topic.id}
              before={
                <Avatar
                  src={topic.avatar_url}
                  name={topic.title}
                  size={28}
                  radius="sm"
                  alt=""
                  color="race"
                  variant="filled"
                />
              }
              title={
                <Link to="/explore/projects/topics/$name" params={{ name: topic.name }} data-entry>
                  {topic.title}
                </Link>
              }
              meta={topic.description ? <span>{topic.description}</span> : undefined}
              after={countOf(topic.total_projects_count)}
            />
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
    </Page>
  );
}
