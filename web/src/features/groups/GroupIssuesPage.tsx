/** Issues of all projects below a group, with the filters of those of one project. */
import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type IssueFilter, isFiltered } from '../../lib/issue-filters.ts';
import { issueCounts, issues } from '../../lib/issues.ts';
import { ChoicesTogether } from '../../ui/Choices.tsx';
import { DataList } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FeedButton } from '../../ui/FeedButton.tsx';
import { TitleFilter } from '../../ui/FilterBar.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { filterFields, issueStates } from '../issues/filter-fields.ts';
import { ListedIssueRow } from '../issues/ListedIssueRow.tsx';
import { useGroup } from './useGroupForm.ts';

export default function GroupIssuesPage() {
  const { group, path } = useGroup();
  const search = useSearch({ from: '/g/$path/issues' });
  const navigate = useNavigate({ from: '/g/$path/issues' });
  const { data } = useSuspenseQuery(issues(path, search, 'group'));
  const { data: counts } = useQuery({ ...issueCounts(path, search, 'group'), placeholderData: keepPreviousData });
  const [cleared, setCleared] = useState(0);
  const filtered = isFiltered(search);
  const { page: _page, sort: _sort, ...given } = search;
  const change = (to: Partial<IssueFilter>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...to }), replace });
  return (
    <Page
      title={`Issues · ${group.full_name}`}
      heading="Issues"
      actions={<FeedButton feed={{ path: `/groups/${path}/-/issues.atom`, query: given }} />}
    >
      <TitleFilter
        // Words that are cleared with the other filters are cleared in the field, too.
        key={cleared}
        value={search}
        states={issueStates}
        counts={counts}
        change={change}
      />
      <ChoicesTogether
        {...filterFields}
        chosen={filtered || search.sort !== undefined}
        props={{
          of: 'group',
          path,
          value: search,
          change(to) {
            if ('search' in to) setCleared(cleared + 1);
            change(to);
          },
        }}
      />
      {data.items.length === 0 ? (
        <EmptyState title={filtered ? 'No issues match your filter' : 'No open issues'}>
          {filtered ? 'Try removing a filter.' : 'Issues of all projects in this group appear here.'}
        </EmptyState>
      ) : (
        <DataList label="Issues">
          {data.items.map((issue) => (
            <ListedIssueRow key={issue.id} issue={issue} full />
          ))}
        </DataList>
      )}
      <Pager page={search.page ?? 1} nextPage={data.nextPage} go={(page) => change({ page })} />
    </Page>
  );
}
