/** Issues of a project. Its filters are those of the API and stand in the address, so that a list can be shared. */
import { Select } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { issues } from '../../lib/issues.ts';
import { labels as labelsOf } from '../../lib/planning.ts';
import { sessionQuery } from '../../lib/session.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { issueStatus, StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { TitleFilter } from '../../ui/TitleFilter.tsx';
import { useProject } from '../projects/useProject.ts';

const states = [
  { value: 'opened', label: 'Open' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
];

export default function IssuesPage() {
  const search = useSearch({ from: '/p/$path/issues' });
  const navigate = useNavigate({ from: '/p/$path/issues' });
  const { project, path, segment } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const { data } = useSuspenseQuery(issues(path, search));
  const { data: known = [] } = useQuery(labelsOf(path, ''));
  const filtered = Object.keys(search).some((name) => name !== 'page');
  const change = (to: object, replace: boolean) =>
    void navigate({ search: (before) => ({ ...before, ...to }), replace });
  return (
    <Page
      title={`Issues · ${project.name_with_namespace}`}
      heading="Issues"
      actions={
        <>
          <LinkButton to="/p/$path/boards" params={{ path: segment }}>
            Boards
          </LinkButton>
          <LinkButton to="/p/$path/iterations" params={{ path: segment }}>
            Iterations
          </LinkButton>
          <LinkButton to="/p/$path/milestones" params={{ path: segment }}>
            Milestones
          </LinkButton>
          {session?.user && !project.archived ? (
            <LinkButton to="/p/$path/issues/new" params={{ path: segment }} variant="filled">
              New issue
            </LinkButton>
          ) : null}
        </>
      }
    >
      <TitleFilter value={search} states={states} change={change} />
      {known.length > 0 ? (
        <Select
          aria-label="Label"
          placeholder="Any label"
          size="xs"
          mb="sm"
          w={220}
          data={known.map(({ name }) => name)}
          value={search.labels ?? null}
          onChange={(name) => change({ labels: name ?? undefined, page: undefined }, false)}
          searchable
          clearable
          nothingFoundMessage="No label has this name"
        />
      ) : null}
      {data.items.length === 0 ? (
        <EmptyState title={filtered ? 'No issue matches the filter' : 'No open issues'}>
          {filtered ? 'Change the filter to see others.' : 'An issue says what is wrong or missing, and who takes it.'}
        </EmptyState>
      ) : (
        <DataList label="Issues">
          {data.items.map((each) => (
            <DataRow
              key={each.id}
              before={<StatusBadge status={issueStatus(each.state)} compact />}
              title={
                <Link to="/p/$path/issues/$iid" params={{ path: segment, iid: String(each.iid) }} data-entry>
                  {each.title}
                </Link>
              }
              meta={
                <>
                  <span>
                    {each.references.short} by {each.author.name}
                  </span>
                  {each.confidential ? <span>Confidential</span> : null}
                  {each.milestone ? <span>{each.milestone.title}</span> : null}
                  {each.due_date ? <span>due {each.due_date}</span> : null}
                  {each.labels.map((label) =>
                    typeof label === 'string' ? null : <LabelChip key={label.id} label={label} />,
                  )}
                  {each.assignees.length > 0 ? (
                    <span>assigned to {each.assignees.map(({ name }) => name).join(', ')}</span>
                  ) : null}
                </>
              }
              after={<TimeAgo at={each.updated_at} />}
            />
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
