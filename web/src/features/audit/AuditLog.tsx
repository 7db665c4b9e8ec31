/** Audit events of one place: found by author, kind and days, newest first. */
import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import {
  type AuditEvent,
  type AuditPlace,
  auditEvents,
  factsOf,
  impersonatorOf,
  ownTitleOf,
  titleOf,
} from '../../lib/audit.ts';
import { type AuditFilter, entityTypes } from '../../lib/audit-filter.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import classes from './audit.module.css';

function AuditRow({ event, place }: { event: AuditEvent; place: AuditPlace }) {
  const { details } = event;
  const impersonator = impersonatorOf(event);
  const target = details.target_type === event.entity_type ? null : details.target_details;
  return (
    <DataRow
      title={place.kind === 'self' ? ownTitleOf(event) : titleOf(event)}
      meta={
        <>
          <span>
            by {event.author_name}
            {impersonator ? ` (${impersonator} impersonating them)` : ''}
          </span>
          {place.kind === 'instance' && event.entity_type in entityTypes ? (
            <span>
              {event.entity_type.toLowerCase()} {String(details.entity_path)}
            </span>
          ) : null}
          {target && target !== details.change ? <span>{String(target)}</span> : null}
          {factsOf(event).map((fact) => (
            <span key={fact} className={classes.fact}>
              {fact}
            </span>
          ))}
          {details.ip_address ? <span>{String(details.ip_address)}</span> : null}
        </>
      }
      after={<TimeAgo at={event.created_at} />}
    />
  );
}

interface AuditLogProps {
  place: AuditPlace;
  filter: AuditFilter;
  go: (change: AuditFilter) => void;
}

const kinds = [
  { value: '', label: 'Everything' },
  ...Object.entries(entityTypes).map(([value, label]) => ({ value, label })),
];

export function AuditLog({ place, filter, go }: AuditLogProps) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(auditEvents(place, filter));
  const events = data.pages.flatMap((page) => page.items);
  const days = (
    <>
      <TextInput
        type="date"
        aria-label="From"
        leftSection={<span className={classes.side}>From</span>}
        leftSectionWidth={48}
        value={filter.created_after ?? ''}
        onChange={(event) => go({ created_after: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        aria-label="To"
        leftSection={<span className={classes.side}>To</span>}
        leftSectionWidth={48}
        value={filter.created_before ?? ''}
        onChange={(event) => go({ created_before: event.currentTarget.value })}
      />
    </>
  );
  return (
    <>
      {place.kind === 'self' ? (
        <Group gap="xs" mb="sm">
          {days}
        </Group>
      ) : (
        <FilterBar label="Author" value={filter.author ?? ''} change={(author) => go({ author })}>
          {place.kind === 'instance' ? (
            <NativeSelect
              aria-label="About"
              data={kinds}
              value={filter.entity_type ?? ''}
              onChange={(event) => go({ entity_type: event.currentTarget.value as 'User' })}
            />
          ) : null}
          {days}
        </FilterBar>
      )}
      {events.length === 0 ? (
        <EmptyState title="No events match your filter">Try removing a filter.</EmptyState>
      ) : (
        <DataList label="Audit events">
          {events.map((event) => (
            <AuditRow key={event.id} event={event} place={place} />
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
    </>
  );
}
