/** Merge requests of all projects below a group, with the filters of those of one project. */
import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  feedQuery,
  isNarrowed,
  type MergeRequestFilter,
  mergeRequestCounts,
  mergeRequestList,
} from '../../lib/merge-requests.ts';
import { ChoicesTogether } from '../../ui/Choices.tsx';
import { DataList } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FeedButton } from '../../ui/FeedButton.tsx';
import { TitleFilter } from '../../ui/FilterBar.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { filterFields, requestStates } from '../merge-requests/filter-fields.ts';
import { ReviewedRow } from '../merge-requests/ReviewedRow.tsx';
import { useGroup } from './useGroupForm.ts';

export default function GroupMergeRequestsPage() {
  const { group, path } = useGroup();
  const search = useSearch({ from: '/g/$path/merge_requests' });
  const navigate = useNavigate({ from: '/g/$path/merge_requests' });
  const { data } = useSuspenseQuery(mergeRequestList(path, search, 'group'));
  const { data: counts } = useQuery({
    ...mergeRequestCounts(path, search, 'group'),
    placeholderData: keepPreviousData,
  });
  const filtered = isNarrowed(search);
  const change = (to: Partial<MergeRequestFilter>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...to }), replace });
  return (
    <Page
      title={`Merge requests · ${group.full_name}`}
      heading="Merge requests"
      actions={<FeedButton feed={{ path: `/groups/${path}/-/merge_requests.atom`, query: feedQuery(search) }} />}
    >
      <TitleFilter value={search} states={requestStates} counts={counts} change={change} />
      <ChoicesTogether
        {...filterFields}
        chosen={filtered || search.order !== undefined}
        props={{ of: 'group', path, value: search, change: (to) => change(to) }}
      />
      {data.items.length === 0 ? (
        <EmptyState title={filtered ? 'No merge requests match your filter' : 'No open merge requests'}>
          {filtered ? 'Try removing a filter.' : 'Merge requests of all projects in this group appear here.'}
        </EmptyState>
      ) : (
        <DataList label="Merge requests">
          {data.items.map((request) => (
            <ReviewedRow key={request.id} request={request} full />
          ))}
        </DataList>
      )}
      <Pager page={search.page ?? 1} nextPage={data.nextPage} go={(page) => change({ page })} />
    </Page>
  );
}
