/** Merge requests of a project by state. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useLive } from '../../lib/useLive.ts';
import { DataList } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { TitleFilter } from '../../ui/TitleFilter.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { MergeRequestRow } from './MergeRequestRow.tsx';

const states = [
  { value: 'opened', label: 'Open' },
  { value: 'merged', label: 'Merged' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
];

export default function MergeRequestsPage() {
  const search = useSearch({ from: '/p/$path/merge_requests' });
  const navigate = useNavigate({ from: '/p/$path/merge_requests' });
  const view = useProject();
  const { project, parts, path, segment } = view;
  const { data } = useSuspenseQuery(parts.mergeRequests(search));
  useLive([`project:${project.id}:merge_requests`], [['project', path, 'merge-requests']]);
  const state = search.state ?? 'opened';
  return (
    <Page
      title={`Merge requests · ${project.name_with_namespace}`}
      heading="Merge requests"
      actions={
        <>
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
      <TitleFilter
        value={search}
        states={states}
        change={(to, replace) => void navigate({ search: (before) => ({ ...before, ...to }), replace })}
      />
      {data.items.length === 0 ? (
        <EmptyState
          title={state === 'opened' && !search.search ? 'No open merge requests' : 'No merge request is like this'}
        >
          {state === 'opened' && !search.search ? (
            <>
              Push a branch, then ask for it to be merged.
              <Command text={'git switch --create my-change\ngit push --set-upstream origin my-change'} />
            </>
          ) : (
            'Change the filter to see others.'
          )}
        </EmptyState>
      ) : (
        <DataList label="Merge requests">
          {data.items.map((request) => (
            <MergeRequestRow key={request.id} request={request}>
              <RefBadge name={request.source_branch} />
              {request.target_branch === project.default_branch ? null : <span>into {request.target_branch}</span>}
              {request.milestone ? <span>{request.milestone.title}</span> : null}
              {request.labels.map((label) =>
                typeof label === 'string' ? null : <LabelChip key={label.id} label={label} />,
              )}
              {request.has_conflicts && request.state === 'opened' ? <span>Conflicts</span> : null}
            </MergeRequestRow>
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
