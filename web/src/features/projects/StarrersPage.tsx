/** Who gave a project a star, and when. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { starrerList } from '../../lib/popularity.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { useProject } from './useProject.ts';

export default function StarrersPage() {
  const search = useSearch({ from: '/p/$path/starrers' });
  const navigate = useNavigate({ from: '/p/$path/starrers' });
  const { project, path } = useProject();
  const { data } = useSuspenseQuery(starrerList(path, search));
  return (
    <Page title={`Stars · ${project.name_with_namespace}`} heading="Stars">
      <FilterBar
        label="Filter users"
        value={search.search ?? ''}
        change={(text) => void navigate({ search: text ? { search: text } : {}, replace: true })}
      />
      {data.items.length === 0 ? (
        <EmptyState title={search.search ? 'No users match your filter' : 'No stars yet'}>
          Users star projects that they want to find again.
        </EmptyState>
      ) : (
        <DataList label="People">
          {data.items.map(({ user, starred_since }) => (
            <DataRow
              key={user.id}
              title={
                <Link to="/o/$path" params={{ path: toSegment(user.username) }} data-entry>
                  <UserChip user={user} />
                </Link>
              }
              after={<TimeAgo at={starred_since} />}
            />
          ))}
        </DataList>
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: { ...search, page } })}
      />
    </Page>
  );
}
