/** All accounts of the instance: found, filtered, ordered. */
import { Group, NativeSelect } from '@mantine/core';
import { useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { dayText } from '../../lib/time.ts';
import { kinds, orders, readUserFilter, type UserFilter } from '../../lib/user-filter.ts';
import { userCounts, users as usersOf } from '../../lib/users.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import shared from '../../ui/ui.module.css';
import { AdminFrame } from './AdminFrame.tsx';
import { Marks } from './Marks.tsx';

/** As far as counts are told; what there is more of is told as more. */
const mostCounted = 10_000;
function counted(label: string, count: number | undefined): string {
  if (count === undefined) return label;
  return `${label} (${count > mostCounted ? 'more than 10,000' : count})`;
}

const options = (names: Readonly<Record<string, readonly [string, unknown]>>) =>
  Object.entries(names).map(([value, [label]]) => ({ value, label }));

export default function UsersPage() {
  const filter = readUserFilter(useSearch({ from: '/administration/admin/users' }));
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(usersOf(filter));
  const { data: counts } = useQuery(userCounts());
  const of: Readonly<Record<string, number>> = counts ?? {};
  const navigate = useNavigate();
  const go = (change: Record<keyof UserFilter, unknown> | Partial<Record<keyof UserFilter, unknown>>) =>
    void navigate({ to: '/admin/users', search: readUserFilter({ ...filter, ...change }), replace: true });
  const users = data.pages.flatMap((page) => page.items);
  return (
    <AdminFrame
      title="Users"
      wide
      actions={
        <LinkButton to="/admin/users/new" variant="filled">
          New user
        </LinkButton>
      }
    >
      <FilterBar
        label="Name, username or email address"
        value={filter.search ?? ''}
        change={(search) => go({ search })}
      >
        <Group gap="xs" className={shared.choices}>
          <NativeSelect
            aria-label="Status"
            data={[
              { value: '', label: 'Any status' },
              ...options(kinds).map(({ value, label }) => ({ value, label: counted(label, of[value]) })),
            ]}
            value={filter.filter ?? ''}
            onChange={(event) => go({ filter: event.currentTarget.value })}
          />
          <NativeSelect
            aria-label="Order"
            data={options(orders)}
            value={filter.sort ?? 'created_desc'}
            onChange={(event) => go({ sort: event.currentTarget.value })}
          />
        </Group>
      </FilterBar>
      {users.length === 0 ? (
        <EmptyState title="No users match your filter">Try removing a filter.</EmptyState>
      ) : (
        <DataList label="Users">
          {users.map((user) => (
            <DataRow
              key={user.id}
              title={
                <Link to="/admin/users/$username" params={{ username: user.username }} data-entry>
                  <UserChip user={user} />
                </Link>
              }
              meta={
                <>
                  <span>@{user.username}</span>
                  {user.email ? <span>{user.email}</span> : null}
                  <Marks user={user} />
                </>
              }
              after={
                user.last_activity_on ? (
                  <span>
                    Last active <time dateTime={user.last_activity_on}>{dayText(user.last_activity_on)}</time>
                  </span>
                ) : user.created_at ? (
                  <span>
                    created <TimeAgo at={user.created_at} />
                  </span>
                ) : null
              }
            />
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
    </AdminFrame>
  );
}
