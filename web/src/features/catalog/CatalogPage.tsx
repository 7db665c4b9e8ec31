/** The catalog of CI/CD components: projects to search, each with its latest version. */
import { Avatar, NativeSelect } from '@mantine/core';
import { IconStar } from '@tabler/icons-react';
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type CatalogSort, catalogItems, catalogParams } from '../../lib/catalog.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { Page } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { Visibility } from '../projects/Visibility.tsx';
import classes from './catalog.module.css';

const sorts: ReadonlyArray<{ readonly value: CatalogSort; readonly label: string }> = [
  { value: 'stars', label: 'Most stars' },
  { value: 'released_at', label: 'Last released' },
  { value: 'name', label: 'Name' },
  { value: 'created_at', label: 'Newest' },
];

export default function CatalogPage() {
  const { search, sort } = useSearch({ from: '/explore/catalog' });
  const navigate = useNavigate();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(
    catalogItems(search, sort ?? 'stars'),
  );
  const found = data.pages.flatMap(({ items }) => items);
  const go = (more: { search?: string | undefined; sort?: CatalogSort | undefined }) =>
    void navigate({ to: '/explore/catalog', search: { search, sort, ...more }, replace: true });
  return (
    <Page title="CI/CD catalog">
      <FilterBar
        label="Search projects and components"
        value={search ?? ''}
        change={(text) => go({ search: text || undefined })}
      >
        <NativeSelect
          aria-label="Sort by"
          value={sort ?? 'stars'}
          onChange={(event) => {
            const chosen = sorts.find(({ value }) => value === event.currentTarget.value)?.value;
            go({ sort: chosen === 'stars' ? undefined : chosen });
          }}
          data={[...sorts]}
        />
      </FilterBar>
      {found.length === 0 ? (
        <EmptyState title={search ? 'No projects match your search.' : 'No components yet'}>
          {search
            ? 'Try a part of the name of a project or component.'
            : 'Add a project to the catalog in its settings (Pipelines), then release a semantic version.'}
        </EmptyState>
      ) : (
        <DataList label="CI/CD catalog">
          {found.map((item) => (
            <DataRow
              key={item.id}
              before={
                <Avatar
                  src={item.avatar_url}
                  name={item.name}
                  size={28}
                  radius="sm"
                  alt=""
                  color="race"
                  variant="light"
                />
              }
              title={
                <Link to="/explore/catalog/$group/$" params={catalogParams(item.full_path)} data-entry>
                  {item.full_path}
                </Link>
              }
              meta={
                <>
                  <Visibility level={item.visibility} />
                  <span className={classes.about}>{item.components.join(', ')}</span>
                  {item.description ? <span className={classes.about}>{item.description}</span> : null}
                </>
              }
              after={
                <>
                  {item.star_count > 0 ? (
                    <span title="Stars">
                      <IconStar size={12} aria-label="Stars" /> {item.star_count}
                    </span>
                  ) : null}
                  <span>{item.latest_version}</span>
                  <TimeAgo at={item.latest_released_at} />
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
