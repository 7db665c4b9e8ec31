/** The package registry of a project: what is published, by name, and how to publish the first one. */
import { Text } from '@mantine/core';
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { packages } from '../../lib/packages.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { Page } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';

import { useProject } from '../projects/useProject.ts';

export default function PackagesPage() {
  const { search = '' } = useSearch({ from: '/p/$path/packages' });
  const navigate = useNavigate({ from: '/p/$path/packages' });
  const { project, path, segment } = useProject();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(packages(path, search));
  const found = data.pages.flatMap(({ items }) => items);
  const address = `${window.location.origin}/api/v4/projects/${project.id}/packages/generic/NAME/1.0.0/FILE`;
  return (
    <Page title={`Package registry · ${project.name_with_namespace}`} heading="Package registry">
      <FilterBar
        label="Filter by name"
        value={search}
        change={(text) => void navigate({ search: { search: text || undefined }, replace: true })}
      />
      {found.length === 0 ? (
        <EmptyState title={search ? 'No packages match your search' : 'No packages yet'}>
          {search ? null : (
            <>
              <Text c="var(--mr-dim)">Publish a file from your computer or a job:</Text>
              <Command text={`curl --header "PRIVATE-TOKEN: TOKEN" --upload-file FILE ${address}`} />
            </>
          )}
        </EmptyState>
      ) : (
        <DataList label="Packages">
          {found.map((one) => (
            <DataRow
              key={one.id}
              title={
                <Link to="/p/$path/packages/$id" params={{ path: segment, id: String(one.id) }} data-entry>
                  {one.name}
                </Link>
              }
              meta={
                <>
                  <span>{one.version}</span>
                  <span>
                    Published <TimeAgo at={one.created_at} />
                  </span>
                  {one.last_downloaded_at ? (
                    <span>
                      Downloaded <TimeAgo at={one.last_downloaded_at} />
                    </span>
                  ) : null}
                </>
              }
            />
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
    </Page>
  );
}
