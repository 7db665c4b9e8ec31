/** Who takes a seat of a top-level group, where they got it, and taking it away. */
import { ActionIcon, NativeSelect, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconUserMinus } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { type BillableMember, type SeatOrder, seatMemberships, seatOrders, seats } from '../../lib/seats.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import groups from '../groups/groups.module.css';

const ways: Readonly<Record<BillableMember['membership_type'], string>> = {
  group_member: 'member of a group',
  project_member: 'member of a project',
  group_invite: 'by an invited group',
  project_invite: 'by a group invited to a project',
};

function Memberships({ path, user }: { path: string; user: BillableMember }) {
  const { data, error } = useQuery(seatMemberships(path, user.id));
  if (error) return <FormError error={error} />;
  if (!data) return null;
  const all = [
    ...data.direct.map((membership) => ({ ...membership, invited: false })),
    ...data.indirect.map((membership) => ({ ...membership, invited: true })),
  ];
  return (
    <DataList label={`Memberships of ${user.name}`}>
      {all.map(({ id, source_full_name, source_members_url, access_level, created_at, expires_at, invited }) => (
        <DataRow
          key={`${invited} ${id}`}
          title={<a href={source_members_url}>{source_full_name}</a>}
          meta={
            <>
              <span>{access_level.string_value}</span>
              {invited ? <span>by an invited group</span> : null}
              <span>
                joined <TimeAgo at={created_at} />
              </span>
              {expires_at ? <span>until {expires_at}</span> : null}
            </>
          }
        />
      ))}
    </DataList>
  );
}

function Seat({ path, user, remove }: { path: string; user: BillableMember; remove: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <DataRow
        before={
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-expanded={open}
            aria-label={`Memberships of ${user.name}`}
            onClick={() => setOpen(!open)}
          >
            {open ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
          </ActionIcon>
        }
        title={<UserChip user={user} />}
        meta={
          <>
            <span>@{user.username}</span>
            {user.email ? <span>{user.email}</span> : null}
            <span>{ways[user.membership_type]}</span>
            <span>
              joined <TimeAgo at={user.created_at} />
            </span>
            {user.last_login_at ? (
              <span>
                signed in <TimeAgo at={user.last_login_at} />
              </span>
            ) : (
              <span>never signed in</span>
            )}
            {user.last_activity_on ? <span>active {user.last_activity_on}</span> : null}
          </>
        }
        after={
          user.removable ? (
            <ActionIcon variant="subtle" color="gray" size={30} aria-label={`Remove ${user.name}`} onClick={remove}>
              <IconUserMinus size={16} />
            </ActionIcon>
          ) : null
        }
      />
      {open ? (
        <li className={groups.below}>
          <Memberships path={path} user={user} />
        </li>
      ) : null}
    </>
  );
}

export function Seats({ path, changed }: { path: string; changed: () => Promise<unknown> }) {
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState<SeatOrder>('name_asc');
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...seats(path, search.trim(), sort),
    placeholderData: (before) => before,
  });
  const users = data?.pages.flatMap(({ items }) => items) ?? [];
  const total = data?.pages[0]?.total;
  const leaving = useConfirmed(
    ({ id: user_id }: BillableMember) =>
      unwrap(client.DELETE('/groups/{id}/billable_members/{user_id}', { params: { path: { id: path, user_id } } })),
    changed,
  );
  return (
    <section aria-label="Seats">
      <Text c="var(--mr-dim)" mb="md">
        {total === undefined || total === null || search
          ? ''
          : `${total === 1 ? '1 seat is' : `${total} seats are`} taken. `}
        Each user with a role above Guest in this group, its subgroups and projects, or an invited group takes one seat.
      </Text>
      <FormError error={error} />
      <FilterBar label="Name, username or public address" value={search} change={setSearch}>
        <NativeSelect
          aria-label="Order"
          data={Object.entries(seatOrders).map(([value, label]) => ({ value, label }))}
          value={sort}
          onChange={(event) => setSort(event.currentTarget.value as SeatOrder)}
        />
      </FilterBar>
      {data && users.length === 0 ? (
        <EmptyState title="No seats">No seats match your filter.</EmptyState>
      ) : (
        <DataList label="Seats">
          {users.map((user) => (
            <Seat key={user.id} path={path} user={user} remove={() => leaving.ask(user)} />
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
      <ConfirmName
        {...leaving.dialog}
        title="Remove user from the group"
        text="The user will be removed from this group and all its subgroups and projects."
        name={leaving.asked?.username ?? ''}
        action="Remove"
      />
    </section>
  );
}
