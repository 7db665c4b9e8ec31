/** The start page: the projects of the person who is signed in, what waits for them and what happened. */
import { NativeSelect } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import * as data from '../../lib/data.ts';
import { sessionQuery } from '../../lib/session.ts';
import { workCounts, workSentence } from '../../lib/work.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { OwnActivity } from '../activity/OwnActivity.tsx';
import { FirstRun } from './FirstRun.tsx';
import { type ProjectList, ProjectLists, projectListOf } from './ProjectLists.tsx';
import { ProjectRows } from './ProjectRows.tsx';
import classes from './projects.module.css';

const nothing: Readonly<Record<Exclude<ProjectList, 'activity'>, { title: string; help: string }>> = {
  yours: { title: 'You have no projects yet', help: 'Create one, then push a repository to it.' },
  starred: { title: 'No starred projects yet', help: 'Star a project to add it to this list.' },
  contributed: { title: 'No contributions yet', help: 'Push commits or create a merge request.' },
  all: { title: 'No projects yet', help: 'Projects that you may see are listed here.' },
  inactive: {
    title: 'No inactive projects',
    help: 'Archived projects and those scheduled for deletion are listed here.',
  },
};

/** What waits for the person, as a link to the list of it. */
function Waiting() {
  const { data: session } = useQuery(sessionQuery);
  const { data: counts } = useQuery({ ...workCounts(), enabled: session?.user != null });
  const sentence = counts ? workSentence(counts) : null;
  if (sentence === null) return null;
  return (
    <p className={classes.waiting}>
      <Link to="/dashboard/work">{sentence}</Link>
    </p>
  );
}

function Listed({ current }: { current: Exclude<ProjectList, 'activity'> }) {
  const search = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const { data: page } = useSuspenseQuery(data.projects(search));
  return (
    <>
      <FilterBar
        label="Filter by name"
        value={search.search ?? ''}
        change={(text) =>
          void navigate({
            search: (before) => ({ ...before, search: text || undefined, page: undefined }),
            replace: true,
          })
        }
      >
        <NativeSelect
          aria-label="Order"
          value={search.order ?? 'activity'}
          onChange={(event) =>
            void navigate({ search: (before) => ({ ...before, order: event.currentTarget.value, page: undefined }) })
          }
          data={Object.entries(data.projectOrders).map(([value, { label }]) => ({ value, label }))}
        />
      </FilterBar>
      {page.items.length === 0 ? (
        <EmptyState title={search.search ? 'No projects match your filter' : nothing[current].title}>
          {search.search ? 'Try a different name.' : nothing[current].help}
        </EmptyState>
      ) : (
        <ProjectRows projects={page.items} />
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={page.nextPage}
        go={(number) => void navigate({ search: (before) => ({ ...before, page: number }) })}
      />
    </>
  );
}

export default function ProjectsPage() {
  const search = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const current = projectListOf(search.list);
  return (
    <ProjectLists>
      <Waiting />
      {current === 'yours' ? <FirstRun /> : null}
      {current === 'activity' ? (
        <OwnActivity
          page={search.page ?? 1}
          go={(number) => void navigate({ search: (before) => ({ ...before, page: number }) })}
        />
      ) : (
        <Listed current={current} />
      )}
    </ProjectLists>
  );
}
