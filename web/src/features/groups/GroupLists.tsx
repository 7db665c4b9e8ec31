/** Issues and merge requests of all projects below a group. */
import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  type GroupListFilter,
  groupIssueCounts,
  groupIssues,
  groupMergeRequestCounts,
  groupMergeRequests,
} from '../../lib/group-lists.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { issueStatus, StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { TitleFilter } from '../../ui/TitleFilter.tsx';
import { MergeRequestRow } from '../merge-requests/MergeRequestRow.tsx';
import { useGroup } from './useGroupForm.ts';

const states = [
  { value: 'opened', label: 'Open' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
];
const requestStates = [...states.slice(0, 1), { value: 'merged', label: 'Merged' }, ...states.slice(1)];

interface ListPageProps {
  readonly title: string;
  readonly search: GroupListFilter;
  readonly states: typeof states;
  readonly counts: Readonly<Record<string, number>> | undefined;
  readonly empty: boolean;
  readonly nextPage: number | null;
  change(to: GroupListFilter, replace: boolean): void;
  readonly children: ReactNode;
}

function ListPage({ title, search, states: choices, counts, empty, nextPage, change, children }: ListPageProps) {
  const { group } = useGroup();
  const filtered = search.search !== undefined || search.state !== undefined;
  const noun = title.toLowerCase();
  return (
    <Page title={`${title} · ${group.full_name}`} heading={title}>
      <TitleFilter value={search} states={choices} counts={counts} change={change} />
      {empty ? (
        <EmptyState title={filtered ? `No ${noun} match your filter` : `No open ${noun}`}>
          {filtered ? 'Try removing a filter.' : 'Those of all projects in this group are listed here.'}
        </EmptyState>
      ) : (
        <DataList label={title}>{children}</DataList>
      )}
      <Pager page={search.page ?? 1} nextPage={nextPage} go={(page) => change({ page }, false)} />
    </Page>
  );
}

export function GroupIssues() {
  const { path } = useGroup();
  const search = useSearch({ from: '/g/$path/issues' });
  const navigate = useNavigate({ from: '/g/$path/issues' });
  const { data } = useSuspenseQuery(groupIssues(path, search));
  const { data: counts } = useQuery({ ...groupIssueCounts(path, search), placeholderData: keepPreviousData });
  return (
    <ListPage
      title="Issues"
      search={search}
      states={states}
      counts={counts}
      empty={data.items.length === 0}
      nextPage={data.nextPage}
      change={(to, replace) => void navigate({ search: (before) => ({ ...before, ...to }), replace })}
    >
      {data.items.map((issue) => (
        <DataRow
          key={issue.id}
          before={<StatusBadge status={issueStatus(issue.state)} compact />}
          title={
            <Link
              to="/p/$path/issues/$iid"
              params={{ path: toSegment(issue.references.full.replace(/#\d+$/, '')), iid: String(issue.iid) }}
              data-entry
            >
              {issue.title}
            </Link>
          }
          meta={
            <>
              <span>
                {issue.references.full} by {issue.author.name}
              </span>
              {issue.milestone ? <span>{issue.milestone.title}</span> : null}
              {issue.labels.map((label) =>
                typeof label === 'string' ? null : <LabelChip key={label.id} label={label} />,
              )}
            </>
          }
          after={<TimeAgo at={issue.updated_at} />}
        />
      ))}
    </ListPage>
  );
}

export function GroupMergeRequests() {
  const { path } = useGroup();
  const search = useSearch({ from: '/g/$path/merge_requests' });
  const navigate = useNavigate({ from: '/g/$path/merge_requests' });
  const { data } = useSuspenseQuery(groupMergeRequests(path, search));
  const { data: counts } = useQuery({ ...groupMergeRequestCounts(path, search), placeholderData: keepPreviousData });
  return (
    <ListPage
      title="Merge requests"
      search={search}
      states={requestStates}
      counts={counts}
      empty={data.items.length === 0}
      nextPage={data.nextPage}
      change={(to, replace) => void navigate({ search: (before) => ({ ...before, ...to }), replace })}
    >
      {data.items.map((request) => (
        <MergeRequestRow key={request.id} request={request} full>
          {request.labels.map((label) =>
            typeof label === 'string' ? null : <LabelChip key={label.id} label={label} />,
          )}
        </MergeRequestRow>
      ))}
    </ListPage>
  );
}
