/** The parts of a members page: who takes part, who waits, which groups are invited, which seats are taken. */
import { Tabs } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type MemberFilter, readMemberFilter } from '../../lib/member-filter.ts';
import type { MemberSource } from '../../lib/members.ts';
import { Guidelines } from '../../ui/Guidelines.tsx';
import { AddMember } from './AddMember.tsx';
import { type InvitedGroup, InvitedGroups } from './InvitedGroups.tsx';
import { MemberFilters } from './MemberFilters.tsx';
import { MemberList } from './MemberList.tsx';
import classes from './members.module.css';
import { Pending } from './Pending.tsx';
import { Seats } from './Seats.tsx';
import { AccessRequests, Invitations } from './Waiting.tsx';

/** What stands in the address of a members page. */
export interface MemberSearch extends MemberFilter {
  readonly tab?: string | undefined;
}

interface Props {
  readonly source: MemberSource;
  readonly groups: readonly InvitedGroup[];
  readonly manages: boolean;
  /** The path, where this is a top-level group: it has seats. */
  readonly seatsOf?: string | null;
  go(search: MemberSearch): void;
}

export function MemberParts({ source, groups, manages, seatsOf = null, go }: Props) {
  const search = useSearch({ strict: false }) as MemberSearch;
  const filter = readMemberFilter({ ...search });
  const cache = useQueryClient();
  const changed = () => cache.invalidateQueries({ queryKey: source.key.slice(0, 2) });
  const topLevel = seatsOf !== null;
  const owned = manages && topLevel;
  return (
    <Tabs
      value={search.tab ?? 'members'}
      onChange={(tab) => go({ tab: tab === 'members' || tab === null ? undefined : tab })}
      keepMounted={false}
    >
      <Tabs.List mb="md" className={classes.tabs}>
        <Tabs.Tab value="members">Members</Tabs.Tab>
        <Tabs.Tab value="groups">Groups</Tabs.Tab>
        {manages ? <Tabs.Tab value="invitations">Invitations</Tabs.Tab> : null}
        {manages ? <Tabs.Tab value="requests">Access requests</Tabs.Tab> : null}
        {owned ? <Tabs.Tab value="waiting">Waiting</Tabs.Tab> : null}
        {owned ? <Tabs.Tab value="seats">Seats</Tabs.Tab> : null}
      </Tabs.List>
      <Tabs.Panel value="members">
        {manages ? <Guidelines of="members_html" /> : null}
        {manages ? <AddMember source={source} topLevel={topLevel} added={changed} /> : null}
        <MemberFilters filter={filter} manages={manages} topLevel={topLevel} go={go} />
        <MemberList source={source} filter={filter} manages={manages} topLevel={topLevel} changed={changed} />
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
      {seatsOf === null ? null : (
        <>
          <Tabs.Panel value="waiting">
            <Pending path={seatsOf} changed={changed} />
          </Tabs.Panel>
          <Tabs.Panel value="seats">
            <Seats path={seatsOf} changed={changed} />
          </Tabs.Panel>
        </>
      )}
    </Tabs>
  );
}
