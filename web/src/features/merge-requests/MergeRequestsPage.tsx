/** Merge requests of a project: filtered, ordered, and how far the review of each is. */
import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { feedQuery, isNarrowed, mergeRequestCounts, mergeRequestList } from '../../lib/merge-requests.ts';
import { useLive } from '../../lib/useLive.ts';
import { ChoicesTogether } from '../../ui/Choices.tsx';
import { DataList } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FeedButton } from '../../ui/FeedButton.tsx';
import { TitleFilter } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { filterFields, requestStates } from './filter-fields.ts';
import { RecentPush } from './RecentPush.tsx';
import { ReviewedRow } from './ReviewedRow.tsx';

export default function MergeRequestsPage() {
  const search = useSearch({ from: '/p/$path/merge_requests' });
  const navigate = useNavigate({ from: '/p/$path/merge_requests' });
  const view = useProject();
  const { project, path, segment } = view;
  const { data } = useSuspenseQuery(mergeRequestList(path, search));
  const { data: counts } = useQuery({ ...mergeRequestCounts(path, search), placeholderData: keepPreviousData });
  useLive([`project:${project.id}:merge_requests`], [['project', path, 'merge-requests']]);
  const filtered = isNarrowed(search);
  return (
    <Page
      title={`Merge requests · ${project.name_with_namespace}`}
      heading="Merge requests"
      actions={
        <>
          <FeedButton feed={{ path: `/${path}/-/merge_requests.atom`, query: feedQuery(search) }} />
          {project.merge_trains_enabled && project.merge_pipelines_enabled && view.level >= level.developer ? (
            <LinkButton to="/p/$path/merge_trains" params={{ path: segment }}>
              Merge train
            </LinkButton>
          ) : null}
          <LinkButton to="/p/$path/milestones" params={{ path: segment }}>
            Milestones
          </LinkButton>
          {view.level >= level.developer || project.can_create_merge_request_in ? (
            <LinkButton to="/p/$path/merge_requests/new" params={{ path: segment }} variant="filled">
              New merge request
            </LinkButton>
          ) : null}
        </>
      }
    >
      <RecentPush />
      <TitleFilter
        value={search}
        states={requestStates}
        counts={counts}
        change={(to, replace) => void navigate({ search: (before) => ({ ...before, ...to }), replace })}
      />
      <ChoicesTogether
        {...filterFields}
        chosen={filtered || search.order !== undefined}
        props={{
          of: 'project',
          path,
          value: search,
          change: (to) => void navigate({ search: (before) => ({ ...before, ...to, page: undefined }) }),
        }}
      />
      {data.items.length === 0 ? (
        <EmptyState title={filtered ? 'No merge requests match your filter' : 'No open merge requests'}>
          {filtered ? (
            'Change the filter to see others.'
          ) : (
            <>
              Push a branch, then create a merge request.
              <Command text={'git switch --create my-change\ngit push --set-upstream origin my-change'} />
            </>
          )}
        </EmptyState>
      ) : (
        <DataList label="Merge requests">
          {data.items.map((request) => (
            <ReviewedRow key={request.id} request={request} usual={project.default_branch} />
          ))}
        </DataList>
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
      />
    </Page>
  );
}
