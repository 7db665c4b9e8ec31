/** The start page: the projects of the person who is signed in. */
import { NativeSelect } from '@mantine/core';
import { IconStar } from '@tabler/icons-react';
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
import classes from './projects.module.css';
import { Visibility } from './Visibility.tsx';

const lists = { yours: 'Yours', starred: 'Starred', contributed: 'Contributed', all: 'All' } as const;
type List = keyof typeof lists;
const nothing: Readonly<Record<List, { title: string; help: string }>> = {
  yours: { title: 'You have no projects yet', help: 'Create one, then push a repository to it.' },
  starred: { title: 'You have not starred anything yet', help: 'A star keeps a project in this list.' },
  contributed: { title: 'Nothing of yours anywhere yet', help: 'Push something, or open a merge request.' },
  all: { title: 'There are no projects yet', help: 'Create the first one.' },
};

export default function ProjectsPage() {
  const search = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const current: List = search.list !== undefined && search.list in lists ? (search.list as List) : 'yours';
  const { data: page } = useSuspenseQuery(data.projects(search));
  return (
    <Page
      title="Projects"
      actions={
        <>
          <LinkButton to="/dashboard/groups">Groups</LinkButton>
          <LinkButton to="/groups/new">New group</LinkButton>
          <LinkButton to="/projects/new" variant="filled">
            New project
          </LinkButton>
        </>
      }
    >
      <nav aria-label="Lists of projects" className={classes.lists}>
        {Object.entries(lists).map(([list, label]) => (
          <Link
            key={list}
            to="/"
            search={{ list: list === 'yours' ? undefined : list, order: search.order }}
            aria-current={list === current ? 'page' : undefined}
            activeOptions={{ exact: true }}
          >
            {label}
          </Link>
        ))}
      </nav>
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
        <EmptyState title={search.search ? 'No project has this name' : nothing[current].title}>
          {search.search ? 'Try a part of its name or of its group.' : nothing[current].help}
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
                <>
                  {project.star_count > 0 ? (
                    <span title="Stars" className={classes.count}>
                      <IconStar size={12} aria-label="Stars" /> {project.star_count}
                    </span>
                  ) : null}
                  <TimeAgo at={project.last_activity_at} />
                </>
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
