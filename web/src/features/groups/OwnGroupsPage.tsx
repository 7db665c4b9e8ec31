/** The groups of which a person is a member, and all that they see. */
import { NativeSelect } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { groupList } from '../../lib/groups.ts';
import { sessionQuery } from '../../lib/session.ts';
import { DataList } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TabRow } from '../../ui/TabRow.tsx';
import rows from '../projects/project-lists.module.css';
import { GroupRow } from './GroupRow.tsx';
import { SortField } from './SortField.tsx';

export default function OwnGroupsPage() {
  const filter = useSearch({ from: '/dashboard/groups' });
  const navigate = useNavigate();
  const { data: groups } = useSuspenseQuery(groupList(filter));
  const go = (change: object) =>
    navigate({ to: '/dashboard/groups', search: { ...filter, page: undefined, ...change } });
  const { data: session } = useQuery(sessionQuery);
  const filtered = filter.search !== undefined || filter.visibility !== undefined;
  return (
    <Page
      title="Groups"
      actions={
        session?.user ? (
          <LinkButton to="/groups/new" variant="filled">
            New group
          </LinkButton>
        ) : (
          <LinkButton to="/" search={{ list: 'all' }}>
            Projects
          </LinkButton>
        )
      }
    >
      {session?.user ? (
        <TabRow label="Lists of groups" className={rows.lists}>
          {([undefined, 'all'] as const).map((list) => (
            <Link
              key={list ?? 'yours'}
              to="/dashboard/groups"
              search={{ list }}
              aria-current={filter.list === list ? 'page' : undefined}
              activeOptions={{ exact: true }}
            >
              {list ? 'All' : 'Yours'}
            </Link>
          ))}
        </TabRow>
      ) : null}
      <FilterBar
        label="Search groups"
        value={filter.search ?? ''}
        change={(search) => void go({ search: search || undefined })}
      >
        <NativeSelect
          aria-label="Visibility"
          value={filter.visibility ?? ''}
          data={[
            { value: '', label: 'Any visibility' },
            { value: 'private', label: 'Private' },
            { value: 'internal', label: 'Internal' },
            { value: 'public', label: 'Public' },
          ]}
          onChange={(event) => void go({ visibility: event.currentTarget.value || undefined })}
        />
        <SortField
          value={filter.sort ?? 'name'}
          change={(sort) => void go({ sort: sort === 'name' ? undefined : sort })}
        />
      </FilterBar>
      {groups.items.length === 0 ? (
        <EmptyState title={filtered ? 'No groups match your filter' : 'No groups yet'}>
          {filtered ? 'Try removing a filter.' : 'Groups hold projects and subgroups, and the people who work on them.'}
        </EmptyState>
      ) : (
        <DataList label="Groups">
          {groups.items.map((group) => (
            <GroupRow key={group.id} group={group} sort={filter.sort} full />
          ))}
        </DataList>
      )}
      <Pager page={filter.page ?? 1} nextPage={groups.nextPage} go={(page) => void go({ page })} />
    </Page>
  );
}
