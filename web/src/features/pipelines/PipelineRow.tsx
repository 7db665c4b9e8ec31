/** A pipeline in the lists of projects and groups, and what these lists are filtered by. */
import { Group, NativeSelect } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { Schemas } from '../../lib/api.ts';
import type { PipelineSearch } from '../../lib/group-lists.ts';
import { duration } from '../../lib/time.ts';
import { DataRow } from '../../ui/DataList.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { StatusBadge, statusChoices, statusWord } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import shared from '../../ui/ui.module.css';
import { PersonFilter } from '../members/PersonFilter.tsx';
import classes from './pipelines.module.css';
import { RefLink } from './RefLink.tsx';
import { sourceChoices, sources } from './words.ts';

const titleOf = ({ id, name, details }: Schemas['PipelineListed']): string =>
  name ?? details?.commit_title ?? `Pipeline #${id}`;

/** The state of each stage in a row of icons, their names on hover and for readers of the screen. */
function Stages({ stages }: { stages: readonly { readonly name: string; readonly status: string }[] }) {
  return (
    <ul className={classes.stages} aria-label="Stages">
      {stages.map(({ name, status }) => (
        <li key={name} title={`${name}: ${statusWord(status)}`}>
          <span className={classes.stageName}>{name}</span>
          <StatusBadge status={status} compact />
        </li>
      ))}
    </ul>
  );
}

interface FailedProps {
  readonly details: NonNullable<Schemas['PipelineListed']['details']>;
  readonly segment: string;
}

/** Which jobs failed, with the way to their logs. */
function Failed({ details: { failed_jobs: jobs, failed_jobs_count: count }, segment }: FailedProps) {
  if (jobs.length === 0) return null;
  return (
    <span className={classes.failedJobs}>
      Failed:{' '}
      {jobs.map(({ id, name }, at) => (
        <Fragment key={id}>
          {at === 0 ? '' : ', '}
          <Link to="/p/$path/jobs/$id" params={{ path: segment, id: String(id) }}>
            {name}
          </Link>
        </Fragment>
      ))}
      {count > jobs.length ? ` and ${count - jobs.length} more` : ''}
    </span>
  );
}

export const isFiltered = ({ ref, status, source, username }: PipelineSearch): boolean =>
  [ref, status, source, username].some((value) => value !== undefined);

interface FiltersProps {
  readonly value: PipelineSearch;
  readonly of: 'project' | 'group';
  narrow(part: PipelineSearch, replace: boolean): void;
}

export function PipelineFilters({ value, of, narrow }: FiltersProps) {
  return (
    <FilterBar
      label="Filter by branch or tag"
      value={value.ref ?? ''}
      change={(ref) => narrow({ ref: ref || undefined }, true)}
    >
      <Group gap="xs" className={shared.choices}>
        <NativeSelect
          aria-label="Status"
          value={value.status ?? ''}
          onChange={(event) => narrow({ status: event.currentTarget.value || undefined }, false)}
          data={[{ value: '', label: 'Any status' }, ...statusChoices]}
        />
        <NativeSelect
          aria-label="Source"
          value={value.source ?? ''}
          onChange={(event) => narrow({ source: event.currentTarget.value || undefined }, false)}
          data={[{ value: '', label: 'Any source' }, ...sourceChoices]}
        />
        <PersonFilter
          label="Author"
          of={of}
          size="sm"
          value={value.username ?? ''}
          change={(username) => narrow({ username: username || undefined }, false)}
        />
      </Group>
    </FilterBar>
  );
}

interface RowProps {
  readonly pipeline: Schemas['PipelineListed'];
  /** Of its project, in addresses of the router. */
  readonly segment: string;
  /** Where it is, before what the row tells besides. */
  readonly children?: ReactNode;
}

export function PipelineRow({ pipeline, segment, children }: RowProps) {
  const { details } = pipeline;
  return (
    <DataRow
      before={
        <span className={classes.status}>
          <StatusBadge status={pipeline.status} />
        </span>
      }
      title={
        <Link
          to="/p/$path/pipelines/$id"
          params={{ path: segment, id: String(pipeline.id) }}
          aria-label={`Pipeline #${pipeline.id}: ${titleOf(pipeline)}`}
          data-entry
        >
          {titleOf(pipeline)}
        </Link>
      }
      meta={
        <>
          {children}
          <span>#{pipeline.id}</span>
          <RefLink name={pipeline.ref} tag={details?.tag ?? false} segment={segment} />
          <code>{pipeline.sha.slice(0, 8)}</code>
          <span>
            {sources[pipeline.source] ?? pipeline.source}
            {details?.user ? `, ${details.user.name}` : ''}
          </span>
          {details && details.duration !== null ? <span>{duration(details.duration)}</span> : null}
          {details ? <Failed details={details} segment={segment} /> : null}
        </>
      }
      after={
        <>
          {details ? <Stages stages={details.stages} /> : null}
          <TimeAgo at={pipeline.created_at} />
        </>
      }
    />
  );
}
