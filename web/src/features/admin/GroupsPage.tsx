/** All groups of the instance. */
import { Avatar } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { everyGroup } from '../../lib/overview.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { Visibility } from '../projects/Visibility.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function GroupsPage() {
  const search = useSearch({ from: '/administration/admin/groups' });
  const navigate = useNavigate({ from: '/admin/groups' });
  const { data } = useSuspenseQuery(everyGroup(search));
  return (
    <AdminFrame title="Groups" wide>
      <FilterBar
        label="Filter by name or path"
        value={search.search ?? ''}
        change={(text) => void navigate({ search: { search: text || undefined }, replace: true })}
      />
      {data.items.length === 0 ? (
        <EmptyState title={search.search ? 'No groups match your filter' : 'No groups yet'} />
      ) : (
        <DataList label="Groups">
          {data.items.map((group) => (
            <DataRow
              key={group.id}
              before={
                <Avatar
                  src={group.avatar_url}
                  name={group.name}
                  size={28}
                  radius="sm"
                  alt=""
                  color="race"
                  variant="filled"
                />
              }
              title={
                <Link to="/g/$path" params={{ path: toSegment(group.full_path) }} data-entry>
                  {group.full_name}
                </Link>
              }
              meta={
                <>
                  <Visibility level={group.visibility} />
                  {group.marked_for_deletion_on ? <span>Scheduled for deletion</span> : null}
                </>
              }
              after={<TimeAgo at={group.created_at} />}
            />
          ))}
        </DataList>
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
      />
    </AdminFrame>
  );
}
