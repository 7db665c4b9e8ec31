/** The start page: the projects of the person who is signed in. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import * as data from '../../lib/data.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { Visibility } from './Visibility.tsx';

export default function ProjectsPage() {
  const search = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const { data: page } = useSuspenseQuery(data.projects(search));
  return (
    <Page
      title="Projects"
      actions={
        <>
          <LinkButton to="/groups/new">New group</LinkButton>
          <LinkButton to="/projects/new" variant="filled">
            New project
          </LinkButton>
        </>
      }
    >
      <FilterBar
        label="Filter by name"
        value={search.search ?? ''}
        change={(text) => void navigate({ search: { search: text || undefined, page: undefined }, replace: true })}
      />
      {page.items.length === 0 ? (
        <EmptyState title={search.search ? 'No project has this name' : 'You have no projects yet'}>
          {search.search ? 'Try a part of its name or of its group.' : 'Create one, then push a repository to it.'}
        </EmptyState>
      ) : (
        <DataList label="Projects">
          {page.items.map((project) => (
            <DataRow
              key={project.id}
              title={
                <Link to="/o/$path" params={{ path: toSegment(project.path_with_namespace) }} data-entry>
                  {project.name_with_namespace}
                </Link>
              }
              meta={
                <>
                  <Visibility level={project.visibility} />
                  {project.description ? <span>{project.description}</span> : null}
                </>
              }
              after={
                <span>
                  <TimeAgo at={project.last_activity_at} />
                </span>
              }
            />
          ))}
        </DataList>
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={page.nextPage}
        go={(number) => void navigate({ search: (before) => ({ ...before, page: number }) })}
      />
    </Page>
  );
}
