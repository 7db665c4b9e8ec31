/** The parts of a members page: who takes part, who waits, which groups are invited. */
import { NativeSelect, Stack, Tabs, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { Member, MemberSource } from '../../lib/members.ts';
import { FormError } from '../../ui/FormError.tsx';
import { AddMember } from './AddMember.tsx';
import { type InvitedGroup, InvitedGroups } from './InvitedGroups.tsx';
import { MemberList } from './MemberList.tsx';
import classes from './members.module.css';
import { AccessRequests, Invitations } from './Waiting.tsx';

const sorts: Readonly<Record<string, (a: Member, b: Member) => number>> = {
  name: (a, b) => a.name.localeCompare(b.name),
  level: (a, b) => b.access_level - a.access_level || a.name.localeCompare(b.name),
  joined: (a, b) => b.created_at.localeCompare(a.created_at),
};
const sortNames = [
  { value: 'name', label: 'Name' },
  { value: 'level', label: 'Highest level' },
  { value: 'joined', label: 'Last joined' },
];

interface Props {
  readonly source: MemberSource;
  readonly groups: readonly InvitedGroup[];
  readonly manages: boolean;
}

export function MemberParts({ source, groups, manages }: Props) {
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState('name');
  const wanted = useDeferredValue(search.trim());
  const { data: members = [], error } = useQuery({
    queryKey: [...source.key, 'all', wanted],
    queryFn: () => source.list(wanted),
    placeholderData: (before) => before,
  });
  const cache = useQueryClient();
  const changed = () => cache.invalidateQueries({ queryKey: source.key.slice(0, 2) });
  const sorted = [...members].sort(sorts[sort]);
  return (
    <Tabs defaultValue="members" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="members">Members</Tabs.Tab>
        <Tabs.Tab value="groups">Groups</Tabs.Tab>
        {manages ? <Tabs.Tab value="invitations">Invitations</Tabs.Tab> : null}
        {manages ? <Tabs.Tab value="requests">Access requests</Tabs.Tab> : null}
      </Tabs.List>
      <Tabs.Panel value="members">
        {manages ? <AddMember source={source} added={changed} /> : null}
        <FormError error={error} />
        <div className={classes.fields}>
          <TextInput
            label="Filter"
            placeholder="Name or user name"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <NativeSelect
            label="Order"
            data={sortNames}
            value={sort}
            onChange={(event) => setSort(event.currentTarget.value)}
          />
        </div>
        <Stack mt="md">
          <MemberList source={source} members={sorted} manages={manages} changed={changed} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="groups">
        <InvitedGroups source={source} groups={groups} manages={manages} changed={changed} />
      </Tabs.Panel>
      <Tabs.Panel value="invitations">
        <Invitations source={source} changed={changed} />
      </Tabs.Panel>
      <Tabs.Panel value="requests">
        <AccessRequests source={source} changed={changed} />
      </Tabs.Panel>
    </Tabs>
  );
}
