/** Milestones of a project and of the groups above, what is due first. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type Milestone, milestones } from '../../lib/planning.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TitleFilter } from '../../ui/TitleFilter.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { Days, Progress } from './facts.tsx';

const states = [
  { value: 'active', label: 'Open' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
];

function Title({ milestone }: { milestone: Milestone }) {
  const { segment } = useProject();
  // Those of groups have no page of the project.
  if (milestone.project_id === undefined) return <span>{milestone.title}</span>;
  return (
    <Link to="/p/$path/milestones/$iid" params={{ path: segment, iid: String(milestone.iid) }} data-entry>
      {milestone.title}
    </Link>
  );
}

export default function MilestonesPage() {
  const search = useSearch({ from: '/p/$path/milestones' });
  const navigate = useNavigate({ from: '/p/$path/milestones' });
  const { project, path, segment, ...view } = useProject();
  const { data } = useSuspenseQuery(milestones(path, search));
  const state = search.state ?? 'active';
  return (
    <Page
      title={`Milestones · ${project.name_with_namespace}`}
      heading="Milestones"
      actions={
        view.level >= level.planner && !project.archived ? (
          <LinkButton to="/p/$path/milestones/new" params={{ path: segment }} variant="filled">
            New milestone
          </LinkButton>
        ) : null
      }
    >
      <TitleFilter
        value={search}
        states={states}
        change={(to, replace) => void navigate({ search: (before) => ({ ...before, ...to }), replace })}
      />
      {data.items.length === 0 ? (
        <EmptyState title={state === 'active' && !search.search ? 'No open milestones' : 'No milestone is like this'}>
          {state === 'active' && !search.search
            ? 'A milestone is what is to be done by a day: merge requests and releases name it.'
            : 'Change the filter to see others.'}
        </EmptyState>
      ) : (
        <DataList label="Milestones">
          {data.items.map((milestone) => (
            <DataRow
              key={milestone.id}
              title={<Title milestone={milestone} />}
              meta={
                <>
                  {milestone.state === 'closed' ? <span>Closed</span> : null}
                  <Days milestone={milestone} />
                  {milestone.project_id === undefined ? <span>of a group above</span> : null}
                </>
              }
              after={<Progress milestone={milestone} />}
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
